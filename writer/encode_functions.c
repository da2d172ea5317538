/*
 * Encodes functions as blocks of records, names before declarations (FORMAT.md 6.4).
 *
 * Blocks are cut by the bytes of their names, because a lookup must decompress all of them. Threads first measure the
 * names, and how much each shares with the one before it, and later encode the blocks; where blocks are cut does not
 * depend on the threads.
 */
#include "writer/encode_functions.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parallel.h"
#include "writer/encode_blocks.h"
#include "writer/encode_tables.h"

enum {
	NAMES_IN_BLOCK = 40 << 10, /* bytes that are not shared; 16 KiB would make the file of ceph-osd 5 % larger */
	RECORDS_IN_BLOCK = 1792,
	SLOTS = 8192,   /* a power of 2, well above the records */
	SHARED_MIN = 4, /* bytes: zstd finds fewer at less cost */
	SHARE = 4096,   /* records whose names a thread measures at a time */
};

/* The sizes of a record's names, in bytes. */
struct measure {
	uint32_t shared[2]; /* by name: how many bytes it shares with the name before it; 0: there is no such name */
	uint32_t size;      /* of all of them, with a NUL behind each; UINT32_MAX: that many or more */
};

/* The functions as records. */
struct records {
	const struct locus_tables *tables;
	const uint32_t *order;    /* by record: the index of its function; NULL: the same */
	struct measure *measures; /* by record */
};

/* The first record of each block, and one behind the last. */
struct cuts {
	uint32_t *first;
	uint32_t count; /* of blocks */
};

/* The sizes of the names in a block so far: in its columns, and written out whole. */
struct name_sizes {
	size_t size;
	size_t whole_size;
};

/* The work of measuring names, which threads share: each takes the next records that no other has taken. */
struct measuring {
	const struct records *records;
	atomic_uint next; /* record */
};

struct encoding {
	const struct records *records;
	const struct cuts *cuts;
};

static const struct locus_function *record_at(const struct records *records, uint32_t record)
{
	return &records->tables->functions[records->order ? records->order[record] : record];
}

/* ---- Names ---- */

static bool is_same(struct locus_bytes a, struct locus_bytes b)
{
	return a.size == b.size && (a.data == b.data || !memcmp(a.data, b.data, a.size));
}

/*
 * The names of a record as they are encoded: flags, and up to two names, each of which may share the beginning of the
 * one before it.
 */
struct names {
	uint8_t flags;
	unsigned count;
	struct locus_bytes name[2];
};

/* Filled in place: to copy what was just written in parts takes long. */
static void names_of(const struct locus_function *function, struct names *ret)
{
	bool has_name = function->name.size, has_linkage = function->linkage.size;
	bool is_one = has_name && has_linkage && is_same(function->name, function->linkage);
	ret->flags = has_name ? LOCUS_NAME_NAME : 0;
	ret->count = 0;
	if (has_name)
		ret->name[ret->count++] = function->name;
	if (is_one) {
		ret->flags |= LOCUS_NAME_SAME;
	} else if (has_linkage) {
		ret->flags |= LOCUS_NAME_LINKAGE;
		ret->name[ret->count++] = function->linkage;
	}
}

/*
 * Has the processor fetch the function of a later record, which may stand in two cache lines, and the names of one that
 * was fetched before: in the order of records they lie anywhere.
 */
static void look_ahead(const struct records *records, uint32_t record)
{
	enum { TO_FUNCTION = 16, TO_NAMES = 8 }; /* records */
	const uint32_t left = records->tables->function_count - record;
	if (left > TO_FUNCTION) {
		const struct locus_function *function = record_at(records, record + TO_FUNCTION);
		__builtin_prefetch(function);
		__builtin_prefetch(&function->decl_line);
	}
	if (left > TO_NAMES) {
		const struct locus_function *function = record_at(records, record + TO_NAMES);
		__builtin_prefetch(function->name.data);
		__builtin_prefetch(function->linkage.data);
	}
}

/* How many bytes two names have in common at their beginning; 0 if these are too few to be worth it. */
static size_t shared_size(struct locus_bytes a, struct locus_bytes b)
{
	size_t max = a.size < b.size ? a.size : b.size, size = 0;
	while (size + 8 <= max && !memcmp(a.data + size, b.data + size, 8))
		size += 8;
	while (size < max && a.data[size] == b.data[size])
		size++;
	return size >= SHARED_MIN ? size : 0;
}

