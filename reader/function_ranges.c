/* Finds where functions are: their own parts, and every copy that was inlined. One pass over all intervals does it. */
#include <string.h>

#include "base/fail.h"
#include "reader/blocks/cache.h"

#define NO_COPY UINT32_MAX

struct search {
	struct locus *locus;
	struct locus_scratch *scratch;
	uint8_t *wanted; /* a bit for each function id */
	locus_take_range *take;
	void *context;
	struct locus_function_range range; /* size 0: none was opened yet */
	struct locus_context copy;         /* the context whose range is open; the file of its call is resolved */
	struct locus_context caller;       /* its caller, likewise; zeroed for a part */
	enum locus_status status;          /* of what ended the search; LOCUS_OK: the caller did, or nothing */
	struct locus_error *error;
};

static bool is_wanted(const struct search *search, uint32_t function_id)
{
	return search->wanted[function_id / 8] >> (function_id % 8) & 1;
}

/* Gives the open range, if there is one, to the caller. False: the caller ends the search. */
static bool close_range(struct search *search)
{
	return search->range.end == search->range.start || search->take(search->context, &search->range);
}

/*
 * Finds for each context the outermost of itself and its callers that is a wanted function. Callers stand before the
 * contexts that were inlined into them, so one pass is enough.
 */
static void find_copies(const struct search *search, const struct locus_intervals *block, uint32_t *copies)
{
	for (uint32_t i = 0; i < block->context_count; i++) {
		const struct locus_context *context = &block->contexts[i];
		bool is_part = context->caller & LOCUS_CONTEXT_IS_PART;
		copies[i] = is_part ? NO_COPY : copies[context->caller & LOCUS_CONTEXT_CALLER];
		if (copies[i] == NO_COPY && is_wanted(search, context->function))
			copies[i] = i;
	}
}

/* Of their callers' numbers and flags only that the line is known counts, unless they are to be compared whole. */
static bool same_context(const struct locus_context *a, const struct locus_context *b, bool with_callers)
{
	uint32_t compared = with_callers ? UINT32_MAX : LOCUS_CONTEXT_UNKNOWN_LINE;
	return a->function == b->function && a->call_line == b->call_line && a->call_file == b->call_file &&
	       !((a->caller ^ b->caller) & compared);
}

/*
 * Whether a context is the one whose range is open. Each block numbers its contexts anew, so their contents are
 * compared: all of a part's; of a call its place and its caller's.
 */
static bool is_open(const struct search *search, const struct locus_context *copy, const struct locus_context *caller)
{
	bool is_part = copy->caller & LOCUS_CONTEXT_IS_PART;
	return same_context(copy, &search->copy, is_part) && (is_part || same_context(caller, &search->caller, false));
}

/*
 * Reads the context of a call. Its file may be that of its caller's declaration, or the same by its id: it becomes the
 * id, so that two calls can be compared. False: the search ends.
 */
static bool read_call(struct search *search, const struct locus_intervals *block, uint32_t index,
		      struct locus_context *ret)
{
	*ret = block->contexts[index];
	if (ret->caller & LOCUS_CONTEXT_IS_PART || ret->call_file != LOCUS_DECL_FILE)
		return true;
	struct locus_function_info function;
	uint32_t caller = block->contexts[ret->caller & LOCUS_CONTEXT_CALLER].function;
	search->status = locus_function_at(search->locus, search->scratch, caller, &function, search->error);
	if (search->status != LOCUS_OK)
		return false;
	ret->call_file = function.decl_file_id;
	return true;
}

