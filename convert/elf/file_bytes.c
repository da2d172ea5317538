/*
 * Most inputs are mapped as they are. A member of an archive is copied, for it may start anywhere; what is compressed
 * as a whole is unpacked into memory.
 */
#include "convert/elf/file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/path.h"
#include "convert/elf/archive.h"
#include "convert/elf/unpack.h"

/* A hole in a file holds nothing: it counts for what it takes on the disk. Compression may make that less, too. */
static uint64_t stored_size(const struct stat *st)
{
	enum { BLOCK = 512, HONEST_RATIO = 16 };
	uint64_t size = (uint64_t)st->st_size, stored = (uint64_t)st->st_blocks * BLOCK;
	return stored && stored < size / HONEST_RATIO ? stored : size;
}

static enum locus_status check_regular(const struct stat *st, struct locus_error *error)
{
	if (S_ISREG(st->st_mode))
		return LOCUS_OK;
	return locus_fail(error, LOCUS_ERR_IO, "cannot read: %s",
			  S_ISDIR(st->st_mode) ? strerror(EISDIR) : "not a regular file");
}

/*
 * Opens a file that is looked at before and after: where a companion's name leads to a pipe or a device, that must not
 * be waited for, nor opened with an effect. -1: it failed.
 */
static int open_regular(const char *path, struct stat *ret, struct locus_error *error)
{
	if (stat(path, ret) == 0 && check_regular(ret, error) != LOCUS_OK)
		return -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		locus_fail(error, LOCUS_ERR_IO, "%s", strerror(errno));
		return -1;
	}
	if (fstat(fd, ret) == 0) {
		if (check_regular(ret, error) == LOCUS_OK)
			return fd;
	} else {
		locus_fail(error, LOCUS_ERR_IO, "cannot read: %s", strerror(errno));
	}
	close(fd);
	return -1;
}

/* Opens the very file at `path` and maps it. */
static enum locus_status map_file(const char *path, struct file_bytes *ret, struct locus_error *error)
{
	struct stat st;
	int fd = open_regular(path, &st, error);
	if (fd < 0)
		return LOCUS_ERR_IO;
	enum locus_status status = LOCUS_OK;
	size_t size = (size_t)st.st_size;
	void *map = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	void *image = size ? mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
	struct file_bytes bytes = {
		.data = map == MAP_FAILED ? NULL : map,
		.size = size,
		.image = image == MAP_FAILED ? NULL : image,
		.image_size = size,
		.is_mapped = true,
		.stored_size = stored_size(&st),
		.stat = st,
		.path = strdup(path),
	};
	if (!size)
		status = locus_fail(error, LOCUS_ERR_NOT_ELF, "not an ELF file: it is empty");
	else if (!bytes.data || !bytes.image)
		status = locus_fail(error, LOCUS_ERR_IO, "cannot map: %s", strerror(errno));
	else if (!bytes.path)
		status = locus_fail_memory(error);
	if (status == LOCUS_OK) {
		madvise(map, size, MADV_SEQUENTIAL);
		*ret = bytes;
	} else {
		file_bytes_done(&bytes);
	}
	close(fd);
	return status;
}

/* Puts a copy of `size` bytes in the place of what is mapped. */
static enum locus_status take_copy(struct file_bytes *bytes, const uint8_t *data, size_t size,
				   struct locus_error *error)
{
	if (!size)
		return locus_fail(error, LOCUS_ERR_NOT_ELF, "not an ELF file: it is empty");
	void *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy == MAP_FAILED)
		return locus_fail_memory(error);
	memcpy(copy, data, size);
	munmap((void *)bytes->data, bytes->size);
	bytes->data = copy;
	bytes->size = bytes->stored_size = size;
	bytes->is_mapped = false;
	return LOCUS_OK;
}

