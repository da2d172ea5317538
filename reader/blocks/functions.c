/* Decodes one block of functions: records with names and declarations (FORMAT.md 6.4). */
#include <stdlib.h>

#include "base/fail.h"
#include "reader/blocks/decode.h"

/* ---- Names ---- */

enum { NAMES_MAX = 2 }; /* of a record */

/* One name: the first `shared` bytes of the name before it, then what stands in the column at `rest`, then a NUL. */
struct name_in {
	uint32_t shared;
	uint32_t rest;
};

/* The names of a block's first records, as measure_names found them. */
struct names_in {
	const uint8_t *flags; /* by record */
	const uint8_t *rests; /* the column */
	struct name_in *name; /* in the order of the column; one more tells where the last one ends */
};

static uint32_t name_size(const struct names_in *names, uint32_t index)
{
	const struct name_in *name = &names->name[index];
	return name->shared + (name[1].rest - name->rest - 1);
}

static unsigned name_count(uint8_t flags)
{
	return (flags & LOCUS_NAME_NAME ? 1 : 0) + (flags & LOCUS_NAME_LINKAGE ? 1 : 0);
}

static bool is_wanted(struct locus_want want, uint32_t index)
{
	return !want.only || want.only[index];
}

/*
 * Finds the names of the first want.count records, and measures the room that they take when written out. ret->name has
 * room for all of them. Returns the rule that they break, or NULL.
 */
static const char *measure_names(struct locus_columns *columns, struct locus_want want, struct names_in *ret,
				 size_t *ret_size)
{
	const size_t most = columns->raw_size > LOCUS_BLOCK_NAMES_MAX / LOCUS_BLOCK_NAMES_RATIO
				    ? LOCUS_BLOCK_NAMES_MAX
				    : columns->raw_size * LOCUS_BLOCK_NAMES_RATIO;
	struct locus_scan all_flags = columns->column[LOCUS_FUNCTION_FLAGS];
	struct locus_scan all_shared = columns->column[LOCUS_FUNCTION_SHARED];
	struct locus_scan rests = columns->column[LOCUS_FUNCTION_NAMES];
	struct name_in *name = ret->name;
	uint32_t before = 0;
	size_t total = 0, wanted = 0;
	ret->flags = all_flags.at;
	ret->rests = rests.at;
	for (uint32_t i = 0; i < want.count; i++) {
		uint8_t flags = locus_scan_byte(&all_flags);
		if (flags >= LOCUS_NAME_FLAGS_END)
			return "a function's flags are not defined";
		if ((flags & LOCUS_NAME_SAME) && ((flags & LOCUS_NAME_LINKAGE) || !(flags & LOCUS_NAME_NAME)))
			return "a function's flags contradict each other";

		/* All names are measured, because a wanted one may share bytes with one that is not. */
		for (unsigned left = name_count(flags); left; left--) {
			uint32_t shared = locus_scan_varint32(&all_shared);
			const uint8_t *rest = rests.at;
			const uint8_t *end = locus_scan_left(&rests) ? memchr(rest, 0, locus_scan_left(&rests)) : NULL;
			if (!end || shared > before || (!shared && end == rest))
				return "a name is empty, or shares more than the one before it has";
			rests.at = end + 1;
			*name++ = (struct name_in){shared, (uint32_t)(rest - ret->rests)};
			before = shared + (uint32_t)(end - rest);
			total += (size_t)before + 1;
			if (total > most)
				return "a block's names are too long";
			if (is_wanted(want, i))
				wanted += (size_t)before + 1;
		}
	}
	name->rest = (uint32_t)(rests.at - ret->rests);
	*ret_size = wanted;
	columns->column[LOCUS_FUNCTION_FLAGS] = all_flags;
	columns->column[LOCUS_FUNCTION_SHARED] = all_shared;
	columns->column[LOCUS_FUNCTION_NAMES] = rests;
	return all_flags.failed || all_shared.failed ? "a block's names are cut short" : NULL;
}

