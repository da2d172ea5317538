/*
 * One block of intervals (FORMAT.md 6.2), decoded in one pass.
 *
 * Nothing outside of the block is needed: lines come out relative to the declaration line of the function they are
 * in, and files as "the declaration's" where they are that.
 */
#include <stdlib.h>

#include "reader/decode.h"
#include "reader/fail.h"

/* What is known of a context while decoding. */
struct state {
	uint32_t line;  /* the last, relative */
	uint32_t file;  /* the predicted one */
	uint32_t child; /* the first pushed onto this one; NO_CONTEXT: none, here and below */
	uint32_t child_last;
	uint32_t sibling; /* the next pushed onto the same caller */
	uint32_t model;   /* whose children are expected here */
	uint32_t met;     /* the last of them that came */
	uint16_t depth;   /* contexts above it */
	bool has_line;
};

/* The same of a function. Kept in pages that are made when first used: a block uses few of all functions. */
struct usage {
	uint32_t model;      /* the context of it that got its first child last */
	uint32_t first_line; /* of the context of it that had its first line last; 0 at first */
};

enum { USAGE_PAGE = 16 };
#define NO_CONTEXT UINT32_MAX

struct decoder {
	struct locus_columns *columns;
	struct locus_intervals *block;
	struct locus_place *places;
	struct locus_context *contexts;
	struct state *states;
	struct usage *usages;  /* pages, one behind the other */
	uint32_t *usage_pages; /* by function / USAGE_PAGE: the page's number, from 1; 0: not made yet */
	uint32_t usage_count;  /* pages made */
	uint16_t *buckets;
	uint32_t context_limit; /* how many the columns can hold */
	uint32_t function_count;
	uint32_t file_count;
	uint32_t recent[LOCUS_OP_RECENT_MAX + 1]; /* [0] is the current context */
	uint32_t recent_count;
	uint32_t index;     /* of the interval at hand */
	const char *broken; /* the first rule that was found broken */
};

static bool broken(struct decoder *decoder, const char *rule)
{
	if (!decoder->broken)
		decoder->broken = rule;
	return false;
}

/* ---- Primitives ---- */

/* A file's code (FORMAT.md 2.4). */
static bool read_file(struct decoder *decoder, enum locus_interval_column column, uint32_t *ret)
{
	uint64_t code = locus_scan_varint(&decoder->columns->column[column]);
	if (code <= LOCUS_FILE_CODE_DECL) {
		*ret = code == LOCUS_FILE_CODE_DECL ? LOCUS_DECL_FILE : 0;
		return true;
	}
	if (code - LOCUS_FILE_CODE_ID > decoder->file_count)
		return broken(decoder, "a file's id is out of range");
	*ret = (uint32_t)(code - LOCUS_FILE_CODE_ID);
	return true;
}

/* A line's code (FORMAT.md 2.5); false in *ret_known: unknown. */
static bool read_line(struct decoder *decoder, uint64_t code, uint32_t before, uint32_t *ret, bool *ret_known)
{
	if (code > (uint64_t)UINT32_MAX + 1)
		return broken(decoder, "a line's distance is out of range");
	*ret_known = code != 0;
	*ret = code ? before + locus_unzigzag((uint32_t)(code - 1)) : 0;
	return true;
}

static bool read_function(struct decoder *decoder, enum locus_interval_column column, uint32_t *ret)
{
	uint32_t code = locus_scan_varint32(&decoder->columns->column[column]);
	uint32_t id = code ? code : decoder->block->function_next++;
	if (id >= decoder->block->function_next || id > decoder->function_count)
		return broken(decoder, "functions are not numbered by first use, or out of range");
	*ret = id;
	return true;
}

/* ---- Contexts ---- */

static struct usage *usage_of(struct decoder *decoder, uint32_t function)
{
	uint32_t *page = &decoder->usage_pages[function / USAGE_PAGE];
	if (!*page) {
		struct usage *usages = &decoder->usages[(size_t)decoder->usage_count * USAGE_PAGE];
		for (unsigned i = 0; i < USAGE_PAGE; i++)
			usages[i] = (struct usage){.model = NO_CONTEXT};
		*page = ++decoder->usage_count;
	}
	return &decoder->usages[(size_t)(*page - 1) * USAGE_PAGE + function % USAGE_PAGE];
}

