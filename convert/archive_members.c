/*
 * Lists the members of an archive, for callers that convert them one by one. Each conversion costs a process. So
 * members that need no process to be refused are refused here, and the number of members is bounded by the bytes that
 * they have.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/order.h"
#include "convert/input/archive.h"
#include "convert/input/file_bytes.h"
#include "convert/input/file_kind.h"
#include "convert/input/unpack.h"
#include "convert/locus_convert.h"

enum {
	/* The smallest objects of compilers have 700 bytes; glibc's archives have one in 3 KB. */
	MEMBER_SIZE_MIN = 1024,
	MEMBERS_SPARE = 1000,

	/* A file may stand in an archive twice, if it was added without looking. */
	NAMED_AGAIN_MAX = 4,
	NAMED_AGAIN_SPARE = 16 << 20,
};

/* A member, and its number among those of the same name. */
struct named_member {
	const char *name; /* inside the archive, not terminated */
	size_t name_size;
	uint64_t size;
	uint64_t header; /* its offset in the archive, by which members are in order */
	unsigned long number;
	char *problem; /* owned; NULL: none */
};

/* A file that a thin archive names. */
struct thin_file {
	dev_t device;
	ino_t number;
	uint64_t size;
};

struct member_list {
	const char *path; /* of the archive */
	struct named_member *members;
	uint32_t count, room;
	struct thin_file *files;
	uint32_t file_count, file_room;
	uint32_t candidate_count; /* members without a problem */
};

/* ---- What each member is ---- */

/* Says why these bytes are no ELF file; NULL: they may be one. */
static const char *problem_of(const uint8_t *bytes, size_t size)
{
	bool is_elf = size >= EI_NIDENT && memcmp(bytes, ELFMAG, SELFMAG) == 0;
	return is_elf || packed_file_kind(bytes, size) != NOT_PACKED ? NULL : file_kind_text(bytes, size);
}

/* Opens the file that a thin archive names. *ret_problem is set, and malloc'd, if it has one. False: out of memory. */
static bool judge_file(struct member_list *list, const struct archive_member *member, char **ret_problem)
{
	struct file_bytes bytes = {0};
	struct locus_error why = {0};
	char *name = strndup(member->name, member->name_size);
	if (!name)
		return false;

	enum locus_status status = file_bytes_open_thin(list->path, name, &bytes, &why);
	const char *problem = status == LOCUS_OK ? problem_of(bytes.data, bytes.size) : why.text;
	bool memory = status != LOCUS_ERR_MEMORY && (!problem || (*ret_problem = strdup(problem)));
	if (memory && !problem &&
	    (memory = array_reserve(&list->files, &list->file_room, list->file_count + UINT64_C(1),
				    sizeof(*list->files))))
		list->files[list->file_count++] = (struct thin_file){bytes.stat.st_dev, bytes.stat.st_ino, bytes.size};
	file_bytes_done(&bytes);
	free(name);
	return memory;
}

/* Whether a member is the metadata that rustc puts into an .rlib: an ELF file without code, for the compiler. */
static bool is_metadata(const struct archive_member *member)
{
	return archive_member_is(member, "lib.rmeta");
}

/* False: out of memory. */
static bool add_member(struct member_list *list, const struct archive_member *member)
{
	char *problem = NULL;
	if (!array_reserve(&list->members, &list->room, list->count + UINT64_C(1), sizeof(*list->members)))
		return false;
	if (member->data) {
		const char *text = problem_of(member->data, member->size);
		if (text && !(problem = strdup(text)))
			return false;
	} else if (!judge_file(list, member, &problem)) {
		return false;
	}
	list->candidate_count += !problem;
	list->members[list->count++] =
		(struct named_member){member->name, member->name_size, member->size, member->header, 1, problem};
	return true;
}

static enum locus_status read_members(struct archive *archive, struct member_list *list, struct locus_error *error)
{
	for (;;) {
		struct archive_member member;
		bool any;
		enum locus_status status = archive_next(archive, &member, &any, error);
		if (status != LOCUS_OK || !any)
			return status;
		if (!is_metadata(&member) && !add_member(list, &member))
			return locus_fail_memory(error);
	}
}

/* Whether it is a Debian package, which is an archive of other files. */
static bool is_package(const struct member_list *list)
{
	static const char first[] = "debian-binary";
	return list->count && list->members[0].name_size == strlen(first) &&
	       memcmp(list->members[0].name, first, strlen(first)) == 0;
}

