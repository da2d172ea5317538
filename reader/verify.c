/*
 * Full verification: every byte is covered by a checksum, and the content is checked for every rule of FORMAT.md 8.
 *
 * Blocks are decoded one by one and forgotten. Rules about a single block are checked whenever it is decoded, as for
 * any lookup; here are the rules that need more than one block, or the functions' declarations.
 */
#include <stdlib.h>

#include <xxhash.h>

#include "base/fail.h"
#include "reader/blocks/cache.h"
#include "reader/blocks/meta.h"

/* An alternate whose range ends behind those of all earlier ones. Unlike its end, its last address has 64 bits. */
struct reaching {
	uint64_t start;
	uint64_t last;
};

/* A block of intervals and its source columns. */
struct checked_block {
	struct locus_intervals *block;
	struct locus_source_columns *columns; /* NULL: the file has none */
	XXH128_hash_t *chains;                /* by context: a hash of it and all its callers */
};

struct verifier {
	struct locus *locus;
	struct locus_scratch *scratch;
	XXH3_state_t *digest; /* of the content */
	uint32_t *decl_lines; /* by function id - 1 */
	uint32_t *decl_files;
	struct checked_block before; /* the block of intervals before this one; NULL: none */
	struct reaching *reaching;   /* those from reaching_first on still reach beyond the last block's start */
	size_t reaching_first;
	size_t reaching_count, reaching_capacity;
};

/* Checks a decoded block against the others. It may keep the block: then *block becomes NULL. */
typedef enum locus_status verify_block(struct verifier *verifier, const struct locus_block_ref *ref,
				       const struct locus_columns *columns, struct locus_decoded **block,
				       struct locus_error *error);

/* What is done with the blocks of a section; NULL: they are not decoded, or there is nothing to check. */
struct steps {
	locus_decode *decode;
	verify_block *verify;
};

/* ---- Functions ---- */

static enum locus_status verify_functions(struct verifier *verifier, const struct locus_block_ref *ref,
					  const struct locus_columns *columns, struct locus_decoded **block,
					  struct locus_error *error)
{
	(void)columns;
	(void)error;
	const struct locus_function_in *functions = locus_functions_records(*block);
	uint32_t first = ref->section->firsts[ref->index];
	for (uint32_t i = 0; i < (*block)->count; i++) {
		verifier->decl_lines[first + i] = functions[i].decl_line;
		verifier->decl_files[first + i] = functions[i].decl_file;
	}
	return LOCUS_OK;
}

/* ---- Intervals ---- */

static const struct locus_context *context_of(const struct locus_intervals *block, struct locus_place place)
{
	return &block->contexts[place.context & LOCUS_PLACE_CONTEXT];
}

/* A file's id; the number that stands for the declaration's file is resolved. */
static uint32_t file_of(const struct verifier *verifier, uint32_t function, uint32_t file)
{
	return file == LOCUS_DECL_FILE ? verifier->decl_files[function - 1] : file;
}

static uint32_t call_column(const struct checked_block *checked, uint32_t context)
{
	return checked->columns ? locus_source_column_of_call(checked->columns, context) : 0;
}

/* Whether two intervals, of one block or of two, have the same answer (FORMAT.md 6.3.6). */
static bool is_same_answer(const struct verifier *verifier, const struct checked_block *a, uint32_t index_a,
			   const struct checked_block *b, uint32_t index_b)
{
	struct locus_place x = locus_intervals_place(a->block, index_a), y = locus_intervals_place(b->block, index_b);
	if (x.context == LOCUS_PLACE_GAP || y.context == LOCUS_PLACE_GAP)
		return x.context == y.context;
	uint32_t function_a = context_of(a->block, x)->function, function_b = context_of(b->block, y)->function;
	return x.line == y.line && !((x.context ^ y.context) & LOCUS_PLACE_UNKNOWN_LINE) &&
	       file_of(verifier, function_a, x.file) == file_of(verifier, function_b, y.file) &&
	       (!a->columns || a->columns->column[index_a] == b->columns->column[index_b]) &&
	       XXH128_isEqual(a->chains[x.context & LOCUS_PLACE_CONTEXT], b->chains[y.context & LOCUS_PLACE_CONTEXT]);
}