/* The context's last line, or, where it had none, the one its function is likely to begin with. */
static uint32_t last_line(struct decoder *decoder, uint32_t context)
{
	const struct state *state = &decoder->states[context];
	return state->has_line ? state->line : usage_of(decoder, decoder->contexts[context].function)->first_line;
}

static struct state new_state(unsigned depth)
{
	return (struct state){
		.file = LOCUS_DECL_FILE,
		.child = NO_CONTEXT,
		.sibling = NO_CONTEXT,
		.model = NO_CONTEXT,
		.met = NO_CONTEXT,
		.depth = (uint16_t)depth,
	};
}

static bool push_part(struct decoder *decoder)
{
	struct locus_scan *column = &decoder->columns->column[LOCUS_INTERVAL_PART];
	struct locus_intervals *block = decoder->block;
	uint8_t flags = locus_scan_byte(column);
	uint64_t distance = flags & LOCUS_PART_DISTANCE ? locus_scan_varint(column) : 0;
	uint64_t start = locus_intervals_start(block, decoder->index);
	uint32_t kind = flags & LOCUS_PART_KIND_MASK, function;
	if (kind > LOCUS_PART_SYMBOL || flags > (LOCUS_PART_KIND_MASK | LOCUS_PART_DISTANCE))
		return broken(decoder, "a part's kind is out of range");
	if (distance > start || (flags & LOCUS_PART_DISTANCE && !distance))
		return broken(decoder, "a part's start is out of range");
	if (!read_function(decoder, LOCUS_INTERVAL_PART_FUNCTION, &function))
		return false;
	decoder->contexts[block->context_count] = (struct locus_context){
		.function = function,
		.caller = kind | LOCUS_CONTEXT_IS_PART | (kind == LOCUS_PART_SYMBOL ? LOCUS_CONTEXT_IS_SYMBOL : 0),
		.call_line = (uint32_t)(start - distance),
		.call_file = (uint32_t)((start - distance) >> 32),
	};
	decoder->states[block->context_count++] = new_state(0);
	return true;
}

/* The context that the caller's next child is expected to be like (FORMAT.md 6.2.4); NO_CONTEXT: none. */
static uint32_t expected_child(const struct decoder *decoder, uint32_t caller)
{
	const struct state *state = &decoder->states[caller];
	if (state->model == NO_CONTEXT)
		return NO_CONTEXT;
	return state->met == NO_CONTEXT ? decoder->states[state->model].child : decoder->states[state->met].sibling;
}

/* Adds a context to the caller's children; the first one makes the caller its function's model. */
static void add_child(struct decoder *decoder, uint32_t caller, uint32_t child)
{
	struct state *state = &decoder->states[caller];
	if (state->child == NO_CONTEXT) {
		struct usage *usage = usage_of(decoder, decoder->contexts[caller].function);
		state->model = usage->model;
		state->child = child;
		usage->model = caller;
	} else {
		decoder->states[state->child_last].sibling = child;
	}
	state->child_last = child;
}

/* A call that is not as expected: its line, whose code is given, file and function. */
static bool read_call(struct decoder *decoder, uint32_t caller, uint64_t code, struct locus_context *ret)
{
	bool is_known;
	ret->call_file = decoder->states[caller].file;
	if (!read_line(decoder, code >> 1, last_line(decoder, caller), &ret->call_line, &is_known) ||
	    (code & 1 && !read_file(decoder, LOCUS_INTERVAL_CALL_FILE, &ret->call_file)) ||
	    !read_function(decoder, LOCUS_INTERVAL_FUNCTION, &ret->function))
		return false;
	ret->caller = is_known ? 0 : LOCUS_CONTEXT_UNKNOWN_LINE;
	return true;
}

