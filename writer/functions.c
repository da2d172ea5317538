/*
 * The functions to blocks: their declarations (FORMAT.md 6.3), their names (6.7), and the dictionary of these (6.6).
 *
 * Blocks of names are cut by their bytes, since these are what a lookup must decompress, and encoded by several
 * threads: where a block is cut does not depend on them. The dictionary is names taken at even distances: C++ names
 * repeat each other across the whole program, far beyond a block. Declarations are few bytes, and instances of
 * one template share one: their blocks are larger.
 */
#include "writer/functions.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "writer/fail.h"
#include "writer/tables.h"

enum {
	NAMES_IN_BLOCK = 128 << 10, /* bytes */
	FUNCTIONS_IN_BLOCK = 4096,
	SLOTS = 2 * FUNCTIONS_IN_BLOCK, /* a power of 2 */
	DICTIONARY_SIZE = 256 << 10,    /* bytes */
	DICTIONARY_NAMES_MIN = 3 << 20, /* bytes of names below which a dictionary costs more than it saves */
	THREADS_MAX = 64,
};

/* The first function of each block, and one behind the last. */
struct cuts {
	uint32_t *first;
	uint32_t count; /* of blocks */
};

struct work {
	const struct locus_tables *tables;
	const struct cuts *cuts;
	const ZSTD_CDict *dictionary;
	int level;
	struct locus_section_out *section; /* every block has its place already */
	atomic_uint next;                  /* block to encode */
};

struct worker {
	struct work *work;
	pthread_t thread;
	enum locus_status status;
	struct locus_error error;
};

static bool is_same(struct locus_bytes a, struct locus_bytes b)
{
	return a.size == b.size && !memcmp(a.data, b.data, a.size);
}

static size_t names_size(const struct locus_function *function)
{
	return function->name.size + function->linkage.size + 2;
}

/* ---- Declarations ---- */

/* The declarations of one block: open addressing; a slot is 1 + the first function that has it. */
struct declarations {
	uint32_t slots[SLOTS];
	uint32_t numbers[FUNCTIONS_IN_BLOCK]; /* by function: its declaration's number, from 1 */
	uint32_t count;
	uint32_t lines[]; /* by file id: of the last declaration there */
};

static size_t declarations_size(uint32_t file_count)
{
	return sizeof(struct declarations) + ((size_t)file_count + 1) * sizeof(uint32_t);
}

static bool is_declared_alike(const struct locus_function *a, const struct locus_function *b)
{
	return a->decl_line == b->decl_line && a->decl_file == b->decl_file && a->language == b->language;
}

/* The number of functions[index]'s declaration; 0 if it is new, and then it has one now. */
static uint32_t declaration_find(struct declarations *declarations, const struct locus_function *functions,
				 uint32_t index)
{
	uint32_t hash = (functions[index].decl_line * 0x9E3779B1u ^ functions[index].decl_file) * 0x85EBCA77u;
	uint32_t at = (hash ^ hash >> 15) % SLOTS;
	for (; declarations->slots[at]; at = (at + 1) % SLOTS) {
		uint32_t other = declarations->slots[at] - 1;
		if (is_declared_alike(&functions[other], &functions[index]))
			return declarations->numbers[other];
	}
	declarations->slots[at] = index + 1;
	declarations->numbers[index] = ++declarations->count;
	return 0;
}

static enum locus_status put_declarations(const struct locus_function *functions, uint32_t count, uint32_t file_count,
					  struct declarations *declarations, struct locus_buffer *columns,
					  struct locus_error *error)
{
	memset(declarations, 0, declarations_size(file_count));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t number = declaration_find(declarations, functions, i);
		locus_buffer_put_varint(&columns[LOCUS_FUNCTION_DECLARATION], number);
		if (number)
			continue;
		if (functions[i].decl_file > file_count)
			return locus_writer_fail(error, LOCUS_ERR_USAGE, "a function's file is out of range");
		uint32_t *line = &declarations->lines[functions[i].decl_file];
		locus_buffer_put_varint(&columns[LOCUS_FUNCTION_FILE], functions[i].decl_file);
		locus_buffer_put_varint(&columns[LOCUS_FUNCTION_LINE], locus_zigzag(functions[i].decl_line - *line));
		locus_buffer_put_varint(&columns[LOCUS_FUNCTION_LANGUAGE], functions[i].language);
		*line = functions[i].decl_line;
	}
	return LOCUS_OK;
}