/* Measures the names of records [first, end), each of which is compared with the name before it. */
static void measure_names(const struct records *records, uint32_t first, uint32_t end)
{
	struct locus_bytes before = {0};
	for (uint32_t i = first; i && !before.size; i--) { /* the record before mostly has a name */
		struct names names;
		names_of(record_at(records, i - 1), &names);
		if (names.count)
			before = names.name[names.count - 1];
	}
	for (uint32_t i = first; i < end; i++) {
		struct names names;
		look_ahead(records, i);
		names_of(record_at(records, i), &names);
		struct measure measure = {0};
		size_t size = 0;
		for (unsigned k = 0; k < names.count; k++) {
			measure.shared[k] = (uint32_t)shared_size(before, names.name[k]);
			size += names.name[k].size + 1;
			before = names.name[k];
		}
		measure.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
		records->measures[i] = measure;
	}
}

static void measure_main(void *argument, unsigned thread)
{
	struct measuring *measuring = argument;
	uint32_t count = measuring->records->tables->function_count, first;
	(void)thread;
	while ((first = atomic_fetch_add(&measuring->next, SHARE)) < count)
		measure_names(measuring->records, first, count - first < SHARE ? count : first + SHARE);
}

/*
 * How many bytes of a name are left out because the name before it has them: all that they share, unless the block's
 * names would then unfold to more than the format allows (FORMAT.md 6.4).
 */
static size_t left_out(const struct name_sizes *sizes, size_t size, size_t shared)
{
	size_t whole_size = sizes->whole_size + size + 1;
	if (!sizes->whole_size || whole_size > (sizes->size + size + 1 - shared) * LOCUS_BLOCK_NAMES_RATIO)
		return 0;
	return shared;
}

static enum locus_status put_names(const struct records *records, uint32_t record, struct name_sizes *sizes,
				   struct locus_buffer *columns, struct locus_error *error)
{
	struct names names;
	look_ahead(records, record);
	names_of(record_at(records, record), &names);
	locus_buffer_put_byte(&columns[LOCUS_FUNCTION_FLAGS], names.flags);
	for (unsigned i = 0; i < names.count; i++) {
		struct locus_bytes name = names.name[i];
		size_t shared = left_out(sizes, name.size, records->measures[record].shared[i]);
		struct locus_bytes rest = {name.data + shared, name.size - shared};
		locus_buffer_put_varint(&columns[LOCUS_FUNCTION_SHARED], shared);
		if (!locus_tables_put_name(&columns[LOCUS_FUNCTION_NAMES], rest))
			return locus_fail(error, LOCUS_ERR_USAGE, "a function's name holds a NUL");
		sizes->size += rest.size + 1;
		sizes->whole_size += name.size + 1;
	}
	return LOCUS_OK;
}

/* ---- Declarations ---- */

/*
 * The declarations of one block in a hash table by open addressing: a slot has 1 + the first record with the
 * declaration.
 */
struct declarations {
	uint32_t slots[SLOTS];
	const struct locus_function *functions[RECORDS_IN_BLOCK]; /* by record of the block */
	uint32_t numbers[RECORDS_IN_BLOCK];                       /* the number of its declaration, from 1 */
	uint32_t count;
	uint32_t file_count;
	uint32_t lines[]; /* by file id: the line of the last declaration in that file */
};

static size_t declarations_size(uint32_t file_count)
{
	return sizeof(struct declarations) + ((size_t)file_count + 1) * sizeof(uint32_t);
}

static void declarations_clear(struct declarations *declarations, uint32_t file_count)
{
	declarations->count = 0;
	declarations->file_count = file_count;
	memset(declarations->slots, 0, sizeof(declarations->slots));
	memset(declarations->lines, 0, ((size_t)file_count + 1) * sizeof(declarations->lines[0]));
}

static bool is_declared_alike(const struct locus_function *a, const struct locus_function *b)
{
	return a->decl_line == b->decl_line && a->decl_file == b->decl_file && a->language == b->language;
}

/* Finds the number of the declaration that the block's record `index` has; 0: it is new, and is added. */
static uint32_t declaration_find(struct declarations *declarations, uint32_t index)
{
	const struct locus_function *function = declarations->functions[index];
	uint32_t hash = (function->decl_line * 0x9E3779B1u ^ function->decl_file) * 0x85EBCA77u;
	uint32_t at = (hash ^ hash >> 15) % SLOTS;
	for (; declarations->slots[at]; at = (at + 1) % SLOTS) {
		uint32_t other = declarations->slots[at] - 1;
		if (is_declared_alike(declarations->functions[other], function))
			return declarations->numbers[other];
	}
	declarations->slots[at] = index + 1;
	declarations->numbers[index] = ++declarations->count;
	return 0;
}

