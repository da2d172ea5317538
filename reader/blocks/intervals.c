/*
 * Decodes one block of intervals (FORMAT.md 6.3), in one pass.
 *
 * Nothing outside of the block is needed: lines stay relative to the declaration line of the function they are in, and
 * files that are the declaration's are marked as such.
 */
#include <stdlib.h>

#include "base/always_inline.h"
#include "reader/blocks/decode.h"

#define NO_CALL UINT32_MAX

/*
 * What is known of a context while decoding. `call` is the number of the first context that had the same call. Links
 * lead to the calls that are expected: from each function to the first one, and from each call to the next.
 */
struct state {
	uint32_t function; /* its number in the block, from 0 */
	uint32_t call;
	uint32_t expected; /* the link to the call of the next inlinee that is pushed onto it */
	uint16_t depth;    /* contexts above it */
};

/* What is known of a function while decoding. */
struct function_state {
	uint32_t id;
	uint32_t line; /* the last in it, relative to its declaration */
	uint32_t file; /* the number of the last in it: its declaration's at first */
};

/* So large that its content is seldom moved back to its end. */
enum { RECENT_MAX = LOCUS_OP_RECENT_MAX + 1, RECENT_ROOM = 8 * RECENT_MAX };

enum { FILES_KNOWN = 1024 };

struct decoder {
	struct locus *locus;
	struct locus_want want;
	struct locus_columns columns;
	struct locus_intervals *block;
	uint64_t *packed;                 /* NULL: the block is wide */
	struct locus_wide_interval *wide; /* NULL: it is packed */
	struct locus_context *contexts;
	uint32_t *files;            /* by number */
	uint32_t file_limit;        /* how many the columns can hold */
	uint32_t file_number_count; /* how many there are */
	struct state *states;
	struct function_state *function_states;
	uint32_t *links; /* the functions', then the calls' */
	uint16_t *buckets;
	bool is_part;            /* decode no further than wanted */
	bool is_wide;            /* the intervals are not packed */
	bool is_too_wide;        /* they are, and one does not fit: to be decoded again */
	uint32_t context_limit;  /* how many the columns can hold */
	uint32_t context_count;  /* how many there are */
	uint32_t function_limit; /* the same of the block's functions */
	uint32_t function_state_count;
	uint32_t highest;        /* id of a function so far */
	uint32_t function_count; /* in the file */
	uint32_t file_count;
	uint32_t *recent; /* [0] is the current context; in recent_room, what is pushed goes before it */
	uint32_t recent_count;
	uint64_t start;                     /* of the interval at hand */
	uint64_t start_max;                 /* where the last interval may start: below the next block */
	const char *broken;                 /* the first rule that was found broken */
	uint32_t file_numbers[FILES_KNOWN]; /* of the file told last of those with the same id modulo FILES_KNOWN */
	uint32_t recent_room[RECENT_ROOM];
};

/* A line rarely fits in fewer bits; if a block's addresses may span more than this, the span is measured. */
enum { LINE_BITS_MIN = 8, SPAN_MAX = 1 << 20 };

/* The declaration's file always has number 0; files that the columns give have the next ones. */
enum { FILE_DECL, FILE_FIRST };

static bool broken(struct decoder *decoder, const char *rule)
{
	if (!decoder->broken)
		decoder->broken = rule;
	return false;
}

/* ---- Primitives ---- */

/* Reads a file (FORMAT.md 6.3.5) as its number. It becomes the function's last one unless it is unknown. */
static bool read_file(struct decoder *decoder, enum locus_interval_column column, struct function_state *function,
		      uint32_t *ret)
{
	struct locus_scan *scan = &decoder->columns.column[column];
	uint64_t file = locus_scan_varint(scan);
	if (file > decoder->file_count)
		return broken(decoder, "a file's id is out of range");
	if (scan->failed) /* file_limit counted the files in the column: beyond its end there is no room for a number */
		return broken(decoder, "a column is too short");

	/* Give a file the same number where that is cheap: lookups then read the same cache line. */
	uint32_t *number = &decoder->file_numbers[file % FILES_KNOWN];
	if (decoder->files[*number] != file) {
		*number = decoder->file_number_count++;
		decoder->files[*number] = (uint32_t)file;
	}
	*ret = *number;
	if (file)
		function->file = *number;
	return true;
}