/* A known line is not 0 (FORMAT.md 6.3.5). */
static bool is_line(const struct verifier *verifier, uint32_t function, bool is_known, uint32_t line)
{
	return !is_known || line + verifier->decl_lines[function - 1] != 0;
}

static const char *check_contexts(const struct verifier *verifier, const struct checked_block *checked)
{
	const struct locus_intervals *block = checked->block;
	if (checked->columns && checked->columns->call_count != block->context_count)
		return "there are more or fewer columns of calls than contexts";
	for (uint32_t i = 0; i < block->context_count; i++) {
		const struct locus_context *context = &block->contexts[i];
		bool is_part = context->caller & LOCUS_CONTEXT_IS_PART;
		bool is_known = !is_part && !(context->caller & LOCUS_CONTEXT_UNKNOWN_LINE);
		if (!is_known && call_column(checked, i))
			return "a call has a column and no line";
		if (is_part)
			continue;
		uint32_t caller = block->contexts[context->caller & LOCUS_CONTEXT_CALLER].function;
		if (!is_line(verifier, caller, is_known, context->call_line))
			return "a call is in line 0";
	}
	return NULL;
}

static const char *check_places(const struct verifier *verifier, const struct checked_block *checked)
{
	const struct locus_intervals *block = checked->block;
	const struct checked_block *before = &verifier->before;
	uint32_t last = before->block ? before->block->count - 1 : 0;
	for (uint32_t i = 0; i < block->count; i++) {
		struct locus_place place = locus_intervals_place(block, i);
		bool is_gap = place.context == LOCUS_PLACE_GAP;
		bool is_known = !is_gap && !(place.context & LOCUS_PLACE_UNKNOWN_LINE);
		if (before->block ? is_same_answer(verifier, before, last, checked, i) : is_gap)
			return "an interval repeats the one before it, or a gap begins the table";
		if (!is_known && checked->columns && checked->columns->column[i])
			return "an interval has a column and no line";
		if (!is_gap && !is_line(verifier, context_of(block, place)->function, is_known, place.line))
			return "an interval is in line 0";
		before = checked;
		last = i;
	}
	return NULL;
}

/*
 * Hashes each context together with its callers, which stand before it. Two stacks, which may be a thousand deep, are
 * then compared by one hash each, so that verifying takes time linear in the number of contexts. Hashes of 128 bits,
 * as of the whole content, are alike by chance in no file.
 */
static enum locus_status hash_chains(const struct verifier *verifier, struct checked_block *checked,
				     struct locus_error *error)
{
	const struct locus_intervals *block = checked->block;
	enum locus_status status = locus_allowance_allocate(&verifier->locus->allowance,
							    (size_t)block->context_count * sizeof(*checked->chains),
							    &checked->chains, error);
	if (status != LOCUS_OK)
		return status;

	for (uint32_t i = 0; i < block->context_count; i++) {
		const struct locus_context *context = &block->contexts[i];
		uint32_t caller = context->caller & LOCUS_CONTEXT_CALLER;
		uint64_t facts[5] = {context->function | (uint64_t)(context->caller & ~LOCUS_CONTEXT_CALLER) << 32,
				     context->part_start, caller, 0, call_column(checked, i)};
		if (!(context->caller & LOCUS_CONTEXT_IS_PART)) {
			uint32_t file = file_of(verifier, block->contexts[caller].function, context->call_file);
			facts[1] = context->call_line | (uint64_t)file << 32;
			facts[2] = checked->chains[caller].low64;
			facts[3] = checked->chains[caller].high64;
		}
		checked->chains[i] = XXH3_128bits(facts, sizeof(facts));
	}
	return LOCUS_OK;
}