/* Compilers' output packs to a tenth, at most to a fortieth: what unpacks to much more is made to. */
static enum locus_status unpack(struct file_bytes *bytes, enum packed_file kind, struct locus_error *error)
{
	enum { UNPACKED_PER_BYTE = 64, UNPACKED_SPARE = 16 << 20 };
	uint8_t *data;
	size_t size;
	enum locus_status status = unpack_file(kind, bytes->data, bytes->size,
					       bytes->size * UNPACKED_PER_BYTE + UNPACKED_SPARE, &data, &size, error);
	if (status != LOCUS_OK)
		return status;
	munmap((void *)bytes->data, bytes->size);
	bytes->data = data;
	bytes->size = bytes->stored_size = size;
	bytes->is_mapped = false;
	return LOCUS_OK;
}

/* ARCHIVE(MEMBER) or ARCHIVE(MEMBER#N), taken apart. */
struct member_path {
	char *archive; /* owned */
	char *member;  /* owned */
	unsigned long number;
};

static void member_path_done(struct member_path *path)
{
	free(path->archive);
	free(path->member);
}

/* False: it is no such path, or memory is out. */
static bool split_path(const char *path, struct member_path *ret)
{
	size_t size = strlen(path);
	const char *open = strrchr(path, '(');
	*ret = (struct member_path){.number = 1};
	if (!open || open == path || path[size - 1] != ')')
		return false;
	ret->archive = strndup(path, (size_t)(open - path));
	ret->member = strndup(open + 1, (size_t)(path + size - 1 - (open + 1)));
	char *hash = ret->member ? strrchr(ret->member, '#') : NULL, *end;
	unsigned long number = hash ? strtoul(hash + 1, &end, 10) : 0;
	if (number && !*end) {
		*hash = 0;
		ret->number = number;
	}
	return ret->archive && ret->member;
}

/* A thin archive's member is a file; its path counts from where the archive is. */
static enum locus_status open_thin(const char *archive, const char *member, struct file_bytes *ret,
				   struct locus_error *error)
{
	char *directory = path_directory(archive);
	const char *parts[] = {directory, member};
	char *path = directory ? path_join(parts, 2) : NULL;
	struct locus_error why = {0};
	enum locus_status status = path ? map_file(path, ret, &why) : locus_fail_memory(&why);
	if (status != LOCUS_OK)
		locus_fail_at(error, status, why.offset, "%s, which the thin archive names: %s", member, why.text);
	free(path);
	free(directory);
	return status;
}

static enum locus_status open_member(const struct member_path *path, struct file_bytes *ret, struct locus_error *error)
{
	struct archive archive;
	struct file_bytes bytes = {0};
	bool any = true, found = false;
	enum locus_status status = map_file(path->archive, &bytes, error);
	if (status == LOCUS_OK && !archive_open(&archive, bytes.data, bytes.size))
		status = locus_fail(error, LOCUS_ERR_IO, "there is no such file, and %s is no archive", path->archive);
	for (unsigned long number = 0; status == LOCUS_OK && !found;) {
		struct archive_member member;
		status = archive_next(&archive, &member, &any, error);
		if (status != LOCUS_OK || !any)
			break;
		found = archive_member_is(&member, path->member) && ++number == path->number;
		if (found && member.data)
			status = take_copy(&bytes, member.data, member.size, error);
		else if (found)
			status = open_thin(path->archive, path->member, ret, error);
	}
	if (status == LOCUS_OK && !found)
		status = locus_fail(error, LOCUS_ERR_IO, "%s has no such member", path->archive);
	if (status == LOCUS_OK && !bytes.is_mapped) {
		*ret = bytes;
		return LOCUS_OK;
	}
	file_bytes_done(&bytes);
	return status;
}

enum locus_status file_bytes_open(const char *path, struct file_bytes *ret, struct locus_error *error)
{
	struct file_bytes bytes = {0};
	struct member_path member = {0};
	bool is_member = access(path, F_OK) != 0 && split_path(path, &member);
	enum locus_status status = is_member ? open_member(&member, &bytes, error) : map_file(path, &bytes, error);
	if (is_member)
		member_path_done(&member);
	enum packed_file kind = status == LOCUS_OK ? packed_file_kind(bytes.data, bytes.size) : NOT_PACKED;
	if (kind != NOT_PACKED)
		status = unpack(&bytes, kind, error);
	if (status == LOCUS_OK)
		*ret = bytes;
	else
		file_bytes_done(&bytes);
	return status;
}