/* Decodes a line (FORMAT.md 6.3.5), which becomes the function's last one. *ret_known is false: it is unknown. */
static bool read_line(struct decoder *decoder, uint64_t code, struct function_state *function, uint32_t *ret,
		      bool *ret_known)
{
	if (code > (uint64_t)UINT32_MAX + 1)
		return broken(decoder, "a line's distance is out of range");
	*ret_known = code != 0;
	*ret = 0;
	if (code)
		*ret = function->line += locus_unzigzag((uint32_t)(code - 1));
	return true;
}

/* ---- Functions ---- */

/* Reads the id of the block's next function (FORMAT.md 6.3.3). There are at most as many as the column has bytes. */
static bool add_function(struct decoder *decoder)
{
	uint64_t code = locus_scan_varint(&decoder->columns.column[LOCUS_INTERVAL_FUNCTION_ID]);
	uint32_t before =
		decoder->function_state_count ? decoder->function_states[decoder->function_state_count - 1].id : 0;
	uint32_t id = code ? before + 1 + locus_unzigzag((uint32_t)(code - 1)) : decoder->highest + 1;
	if (code > (uint64_t)UINT32_MAX + 1 || !id || id > decoder->function_count ||
	    decoder->function_state_count == decoder->function_limit)
		return broken(decoder, "a function's id is out of range");
	if (id > decoder->highest)
		decoder->highest = id;
	decoder->links[decoder->function_state_count] = NO_CALL;
	decoder->function_states[decoder->function_state_count++] = (struct function_state){.id = id};
	return true;
}

/* A function's number in the block, from 0. */
static bool read_function(struct decoder *decoder, uint32_t *ret)
{
	uint32_t code = locus_scan_varint32(&decoder->columns.column[LOCUS_INTERVAL_FUNCTION]);
	if (code > decoder->function_state_count)
		return broken(decoder, "a function has not been in the block before");
	*ret = code ? code - 1 : decoder->function_state_count;
	return code || add_function(decoder);
}

/* ---- Contexts ---- */

/* Adds the context whose call was written behind the others. */
static void add_context(struct decoder *decoder, uint32_t function, uint32_t call, unsigned depth)
{
	decoder->states[decoder->context_count++] = (struct state){
		.function = function,
		.call = call,
		.expected = function,
		.depth = (uint16_t)depth,
	};
}

static bool push_part(struct decoder *decoder)
{
	struct locus_scan *column = &decoder->columns.column[LOCUS_INTERVAL_PART];
	uint8_t flags = locus_scan_byte(column);
	uint64_t distance = flags & LOCUS_PART_DISTANCE ? locus_scan_varint(column) : 0;
	uint64_t start = decoder->start - distance;
	uint32_t kind = flags & LOCUS_PART_KIND_MASK, function;
	if (kind > LOCUS_PART_SYMBOL || flags > (LOCUS_PART_KIND_MASK | LOCUS_PART_DISTANCE))
		return broken(decoder, "a part's kind is out of range");
	if (distance > decoder->start || (flags & LOCUS_PART_DISTANCE && !distance))
		return broken(decoder, "a part's start is out of range");
	if (!read_function(decoder, &function))
		return false;

	decoder->contexts[decoder->context_count] = (struct locus_context){
		.function = decoder->function_states[function].id,
		.caller = kind | LOCUS_CONTEXT_IS_PART | (kind == LOCUS_PART_SYMBOL ? LOCUS_CONTEXT_IS_SYMBOL : 0),
		.part_start = start,
	};
	add_context(decoder, function, NO_CALL, 0);
	return true;
}

