/*
 * Encodes the intervals of one block as columns (FORMAT.md 6.3).
 *
 * Every interval costs a start, an op byte that leads from the context before to this one, and a line. The op is found
 * without hashing or searching: the block's contexts have small indexes, so their state is an array, which also says
 * where a context stands in the recent list; and an inline chain is followed only up to the first context that is known
 * already. When a function comes up again, the calls that were inlined into it before are expected again, in the same
 * order.
 *
 * Room for all numbers of a block is reserved first. Numbers are then written without a check, and mostly without a
 * branch: how many bytes a line takes, and whether the file changes, is as good as random.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "writer/complete_intervals.h"

/* Those that are not named are plain. */
static const enum locus_pack_kind kinds[LOCUS_INTERVAL_COLUMNS] = {
	[LOCUS_INTERVAL_START] = LOCUS_PACK_DISTANCES, [LOCUS_INTERVAL_OP] = LOCUS_PACK_OPS,
	[LOCUS_INTERVAL_LINE_SAME] = LOCUS_PACK_LINES, [LOCUS_INTERVAL_LINE] = LOCUS_PACK_LINES,
	[LOCUS_INTERVAL_FUNCTION] = LOCUS_PACK_CODES,  [LOCUS_INTERVAL_CALL] = LOCUS_PACK_LINES,
	[LOCUS_INTERVAL_ESCAPE] = LOCUS_PACK_LINES,
};

/*
 * The bytes that an interval and a context add to a column, at most. A file has 32 bits, the code of a line 33, that of
 * a call's line 34, a distance of addresses 64.
 */
enum { NUMBER_MAX = 5, ADDRESS_MAX = LOCUS_VARINT_MAX };

static const struct {
	uint8_t interval, context;
} bytes_max[LOCUS_INTERVAL_COLUMNS] = {
	[LOCUS_INTERVAL_START] = {ADDRESS_MAX, 0},     [LOCUS_INTERVAL_OP] = {1, 0},
	[LOCUS_INTERVAL_LINE_SAME] = {NUMBER_MAX, 0},  [LOCUS_INTERVAL_LINE] = {NUMBER_MAX, 0},
	[LOCUS_INTERVAL_FILE] = {NUMBER_MAX, 0},       [LOCUS_INTERVAL_PART] = {0, 1 + ADDRESS_MAX},
	[LOCUS_INTERVAL_FUNCTION] = {0, NUMBER_MAX},   [LOCUS_INTERVAL_CALL_EXPECTED] = {0, NUMBER_MAX},
	[LOCUS_INTERVAL_CALL] = {0, NUMBER_MAX},       [LOCUS_INTERVAL_CALL_FILE] = {0, NUMBER_MAX},
	[LOCUS_INTERVAL_ESCAPE] = {2 * NUMBER_MAX, 0},
};

/*
 * What the decoder will know of a context when it comes to the current interval, and what is copied from the context. A
 * call is given as an index of a context: an inlinee that is as expected has the call of the first context that came
 * from the same call.
 */
struct state {
	uint32_t caller;
	uint32_t function;
	uint32_t decl_line;
	uint32_t number;    /* the place in the order in which contexts are pushed; LOCUS_NO_CONTEXT: not pushed yet */
	uint32_t last_call; /* the call of the inlinee that was pushed onto it last; LOCUS_NO_CONTEXT: none was */
	uint32_t next_call; /* of a call: the call that came behind it the last time; LOCUS_NO_CONTEXT: none did */
	uint16_t depth;     /* contexts above it */
	uint8_t slot;       /* its slot in the recent list, if that has the context */
};

/* What the decoder will know of a function. */
struct function_state {
	uint32_t number;     /* in the block, from 1; 0: not yet */
	uint32_t line;       /* the last line in it, relative to its decl_line, modulo 2^32; 0 at first */
	uint32_t file;       /* the last file in it; its decl_file at first */
	uint32_t first_call; /* the call that was pushed first onto a context of it, the last time; LOCUS_NO_CONTEXT:
				none was */
};

/* Slots for the current context and the recent ones, and some more, so that ranks fill whole vectors. */
enum { RECENT_MAX = LOCUS_OP_RECENT_MAX + 1, RANKS = 48 };
_Static_assert((int)RECENT_MAX <= (int)RANKS, "each slot has a rank");

