/* One block of functions' declarations (FORMAT.md 6.3), and one of their names (6.7), which completes the records. */
#include <stdlib.h>

#include "reader/cache.h"
#include "reader/fail.h"

/* ---- Declarations ---- */

/*
 * `first_of` has, by declaration, the index of the first function that has it, and `lines`, by file id, the line of
 * the last declaration there.
 */
static enum locus_status read_declarations(struct locus_columns *columns, struct locus_declaration *declarations,
					   uint32_t count, uint32_t file_count, uint32_t *first_of, uint32_t *lines,
					   struct locus_error *error)
{
	struct locus_scan *column = columns->column;
	uint32_t declaration_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t number = locus_scan_varint32(&column[LOCUS_FUNCTION_DECLARATION]);
		if (number > declaration_count)
			return locus_block_fail(columns, "a function's declaration is out of range", error);
		if (number) {
			declarations[i] = declarations[first_of[number - 1]];
			continue;
		}
		first_of[declaration_count++] = i;
		uint32_t file = locus_scan_varint32(&column[LOCUS_FUNCTION_FILE]);
		if (file > file_count)
			return locus_block_fail(columns, "a function's file is out of range", error);
		lines[file] += locus_unzigzag(locus_scan_varint32(&column[LOCUS_FUNCTION_LINE]));
		uint32_t language = locus_scan_varint32(&column[LOCUS_FUNCTION_LANGUAGE]);
		declarations[i] = (struct locus_declaration){file, lines[file], language};
	}
	return LOCUS_OK;
}

enum locus_status locus_functions_decode(struct locus *locus, struct locus_scratch *scratch,
					 const struct locus_section_in *section, uint32_t index,
					 struct locus_columns *columns, struct locus_want want,
					 struct locus_decoded **ret, struct locus_error *error)
{
	uint32_t all = section->firsts[index + 1] - section->firsts[index];
	uint32_t count = want.count < all ? want.count : all;
	size_t size = sizeof(struct locus_functions) + count * sizeof(struct locus_declaration);
	enum locus_status status = locus_room_grow(&scratch->state, count * sizeof(uint32_t), error);
	if (status != LOCUS_OK)
		return status;
	uint32_t file_count = locus_file_count(locus);
	uint32_t *lines = calloc((size_t)file_count + 1, sizeof(*lines));
	struct locus_functions *block = malloc(size);
	if (block && lines) {
		block->head = (struct locus_decoded){(uint32_t)size, count};
		status = read_declarations(columns, block->declaration, count, file_count,
					   (uint32_t *)(void *)scratch->state.data, lines, error);
	} else {
		status = locus_fail_memory(error);
	}
	free(lines);
	if (status == LOCUS_OK && count == all)
		status = locus_block_check_done(columns, error);
	if (status == LOCUS_OK)
		*ret = &block->head;
	else
		free(block);
	return status;
}

/* ---- Names ---- */

/* The size of the next NUL-terminated name of a column; 0 if there is none, or an empty one. */
static uint32_t read_name(struct locus_scan *names)
{
	const uint8_t *end = locus_scan_left(names) ? memchr(names->at, 0, locus_scan_left(names)) : NULL;
	if (!end)
		return (uint32_t)locus_scan_fail(names);
	uint32_t size = (uint32_t)(end - names->at);
	names->at = end + 1;
	return size;
}

/* The broken rule, or NULL. */
static const char *read_names(uint8_t flags, struct locus_scan *names, struct locus_function_in *function)
{
	if (flags >= LOCUS_NAME_FLAGS_END)
		return "a function's flags are not defined";
	if ((flags & LOCUS_NAME_SAME) && ((flags & LOCUS_NAME_LINKAGE) || !(flags & LOCUS_NAME_NAME)))
		return "a function's flags contradict each other";
	const uint8_t *start = names->at;
	if (flags & LOCUS_NAME_NAME) {
		function->name_size = read_name(names);
		if (!function->name_size)
			return "a function's name is empty";
	}
	if (flags & LOCUS_NAME_LINKAGE) {
		function->linkage = (uint32_t)(names->at - start);
		function->linkage_size = read_name(names);
		if (!function->linkage_size)
			return "a function's linkage name is empty";
	}
	if (flags & LOCUS_NAME_SAME)
		function->linkage_size = function->name_size;
	return NULL;
}