/* Reads a new call in the caller's function: its file, function, and line, whose code was read before. */
static bool read_call(struct decoder *decoder, const struct state *caller, uint64_t code, struct locus_context *ret,
		      uint32_t *ret_function)
{
	struct function_state *function = &decoder->function_states[caller->function];
	uint32_t line, file = function->file;
	bool is_known;
	if (!read_line(decoder, code >> 1, function, &line, &is_known) ||
	    (code & 1 && !read_file(decoder, LOCUS_INTERVAL_CALL_FILE, function, &file)) ||
	    !read_function(decoder, ret_function))
		return false;
	ret->function = decoder->function_states[*ret_function].id;
	ret->caller = is_known ? 0 : LOCUS_CONTEXT_UNKNOWN_LINE;
	ret->call_line = line;
	ret->call_file = decoder->files[file];
	return true;
}

/* Copies the call of an inlinee that is as expected. Returns its function's number. */
static uint32_t copy_call(const struct decoder *decoder, uint32_t call, struct locus_context *ret)
{
	const struct locus_context *like = &decoder->contexts[call];
	ret->function = like->function;
	ret->caller = like->caller & LOCUS_CONTEXT_UNKNOWN_LINE;
	ret->call_line = like->call_line;
	ret->call_file = like->call_file;
	return decoder->states[call].function;
}

static bool push_inlinee(struct decoder *decoder, uint32_t caller)
{
	uint32_t index = decoder->context_count, function;
	struct locus_context *context = &decoder->contexts[index];
	struct state *state = &decoder->states[caller];
	if (state->depth + 1u >= LOCUS_DEPTH_MAX)
		return broken(decoder, "inlined too deep");

	/* The call that came here the last time is expected. If none did, there is another column to read. */
	uint32_t *expected = &decoder->links[state->expected], call = *expected;
	enum locus_interval_column column = call == NO_CALL ? LOCUS_INTERVAL_CALL : LOCUS_INTERVAL_CALL_EXPECTED;
	uint64_t code = locus_scan_varint(&decoder->columns.column[column]);
	if (call != NO_CALL && !code) {
		function = copy_call(decoder, call, context);
	} else {
		if (!read_call(decoder, state, call == NO_CALL ? code : code - 1, context, &function))
			return false;
		*expected = call = index;
		decoder->links[decoder->function_limit + call] = NO_CALL;
	}

	/* The caller's next inlinee is expected to be the one behind this call. */
	state->expected = decoder->function_limit + call;
	context->caller |= caller | (decoder->contexts[caller].caller & LOCUS_CONTEXT_IS_SYMBOL);
	add_context(decoder, function, call, state->depth + 1u);
	return true;
}

static bool has_room(struct decoder *decoder, uint64_t count)
{
	return count <= decoder->context_limit - decoder->context_count ||
	       broken(decoder, "more contexts than functions for them");
}

/* Pushes `count` contexts: the first onto `from`, every other onto the one before it. */
static bool push_inlinees(struct decoder *decoder, uint32_t from, uint64_t count)
{
	for (; count; count--, from = decoder->context_count - 1)
		if (!push_inlinee(decoder, from))
			return false;
	return true;
}

/* ---- The recent list ---- */

static void recent_clear(struct decoder *decoder)
{
	decoder->recent = decoder->recent_room + RECENT_ROOM;
	decoder->recent_count = 0;
}

/* Puts a context in front that is not in the list. */
static void recent_push(struct decoder *decoder, uint32_t context)
{
	if (decoder->recent == decoder->recent_room) {
		uint32_t *to = decoder->recent_room + RECENT_ROOM - decoder->recent_count;
		memcpy(to, decoder->recent, decoder->recent_count * sizeof(*to));
		decoder->recent = to;
	}
	*--decoder->recent = context;
	if (decoder->recent_count < RECENT_MAX)
		decoder->recent_count++;
}

/* Puts the context at `place` in front; those before it move back. */
static void recent_front(struct decoder *decoder, uint32_t place)
{
	uint32_t *recent = decoder->recent, carried = recent[place];
	for (uint32_t i = 0; i <= place; i++) {
		uint32_t next = recent[i];
		recent[i] = carried;
		carried = next;
	}
}