/* Where names are written out, and the one that was written last. */
struct names_out {
	char *at;
	const char *last;
	uint32_t behind_last; /* the index of the name behind it */
};

/*
 * Writes the first `count` bytes of the name before name `index`. They are put together from the names before it, back
 * to the one that was written last: so that of a thousand names a few can be had for little.
 */
static void write_shared(const struct names_in *names, uint32_t index, const struct names_out *out, uint32_t count)
{
	while (count && index != out->behind_last) {
		const struct name_in *name = &names->name[--index];
		if (name->shared < count) {
			memcpy(out->at + name->shared, names->rests + name->rest, count - name->shared);
			count = name->shared;
		}
	}
	if (count)
		memcpy(out->at, out->last, count);
}

/* Writes out name `index`. Returns its size. */
static uint32_t write_name(const struct names_in *names, uint32_t index, struct names_out *out)
{
	const struct name_in *name = &names->name[index];
	uint32_t size = name_size(names, index);
	write_shared(names, index, out, name->shared);
	memcpy(out->at + name->shared, names->rests + name->rest, size - name->shared + 1);
	out->last = out->at;
	out->behind_last = index + 1;
	out->at += (size_t)size + 1;
	return size;
}

/* Writes out the names of want.count records at `at`. Unwanted records stay as they are. */
static void write_names(const struct names_in *names, struct locus_want want, struct locus_function_in *functions,
			char *at)
{
	struct names_out out = {.at = at};
	uint32_t next = 0;
	for (uint32_t i = 0; i < want.count; i++) {
		uint8_t flags = names->flags[i];
		uint32_t index = next;
		next += name_count(flags);
		if (!is_wanted(want, i))
			continue;
		struct locus_function_in function = {.name = out.at};
		if (flags & LOCUS_NAME_NAME)
			function.name_size = write_name(names, index++, &out);
		function.linkage = (uint32_t)(out.at - function.name);
		if (flags & LOCUS_NAME_LINKAGE)
			function.linkage_size = write_name(names, index, &out);
		if (flags & LOCUS_NAME_SAME) {
			function.linkage = 0;
			function.linkage_size = function.name_size;
		}
		functions[i] = function;
	}
}

/* ---- Declarations ---- */

struct declaration {
	uint32_t file;
	uint32_t line;
	uint32_t language;
};

/* The declarations of a block, while its records are read. */
struct declarations {
	struct declaration *list; /* those read so far, with room for one of each record */
	uint32_t count;
	/*
	 * By file id, the line of the last declaration in that file. It is all 0 between two blocks; what was used is
	 * cleared: to clear an entry for each file of the program would take longer than decoding the block.
	 */
	uint32_t *lines;
	uint32_t file_count;
};

/* Reads the declarations of the first want.count records, and completes those that are wanted. */
static enum locus_status read_each_declaration(struct declarations *declarations, struct locus_columns *columns,
					       struct locus_want want, struct locus_function_in *functions,
					       struct locus_error *error)
{
	struct locus_scan *column = columns->column;
	for (uint32_t i = 0; i < want.count; i++) {
		uint32_t number = locus_scan_varint32(&column[LOCUS_FUNCTION_DECLARATION]);
		if (number > declarations->count)
			return locus_block_fail(columns, "a function's declaration is out of range", error);
		if (!number) {
			uint32_t file = locus_scan_varint32(&column[LOCUS_FUNCTION_FILE]);
			if (file > declarations->file_count)
				return locus_block_fail(columns, "a function's file is out of range", error);
			uint32_t *line = &declarations->lines[file];
			*line += locus_unzigzag(locus_scan_varint32(&column[LOCUS_FUNCTION_LINE]));
			uint32_t language = locus_scan_varint32(&column[LOCUS_FUNCTION_LANGUAGE]);
			declarations->list[declarations->count++] = (struct declaration){file, *line, language};
			number = declarations->count;
		}
		if (!is_wanted(want, i))
			continue;
		const struct declaration *declaration = &declarations->list[number - 1];
		functions[i].decl_file = declaration->file;
		functions[i].decl_line = declaration->line;
		functions[i].language = declaration->language;
	}
	return LOCUS_OK;
}