/* ---- How much work they are ---- */

static int compare_files(const void *a, const void *b)
{
	const struct thin_file *x = a, *y = b;
	if (x->device != y->device)
		return order_of(x->device, y->device);
	return order_of(x->number, y->number);
}

/* Refuses archives whose members, or the processes to read them, are too many for the bytes that are there. */
static enum locus_status check_work(struct member_list *list, uint64_t archive_size, struct locus_error *error)
{
	uint64_t named = 0, there = 0;
	if (list->file_count)
		qsort(list->files, list->file_count, sizeof(*list->files), compare_files);
	for (uint32_t i = 0; i < list->file_count; i++) {
		named += list->files[i].size;
		if (i == 0 || compare_files(&list->files[i - 1], &list->files[i]) != 0)
			there += list->files[i].size;
	}

	if (named > NAMED_AGAIN_MAX * there + NAMED_AGAIN_SPARE)
		return locus_fail(
			error, LOCUS_ERR_BAD_ELF,
			"the thin archive names the same files again and again: %llu bytes, of which %llu differ",
			(unsigned long long)named, (unsigned long long)there);
	if (list->candidate_count > MEMBERS_SPARE + (archive_size + there) / MEMBER_SIZE_MIN)
		return locus_fail(error, LOCUS_ERR_BAD_ELF,
				  "it has %u members, too many for its size: unpack it to convert them one by one",
				  (unsigned)list->candidate_count);
	return LOCUS_OK;
}

/* ---- How they are called ---- */

static int compare_names(const struct named_member *x, const struct named_member *y)
{
	if (x->name_size != y->name_size)
		return order_of(x->name_size, y->name_size);
	return memcmp(x->name, y->name, x->name_size);
}

static int by_name(const void *a, const void *b)
{
	const struct named_member *x = a, *y = b;
	int order = compare_names(x, y);
	return order ? order : order_of(x->header, y->header);
}

static int by_place(const void *a, const void *b)
{
	const struct named_member *x = a, *y = b;
	return order_of(x->header, y->header);
}

/* Numbers members that have the same name. */
static void number_members(struct member_list *list)
{
	if (list->count)
		qsort(list->members, list->count, sizeof(*list->members), by_name);
	for (uint32_t i = 1; i < list->count; i++)
		if (compare_names(&list->members[i], &list->members[i - 1]) == 0)
			list->members[i].number = list->members[i - 1].number + 1;
	if (list->count)
		qsort(list->members, list->count, sizeof(*list->members), by_place);
}

static enum locus_status tell_members(const struct member_list *list, locus_archive_tell *tell, void *context,
				      struct locus_error *error)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const struct named_member *member = &list->members[i];
		char *path;
		const char *name = member->name;
		int size = (int)member->name_size;
		size = member->number == 1 ? asprintf(&path, "%s(%.*s)", list->path, size, name)
					   : asprintf(&path, "%s(%.*s#%lu)", list->path, size, name, member->number);
		if (size < 0)
			return locus_fail_memory(error);
		tell(context, &(struct locus_archive_member){path, member->size, member->header, member->problem});
		free(path);
	}
	return LOCUS_OK;
}

static void member_list_done(struct member_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		free(list->members[i].problem);
	free(list->members);
	free(list->files);
}

enum locus_status locus_archive_members(const char *path, locus_archive_tell *tell, void *context, bool *ret_is_archive,
					struct locus_error *error)
{
	struct file_bytes bytes = {0};
	struct archive archive;
	struct member_list list = {.path = path};
	enum locus_status status = file_bytes_open(path, 0, &bytes, error);
	*ret_is_archive = status == LOCUS_OK && archive_open(&archive, bytes.data, bytes.size);
	if (*ret_is_archive)
		status = read_members(&archive, &list, error);
	if (status == LOCUS_OK && is_package(&list))
		*ret_is_archive = false;
	if (status == LOCUS_OK && *ret_is_archive)
		status = check_work(&list, bytes.size, error);
	if (status == LOCUS_OK && *ret_is_archive) {
		number_members(&list);
		status = tell_members(&list, tell, context, error);
	}

	member_list_done(&list);
	file_bytes_done(&bytes);
	return status;
}