static enum locus_status encode_declarations(const struct locus_tables *tables, int level,
					     struct locus_section_out *ret, struct locus_error *error)
{
	struct locus_buffer columns[LOCUS_FUNCTION_COLUMNS] = {0};
	struct declarations *declarations = malloc(declarations_size(tables->file_count));
	struct locus_packer packer;
	enum locus_status status = locus_packer_init(&packer, level, error);
	if (status == LOCUS_OK && !declarations)
		status = locus_writer_fail_memory(error);
	for (uint32_t first = 0, count; first < tables->function_count && status == LOCUS_OK; first += count) {
		struct locus_packed packed;
		count = tables->function_count - first;
		count = count < FUNCTIONS_IN_BLOCK ? count : FUNCTIONS_IN_BLOCK;
		for (unsigned i = 0; i < LOCUS_FUNCTION_COLUMNS; i++)
			locus_buffer_clear(&columns[i]);
		status = put_declarations(tables->functions + first, count, tables->file_count, declarations, columns,
					  error);
		if (status == LOCUS_OK)
			status =
				locus_packer_pack(&packer, columns, LOCUS_FUNCTION_COLUMNS, NULL, NULL, &packed, error);
		if (status != LOCUS_OK)
			break;
		packed.entry_count = count;
		status = locus_section_out_add(ret, &packed, error);
	}
	for (unsigned i = 0; i < LOCUS_FUNCTION_COLUMNS; i++)
		locus_buffer_done(&columns[i]);
	locus_packer_done(&packer);
	free(declarations);
	return status;
}

/* ---- One block of names ---- */

static enum locus_status put_names(const struct locus_function *function, struct locus_buffer *columns,
				   struct locus_error *error)
{
	struct locus_buffer *names = &columns[LOCUS_NAME_NAMES];
	uint8_t flags = 0;
	bool ok = true;
	if (function->name.size) {
		flags |= LOCUS_NAME_NAME;
		ok = locus_tables_put_name(names, function->name);
	}
	if (function->name.size && function->linkage.size && is_same(function->name, function->linkage)) {
		flags |= LOCUS_NAME_SAME;
	} else if (function->linkage.size) {
		flags |= LOCUS_NAME_LINKAGE;
		ok = ok && locus_tables_put_name(names, function->linkage);
	}
	locus_buffer_put_byte(&columns[LOCUS_NAME_FLAGS], flags);
	return ok ? LOCUS_OK : locus_writer_fail(error, LOCUS_ERR_USAGE, "a function's name holds a NUL");
}

static enum locus_status encode_block(const struct work *work, uint32_t index, struct locus_packer *packer,
				      struct locus_buffer *columns, struct locus_error *error)
{
	uint32_t first = work->cuts->first[index], end = work->cuts->first[index + 1];
	for (unsigned i = 0; i < LOCUS_NAME_COLUMNS; i++)
		locus_buffer_clear(&columns[i]);
	enum locus_status status = LOCUS_OK;
	for (uint32_t i = first; i < end && status == LOCUS_OK; i++)
		status = put_names(&work->tables->functions[i], columns, error);
	struct locus_packed *packed = &work->section->blocks[index];
	if (status == LOCUS_OK)
		status = locus_packer_pack(packer, columns, LOCUS_NAME_COLUMNS, NULL, work->dictionary, packed, error);
	packed->entry_count = end - first;
	return status;
}

/* ---- All blocks ---- */

static void *worker_main(void *argument)
{
	struct worker *worker = argument;
	struct work *work = worker->work;
	struct locus_buffer columns[LOCUS_NAME_COLUMNS] = {0};
	struct locus_packer packer;
	worker->status = locus_packer_init(&packer, work->level, &worker->error);
	while (worker->status == LOCUS_OK) {
		uint32_t index = atomic_fetch_add(&work->next, 1);
		if (index >= work->cuts->count)
			break;
		worker->status = encode_block(work, index, &packer, columns, &worker->error);
	}
	for (unsigned i = 0; i < LOCUS_NAME_COLUMNS; i++)
		locus_buffer_done(&columns[i]);
	locus_packer_done(&packer);
	return NULL;
}