static void checked_block_free(struct locus_allowance *allowance, struct checked_block *checked)
{
	locus_allowance_free(allowance, checked->block);
	locus_allowance_free(allowance, checked->columns);
	locus_allowance_free(allowance, checked->chains);
	*checked = (struct checked_block){0};
}

/* The source columns of a block of intervals; NULL: the file has none. */
static enum locus_status get_columns(struct verifier *verifier, uint32_t index, struct locus_source_columns **ret,
				     struct locus_error *error)
{
	struct locus_section_in *section = verifier->locus->known[LOCUS_SECTION_SOURCE_COLUMNS];
	struct locus_block_ref ref = {verifier->locus, verifier->scratch, section, index};
	struct locus_decoded *block = NULL;
	enum locus_status status = LOCUS_OK;
	if (section->block_count)
		status = locus_cache_decode(&ref, LOCUS_WANT_ALL, &block, error);
	if (status == LOCUS_OK)
		*ret = (struct locus_source_columns *)(void *)block;
	return status;
}

static enum locus_status verify_intervals(struct verifier *verifier, const struct locus_block_ref *ref,
					  const struct locus_columns *columns, struct locus_decoded **block,
					  struct locus_error *error)
{
	struct checked_block checked = {.block = (struct locus_intervals *)(void *)*block};
	const char *rule = NULL;
	if (ref->index + 1 == ref->section->block_count &&
	    locus_intervals_place(checked.block, checked.block->count - 1).context != LOCUS_PLACE_GAP)
		rule = "the table does not end in a gap";
	enum locus_status status = get_columns(verifier, ref->index, &checked.columns, error);
	if (status != LOCUS_OK)
		return status;
	if (!rule)
		rule = check_contexts(verifier, &checked);
	if (!rule)
		status = hash_chains(verifier, &checked, error);
	if (!rule && status == LOCUS_OK)
		rule = check_places(verifier, &checked);
	if (rule)
		status = locus_block_fail(columns, rule, error);
	if (status != LOCUS_OK) {
		checked.block = NULL; /* the caller still owns it */
		checked_block_free(&verifier->locus->allowance, &checked);
		return status;
	}
	checked_block_free(&verifier->locus->allowance, &verifier->before);
	verifier->before = checked;
	*block = NULL;
	return LOCUS_OK;
}

/* ---- Alternates ---- */

static enum locus_status add_reaching(struct verifier *verifier, const struct locus_alternate_info *alternate,
				      struct locus_error *error)
{
	uint64_t last = locus_alternate_last(alternate);
	size_t count = verifier->reaching_count;
	if (count > verifier->reaching_first && verifier->reaching[count - 1].last >= last)
		return LOCUS_OK;

	enum locus_status status = locus_allowance_grow(&verifier->locus->allowance, &verifier->reaching, count,
							&verifier->reaching_capacity, sizeof(struct reaching), error);
	if (status == LOCUS_OK)
		verifier->reaching[verifier->reaching_count++] = (struct reaching){alternate->start, last};
	return status;
}

static enum locus_status verify_alternates(struct verifier *verifier, const struct locus_block_ref *ref,
					   const struct locus_columns *columns, struct locus_decoded **block,
					   struct locus_error *error)
{
	const struct locus_alternates *alternates = (const struct locus_alternates *)(const void *)*block;
	uint64_t start = ref->section->keys[ref->index];
	while (verifier->reaching_first < verifier->reaching_count &&
	       verifier->reaching[verifier->reaching_first].last < start)
		verifier->reaching_first++;

	bool reaches = verifier->reaching_first < verifier->reaching_count;
	if (alternates->reach != (reaches ? verifier->reaching[verifier->reaching_first].start : start))
		return locus_block_fail(columns, "a block's reach is not what the blocks before it say", error);
	uint32_t count = locus_block_entry_count(ref);
	for (uint32_t i = 0; i < count; i++) {
		enum locus_status status = add_reaching(verifier, &alternates->alternate[i], error);
		if (status != LOCUS_OK)
			return status;
	}
	return LOCUS_OK;
}