/* The recent list. A context stays in its slot, and the slots' ranks change. */
struct recent {
	int8_t ranks[RANKS]; /* by slot: the context's place in the list; 0 is the current one */
	uint32_t contexts[RECENT_MAX];
	uint32_t count;
};

struct locus_encoder {
	struct locus_packer packer;
	uint8_t *bytes; /* of all columns */
	size_t bytes_capacity;
	struct locus_buffer columns[LOCUS_INTERVAL_COLUMNS]; /* in `bytes` */
	struct locus_buffer source_columns[LOCUS_SOURCE_COLUMN_COLUMNS];
	uint8_t *ends[LOCUS_INTERVAL_COLUMNS]; /* where the next number of a column goes */
	struct state *states;
	size_t state_capacity;
	struct function_state *function_states; /* by function id; set up only for those that the block uses */
	size_t function_state_capacity;
	uint32_t *functions; /* by number - 1: ids */
	size_t function_capacity;
	uint32_t function_count;
	uint32_t current; /* context; LOCUS_NO_CONTEXT: none yet */
	struct recent recent;
	uint32_t pushed[LOCUS_DEPTH_MAX]; /* innermost first */
	uint32_t pushed_count;
	uint32_t next_number;
	const struct locus_block *block;
	uint64_t start; /* of the interval that the context at hand is pushed for */
};

enum locus_status locus_encoder_new(const struct locus_writer_options *options, struct locus_encoder **ret,
				    struct locus_error *error)
{
	struct locus_encoder *encoder = calloc(1, sizeof(*encoder));
	if (!encoder)
		return locus_fail_memory(error);
	enum locus_status status = locus_packer_init(&encoder->packer, options->level, error);
	if (status != LOCUS_OK) {
		locus_encoder_free(encoder);
		return status;
	}
	*ret = encoder;
	return LOCUS_OK;
}

void locus_encoder_free(struct locus_encoder *encoder)
{
	if (!encoder)
		return;
	for (unsigned i = 0; i < LOCUS_SOURCE_COLUMN_COLUMNS; i++)
		locus_buffer_done(&encoder->source_columns[i]);
	locus_packer_done(&encoder->packer);
	free(encoder->bytes);
	free(encoder->states);
	free(encoder->function_states);
	free(encoder->functions);
	free(encoder);
}

/* ---- Contexts ---- */

/* Makes room for `count` elements of `size` bytes in `*array`; its content is lost. */
static bool make_room(void **array, size_t *capacity, size_t count, size_t size)
{
	if (count <= *capacity)
		return true;
	free(*array);
	*capacity = count + count / 2;
	*array = malloc(*capacity * size);
	if (!*array)
		*capacity = 0;
	return *array;
}

static bool allocate(struct locus_encoder *encoder)
{
	const struct locus_block *block = encoder->block;
	uint32_t function_max = 0;
	for (uint32_t i = 0; i < block->context_count; i++)
		if (block->context[i].function > function_max)
			function_max = block->context[i].function;
	return make_room((void **)&encoder->states, &encoder->state_capacity, block->context_count,
			 sizeof(*encoder->states)) &&
	       make_room((void **)&encoder->functions, &encoder->function_capacity, block->context_count,
			 sizeof(*encoder->functions)) &&
	       make_room((void **)&encoder->function_states, &encoder->function_state_capacity,
			 (size_t)function_max + 1, sizeof(*encoder->function_states));
}

static enum locus_status states_init(struct locus_encoder *encoder, struct locus_error *error)
{
	const struct locus_block *block = encoder->block;
	if (!allocate(encoder))
		return locus_fail_memory(error);
	for (uint32_t i = 0; i < block->context_count; i++) {
		const struct locus_block_context *context = &block->context[i];
		struct state *state = &encoder->states[i];
		*state = (struct state){
			.caller = context->caller,
			.function = context->function,
			.decl_line = context->decl_line,
			.number = LOCUS_NO_CONTEXT,
			.last_call = LOCUS_NO_CONTEXT,
			.next_call = LOCUS_NO_CONTEXT,
		};
		encoder->function_states[context->function] =
			(struct function_state){.file = context->decl_file, .first_call = LOCUS_NO_CONTEXT};
		if (context->caller == LOCUS_NO_CONTEXT)
			continue;
		if (context->caller >= i)
			return locus_fail(error, LOCUS_ERR_USAGE, "a context stands before its caller");
		state->depth = (uint16_t)(encoder->states[context->caller].depth + 1);
		if (state->depth >= LOCUS_DEPTH_MAX)
			return locus_fail(error, LOCUS_ERR_USAGE, "inlined deeper than %u", LOCUS_DEPTH_MAX);
	}
	return LOCUS_OK;
}