void file_bytes_done(struct file_bytes *bytes)
{
	if (bytes->data)
		munmap((void *)bytes->data, bytes->size);
	if (bytes->image)
		munmap((void *)bytes->image, bytes->image_size);
	free(bytes->path);
	*bytes = (struct file_bytes){0};
}

/* A member that is told of: which of its name it is, of how many. */
struct named_member {
	const char *name; /* inside the archive, not terminated */
	size_t name_size;
	uint64_t size;
	size_t order;
	unsigned long number;
};

struct member_list {
	struct named_member *members;
	uint32_t count, room;
};

static int compare_names(const struct named_member *x, const struct named_member *y)
{
	if (x->name_size != y->name_size)
		return x->name_size < y->name_size ? -1 : 1;
	return memcmp(x->name, y->name, x->name_size);
}

static int by_name(const void *a, const void *b)
{
	const struct named_member *x = a, *y = b;
	int order = compare_names(x, y);
	return order ? order : x->order < y->order ? -1 : x->order > y->order;
}

static int by_order(const void *a, const void *b)
{
	const struct named_member *x = a, *y = b;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Members of one name are told apart by their number. */
static void number_members(struct member_list *list)
{
	if (list->count)
		qsort(list->members, list->count, sizeof(*list->members), by_name);
	for (uint32_t i = 1; i < list->count; i++)
		if (compare_names(&list->members[i], &list->members[i - 1]) == 0)
			list->members[i].number = list->members[i - 1].number + 1;
	if (list->count)
		qsort(list->members, list->count, sizeof(*list->members), by_order);
}

/* What rustc puts into an .rlib beside object files: an ELF file that holds no code, only what the compiler reads. */
static bool is_metadata(const struct archive_member *member)
{
	return archive_member_is(member, "lib.rmeta");
}

/* A Debian package, which is no archive of object files. */
static bool is_package(const struct member_list *list)
{
	static const char first[] = "debian-binary";
	return list->count && list->members[0].name_size == strlen(first) &&
	       memcmp(list->members[0].name, first, strlen(first)) == 0;
}

static enum locus_status list_members(struct archive *archive, struct member_list *list, struct locus_error *error)
{
	for (;;) {
		struct archive_member member;
		bool any;
		enum locus_status status = archive_next(archive, &member, &any, error);
		if (status != LOCUS_OK || !any)
			return status;
		if (is_metadata(&member))
			continue;
		if (!array_reserve(&list->members, &list->room, list->count + UINT64_C(1), sizeof(*list->members)))
			return locus_fail_memory(error);
		list->members[list->count] =
			(struct named_member){member.name, member.name_size, member.size, list->count, 1};
		list->count++;
	}
}

static enum locus_status tell_members(const char *path, const struct member_list *list, file_bytes_member *tell,
				      void *context, struct locus_error *error)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const struct named_member *member = &list->members[i];
		char *text;
		const char *name = member->name;
		int size = (int)member->name_size;
		size = member->number == 1 ? asprintf(&text, "%s(%.*s)", path, size, name)
					   : asprintf(&text, "%s(%.*s#%lu)", path, size, name, member->number);
		if (size < 0)
			return locus_fail_memory(error);
		tell(context, text, member->size);
		free(text);
	}
	return LOCUS_OK;
}

enum locus_status file_bytes_members(const char *path, file_bytes_member *tell, void *context, bool *ret_is_archive,
				     struct locus_error *error)
{
	struct file_bytes bytes = {0};
	struct archive archive;
	struct member_list list = {0};
	enum locus_status status = map_file(path, &bytes, error);
	*ret_is_archive = status == LOCUS_OK && archive_open(&archive, bytes.data, bytes.size);
	if (*ret_is_archive)
		status = list_members(&archive, &list, error);
	if (status == LOCUS_OK && is_package(&list))
		*ret_is_archive = false;
	if (status == LOCUS_OK && *ret_is_archive) {
		number_members(&list);
		status = tell_members(path, &list, tell, context, error);
	}
	free(list.members);
	file_bytes_done(&bytes);
	return status;
}