/* ---- Sections ---- */

static void digest_u64(XXH3_state_t *state, uint64_t value)
{
	uint8_t bytes[8];
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	XXH3_128bits_update(state, bytes, sizeof(bytes));
}

/* Adds a block to the content digest (FORMAT.md 5.3), before its columns are read. */
static enum locus_status digest_block(struct verifier *verifier, const struct locus_block_ref *ref,
				      const struct locus_columns *columns, struct locus_error *error)
{
	XXH3_state_t *state = XXH3_createState();
	if (!state)
		return locus_fail_memory(error);
	XXH3_128bits_reset(state);
	for (unsigned i = 0; i < columns->count; i++) {
		XXH128_hash_t hash = XXH3_128bits(columns->column[i].at, locus_scan_left(&columns->column[i]));
		digest_u64(state, locus_scan_left(&columns->column[i]));
		digest_u64(state, hash.low64);
		digest_u64(state, hash.high64);
	}

	XXH128_hash_t hash = XXH3_128bits_digest(state);
	XXH3_freeState(state);
	digest_u64(verifier->digest, ref->section->keys[ref->index]);
	digest_u64(verifier->digest, locus_block_entry_count(ref));
	digest_u64(verifier->digest, hash.low64);
	digest_u64(verifier->digest, hash.high64);
	return LOCUS_OK;
}

/* Reads a block, takes the steps, and adds to *raw_size the size that its columns unfold to. */
static enum locus_status verify_one(struct verifier *verifier, const struct locus_block_ref *ref,
				    const struct steps *steps, uint64_t *raw_size, struct locus_error *error)
{
	struct locus_columns columns;
	struct locus_decoded *block = NULL;
	enum locus_status status = locus_block_read(ref, &columns, error);
	if (status == LOCUS_OK && ref->section->flags & LOCUS_SECTION_CONTENT)
		status = digest_block(verifier, ref, &columns, error);
	if (status == LOCUS_OK && steps->decode)
		status = steps->decode(ref, &columns, LOCUS_WANT_ALL, &block, error);
	if (status == LOCUS_OK && steps->verify)
		status = steps->verify(verifier, ref, &columns, &block, error);
	if (status == LOCUS_OK)
		*raw_size += columns.raw_size;
	locus_allowance_free(&verifier->locus->allowance, block);
	return status;
}

static enum locus_status verify_blocks(struct verifier *verifier, struct locus_section_in *section,
				       const struct steps *steps, uint64_t *raw_size, struct locus_error *error)
{
	struct locus_block_ref ref = {verifier->locus, verifier->scratch, section, 0};
	enum locus_status status = LOCUS_OK;
	for (; ref.index < section->block_count && status == LOCUS_OK; ref.index++)
		status = verify_one(verifier, &ref, steps, raw_size, error);
	return status;
}

static enum locus_status verify_section(struct verifier *verifier, struct locus_section_in *section,
					const struct steps *steps, struct locus_error *error)
{
	uint64_t raw_size = 0;
	if (section->flags & LOCUS_SECTION_CONTENT) {
		digest_u64(verifier->digest, section->id);
		digest_u64(verifier->digest, section->block_count);
	}
	enum locus_status status = verify_blocks(verifier, section, steps, &raw_size, error);
	if (status == LOCUS_OK && raw_size != section->raw_size)
		status = locus_fail_at(error, LOCUS_ERR_CORRUPT, LOCUS_HEADER_SIZE,
				       "section %u's raw size is not what its blocks say", section->id);
	return status;
}

/*
 * Decodes all functions and keeps their declarations, ahead of the pass in file order, because other sections are
 * checked against them. The digest comes with that pass.
 */
static enum locus_status collect_functions(struct verifier *verifier, struct locus_error *error)
{
	const size_t size = locus_array_size(locus_function_count(verifier->locus), sizeof(uint32_t));
	struct locus_allowance *allowance = &verifier->locus->allowance;
	enum locus_status status = locus_allowance_allocate(allowance, size, &verifier->decl_lines, error);
	if (status == LOCUS_OK)
		status = locus_allowance_allocate(allowance, size, &verifier->decl_files, error);
	if (status != LOCUS_OK)
		return status;