/* Appends a number to a column. */
static void put(struct locus_encoder *encoder, enum locus_interval_column column, uint64_t number)
{
	encoder->ends[column] = locus_varint_write(encoder->ends[column], number);
}

/* A line as a code: 0 unknown, else 1 + the zigzagged distance from the function's last line, which it becomes. */
static inline uint64_t line_code(struct function_state *function, uint32_t line, uint32_t decl_line)
{
	uint32_t relative = line - decl_line;
	uint64_t code = 1 + (uint64_t)locus_zigzag(relative - function->line);
	function->line = line ? relative : function->line;
	return line ? code : 0;
}

/*
 * Writes the file to *column if it is not the function's last one, and tells whether it did. It becomes the last one
 * unless it is unknown.
 */
static inline bool put_file(struct function_state *function, uint32_t file, uint8_t **column)
{
	bool is_new = file != function->file;
	*column += is_new * (locus_varint_write(*column, file) - *column);
	function->file = file != LOCUS_UNKNOWN ? file : function->file;
	return is_new;
}

static bool put_function(struct locus_encoder *encoder, uint32_t id)
{
	struct function_state *function = &encoder->function_states[id];
	put(encoder, LOCUS_INTERVAL_FUNCTION, function->number);
	if (!function->number) {
		encoder->functions[encoder->function_count++] = id;
		function->number = encoder->function_count;
	}
	return id != LOCUS_UNKNOWN;
}

static bool put_part(struct locus_encoder *encoder, const struct locus_block_context *part)
{
	if (part->start > encoder->start || part->kind > LOCUS_PART_SYMBOL)
		return false;
	uint64_t distance = encoder->start - part->start;
	put(encoder, LOCUS_INTERVAL_PART, part->kind | (distance ? LOCUS_PART_DISTANCE : 0));
	if (distance)
		put(encoder, LOCUS_INTERVAL_PART, distance);
	return put_function(encoder, part->function);
}

static bool is_same_call(const struct locus_block_context *a, const struct locus_block_context *b)
{
	return a->function == b->function && a->call_line == b->call_line && a->call_file == b->call_file;
}

static bool put_inlinee(struct locus_encoder *encoder, uint32_t index)
{
	const struct locus_block_context *context = &encoder->block->context[index];
	struct state *above = &encoder->states[context->caller];
	struct function_state *function = &encoder->function_states[above->function];
	uint32_t *expected = above->last_call == LOCUS_NO_CONTEXT ? &function->first_call
								  : &encoder->states[above->last_call].next_call;
	bool is_any_expected = *expected != LOCUS_NO_CONTEXT;
	if (is_any_expected && is_same_call(&encoder->block->context[*expected], context)) {
		put(encoder, LOCUS_INTERVAL_CALL_EXPECTED, 0);
		above->last_call = *expected;
		return true;
	}

	above->last_call = *expected = index;
	bool is_new_file = put_file(function, context->call_file, &encoder->ends[LOCUS_INTERVAL_CALL_FILE]);
	uint64_t line = line_code(function, context->call_line, above->decl_line);
	put(encoder, is_any_expected ? LOCUS_INTERVAL_CALL_EXPECTED : LOCUS_INTERVAL_CALL,
	    line * 2 + is_new_file + is_any_expected);
	return put_function(encoder, context->function);
}

/* Writes a source column; it is unknown where the line is, and so in parts and gaps (FORMAT.md 6.6). */
static void put_source_column(struct locus_encoder *encoder, enum locus_source_column_column where, uint32_t line,
			      uint32_t column)
{
	locus_buffer_put_varint(&encoder->source_columns[where], line ? column : 0);
}

