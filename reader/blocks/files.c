/* Decodes one block of files (FORMAT.md 6.2). Each directory stands in it once. */
#include <stdlib.h>

#include "reader/blocks/decode.h"

/* Reads the next NUL-terminated name. False: the column has none, and fails. */
static bool read_name(struct locus_scan *names, struct locus_string *ret)
{
	const uint8_t *end = locus_scan_left(names) ? memchr(names->at, 0, locus_scan_left(names)) : NULL;
	if (!end) {
		locus_scan_fail(names);
		return false;
	}
	*ret = (struct locus_string){(const char *)names->at, (size_t)(end - names->at)};
	names->at = end + 1;
	return true;
}

static struct locus_scan copy_column(uint8_t *copy, const struct locus_scan *column)
{
	size_t size = locus_scan_left(column);
	memcpy(copy, column->at, size);
	return locus_scan_of(copy, size);
}

/* A directory of the block, in the order of the column. */
struct directory {
	struct locus_string name;
	bool is_copied;
};

/* Copies a string, and the NUL behind it, to *at, which then is behind that. */
static void copy_string(uint8_t **at, struct locus_string *string)
{
	memcpy(*at, string->data, string->size + 1);
	string->data = (const char *)*at;
	*at += string->size + 1;
}

/*
 * Reads the first want.count files; `known` has room for a directory of each. Where all are wanted, whole columns are
 * copied, and the strings point there. If only some are, their strings are copied, each directory once, and the other
 * files stay as they are.
 */
static enum locus_status read_files(struct locus_columns *columns, struct locus_want want, struct locus_files *block,
				    struct directory *known, struct locus_error *error)
{
	struct locus_scan *column = columns->column;
	struct locus_scan directories = column[LOCUS_FILE_DIRECTORY_NAMES], names = column[LOCUS_FILE_NAMES];
	uint8_t *copy = (uint8_t *)(block->file + want.count);
	uint32_t directory_count = 0;
	if (!want.only) {
		directories = copy_column(copy, &directories);
		names = copy_column(copy + locus_scan_left(&directories), &names);
	}

	for (uint32_t i = 0; i < want.count; i++) {
		struct locus_string name;
		uint32_t number = locus_scan_varint32(&column[LOCUS_FILE_DIRECTORY]);
		if (number > directory_count)
			return locus_block_fail(columns, "a file's directory is out of range", error);
		struct directory *directory = &known[number ? number - 1 : directory_count];
		if (!number) {
			directory->is_copied = !want.only;
			directory_count++;
		}
		if ((!number && !read_name(&directories, &directory->name)) || !read_name(&names, &name))
			return locus_block_fail(columns, "a file's name is missing", error);

		if (want.only && !want.only[i])
			continue;
		if (!directory->is_copied)
			copy_string(&copy, &directory->name);
		directory->is_copied = true;
		if (want.only)
			copy_string(&copy, &name);
		block->file[i] = (struct locus_file_info){directory->name, name};
	}

	column[LOCUS_FILE_DIRECTORY_NAMES] = directories;
	column[LOCUS_FILE_NAMES] = names;
	return LOCUS_OK;
}

enum locus_status locus_files_decode(const struct locus_block_ref *ref, struct locus_columns *columns,
				     struct locus_want want, struct locus_decoded **ret, struct locus_error *error)
{
	struct locus_scratch *scratch = ref->scratch;
	uint32_t all = locus_block_entry_count(ref);
	if (want.count > all)
		want.count = all;
	enum locus_status status =
		locus_room_grow(scratch->allowance, &scratch->state, want.count * sizeof(struct directory), error);
	if (status != LOCUS_OK)
		return status;

	/* Behind the files stand their directories and names, which they point to. */
	size_t size = sizeof(struct locus_files) + want.count * sizeof(struct locus_file_info) +
		      locus_scan_left(&columns->column[LOCUS_FILE_DIRECTORY_NAMES]) +
		      locus_scan_left(&columns->column[LOCUS_FILE_NAMES]);
	struct locus_files *block;
	status = locus_decoded_allocate(ref->locus, size, want, false, &block, error);
	if (status != LOCUS_OK)
		return status;
	block->head = (struct locus_decoded){(uint32_t)size, want.only ? 0 : want.count};
	status = read_files(columns, want, block, (struct directory *)(void *)scratch->state.data, error);
	if (status == LOCUS_OK)
		status = locus_block_check_done(columns, want.count == all, error);
	if (status == LOCUS_OK)
		*ret = &block->head;
	else
		locus_allowance_free(scratch->allowance, block);
	return status;
}