	struct locus_section_in quiet = *verifier->locus->known[LOCUS_SECTION_FUNCTIONS];
	uint64_t raw_size = 0;
	quiet.flags &= (uint16_t)~LOCUS_SECTION_CONTENT;
	return verify_blocks(verifier, &quiet, &(struct steps){locus_functions_decode, verify_functions}, &raw_size,
			     error);
}

static enum locus_status verify_sections(struct verifier *verifier, struct locus_error *error)
{
	/* Of a section that this reader does not know, only checksums and sizes can be checked. */
	static const struct steps unknown,
		steps[LOCUS_SECTION_ID_END] = {
			[LOCUS_SECTION_INTERVALS] = {locus_intervals_decode, verify_intervals},
			[LOCUS_SECTION_FILES] = {locus_files_decode, NULL},
			[LOCUS_SECTION_ALTERNATES] = {locus_alternates_decode, verify_alternates},
			[LOCUS_SECTION_SOURCE_COLUMNS] = {locus_source_columns_decode, NULL},
		};
	enum locus_status status = collect_functions(verifier, error);
	for (uint32_t i = 0; i < verifier->locus->section_count && status == LOCUS_OK; i++) {
		struct locus_section_in *section = &verifier->locus->sections[i];
		bool is_known = section->id < LOCUS_SECTION_ID_END;
		status = verify_section(verifier, section, is_known ? &steps[section->id] : &unknown, error);
	}
	return status;
}

static enum locus_status verify_identity(const struct verifier *verifier, struct locus_error *error)
{
	XXH128_hash_t hash = XXH3_128bits_digest(verifier->digest);
	const uint8_t *expected = verifier->locus->identity.bytes;
	for (unsigned i = 0; i < 16; i++) {
		uint64_t half = i < 8 ? hash.low64 : hash.high64;
		if (expected[i] != (uint8_t)(half >> (8 * (i % 8))))
			return locus_fail_at(error, LOCUS_ERR_CHECKSUM, LOCUS_HEADER_DIGEST,
					     "the content does not match its digest");
	}
	return LOCUS_OK;
}

static enum locus_status verify_full(struct locus *locus, struct locus_scratch *scratch, struct locus_error *error)
{
	struct verifier verifier = {.locus = locus, .scratch = scratch};
	verifier.digest = XXH3_createState();
	if (!verifier.digest)
		return locus_fail_memory(error);
	XXH3_128bits_reset(verifier.digest);
	enum locus_status status = verify_sections(&verifier, error);
	if (status == LOCUS_OK)
		status = verify_identity(&verifier, error);
	XXH3_freeState(verifier.digest);
	locus_allowance_free(&locus->allowance, verifier.decl_lines);
	locus_allowance_free(&locus->allowance, verifier.decl_files);
	checked_block_free(&locus->allowance, &verifier.before);
	locus_allowance_free(&locus->allowance, verifier.reaching);
	return status;
}

enum locus_status locus_verify(struct locus *locus, enum locus_verify_depth depth, struct locus_error *error)
{
	struct locus_scratch *scratch;
	struct locus_meta_in *meta;
	if (depth != LOCUS_VERIFY_QUICK && depth != LOCUS_VERIFY_FULL)
		return locus_fail(error, LOCUS_ERR_USAGE, "no depth of verification: %d", (int)depth);
	enum locus_status status = locus_scratch_new(locus, &scratch, error);
	if (status != LOCUS_OK)
		return status;
	status = locus_meta_read(locus, scratch, &meta, error);
	if (status == LOCUS_OK)
		locus_meta_free(locus, meta);
	if (status == LOCUS_OK && depth == LOCUS_VERIFY_FULL)
		status = verify_full(locus, scratch, error);
	locus_scratch_free(scratch);
	return status;
}