/* Gives numbers to the contexts collected in `pushed`, outermost first. */
static bool push_all(struct locus_encoder *encoder)
{
	for (uint32_t i = encoder->pushed_count; i-- > 0;) {
		uint32_t index = encoder->pushed[i];
		const struct locus_block_context *context = &encoder->block->context[index];
		bool ok =
			context->caller == LOCUS_NO_CONTEXT ? put_part(encoder, context) : put_inlinee(encoder, index);
		if (!ok)
			return false;
		encoder->states[index].number = encoder->next_number++;
		if (encoder->block->columns)
			put_source_column(encoder, LOCUS_SOURCE_COLUMN_CALL, context->call_line, context->call_column);
	}
	return true;
}

static void recent_clear(struct recent *recent)
{
	recent->count = 0;
	for (unsigned i = 0; i < RANKS; i++) /* that of a free slot is above all others */
		recent->ranks[i] = (int8_t)i;
}

/* Moves the context in `slot` to the front. */
static void recent_front(struct recent *recent, unsigned slot)
{
	int8_t rank = recent->ranks[slot];
	for (unsigned i = 0; i < RANKS; i++) {
		int8_t other = recent->ranks[i];
		recent->ranks[i] = (int8_t)(other == rank ? 0 : other + (other < rank));
	}
}

/* Puts a context that is not in the list to the front, and gives its slot. The last of a full list leaves it. */
static unsigned recent_add(struct recent *recent, uint32_t context)
{
	unsigned slot = recent->count;
	if (slot < RECENT_MAX)
		recent->count++;
	else
		slot = (unsigned)((const int8_t *)memchr(recent->ranks, RECENT_MAX - 1, RECENT_MAX) - recent->ranks);
	recent->contexts[slot] = context;
	recent_front(recent, slot);
	return slot;
}

/* How many levels `ancestor` is above the current context; LOCUS_NO_CONTEXT: it is not above it. */
static uint32_t levels_up(const struct locus_encoder *encoder, uint32_t ancestor)
{
	uint32_t at = encoder->current;
	uint32_t from = encoder->states[at].depth, to = encoder->states[ancestor].depth;
	if (to > from)
		return LOCUS_NO_CONTEXT;
	for (uint32_t i = to; i < from; i++)
		at = encoder->states[at].caller;
	return at == ancestor ? from - to : LOCUS_NO_CONTEXT;
}

/* The op that leads from the known context `from` to the wanted one, by pushing the contexts that were collected. */
static uint8_t op_from(struct locus_encoder *encoder, uint32_t from)
{
	uint32_t levels = levels_up(encoder, from);
	if (encoder->pushed_count <= LOCUS_OP_PUSH_MAX && levels <= LOCUS_OP_UP_MAX)
		return (uint8_t)(LOCUS_OP_UP + LOCUS_OP_UP_STEP * levels + encoder->pushed_count);
	put(encoder, LOCUS_INTERVAL_ESCAPE, 1 + (uint64_t)(encoder->next_number - 1 - encoder->states[from].number));
	put(encoder, LOCUS_INTERVAL_ESCAPE, encoder->pushed_count);
	return LOCUS_OP_ESCAPE;
}

static uint8_t op_part(struct locus_encoder *encoder)
{
	recent_clear(&encoder->recent);
	if (encoder->pushed_count <= LOCUS_OP_PUSH_MAX)
		return (uint8_t)(LOCUS_OP_PART + encoder->pushed_count);
	put(encoder, LOCUS_INTERVAL_ESCAPE, 0);
	put(encoder, LOCUS_INTERVAL_ESCAPE, encoder->pushed_count);
	return LOCUS_OP_ESCAPE;
}

/* Finds the op that leads to `context`, which is not the current one and becomes it. Its contexts are pushed. */
static bool move_to(struct locus_encoder *encoder, uint32_t context, uint8_t *ret)
{
	struct recent *recent = &encoder->recent;
	struct state *state = &encoder->states[context];
	if (state->slot < recent->count && recent->contexts[state->slot] == context) {
		*ret = (uint8_t)(LOCUS_OP_RECENT + recent->ranks[state->slot]);
		recent_front(recent, state->slot);
		encoder->current = context;
		return true;
	}

	encoder->pushed_count = 0;
	uint32_t at = context;
	while (at != LOCUS_NO_CONTEXT && encoder->states[at].number == LOCUS_NO_CONTEXT) {
		encoder->pushed[encoder->pushed_count++] = at;
		at = encoder->states[at].caller;
	}

	*ret = at == LOCUS_NO_CONTEXT ? op_part(encoder) : op_from(encoder, at);
	if (!push_all(encoder))
		return false;
	state->slot = (uint8_t)recent_add(recent, context);
	encoder->current = context;
	return true;
}

