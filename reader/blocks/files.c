/* Decodes one block of files (FORMAT.md 6.2). Each directory stands in it once. */
#include <stdlib.h>

#include "base/fail.h"
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

/* Reads the files. `first_in` has, by directory, the index of the first file in it, from which others copy it. */
static enum locus_status read_files(struct locus_columns *columns, struct locus_files *block, uint32_t count,
				    uint32_t *first_in, struct locus_error *error)
{
	struct locus_scan *column = columns->column;
	uint8_t *copy = (uint8_t *)(block->file + count);
	struct locus_scan directories = copy_column(copy, &column[LOCUS_FILE_DIRECTORY_NAMES]);
	struct locus_scan names = copy_column(copy + locus_scan_left(&directories), &column[LOCUS_FILE_NAMES]);
	uint32_t directory_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct locus_file_info *file = &block->file[i];
		uint32_t directory = locus_scan_varint32(&column[LOCUS_FILE_DIRECTORY]);
		if (directory > directory_count)
			return locus_block_fail(columns, "a file's directory is out of range", error);
		if (directory)
			file->directory = block->file[first_in[directory - 1]].directory;
		else
			first_in[directory_count++] = i;
		if ((!directory && !read_name(&directories, &file->directory)) || !read_name(&names, &file->name))
			return locus_block_fail(columns, "a file's name is missing", error);
	}

	column[LOCUS_FILE_DIRECTORY_NAMES] = directories;
	column[LOCUS_FILE_NAMES] = names;
	return LOCUS_OK;
}

enum locus_status locus_files_decode(struct locus *locus, struct locus_scratch *scratch,
				     const struct locus_section_in *section, uint32_t index,
				     struct locus_columns *columns, struct locus_want want, struct locus_decoded **ret,
				     struct locus_error *error)
{
	uint32_t all = section->firsts[index + 1] - section->firsts[index];
	uint32_t count = want.count < all ? want.count : all;
	enum locus_status status =
		locus_room_grow(scratch->allowance, &scratch->state, count * sizeof(uint32_t), error);
	if (status != LOCUS_OK)
		return status;

	/* Behind the files stand their directories and names, which they point to. */
	size_t size = sizeof(struct locus_files) + count * sizeof(struct locus_file_info) +
		      locus_scan_left(&columns->column[LOCUS_FILE_DIRECTORY_NAMES]) +
		      locus_scan_left(&columns->column[LOCUS_FILE_NAMES]);
	struct locus_files *block;
	status = locus_decoded_allocate(locus, size, want, false, &block, error);
	if (status != LOCUS_OK)
		return status;
	block->head = (struct locus_decoded){(uint32_t)size, count};
	status = read_files(columns, block, count, (uint32_t *)(void *)scratch->state.data, error);
	if (status == LOCUS_OK)
		status = locus_block_check_done(columns, count == all, error);
	if (status == LOCUS_OK)
		*ret = &block->head;
	else
		locus_allowance_free(scratch->allowance, block);
	return status;
}
