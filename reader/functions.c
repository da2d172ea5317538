/* One block of functions (FORMAT.md 6.3), decoded with their names. */
#include <stdlib.h>

#include "reader/decode.h"
#include "reader/fail.h"

enum { CACHE_LINE = 64 };

/* The offset of the next NUL-terminated name of a column; 0 with *ret_size 0 if there is none. */
static uint32_t read_name(struct locus_scan *names, const uint8_t *base, uint32_t *ret_size)
{
	const uint8_t *end = locus_scan_left(names) ? memchr(names->at, 0, locus_scan_left(names)) : NULL;
	uint32_t name = (uint32_t)(names->at - base);
	if (!end)
		return (uint32_t)locus_scan_fail(names);
	*ret_size = (uint32_t)(end - names->at);
	names->at = end + 1;
	return name;
}

static const char *read_names(uint8_t flags, struct locus_scan *names, const uint8_t *base,
			      struct locus_function_in *function)
{
	if (flags >= LOCUS_FUNCTION_FLAGS_END)
		return "a function's flags are not defined";
	if ((flags & LOCUS_FUNCTION_SAME) && ((flags & LOCUS_FUNCTION_LINKAGE) || !(flags & LOCUS_FUNCTION_NAME)))
		return "a function's flags contradict each other";
	if (flags & LOCUS_FUNCTION_NAME) {
		function->name = read_name(names, base, &function->name_size);
		if (!function->name_size)
			return "a function's name is empty";
	}
	if (flags & LOCUS_FUNCTION_LINKAGE) {
		function->linkage = read_name(names, base, &function->linkage_size);
		if (!function->linkage_size)
			return "a function's linkage name is empty";
	}
	if (flags & LOCUS_FUNCTION_SAME) {
		function->linkage = function->name;
		function->linkage_size = function->name_size;
	}
	return NULL;
}

/* The broken rule, or NULL. */
static const char *read_function(struct locus_columns *columns, struct locus_scan *names, const uint8_t *base,
				 uint32_t file_count, const struct locus_function_in *before,
				 struct locus_function_in *ret)
{
	struct locus_scan *column = columns->column;
	uint8_t flags = locus_scan_byte(&column[LOCUS_FUNCTION_FLAGS]);
	struct locus_function_in function = {.decl_file = before->decl_file, .language = before->language};
	uint32_t line = before->decl_line;
	const char *broken = read_names(flags, names, base, &function);
	if (broken)
		return broken;
	if (flags & LOCUS_FUNCTION_NEW_LANGUAGE)
		function.language = locus_scan_varint32(&column[LOCUS_FUNCTION_LANGUAGE]);
	if (flags & LOCUS_FUNCTION_NEW_FILE) {
		function.decl_file = locus_scan_varint32(&column[LOCUS_FUNCTION_FILE]);
		line = 0;
	}
	if (function.decl_file > file_count)
		return "a function's file is out of range";
	function.decl_line = line + locus_unzigzag(locus_scan_varint32(&column[LOCUS_FUNCTION_LINE]));
	*ret = function;
	return NULL;
}

static enum locus_status read_functions(struct locus_columns *columns, struct locus_function_in *functions,
					uint8_t *copy, uint32_t count, uint32_t file_count, struct locus_error *error)
{
	static const struct locus_function_in none;
	struct locus_scan *stored = &columns->column[LOCUS_FUNCTION_NAMES];
	size_t names_size = locus_scan_left(stored);
	memcpy(copy, stored->at, names_size);
	struct locus_scan names = locus_scan_of(copy, names_size);
	const struct locus_function_in *before = &none;
	for (uint32_t i = 0; i < count; i++) {
		const char *rule = read_function(columns, &names, copy, file_count, before, &functions[i]);
		if (rule)
			return locus_block_fail(columns, rule, error);
		before = &functions[i];
	}
	*stored = names;
	return locus_block_check_done(columns, error);
}

/* The block, records from the next cache line on, then names. */
enum locus_status locus_functions_decode(struct locus *locus, struct locus_scratch *scratch,
					 const struct locus_section_in *section, uint32_t index,
					 struct locus_columns *columns, struct locus_decoded **ret,
					 struct locus_error *error)
{
	(void)scratch;
	uint32_t count = section->firsts[index + 1] - section->firsts[index];
	size_t head_size = (sizeof(struct locus_functions) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	size_t size = head_size + count * sizeof(struct locus_function_in) +
		      locus_scan_left(&columns->column[LOCUS_FUNCTION_NAMES]);
	size = (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	struct locus_functions *block = aligned_alloc(CACHE_LINE, size);
	if (!block)
		return locus_fail_memory(error);
	struct locus_function_in *functions = (struct locus_function_in *)(void *)((uint8_t *)block + head_size);
	uint8_t *names = (uint8_t *)(functions + count);
	*block = (struct locus_functions){{size}, (const char *)names, functions};
	enum locus_status status = read_functions(columns, functions, names, count, locus_file_count(locus), error);
	if (status == LOCUS_OK)
		*ret = &block->head;
	else
		free(block);
	return status;
}