/* ---- Intervals ---- */

/* The first start of a block is its key; the others are written as the distance from the one before. */
static enum locus_status put_starts(struct locus_encoder *encoder, struct locus_error *error)
{
	const uint64_t *starts = encoder->block->starts;
	uint8_t *at = encoder->ends[LOCUS_INTERVAL_START];
	for (uint32_t i = 1, count = encoder->block->interval_count; i < count; i++) {
		if (starts[i] <= starts[i - 1])
			return locus_fail(error, LOCUS_ERR_USAGE, "interval starts do not ascend");
		at = locus_varint_write(at, starts[i] - starts[i - 1] - 1);
	}
	encoder->ends[LOCUS_INTERVAL_START] = at;
	return LOCUS_OK;
}

/* Writes where the intervals are in the source: contexts, lines and files. */
static enum locus_status put_places(struct locus_encoder *encoder, struct locus_error *error)
{
	const struct locus_block *block = encoder->block;
	const uint32_t *contexts = block->contexts, *lines = block->lines, *files = block->files;
	struct function_state *function = NULL; /* of the current context, as is the next */
	uint32_t decl_line = 0;
	uint8_t *ops = encoder->ends[LOCUS_INTERVAL_OP], *file_column = encoder->ends[LOCUS_INTERVAL_FILE];
	uint8_t *line_columns[] = {encoder->ends[LOCUS_INTERVAL_LINE_SAME], encoder->ends[LOCUS_INTERVAL_LINE]};

	for (uint32_t i = 0, count = block->interval_count; i < count; i++) {
		uint32_t context = contexts[i];
		uint8_t op = LOCUS_OP_SAME;
		if (context == LOCUS_NO_CONTEXT) { /* a gap has no line */
			*ops++ = LOCUS_OP_GAP;
			continue;
		}
		if (context != encoder->current) {
			if (context >= block->context_count)
				return locus_fail(error, LOCUS_ERR_USAGE, "an interval's context is out of range");
			encoder->start = block->starts[i];
			if (!move_to(encoder, context, &op))
				return locus_fail(error, LOCUS_ERR_USAGE,
						  "a function's id is 0, or a part starts behind its code");
			function = &encoder->function_states[encoder->states[context].function];
			decl_line = encoder->states[context].decl_line;
		}

		/* Line and file are written relative to the function's last ones. */
		uint8_t **line_column = &line_columns[op != LOCUS_OP_SAME];
		*line_column = locus_varint_write(*line_column, line_code(function, lines[i], decl_line));
		bool is_new_file = put_file(function, files[i], &file_column);
		*ops++ = (uint8_t)(op | is_new_file * LOCUS_OP_FILE);
	}

	encoder->ends[LOCUS_INTERVAL_OP] = ops;
	encoder->ends[LOCUS_INTERVAL_FILE] = file_column;
	encoder->ends[LOCUS_INTERVAL_LINE_SAME] = line_columns[0];
	encoder->ends[LOCUS_INTERVAL_LINE] = line_columns[1];
	return LOCUS_OK;
}

static void put_source_columns(struct locus_encoder *encoder)
{
	const struct locus_block *block = encoder->block;
	for (uint32_t i = 0; block->columns && i < block->interval_count; i++)
		put_source_column(encoder, LOCUS_SOURCE_COLUMN_INTERVAL, block->lines[i], block->columns[i]);
}

static size_t column_max(const struct locus_block *block, unsigned column)
{
	size_t intervals = block->interval_count, contexts = block->context_count;
	return intervals * bytes_max[column].interval + contexts * bytes_max[column].context + LOCUS_VARINT_MAX;
}