/* Adds the declaration of the block's record `index`, or the number of an earlier one that is alike. */
static enum locus_status put_declaration(struct declarations *declarations, const struct locus_function *function,
					 uint32_t index, struct locus_buffer *columns, struct locus_error *error)
{
	declarations->functions[index] = function;
	uint32_t number = declaration_find(declarations, index);
	locus_buffer_put_varint(&columns[LOCUS_FUNCTION_DECLARATION], number);
	if (number)
		return LOCUS_OK;
	if (function->decl_file > declarations->file_count)
		return locus_fail(error, LOCUS_ERR_USAGE, "a function's file is out of range");
	uint32_t *line = &declarations->lines[function->decl_file];
	locus_buffer_put_varint(&columns[LOCUS_FUNCTION_FILE], function->decl_file);
	locus_buffer_put_varint(&columns[LOCUS_FUNCTION_LINE], locus_zigzag(function->decl_line - *line));
	locus_buffer_put_varint(&columns[LOCUS_FUNCTION_LANGUAGE], function->language);
	*line = function->decl_line;
	return LOCUS_OK;
}

/* ---- Blocks of records ---- */

static enum locus_status encode_block(const void *argument, uint32_t index, struct locus_block_room *room,
				      struct locus_packed *ret, struct locus_error *error)
{
	const struct encoding *encoding = argument;
	const struct records *records = encoding->records;
	struct declarations *declarations = room->scratch;
	uint32_t first = encoding->cuts->first[index], count = encoding->cuts->first[index + 1] - first;
	enum locus_status status = LOCUS_OK;
	struct name_sizes sizes = {0};
	declarations_clear(declarations, records->tables->file_count);

	for (uint32_t i = 0; i < count && status == LOCUS_OK; i++) {
		status = put_names(records, first + i, &sizes, room->columns, error);
		if (status == LOCUS_OK)
			status = put_declaration(declarations, record_at(records, first + i), i, room->columns, error);
	}

	if (status == LOCUS_OK)
		status = locus_packer_pack(&room->packer, room->columns, LOCUS_FUNCTION_COLUMNS, ret, error);
	ret->entry_count = count;
	return status;
}

/* Cuts the records into blocks. A block ends before the record with which its names or records would be too many. */
static enum locus_status cut(const struct records *records, struct cuts *ret, struct locus_error *error)
{
	uint32_t record_count = records->tables->function_count, count = 0;
	uint32_t *first = malloc(((size_t)record_count + 1) * sizeof(*first));
	if (!first)
		return locus_fail_memory(error);
	size_t size = 0, whole_size = 0; /* of the current block's names: in its columns, and written out */
	for (uint32_t i = 0; i < record_count; i++) {
		const struct measure *measure = &records->measures[i];
		const size_t whole_more = measure->size, more = whole_more - measure->shared[0] - measure->shared[1];
		if (whole_more > LOCUS_BLOCK_NAMES_MAX) {
			free(first);
			return locus_fail(error, LOCUS_ERR_USAGE, "a function's names are above the format's limit");
		}

		/* A record that would make the block too large begins the next one. */
		if (!i || size + more > NAMES_IN_BLOCK || whole_size + whole_more > LOCUS_BLOCK_NAMES_MAX ||
		    i - first[count - 1] == RECORDS_IN_BLOCK) {
			first[count++] = i;
			size = whole_size = 0;
		}
		size += more;
		whole_size += whole_more;
	}
	first[count] = record_count;
	*ret = (struct cuts){first, count};
	return LOCUS_OK;
}

static enum locus_status encode_records(const struct records *records, struct locus_effort effort,
					struct locus_section_out *ret, struct locus_error *error)
{
	struct cuts cuts = {0};
	struct measuring measuring = {.records = records};
	locus_parallel(effort.thread_count, measure_main, &measuring);
	enum locus_status status = cut(records, &cuts, error);
	struct encoding encoding = {records, &cuts};
	struct locus_block_work work = {encode_block, &encoding, declarations_size(records->tables->file_count)};
	if (status == LOCUS_OK)
		status = locus_blocks_encode(work, cuts.count, (struct locus_other_work){0}, effort, ret, error);
	free(cuts.first);
	return status;
}

enum locus_status locus_functions_encode(const struct locus_tables *tables, const uint32_t *order,
					 struct locus_effort effort, struct locus_section_out *ret,
					 struct locus_error *error)
{
	struct measure *measures = malloc(((size_t)tables->function_count + 1) * sizeof(*measures));
	if (!measures)
		return locus_fail_memory(error);
	struct records records = {tables, order, measures};
	enum locus_status status = encode_records(&records, effort, ret, error);
	free(measures);
	return status;
}