/* Puts a context in front, whether it is in the list or not. */
static void recent_find(struct decoder *decoder, uint32_t context)
{
	uint32_t place = 0;
	while (place < decoder->recent_count && decoder->recent[place] != context)
		place++;
	if (place < decoder->recent_count)
		recent_front(decoder, place);
	else
		recent_push(decoder, context);
}

/* ---- Moves ---- */

static bool move_part(struct decoder *decoder, uint64_t count)
{
	recent_clear(decoder);
	if (!count)
		return broken(decoder, "an escape pushes nothing");
	if (!has_room(decoder, count) || !push_part(decoder) ||
	    !push_inlinees(decoder, decoder->context_count - 1, count - 1))
		return false;
	recent_push(decoder, decoder->context_count - 1);
	return true;
}

static bool move_from(struct decoder *decoder, uint32_t from, uint64_t count)
{
	if (!count) {
		recent_find(decoder, from);
		return true;
	}
	if (!has_room(decoder, count) || !push_inlinees(decoder, from, count))
		return false;
	recent_push(decoder, decoder->context_count - 1);
	return true;
}

static bool move_escape(struct decoder *decoder)
{
	struct locus_scan *column = &decoder->columns.column[LOCUS_INTERVAL_ESCAPE];
	uint64_t back = locus_scan_varint(column);
	uint64_t count = locus_scan_varint(column);
	if (!back)
		return move_part(decoder, count);
	if (back > decoder->context_count)
		return broken(decoder, "an escape goes back too far");
	return move_from(decoder, decoder->context_count - (uint32_t)back, count);
}

static bool move_up(struct decoder *decoder, unsigned levels, unsigned count)
{
	if (!decoder->recent_count || (!levels && !count))
		return broken(decoder, "an op has no context to start from");
	uint32_t at = decoder->recent[0];
	unsigned depth = decoder->states[at].depth;
	if (levels > depth)
		return broken(decoder, "an op goes up beyond its part");
	for (unsigned i = 0; i < levels; i++)
		at = decoder->contexts[at].caller & LOCUS_CONTEXT_CALLER;
	return move_from(decoder, at, count);
}

/* Executes an op other than GAP; then recent[0] is the interval's context. */
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
		recent_front(decoder, place);
		return true;
	}
	if (op <= LOCUS_OP_PART + LOCUS_OP_PUSH_MAX)
		return move_part(decoder, op - LOCUS_OP_PART);
	if (op >= LOCUS_OP_END)
		return broken(decoder, "an op is not defined");
	return move_up(decoder, (op - LOCUS_OP_UP) / LOCUS_OP_UP_STEP, (op - LOCUS_OP_UP) % LOCUS_OP_UP_STEP);
}

/* ---- Intervals ---- */

/* Reads the interval's place, with the file as its number. */
static bool read_place(struct decoder *decoder, uint8_t op, struct locus_place *ret)
{
	uint32_t context = decoder->recent[0], line;
	enum locus_interval_column column =
		(op & ~LOCUS_OP_FILE) == LOCUS_OP_SAME ? LOCUS_INTERVAL_LINE_SAME : LOCUS_INTERVAL_LINE;
	struct function_state *function = &decoder->function_states[decoder->states[context].function];
	uint32_t file = function->file;
	uint64_t code = locus_scan_varint(&decoder->columns.column[column]);
	bool is_known;
	if (!read_line(decoder, code, function, &line, &is_known) ||
	    (op & LOCUS_OP_FILE && !read_file(decoder, LOCUS_INTERVAL_FILE, function, &file)))
		return false;
	ret->context = context | (is_known ? 0 : LOCUS_PLACE_UNKNOWN_LINE);
	ret->line = line;
	ret->file = file;
	return true;
}

static bool read_interval(struct decoder *decoder, struct locus_place *ret)
{
	uint8_t op = locus_scan_byte(&decoder->columns.column[LOCUS_INTERVAL_OP]);
	if (op == LOCUS_OP_GAP) {
		ret->context = LOCUS_PLACE_GAP;
		ret->line = ret->file = 0;
		return true;
	}
	if (op == (LOCUS_OP_GAP | LOCUS_OP_FILE))
		return broken(decoder, "a gap has a file");
	return move(decoder, op & (LOCUS_OP_FILE - 1)) && read_place(decoder, op, ret);
}