static bool push_inlinee(struct decoder *decoder, uint32_t caller)
{
	struct locus_intervals *block = decoder->block;
	struct state *state = &decoder->states[caller];
	struct locus_context context;
	uint32_t index = block->context_count;
	if (state->depth + 1u >= LOCUS_DEPTH_MAX)
		return broken(decoder, "inlined too deep");
	add_child(decoder, caller, index);
	uint32_t expected = expected_child(decoder, caller);
	enum locus_interval_column column = expected == NO_CONTEXT ? LOCUS_INTERVAL_CALL : LOCUS_INTERVAL_CALL_EXPECTED;
	uint64_t code = locus_scan_varint(&decoder->columns->column[column]);
	if (expected != NO_CONTEXT && !code) {
		context = decoder->contexts[expected];
		context.caller &= LOCUS_CONTEXT_UNKNOWN_LINE;
		state->met = expected;
	} else if (!read_call(decoder, caller, expected == NO_CONTEXT ? code : code - 1, &context)) {
		return false;
	}
	context.caller |= caller | (decoder->contexts[caller].caller & LOCUS_CONTEXT_IS_SYMBOL);
	decoder->contexts[index] = context;
	decoder->states[index] = new_state(state->depth + 1u);
	block->context_count++;
	return true;
}

/* Pushes `count` contexts onto `from`, or, if that is LOCUS_PLACE_GAP, a new part and the others onto it. */
static bool push(struct decoder *decoder, uint32_t from, uint64_t count, uint32_t *ret)
{
	if (count > decoder->context_limit - decoder->block->context_count)
		return broken(decoder, "more contexts than functions for them");
	for (uint64_t i = 0; i < count; i++) {
		if (from == LOCUS_PLACE_GAP ? !push_part(decoder) : !push_inlinee(decoder, from))
			return false;
		from = decoder->block->context_count - 1;
	}
	*ret = from;
	return true;
}

/* Moves a context from `place` to the front; place == recent_count: it was not in the list. */
static void recent_front(struct decoder *decoder, uint32_t context, uint32_t place)
{
	if (place == decoder->recent_count) {
		if (decoder->recent_count <= LOCUS_OP_RECENT_MAX)
			decoder->recent_count++;
		else
			place--;
	}
	memmove(decoder->recent + 1, decoder->recent, place * sizeof(decoder->recent[0]));
	decoder->recent[0] = context;
}

/* The place of a context in the list; recent_count where it is not in it. */
static uint32_t recent_find(const struct decoder *decoder, uint32_t context)
{
	uint32_t place = 0;
	while (place < decoder->recent_count && decoder->recent[place] != context)
		place++;
	return place;
}

static bool move_part(struct decoder *decoder, uint64_t count)
{
	uint32_t context;
	decoder->recent_count = 0;
	if (!count)
		return broken(decoder, "an escape pushes nothing");
	if (!push(decoder, LOCUS_PLACE_GAP, count, &context))
		return false;
	recent_front(decoder, context, 0);
	return true;
}

static bool move_from(struct decoder *decoder, uint32_t from, uint64_t count)
{
	uint32_t context;
	if (!push(decoder, from, count, &context))
		return false;
	/* What was just pushed is not in the list. */
	recent_front(decoder, context, count ? decoder->recent_count : recent_find(decoder, context));
	return true;
}

static bool move_escape(struct decoder *decoder)
{
	struct locus_scan *column = &decoder->columns->column[LOCUS_INTERVAL_ESCAPE];
	uint64_t back = locus_scan_varint(column);
	uint64_t count = locus_scan_varint(column);
	if (!back)
		return move_part(decoder, count);
	if (back > decoder->block->context_count)
		return broken(decoder, "an escape goes back too far");
	return move_from(decoder, decoder->block->context_count - (uint32_t)back, count);
}