/* Makes room for all numbers of the block, and for one more in each column, where it may be written and left out. */
static bool columns_init(struct locus_encoder *encoder)
{
	size_t size = 0;
	for (unsigned i = 0; i < LOCUS_INTERVAL_COLUMNS; i++)
		size += column_max(encoder->block, i);
	if (!make_room((void **)&encoder->bytes, &encoder->bytes_capacity, size, 1))
		return false;

	uint8_t *end = encoder->bytes;
	for (unsigned i = 0; i < LOCUS_INTERVAL_COLUMNS; i++) {
		encoder->columns[i] = (struct locus_buffer){.data = end, .capacity = column_max(encoder->block, i)};
		encoder->ends[i] = end;
		end += encoder->columns[i].capacity;
	}
	for (unsigned i = 0; i < LOCUS_SOURCE_COLUMN_COLUMNS; i++)
		locus_buffer_clear(&encoder->source_columns[i]);
	return true;
}

static enum locus_status encoder_begin(struct locus_encoder *encoder, const struct locus_block *block,
				       struct locus_error *error)
{
	encoder->block = block;
	encoder->current = LOCUS_NO_CONTEXT;
	encoder->next_number = 0;
	encoder->function_count = 0;
	recent_clear(&encoder->recent);
	return columns_init(encoder) ? states_init(encoder, error) : locus_fail_memory(error);
}

static enum locus_status put_intervals(struct locus_encoder *encoder, struct locus_error *error)
{
	enum locus_status status = put_starts(encoder, error);
	if (status == LOCUS_OK)
		status = put_places(encoder, error);
	if (status == LOCUS_OK)
		put_source_columns(encoder);
	for (unsigned i = 0; i < LOCUS_INTERVAL_COLUMNS; i++)
		encoder->columns[i].size = (size_t)(encoder->ends[i] - encoder->columns[i].data);
	return status;
}

/* Compresses all columns but the functions' ids, and remembers the functions. */
static enum locus_status take_columns(struct locus_encoder *encoder, struct locus_encoded_columns **ret,
				      struct locus_error *error)
{
	size_t size = encoder->function_count * sizeof(uint32_t);
	struct locus_encoded_columns *columns = calloc(1, sizeof(*columns) + size);
	if (!columns)
		return locus_fail_memory(error);
	if (size) /* a block of gaps alone has none */
		memcpy(columns->functions, encoder->functions, size);
	columns->function_count = encoder->function_count;
	const unsigned first = LOCUS_INTERVAL_FUNCTION_ID + 1;
	enum locus_status status = locus_packer_add_all(&encoder->packer, &columns->packing, encoder->columns + first,
							LOCUS_INTERVAL_COLUMNS - first, kinds + first, error);
	if (status == LOCUS_OK && encoder->block->columns)
		status = locus_packer_pack(&encoder->packer, encoder->source_columns, LOCUS_SOURCE_COLUMN_COLUMNS,
					   &columns->source_columns, error);
	columns->source_columns.entry_count = encoder->block->interval_count;
	if (status == LOCUS_OK)
		*ret = columns;
	else
		locus_encoded_columns_free(columns);
	return status;
}

enum locus_status locus_encoder_block(struct locus_encoder *encoder, const struct locus_block *block,
				      struct locus_encoded *ret, struct locus_error *error)
{
	if (!block->interval_count || block->interval_count > LOCUS_BLOCK_ENTRIES_MAX)
		return locus_fail(error, LOCUS_ERR_USAGE, "a block of %u intervals", block->interval_count);
	if (block->context_count > LOCUS_BLOCK_CONTEXTS_MAX)
		return locus_fail(error, LOCUS_ERR_USAGE, "%u contexts in a block", block->context_count);

	enum locus_status status = encoder_begin(encoder, block, error);
	if (status == LOCUS_OK)
		status = put_intervals(encoder, error);
	struct locus_encoded_columns *columns = NULL;
	if (status == LOCUS_OK)
		status = take_columns(encoder, &columns, error);
	if (status != LOCUS_OK)
		return status;

	*ret = (struct locus_encoded){
		.columns = columns,
		.start = block->starts[0],
		.interval_count = block->interval_count,
		.context_count = encoder->next_number,
		.last_start = block->starts[block->interval_count - 1],
		.ends_in_gap = block->contexts[block->interval_count - 1] == LOCUS_NO_CONTEXT,
	};
	return LOCUS_OK;
}