/* Intervals that are evenly spread come four to a bucket, so that finding one reads one or two cache lines. */
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

	/* By bucket, the first interval that starts in it, or 0: no branch depends on where an interval starts. */
	memset(decoder->buckets, 0, block->bucket_count * sizeof(*decoder->buckets));
	for (uint32_t i = block->count - 1; i; i--)
		decoder->buckets[(locus_intervals_start(block, i) - block->start) >> block->bucket_shift] = (uint16_t)i;

	/* The interval that holds a bucket's start is the one before the first that starts in it, or in a later one. */
	uint32_t behind = block->count;
	for (uint32_t bucket = block->bucket_count; bucket--;) {
		behind = decoder->buckets[bucket] ? decoder->buckets[bucket] : behind;
		decoder->buckets[bucket] = (uint16_t)(behind - 1);
	}
}

/* What stands in a packed interval for its line: it is not below 0, and fits if it is below 1 << line_bits. */
static inline uint32_t packed_line(const struct locus_intervals *block, struct locus_place place)
{
	return place.line + ((uint32_t)1 << (block->line_bits - 1));
}

static inline bool fits_packed(const struct locus_intervals *block, struct locus_place place)
{
	return (uint64_t)packed_line(block, place) >> block->line_bits == 0;
}

/* An interval in 64 bits, with its file given by number. */
static inline uint64_t pack(const struct locus_intervals *block, uint64_t at, struct locus_place place)
{
	uint32_t context = (place.context & LOCUS_PLACE_CONTEXT) << 1 | place.context >> 31;
	if (place.context == LOCUS_PLACE_GAP)
		context = locus_low_bits(UINT64_MAX, block->context_bits);
	return at << block->start_shift | (uint64_t)packed_line(block, place) << block->line_shift |
	       (uint64_t)place.file << block->context_bits | context;
}

/* Keeps an interval, whose file is given by number; false where it does not fit, and the block must be wide. */
static bool put_interval(struct decoder *decoder, uint32_t index, uint64_t at, struct locus_place place)
{
	if (decoder->is_wide) {
		place.file = decoder->files[place.file];
		decoder->wide[index] = (struct locus_wide_interval){at, place};
		return true;
	}
	decoder->packed[index] = pack(decoder->block, at, place);
	decoder->is_too_wide |= !fits_packed(decoder->block, place);
	return !decoder->is_too_wide;
}