static bool move_up(struct decoder *decoder, unsigned levels, unsigned count)
{
	if (!decoder->recent_count || (!levels && !count))
		return broken(decoder, "an op has no context to start from");
	uint32_t at = decoder->recent[0];
	unsigned depth = decoder->states[at].depth;
	if (levels == LOCUS_OP_UP_PART)
		levels = depth;
	if (levels > depth)
		return broken(decoder, "an op goes up beyond its part");
	for (unsigned i = 0; i < levels; i++)
		at = decoder->contexts[at].caller & LOCUS_CONTEXT_CALLER;
	return move_from(decoder, at, count);
}

/* Does what an op other than GAP says; then recent[0] is the interval's context. */
static bool move(struct decoder *decoder, uint8_t op)
{
	if (op == LOCUS_OP_SAME)
		return decoder->recent_count || broken(decoder, "an op has no context to start from");
	if (op == LOCUS_OP_ESCAPE)
		return move_escape(decoder);
	if (op <= LOCUS_OP_RECENT + LOCUS_OP_RECENT_MAX) {
		uint32_t place = op - LOCUS_OP_RECENT;
		if (place >= decoder->recent_count)
			return broken(decoder, "an op goes beyond the recent contexts");
		recent_front(decoder, decoder->recent[place], place);
		return true;
	}
	if (op <= LOCUS_OP_PART + LOCUS_OP_PUSH_MAX)
		return move_part(decoder, op - LOCUS_OP_PART);
	if (op >= LOCUS_OP_END)
		return broken(decoder, "an op is not defined");
	return move_up(decoder, (op - LOCUS_OP_UP) / 6, (op - LOCUS_OP_UP) % 6);
}

/* ---- Intervals ---- */

static bool read_place(struct decoder *decoder, uint8_t op, struct locus_place *ret)
{
	uint32_t context = decoder->recent[0];
	struct state *state = &decoder->states[context];
	enum locus_interval_column column = !state->has_line                         ? LOCUS_INTERVAL_LINE_FIRST
					    : (op & ~LOCUS_OP_FILE) == LOCUS_OP_SAME ? LOCUS_INTERVAL_LINE_SAME
										     : LOCUS_INTERVAL_LINE_AGAIN;
	uint64_t code = locus_scan_varint(&decoder->columns->column[column]);
	bool is_known;
	ret->context = context;
	if (!read_line(decoder, code, last_line(decoder, context), &ret->line, &is_known))
		return false;
	if (is_known) {
		if (!state->has_line)
			usage_of(decoder, decoder->contexts[context].function)->first_line = ret->line;
		state->line = ret->line;
		state->has_line = true;
	} else {
		ret->context |= LOCUS_PLACE_UNKNOWN_LINE;
	}
	ret->file = state->file;
	if (op & LOCUS_OP_FILE) {
		if (!read_file(decoder, LOCUS_INTERVAL_FILE, &ret->file))
			return false;
		if (ret->file)
			state->file = ret->file;
	}
	return true;
}

static bool read_interval(struct decoder *decoder, struct locus_place *ret)
{
	uint8_t op = locus_scan_byte(&decoder->columns->column[LOCUS_INTERVAL_OP]);
	if (op == LOCUS_OP_GAP) {
		ret->context = LOCUS_PLACE_GAP;
		ret->line = ret->file = 0;
		return true;
	}
	if (op == (LOCUS_OP_GAP | LOCUS_OP_FILE))
		return broken(decoder, "a gap has a file");
	return move(decoder, op & (LOCUS_OP_FILE - 1)) && read_place(decoder, op, ret);
}

/*
 * The starts, relative to the first; to `wide` too, if that is not NULL. Of a part of the block one more than is
 * wanted, so that the last one wanted has an end. False: they leave the address space.
 */