/* The declarations of the functions from `first` (counted from 0) to `end`, put into their records. */
static enum locus_status complete(struct locus *locus, struct locus_scratch *scratch, uint32_t first, uint32_t end,
				  struct locus_function_in *functions, struct locus_error *error)
{
	struct locus_section_in *section = locus->known[LOCUS_SECTION_FUNCTIONS];
	for (uint32_t i = first; i < end;) {
		const struct locus_decoded *decoded;
		uint32_t index = locus_section_block_of(section, i);
		struct locus_want want = {end - section->firsts[index], UINT64_MAX};
		enum locus_status status = locus_cache_get(locus, scratch, section, index, want, &decoded, error);
		if (status != LOCUS_OK)
			return status;
		const struct locus_functions *block = (const struct locus_functions *)(const void *)decoded;
		for (; i < end && i < section->firsts[index + 1]; i++) {
			const struct locus_declaration *declaration = &block->declaration[i - section->firsts[index]];
			functions[i - first].decl_file = declaration->file;
			functions[i - first].decl_line = declaration->line;
			functions[i - first].language = declaration->language;
		}
	}
	return LOCUS_OK;
}

/* The records of `count` functions; their names go to `copy`. */
static enum locus_status read_block(struct locus_columns *columns, struct locus_function_in *functions, char *copy,
				    uint32_t count, struct locus_error *error)
{
	struct locus_scan *names = &columns->column[LOCUS_NAME_NAMES];
	const uint8_t *start = names->at;
	for (uint32_t i = 0; i < count; i++) {
		struct locus_function_in function = {0};
		uint8_t flags = locus_scan_byte(&columns->column[LOCUS_NAME_FLAGS]);
		function.name = copy + (names->at - start);
		const char *rule = read_names(flags, names, &function);
		if (rule)
			return locus_block_fail(columns, rule, error);
		functions[i] = function;
	}
	memcpy(copy, start, (size_t)(names->at - start));
	return LOCUS_OK;
}

/* The block, records from the next cache line on, then names. */
enum locus_status locus_names_decode(struct locus *locus, struct locus_scratch *scratch,
				     const struct locus_section_in *section, uint32_t index,
				     struct locus_columns *columns, struct locus_want want, struct locus_decoded **ret,
				     struct locus_error *error)
{
	uint32_t first = section->firsts[index], all = section->firsts[index + 1] - first;
	uint32_t count = want.count < all ? want.count : all;
	size_t size = LOCUS_NAMES_RECORDS + count * sizeof(struct locus_function_in) +
		      locus_scan_left(&columns->column[LOCUS_NAME_NAMES]);
	size = (size + LOCUS_CACHE_LINE - 1) / LOCUS_CACHE_LINE * LOCUS_CACHE_LINE;
	struct locus_names *block = aligned_alloc(LOCUS_CACHE_LINE, size);
	if (!block)
		return locus_fail_memory(error);
	uint8_t *records = (uint8_t *)block + LOCUS_NAMES_RECORDS;
	struct locus_function_in *functions = (struct locus_function_in *)(void *)records;
	block->head = (struct locus_decoded){(uint32_t)size, count};
	enum locus_status status = read_block(columns, functions, (char *)(functions + count), count, error);
	if (status == LOCUS_OK && count == all)
		status = locus_block_check_done(columns, error);
	if (status == LOCUS_OK) /* last: this may read other blocks, and the columns are gone then */
		status = complete(locus, scratch, first, first + count, functions, error);
	if (status == LOCUS_OK)
		*ret = &block->head;
	else
		free(block);
	return status;
}