/* Reads where the next interval starts. */
static inline bool read_start(struct decoder *decoder)
{
	uint64_t distance = locus_scan_varint(&decoder->columns.column[LOCUS_INTERVAL_START]);
	if (distance >= decoder->start_max - decoder->start)
		return broken(decoder, "the starts leave their block, or the address space");
	decoder->start += distance + 1;
	return true;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Reads the next intervals, at most `most`, while each only moves on by some lines, as four of five do, and its numbers
 * take a byte each: as read_interval would, at a fifth of the cost. None that is read starts above `start_max`. Keeps
 * them from packed[0] on, as put_interval would, and ends at one that does not fit there; NULL: they are not kept.
 * Returns how many there were; *place is that of the last one.
 */
static ALWAYS_INLINE uint32_t read_same(struct decoder *decoder, uint32_t most, uint64_t start_max, uint64_t *packed,
					struct locus_place *place)
{
	struct locus_scan *starts = &decoder->columns.column[LOCUS_INTERVAL_START];
	struct locus_scan *ops = &decoder->columns.column[LOCUS_INTERVAL_OP];
	struct locus_scan *lines = &decoder->columns.column[LOCUS_INTERVAL_LINE_SAME];
	if (ops->at == ops->end || *ops->at != LOCUS_OP_SAME || !decoder->recent_count)
		return 0;
	uint32_t context = decoder->recent[0];
	struct function_state *function = &decoder->function_states[decoder->states[context].function];
	size_t left = smaller(smaller(locus_scan_left(starts), locus_scan_left(ops)), locus_scan_left(lines));
	uint32_t count = (uint32_t)smaller(left, most), line = function->line, i = 0;
	uint64_t start = decoder->start;
	for (; i < count; i++) {
		uint8_t distance = starts->at[i], code = lines->at[i];
		bool is_short = distance < 0x80 && code < 0x80;
		if (ops->at[i] != LOCUS_OP_SAME || !is_short || !code || distance >= start_max - start)
			break;
		uint32_t next = line + locus_unzigzag(code - 1u);
		if (packed) {
			struct locus_place at = {context, next, function->file};
			if (!fits_packed(decoder->block, at))
				break;
			packed[i] = pack(decoder->block, start + distance + 1u - decoder->block->start, at);
		}
		start += distance + 1u;
		line = next;
	}
	if (!i)
		return 0;

	starts->at += i;
	ops->at += i;
	lines->at += i;
	decoder->start = start;
	function->line = line;
	*place = (struct locus_place){context, line, function->file};
	return i;
}

/*
 * Of a part of a block only the last interval wanted is kept, at index 0, and the start of the one behind it: the
 * others that were decoded are not worth the memory.
 */
enum { PART_COUNT = 2 };

static void keep_part(struct decoder *decoder, uint32_t index, uint32_t count, uint64_t start, struct locus_place place)
{
	struct locus_intervals *block = decoder->block;
	place.file = decoder->files[place.file];
	decoder->wide[0] = (struct locus_wide_interval){start - block->start, place};
	block->first = index;
	block->count = 1;
	if (index + 1 < count) {
		block->count = PART_COUNT;
		decoder->wide[1].start = decoder->start - block->start;
	}
}

/* Reads the block's intervals: all `count`, or no further than the last one wanted and the start behind it. */
static bool read_intervals(struct decoder *decoder, uint32_t count)
{
	const uint64_t wanted = decoder->want.address, first = decoder->start;
	const uint64_t pass_max = wanted < decoder->start_max ? wanted : decoder->start_max;
	const uint32_t last = (uint32_t)smaller(decoder->want.count, count) - 1;
	uint32_t i = 0;
	uint64_t start;
	struct locus_place place;
	for (;;) {
		if (!read_interval(decoder, &place))
			return false;
		if (!decoder->is_part && !put_interval(decoder, i, decoder->start - first, place))
			return false;
		if (decoder->is_part)
			i += read_same(decoder, last - i, pass_max, NULL, &place);
		else if (!decoder->is_wide)
			i += read_same(decoder, last - i, pass_max, decoder->packed + i + 1, &place);

		start = decoder->start;
		if (i + 1 == count)
			break;
		if (!read_start(decoder))
			return false;
		if (i == last || decoder->start > wanted)
			break;
		i++;
	}

	if (decoder->is_part)
		keep_part(decoder, i, count, start, place);
	fill_buckets(decoder);
	return true;
}

/* ---- Memory ---- */

/* Counts the varints that are 0, the only ones with a byte of 0. */
static uint32_t count_zeros(const struct locus_scan *column)
{
	uint32_t count = 0;
	for (const uint8_t *at = column->at; at != column->end; at++)
		count += *at == 0;
	return count;
}

/* The distance from the first start to the last. If that does not fit in 64 bits, read_start refuses the block. */
static uint64_t measure_span(struct locus_scan column, uint32_t count)
{
	uint64_t at = 0;
	for (uint32_t i = 1; i < count; i++)
		at += locus_scan_varint(&column) + 1;
	return at;
}

static unsigned bits_of(uint64_t value)
{
	unsigned bits = 0;
	for (; value; value >>= 1)
		bits++;
	return bits;
}

/* Divides the 64 bits of a packed interval, if they can be enough: the line gets what the others leave. */
static struct locus_intervals divide_bits(const struct decoder *decoder, uint64_t span)
{
	unsigned start_bits = bits_of(span) ? bits_of(span) : 1;
	unsigned context_bits = bits_of(2 * (uint64_t)decoder->context_limit + 1);
	unsigned file_bits = bits_of(decoder->file_limit - 1);
	unsigned used = start_bits + context_bits + file_bits;
	unsigned line_bits = used + LINE_BITS_MIN > 64 ? 0 : used + 32 > 64 ? 64 - used : 32;
	return (struct locus_intervals){
		.start_shift = (uint8_t)(64 - start_bits),
		.line_shift = (uint8_t)(context_bits + file_bits),
		.line_bits = (uint8_t)line_bits,
		.context_bits = (uint8_t)context_bits,
	};
}

/* Allocates the states that decoding needs beside the block. */
static enum locus_status allocate_states(struct decoder *decoder, struct locus_scratch *scratch,
					 struct locus_error *error)
{
	size_t states_size = decoder->context_limit * sizeof(struct state);
	size_t functions_size = decoder->function_limit * sizeof(struct function_state);
	size_t links_size = ((size_t)decoder->function_limit + decoder->context_limit) * sizeof(uint32_t);
	enum locus_status status =
		locus_room_grow(scratch->allowance, &scratch->state, states_size + functions_size + links_size, error);
	if (status != LOCUS_OK)
		return status;
	uint8_t *memory = scratch->state.data;
	decoder->states = (struct state *)(void *)memory;
	decoder->function_states = (struct function_state *)(void *)(memory + states_size);
	decoder->links = (uint32_t *)(void *)(memory + states_size + functions_size);
	return LOCUS_OK;
}

static size_t round_up(size_t size, size_t unit)
{
	return (size + unit - 1) / unit * unit;
}

/* Puts all arrays of a block of `count` intervals in one allocation. */
static enum locus_status allocate(struct decoder *decoder, uint32_t count, uint32_t bucket_count,
				  struct locus_intervals layout, struct locus_error *error)
{
	size_t intervals_size = decoder->is_wide ? count * sizeof(struct locus_wide_interval)
						 : (count + LOCUS_PACKED_PADDING) * sizeof(uint64_t);
	size_t intervals_at = round_up(sizeof(struct locus_intervals), LOCUS_CACHE_LINE);
	size_t buckets_at = intervals_at + intervals_size;
	size_t contexts_at = round_up(buckets_at + bucket_count * sizeof(uint16_t), sizeof(struct locus_context));
	size_t files_at = contexts_at + decoder->context_limit * sizeof(struct locus_context);
	size_t size = files_at + decoder->file_limit * sizeof(uint32_t);
	uint8_t *memory;
	enum locus_status status =
		locus_decoded_allocate(decoder->locus, size, decoder->want, !decoder->is_part, &memory, error);
	if (status != LOCUS_OK)
		return status;

	/* The decoder writes through pointers of its own; the block has the same ones as pointers to const. */
	decoder->block = (struct locus_intervals *)(void *)memory;
	decoder->packed = decoder->is_wide ? NULL : (uint64_t *)(void *)(memory + intervals_at);
	decoder->wide = decoder->is_wide ? (struct locus_wide_interval *)(void *)(memory + intervals_at) : NULL;
	decoder->files = (uint32_t *)(void *)(memory + files_at);
	decoder->buckets = (uint16_t *)(void *)(memory + buckets_at);
	decoder->contexts = (struct locus_context *)(void *)(memory + contexts_at);
	for (uint32_t i = 0; decoder->packed && i < LOCUS_PACKED_PADDING; i++)
		decoder->packed[count + i] = UINT64_MAX;
	decoder->files[FILE_DECL] = LOCUS_DECL_FILE;
	decoder->file_number_count = FILE_FIRST;
	layout.head.size = (uint32_t)size;
	layout.packed = decoder->packed;
	layout.wide = decoder->wide;
	layout.contexts = decoder->contexts;
	layout.buckets = decoder->buckets;
	layout.files = decoder->files;
	layout.bucket_count = (uint16_t)bucket_count;
	*decoder->block = layout;
	return LOCUS_OK;
}

/*
 * Bounds how many contexts and functions there can be, by the bytes of their columns. Of a whole block, which is kept,
 * they are counted, so that it takes no more memory than it needs.
 */
static bool set_limits(struct decoder *decoder)
{
	const struct locus_scan *ids = &decoder->columns.column[LOCUS_INTERVAL_FUNCTION_ID];
	const struct locus_scan *functions = &decoder->columns.column[LOCUS_INTERVAL_FUNCTION];
	const struct locus_scan *expected = &decoder->columns.column[LOCUS_INTERVAL_CALL_EXPECTED];
	uint64_t limit = locus_scan_left(functions) + locus_scan_left(expected);
	decoder->function_limit = (uint32_t)locus_scan_left(ids);
	if (!decoder->is_part) {
		limit = locus_scan_count_varints(functions) + count_zeros(expected);
		decoder->function_limit = locus_scan_count_varints(ids);
	}
	decoder->context_limit = limit < LOCUS_BLOCK_CONTEXTS_MAX ? (uint32_t)limit : LOCUS_BLOCK_CONTEXTS_MAX;
	return decoder->is_part || limit <= LOCUS_BLOCK_CONTEXTS_MAX;
}

static enum locus_status decode(struct decoder *decoder, const struct locus_block_ref *ref, struct locus_error *error)
{
	const struct locus_section_in *section = ref->section;
	const uint32_t index = ref->index, count = locus_block_entry_count(ref);
	const struct locus_want want = decoder->want;
	struct locus_scan *column = decoder->columns.column;
	decoder->is_part = want.count < count || want.address != UINT64_MAX;
	if (!set_limits(decoder))
		return locus_block_fail(&decoder->columns, "a block has too many contexts", error);

	/* How many bits a start takes follows from the block's span of addresses. */
	decoder->start_max = index + 1 < section->block_count ? section->keys[index + 1] - 1 : UINT64_MAX;
	uint64_t span = decoder->start_max - section->keys[index];
	if (span > SPAN_MAX && !decoder->is_part)
		span = measure_span(column[LOCUS_INTERVAL_START], count);
	decoder->file_limit = FILE_FIRST + locus_scan_count_varints(&column[LOCUS_INTERVAL_FILE]) +
			      locus_scan_count_varints(&column[LOCUS_INTERVAL_CALL_FILE]);
	struct locus_intervals layout = divide_bits(decoder, span);
	decoder->is_wide |= decoder->is_part || !layout.line_bits;

	enum locus_status status = allocate_states(decoder, ref->scratch, error);
	if (status == LOCUS_OK && decoder->is_part)
		status = allocate(decoder, PART_COUNT, 1, layout, error);
	else if (status == LOCUS_OK)
		status = allocate(decoder, count, count / 4 + 1, layout, error);
	if (status != LOCUS_OK)
		return status;

	/* If an interval turns out not to fit in 64 bits, the caller decodes the block once more, as a wide one. */
	recent_clear(decoder);
	decoder->start = decoder->block->start = section->keys[index];
	decoder->block->count = count;
	if (!read_intervals(decoder, count))
		return decoder->is_too_wide ? LOCUS_ERR_CORRUPT
					    : locus_block_fail(&decoder->columns, decoder->broken, error);
	decoder->block->context_count = decoder->context_count;
	decoder->block->head.count = decoder->is_part ? 0 : count;
	return locus_block_check_done(&decoder->columns, !decoder->is_part, error);
}

enum locus_status locus_intervals_decode(const struct locus_block_ref *ref, struct locus_columns *columns,
					 struct locus_want want, struct locus_decoded **ret, struct locus_error *error)
{
	struct decoder decoder = {.is_too_wide = false};
	enum locus_status status;
	do {
		bool is_wide = decoder.is_too_wide;
		locus_allowance_free(ref->scratch->allowance, decoder.block);
		decoder = (struct decoder){
			.locus = ref->locus,
			.want = want,
			.columns = *columns,
			.is_wide = is_wide,
			.function_count = locus_function_count(ref->locus),
			.file_count = locus_file_count(ref->locus),
		};
		status = decode(&decoder, ref, error);
	} while (decoder.is_too_wide);

	if (status == LOCUS_OK)
		*ret = &decoder.block->head;
	else
		locus_allowance_free(ref->scratch->allowance, decoder.block);
	return status;
}