static bool read_starts(struct decoder *decoder, struct locus_want want, uint64_t *wide)
{
	struct locus_scan column = decoder->columns->column[LOCUS_INTERVAL_START];
	struct locus_intervals *block = decoder->block;
	uint64_t at = 0, room = UINT64_MAX - block->start;
	uint32_t i;
	for (i = 0; i < block->count; i++) {
		if (i) {
			uint64_t distance = locus_scan_varint(&column);
			if (distance >= room - at)
				return broken(decoder, "the starts leave the address space");
			at += distance + 1;
		}
		decoder->places[i].start = (uint32_t)at;
		if (wide)
			wide[i] = at;
		if (i == want.count || block->start + at > want.address) {
			decoder->places[i].context = LOCUS_PLACE_GAP;
			block->head.count = i;
			block->count = i + 1;
			break;
		}
	}
	decoder->columns->column[LOCUS_INTERVAL_START] = column;
	return true;
}

/* About four intervals to a bucket, were they evenly spread: finding one then touches one or two cache lines. */
static void fill_buckets(struct decoder *decoder)
{
	struct locus_intervals *block = decoder->block;
	if (block->bucket_count == 1) {
		block->bucket_shift = 63;
		decoder->buckets[0] = 0;
		return;
	}
	uint64_t span = locus_intervals_start(block, block->count - 1) - block->start;
	while (span >> block->bucket_shift >= block->bucket_count)
		block->bucket_shift++;
	uint64_t bucket = 0;
	for (uint32_t i = 1; i < block->count; i++) {
		uint64_t until = (locus_intervals_start(block, i) - block->start) >> block->bucket_shift;
		while (bucket <= until)
			decoder->buckets[bucket++] = (uint16_t)(i - 1);
	}
	while (bucket < block->bucket_count)
		decoder->buckets[bucket++] = (uint16_t)(block->count - 1);
}

static bool read_all(struct decoder *decoder, struct locus_want want, uint64_t *wide)
{
	if (!read_starts(decoder, want, wide))
		return false;
	fill_buckets(decoder);
	for (uint32_t i = 0; i < decoder->block->head.count; i++) {
		decoder->index = i;
		if (!read_interval(decoder, &decoder->places[i]))
			return false;
	}
	return true;
}

/* ---- Memory ---- */

/* How many varints a column holds. */
static uint32_t count_varints(const struct locus_scan *column)
{
	uint32_t count = 0;
	for (const uint8_t *at = column->at; at != column->end; at++)
		count += *at < 0x80;
	return count;
}

/* Whether the last start is more than 2^32 behind the first; a broken column counts as narrow. */
static bool starts_are_wide(struct locus_scan column, uint32_t count)
{
	uint64_t at = 0;
	for (uint32_t i = 1; i < count; i++) {
		uint64_t distance = locus_scan_varint(&column);
		if (distance >= UINT32_MAX - at)
			return true;
		at += distance + 1;
	}
	return false;
}

/* What decoding needs beside the block. No more pages than contexts are made; what is not made is not touched. */
static enum locus_status allocate_states(struct decoder *decoder, struct locus_scratch *scratch,
					 struct locus_error *error)
{
	size_t pages = decoder->function_count / USAGE_PAGE + 1;
	size_t made = decoder->context_limit < pages ? decoder->context_limit : pages;
	size_t states_size = decoder->context_limit * sizeof(struct state);
	enum locus_status status =
		locus_room_grow(&scratch->state, states_size + made * USAGE_PAGE * sizeof(struct usage), error);
	if (status != LOCUS_OK)
		return status;
	decoder->states = (struct state *)(void *)scratch->state.data;
	decoder->usages = (struct usage *)(void *)(scratch->state.data + states_size);
	decoder->usage_pages = calloc(pages, sizeof(uint32_t));
	return decoder->usage_pages ? LOCUS_OK : locus_fail_memory(error);
}