/* Adds an interval to the open range if that is the same copy's, or begins another. False: the search ends. */
static bool add_interval(struct search *search, const struct locus_intervals *block, uint32_t index, uint64_t start,
			 uint64_t end)
{
	struct locus_context copy, caller = {0};
	if (!read_call(search, block, index, &copy))
		return false;
	bool is_part = copy.caller & LOCUS_CONTEXT_IS_PART;
	if (!is_part && !read_call(search, block, copy.caller & LOCUS_CONTEXT_CALLER, &caller))
		return false;

	if (search->range.end == start && is_open(search, &copy, &caller)) {
		search->range.end = end;
		return true;
	}
	if (!close_range(search))
		return false;
	search->copy = copy;
	search->caller = caller;
	search->range = (struct locus_function_range){
		.start = start,
		.end = end,
		.function_id = copy.function,
		.inlined = !is_part,
		.part = is_part ? (enum locus_part_kind)(copy.caller & LOCUS_CONTEXT_CALLER) : LOCUS_PART_ENTRY,
		.part_start = is_part ? copy.part_start : 0,
	};
	return true;
}

/* Searches a block's intervals; `end` is where the last one ends. False: the search ends. */
static bool search_block(struct search *search, const struct locus_intervals *block, const uint32_t *copies,
			 uint64_t end)
{
	for (uint32_t i = 0; i < block->count; i++) {
		struct locus_place place = locus_intervals_place(block, i);
		if (place.context == LOCUS_PLACE_GAP)
			continue;
		uint32_t copy = copies[place.context & LOCUS_PLACE_CONTEXT];
		uint64_t next = i + 1 < block->count ? locus_intervals_start(block, i + 1) : end;
		if (copy != NO_COPY && !add_interval(search, block, copy, locus_intervals_start(block, i), next))
			return false;
	}
	return true;
}

static enum locus_status search_all(struct search *search, struct locus_error *error)
{
	struct locus *locus = search->locus;
	struct locus_section_in *section = locus->known[LOCUS_SECTION_INTERVALS];
	bool go_on = true;

	/* The blocks are not cached, so that this pass evicts none that lookups use. */
	for (uint32_t i = 0; i < section->block_count && go_on; i++) {
		struct locus_decoded *decoded;
		uint32_t *copies;
		struct locus_block_ref ref = {locus, search->scratch, section, i};
		enum locus_status status = locus_cache_decode(&ref, LOCUS_WANT_ALL, &decoded, error);
		if (status != LOCUS_OK)
			return status;
		const struct locus_intervals *block = (const struct locus_intervals *)(const void *)decoded;
		status = locus_allowance_allocate(&locus->allowance, block->context_count * sizeof(*copies), &copies,
						  error);
		if (status == LOCUS_OK) {
			uint64_t end = i + 1 < section->block_count ? section->keys[i + 1] : UINT64_MAX;
			find_copies(search, block, copies);
			go_on = search_block(search, block, copies, end);
			locus_allowance_free(&locus->allowance, copies);
		}
		locus_allowance_free(&locus->allowance, decoded);
		if (status != LOCUS_OK)
			return status;
	}

	/* The last range is still open. */
	if (go_on)
		close_range(search);
	return search->status;
}

enum locus_status locus_function_ranges(struct locus *locus, struct locus_scratch *scratch,
					const uint32_t *function_ids, size_t count, locus_take_range *take,
					void *context, struct locus_error *error)
{
	struct search search = {.locus = locus, .scratch = scratch, .take = take, .context = context, .error = error};
	uint32_t function_count = locus_function_count(locus);
	size_t size = (size_t)function_count / 8 + 1;
	for (size_t i = 0; function_ids && i < count; i++)
		if (function_ids[i] == 0 || function_ids[i] > function_count)
			return locus_fail(error, LOCUS_ERR_USAGE, "no function %u", function_ids[i]);

	enum locus_status status = locus_allowance_allocate(&locus->allowance, size, &search.wanted, error);
	if (status != LOCUS_OK)
		return status;
	memset(search.wanted, function_ids ? 0 : UINT8_MAX, size);
	for (size_t i = 0; function_ids && i < count; i++)
		search.wanted[function_ids[i] / 8] |= (uint8_t)(1 << function_ids[i] % 8);
	status = search_all(&search, error);
	locus_allowance_free(&locus->allowance, search.wanted);
	return status;
}