/* Allocates zeros by calloc, which gives memory without pages: only the entries that are used will take any. */
static enum locus_status take_file_lines(struct locus_scratch *scratch, uint32_t file_count, struct locus_error *error)
{
	size_t size = locus_array_size(file_count + UINT64_C(1), sizeof(*scratch->file_lines));
	enum locus_status status = locus_allowance_take(scratch->allowance, size, error);
	if (status != LOCUS_OK)
		return status;
	scratch->file_lines = calloc(1, size);
	if (!scratch->file_lines) {
		locus_allowance_give(scratch->allowance, size);
		return locus_fail_memory(error);
	}
	scratch->file_lines_size = size;
	return LOCUS_OK;
}

static enum locus_status decode_declarations(const struct locus_block_ref *ref, struct locus_columns *columns,
					     struct locus_want want, struct locus_function_in *functions,
					     struct locus_error *error)
{
	struct locus_scratch *scratch = ref->scratch;
	uint32_t file_count = locus_file_count(ref->locus);
	enum locus_status status =
		locus_room_grow(scratch->allowance, &scratch->state, want.count * sizeof(struct declaration), error);
	if (status != LOCUS_OK)
		return status;
	if (!scratch->file_lines) {
		status = take_file_lines(scratch, file_count, error);
		if (status != LOCUS_OK)
			return status;
	}
	struct declarations declarations = {
		.list = (struct declaration *)(void *)scratch->state.data,
		.lines = scratch->file_lines,
		.file_count = file_count,
	};
	status = read_each_declaration(&declarations, columns, want, functions, error);
	for (uint32_t i = 0; i < declarations.count; i++)
		declarations.lines[declarations.list[i].file] = 0;
	return status;
}

/* ---- Blocks ---- */

/* A decoded block: its head, the records from the next cache line on, then the names. head.count is 0 in a part. */
enum locus_status locus_functions_decode(const struct locus_block_ref *ref, struct locus_columns *columns,
					 struct locus_want want, struct locus_decoded **ret, struct locus_error *error)
{
	struct locus_scratch *scratch = ref->scratch;
	uint32_t all = locus_block_entry_count(ref);
	size_t names_size;
	if (want.count > all)
		want.count = all;
	struct names_in names;
	size_t room_size = ((size_t)want.count * NAMES_MAX + 1) * sizeof(*names.name);
	enum locus_status status = locus_room_grow(scratch->allowance, &scratch->state, room_size, error);
	if (status != LOCUS_OK)
		return status;
	names.name = (struct name_in *)(void *)scratch->state.data;
	const char *rule = measure_names(columns, want, &names, &names_size);
	if (rule)
		return locus_block_fail(columns, rule, error);

	/* From here on nothing is refused for its size: names were measured and have their room. */
	size_t size = LOCUS_FUNCTIONS_RECORDS + want.count * sizeof(struct locus_function_in) + names_size;
	struct locus_decoded *block;
	status = locus_decoded_allocate(ref->locus, size, want, !want.only, &block, error);
	if (status != LOCUS_OK)
		return status;
	*block = (struct locus_decoded){(uint32_t)size, want.only ? 0 : want.count};
	struct locus_function_in *functions =
		(struct locus_function_in *)(void *)((uint8_t *)block + LOCUS_FUNCTIONS_RECORDS);
	write_names(&names, want, functions, (char *)(functions + want.count));

	/* Declarations reuse the memory of the names found, which are not needed any more. */
	status = decode_declarations(ref, columns, want, functions, error);
	if (status == LOCUS_OK)
		status = locus_block_check_done(columns, want.count == all, error);
	if (status == LOCUS_OK)
		*ret = block;
	else
		locus_allowance_free(scratch->allowance, block);
	return status;
}
