/*
 * What a program may lie in, and what may be put into one: an archive, each of whose members is found again by what is
 * told of it; a file that is compressed as a whole; and a program that is to carry a .locus file. One that does is the
 * same program, and is read as the .locus file, also when it is to carry it again.
 */
#include <string.h>
#include <sys/mman.h>

#include "convert/embed.h"
#include "convert/input/file_bytes.h"
#include "convert/input/unpack.h"
#include "convert/locus_convert.h"
#include "fuzz/fuzz.h"
#include "fuzz/work_folder.h"
#include "reader/locus.h"
#include "writer/locus_writer.h"

const struct fuzz_target fuzz_target = {.name = "container", .files = "container", .variations = 200};

enum { UNPACKED_MAX = 1 << 18 };
static const char input_path[] = WORK_FILE("input"), made_path[] = WORK_FILE("made");

static void observe_failure(enum locus_status status, const struct locus_error *error)
{
	HOLD(error->text[0]);
	observe("%s: ", locus_status_text(status));
	observe_bytes(error->text, strlen(error->text));
	observe("\n");
}

/* ---- Members of an archive ---- */

static void take_member(void *context, const struct locus_archive_member *member)
{
	struct file_bytes found = {0}, searched = {0};
	struct locus_error error = {.text = ""};
	(void)context;
	observe_bytes(member->path, strlen(member->path));
	observe(" of %llu bytes at %llu: ", (unsigned long long)member->size, (unsigned long long)member->header);
	observe_bytes(member->problem ? member->problem : "", member->problem ? strlen(member->problem) : 0);
	observe("\n");
	enum locus_status status = file_bytes_open(member->path, member->header, &found, &error);
	if (status != LOCUS_OK)
		observe_failure(status, &error);
	HOLD(file_bytes_open(member->path, 0, &searched, &error) == status);
	HOLD(found.size == searched.size && (!found.size || memcmp(found.data, searched.data, found.size) == 0));
	file_bytes_done(&found);
	file_bytes_done(&searched);
}

static void list_members(void)
{
	struct locus_error error = {.text = ""};
	bool is_archive;
	enum locus_status status = locus_archive_members(input_path, take_member, NULL, &is_archive, &error);
	if (status != LOCUS_OK)
		observe_failure(status, &error);
	else
		observe("ok: it is %s\n", is_archive ? "an archive" : "no archive");
}

/* ---- What is compressed as a whole ---- */

static void unpack(const uint8_t *data, size_t size)
{
	enum packed_file kind = packed_file_kind(data, size);
	struct locus_error error = {.text = ""};
	uint8_t *unpacked;
	size_t unpacked_size;
	if (kind == NOT_PACKED)
		return;
	enum locus_status status = unpack_file(kind, data, size, UNPACKED_MAX, &unpacked, &unpacked_size, &error);
	if (status != LOCUS_OK) {
		observe_failure(status, &error);
		return;
	}
	HOLD(unpacked_size <= UNPACKED_MAX);
	observe("unpacked: ");
	observe_bytes(unpacked, unpacked_size);
	observe("\n");
	HOLD(munmap(unpacked, unpacked_size) == 0);
}

/* ---- A program that carries a .locus file ---- */

struct bytes {
	void *data;
	size_t size;
};

/* A .locus file without an answer. Freed by the caller. */
static struct bytes make_locus(void)
{
	static const struct locus_writer_options options = {.block_size = 1};
	struct locus_tables tables = {.meta = {.elf_class = 2, .elf_data = 1, .tool = {"fuzz", 4}}};
	struct locus_writer *writer;
	struct bytes made;
	HOLD(locus_writer_new(NULL, &options, &writer, NULL) == LOCUS_OK);
	HOLD(locus_writer_tables(writer, &tables, 1, NULL) == LOCUS_OK);
	HOLD(locus_writer_finish(writer, NULL, NULL) == LOCUS_OK);
	locus_writer_take(writer, &made.data, &made.size);
	locus_writer_free(writer);
	return made;
}

/* Freed by the caller. */
static struct bytes read_made(void)
{
	struct bytes ret = {0};
	FILE *file = fopen(made_path, "rb");
	HOLD(file && fseek(file, 0, SEEK_END) == 0);
	ret.size = (size_t)ftell(file);
	ret.data = malloc(ret.size);
	rewind(file);
	HOLD(ret.data && fread(ret.data, 1, ret.size, file) == ret.size && fclose(file) == 0);
	return ret;
}

/* Puts the .locus file into a copy of a program. Empty: it cannot carry one, and what is at the copy's place is as it
 * was. */
static struct bytes embedded(const char *program, const struct bytes *locus)
{
	struct locus_error error = {.text = ""};
	work_file_write(made_path, locus->data, locus->size);
	enum locus_status status = embed(program, locus->data, locus->size, made_path, false, &error);
	struct bytes made = read_made();
	if (status == LOCUS_OK)
		return made;
	observe_failure(status, &error);
	HOLD(made.size == locus->size && memcmp(made.data, locus->data, made.size) == 0);
	free(made.data);
	return (struct bytes){0};
}

/* The file at `made` is read as the .locus file. */
static void check_carried(const struct bytes *locus)
{
	struct locus *opened;
	struct locus_error error = {.text = ""};
	HOLD(locus_open(made_path, NULL, &opened, &error) == LOCUS_OK);
	HOLD(locus_file_size(opened) == locus->size && locus_verify(opened, LOCUS_VERIFY_FULL, &error) == LOCUS_OK);
	locus_close(opened);
}

static void carry(void)
{
	struct bytes locus = make_locus(), made = embedded(input_path, &locus), again = {0};
	if (made.size) {
		observe("carries a .locus file, ");
		observe_bytes(made.data, made.size);
		observe("\n");
		check_carried(&locus);
		work_file_write(WORK_FILE("again"), made.data, made.size);
		again = embedded(WORK_FILE("again"), &locus);
		if (again.size)
			check_carried(&locus);
		observe(again.size == made.size && memcmp(again.data, made.data, made.size) == 0 ? "the same again\n"
												 : "another\n");
	}
	free(again.data);
	free(made.data);
	free(locus.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	work_folder_make();
	work_file_write(input_path, data, size);
	list_members();
	unpack(data, size);
	carry();
	return 0;
}