/* This thread is the first worker; one that cannot be started is done without. */
static enum locus_status run(struct work *work, unsigned thread_count, struct locus_error *error)
{
	struct worker workers[THREADS_MAX] = {0};
	unsigned count = thread_count < THREADS_MAX ? thread_count : THREADS_MAX, started = 1;
	for (unsigned i = 0; i < count; i++)
		workers[i].work = work;
	while (started < count && started < work->cuts->count &&
	       !pthread_create(&workers[started].thread, NULL, worker_main, &workers[started]))
		started++;
	worker_main(&workers[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	for (unsigned i = 0; i < started; i++) {
		if (workers[i].status == LOCUS_OK)
			continue;
		if (error)
			*error = workers[i].error;
		return workers[i].status;
	}
	return LOCUS_OK;
}

static enum locus_status cut(const struct locus_tables *tables, struct cuts *ret, struct locus_error *error)
{
	uint32_t *first = malloc(((size_t)tables->function_count + 1) * sizeof(*first));
	if (!first)
		return locus_writer_fail_memory(error);
	uint32_t count = 0;
	size_t size = 0;
	for (uint32_t i = 0; i < tables->function_count; i++) {
		size_t more = names_size(&tables->functions[i]);
		if (!i || size + more > NAMES_IN_BLOCK || i - first[count - 1] == FUNCTIONS_IN_BLOCK) {
			first[count++] = i;
			size = 0;
		}
		size += more;
	}
	first[count] = tables->function_count;
	*ret = (struct cuts){first, count};
	return LOCUS_OK;
}

/* ---- The dictionary ---- */

/* Names at even distances, as many as fit; nothing where there are too few for it to pay. */
static void sample(const struct locus_tables *tables, struct locus_buffer *ret)
{
	uint64_t total = 0;
	for (uint32_t i = 0; i < tables->function_count; i++)
		total += names_size(&tables->functions[i]);
	if (total < DICTIONARY_NAMES_MIN)
		return;
	uint64_t step = total / DICTIONARY_SIZE + 1, taken = 0, passed = 0;
	for (uint32_t i = 0; i < tables->function_count; i++) {
		const struct locus_function *function = &tables->functions[i];
		const struct locus_bytes *name = function->linkage.size ? &function->linkage : &function->name;
		passed += names_size(function);
		if (passed / step < taken)
			continue;
		locus_buffer_put(ret, name->data, name->size);
		locus_buffer_put_byte(ret, 0);
		taken += name->size + 1;
	}
}

static enum locus_status make_dictionary(const struct locus_tables *tables, int level, ZSTD_CDict **ret,
					 struct locus_section_out *ret_section, struct locus_error *error)
{
	struct locus_buffer content = {0};
	struct locus_packer packer;
	struct locus_packed packed;
	enum locus_status status = locus_packer_init(&packer, level, error);
	if (level)
		sample(tables, &content);
	if (content.size && status == LOCUS_OK) {
		status = locus_packer_pack(&packer, &content, 1, NULL, NULL, &packed, error);
		packed.entry_count = 1;
		if (status == LOCUS_OK)
			status = locus_section_out_add(ret_section, &packed, error);
		if (status == LOCUS_OK && !(*ret = ZSTD_createCDict(content.data, content.size, level)))
			status = locus_writer_fail_memory(error);
	}
	locus_packer_done(&packer);
	locus_buffer_done(&content);
	return status;
}

static enum locus_status encode_names(const struct locus_tables *tables, int level, unsigned thread_count,
				      struct locus_section_out *ret, struct locus_section_out *ret_dictionary,
				      struct locus_error *error)
{
	struct cuts cuts = {0};
	ZSTD_CDict *dictionary = NULL;
	enum locus_status status = cut(tables, &cuts, error);
	if (status == LOCUS_OK)
		status = make_dictionary(tables, level, &dictionary, ret_dictionary, error);
	if (status == LOCUS_OK)
		status = locus_section_out_reserve(ret, cuts.count, error);
	if (status == LOCUS_OK && cuts.count) {
		memset(ret->blocks, 0, cuts.count * sizeof(*ret->blocks));
		ret->count = cuts.count;
		struct work work = {tables, &cuts, dictionary, level, ret, 0};
		status = run(&work, thread_count, error);
	}
	ZSTD_freeCDict(dictionary);
	free(cuts.first);
	return status;
}

enum locus_status locus_functions_encode(const struct locus_tables *tables, int level, unsigned thread_count,
					 struct locus_section_out *sections, struct locus_error *error)
{
	enum locus_status status = encode_declarations(tables, level, &sections[LOCUS_SECTION_FUNCTIONS], error);
	if (status == LOCUS_OK)
		status = encode_names(tables, level, thread_count, &sections[LOCUS_SECTION_NAMES],
				      &sections[LOCUS_SECTION_DICTIONARY], error);
	return status;
}