/* Lays the block out in one allocation, its head in a cache line: what has the widest alignment first. */
static enum locus_status allocate(struct decoder *decoder, struct locus_scratch *scratch, uint32_t count,
				  uint32_t bucket_count, bool wide, uint64_t **ret_wide, struct locus_error *error)
{
	size_t head_size =
		(sizeof(struct locus_intervals) + LOCUS_CACHE_LINE - 1) / LOCUS_CACHE_LINE * LOCUS_CACHE_LINE;
	size_t size = head_size + (size_t)count * (sizeof(struct locus_place) + (wide ? sizeof(uint64_t) : 0)) +
		      decoder->context_limit * sizeof(struct locus_context) + bucket_count * sizeof(uint16_t);
	size = (size + LOCUS_CACHE_LINE - 1) / LOCUS_CACHE_LINE * LOCUS_CACHE_LINE;
	enum locus_status status = allocate_states(decoder, scratch, error);
	if (status != LOCUS_OK)
		return status;
	struct locus_intervals *block = aligned_alloc(LOCUS_CACHE_LINE, size);
	if (!block)
		return locus_fail_memory(error);
	decoder->block = block;
	decoder->places = (struct locus_place *)(void *)((uint8_t *)block + head_size);
	*ret_wide = wide ? (uint64_t *)(void *)(decoder->places + count) : NULL;
	decoder->contexts = wide ? (struct locus_context *)(void *)(*ret_wide + count)
				 : (struct locus_context *)(void *)(decoder->places + count);
	decoder->buckets = (uint16_t *)(decoder->contexts + decoder->context_limit);
	*block = (struct locus_intervals){
		.head = {(uint32_t)size, count},
		.places = decoder->places,
		.contexts = decoder->contexts,
		.buckets = decoder->buckets,
		.wide_starts = *ret_wide,
		.count = count,
		.bucket_count = bucket_count,
	};
	return LOCUS_OK;
}

static enum locus_status decode(struct decoder *decoder, struct locus_scratch *scratch,
				const struct locus_section_in *section, uint32_t index, struct locus_want want,
				struct locus_error *error)
{
	uint64_t *wide = NULL;
	uint32_t count = section->firsts[index + 1] - section->firsts[index];
	uint32_t part_count = count_varints(&decoder->columns->column[LOCUS_INTERVAL_PART_FUNCTION]);
	uint32_t function_first = locus_scan_varint32(&decoder->columns->column[LOCUS_INTERVAL_PART_FUNCTION]);
	uint32_t inlinee_count = count_varints(&decoder->columns->column[LOCUS_INTERVAL_CALL_EXPECTED]) +
				 count_varints(&decoder->columns->column[LOCUS_INTERVAL_CALL]);
	if (!function_first || !part_count || part_count - 1 + inlinee_count > LOCUS_BLOCK_CONTEXTS_MAX)
		return locus_block_fail(decoder->columns, "a block's functions are out of range", error);
	decoder->context_limit = part_count - 1 + inlinee_count;
	bool may_be_wide =
		index + 1 == section->block_count || section->keys[index + 1] - section->keys[index] > UINT32_MAX;
	bool is_wide = may_be_wide && starts_are_wide(decoder->columns->column[LOCUS_INTERVAL_START], count);
	/* A part of a block is asked but once or twice: that pays for no index. */
	bool is_part = want.count < count || want.address != UINT64_MAX;
	uint32_t bucket_count = is_part ? 1 : count / 4 + 1;
	enum locus_status status = allocate(decoder, scratch, count, bucket_count, is_wide, &wide, error);
	if (status != LOCUS_OK)
		return status;
	decoder->block->start = section->keys[index];
	decoder->block->function_first = decoder->block->function_next = function_first;
	if (!read_all(decoder, want, wide))
		return locus_block_fail(decoder->columns, decoder->broken, error);
	return decoder->block->head.count == count ? locus_block_check_done(decoder->columns, error) : LOCUS_OK;
}

enum locus_status locus_intervals_decode(struct locus *locus, struct locus_scratch *scratch,
					 const struct locus_section_in *section, uint32_t index,
					 struct locus_columns *columns, struct locus_want want,
					 struct locus_decoded **ret, struct locus_error *error)
{
	struct decoder decoder = {
		.columns = columns,
		.function_count = locus_function_count(locus),
		.file_count = locus_file_count(locus),
	};
	enum locus_status status = decode(&decoder, scratch, section, index, want, error);
	free(decoder.usage_pages);
	if (status == LOCUS_OK)
		*ret = &decoder.block->head;
	else
		free(decoder.block);
	return status;
}
