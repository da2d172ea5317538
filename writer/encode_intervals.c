/*
 * Encodes the intervals of one block as columns (FORMAT.md 6.3).
 *
 * Every interval costs a start, an op byte that leads from the context before to this one, and a line. The op is found
 * without hashing: the block's contexts have small indexes, so their state is an array; the recent list is short enough
 * to scan; and an inline chain is followed only up to the first context that is known already. When a function comes up
 * again, the calls that were inlined into it before are expected again, in the same order.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "writer/complete_intervals.h"

static const enum locus_pack_kind kinds[LOCUS_INTERVAL_COLUMNS] = {
	[LOCUS_INTERVAL_START] = LOCUS_PACK_NUMBERS,     [LOCUS_INTERVAL_OP] = LOCUS_PACK_CODES,
	[LOCUS_INTERVAL_LINE_SAME] = LOCUS_PACK_NUMBERS, [LOCUS_INTERVAL_LINE] = LOCUS_PACK_NUMBERS,
	[LOCUS_INTERVAL_FILE] = LOCUS_PACK_CODES,        [LOCUS_INTERVAL_PART] = LOCUS_PACK_CODES,
	[LOCUS_INTERVAL_FUNCTION] = LOCUS_PACK_CODES,    [LOCUS_INTERVAL_CALL_EXPECTED] = LOCUS_PACK_CODES,
	[LOCUS_INTERVAL_CALL] = LOCUS_PACK_NUMBERS,      [LOCUS_INTERVAL_CALL_FILE] = LOCUS_PACK_CODES,
	[LOCUS_INTERVAL_ESCAPE] = LOCUS_PACK_NUMBERS,
};

/*
 * What the decoder will know of a context when it comes to the current interval. `call` is an index of a context: an
 * inlinee that is as expected has the call of the first context that came from the same call.
 */
struct state {
	uint32_t number;    /* the place in the order in which contexts are pushed; LOCUS_NO_CONTEXT: not pushed yet */
	uint32_t depth;     /* contexts above it */
	uint32_t call;      /* the call that it was inlined by */
	uint32_t last_call; /* the call of the inlinee that was pushed onto it last; LOCUS_NO_CONTEXT: none was */
	uint32_t next_call; /* of a call: the call that came behind it the last time; LOCUS_NO_CONTEXT: none did */
	bool is_recent;     /* it may be in the recent list */
};

/* What the decoder will know of a function. */
struct function_state {
	uint32_t number;     /* in the block, from 1; 0: not yet */
	uint32_t line;       /* the last line in it, relative to its decl_line, modulo 2^32; 0 at first */
	uint32_t file;       /* the last file in it; its decl_file at first */
	uint32_t first_call; /* the call that was pushed first onto a context of it, the last time; LOCUS_NO_CONTEXT:
				none was */
};

struct locus_encoder {
	struct locus_packer packer;
	struct locus_buffer columns[LOCUS_INTERVAL_COLUMNS];
	struct locus_buffer source_columns[LOCUS_SOURCE_COLUMN_COLUMNS];
	struct state *states;
	size_t state_capacity;
	struct function_state *function_states; /* by function id; set up only for those that the block uses */
	size_t function_state_capacity;
	uint32_t *functions; /* by number - 1: ids */
	size_t function_capacity;
	uint32_t function_count;
	uint32_t recent[LOCUS_OP_RECENT_MAX + 1]; /* [0] is the current context */
	uint32_t recent_count;
	uint32_t pushed[LOCUS_DEPTH_MAX]; /* innermost first */
	uint32_t pushed_count;
	uint32_t next_number;
	const struct locus_block *block;
	uint64_t start; /* of the interval at hand */
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
	for (unsigned i = 0; i < LOCUS_INTERVAL_COLUMNS; i++)
		locus_buffer_done(&encoder->columns[i]);
	for (unsigned i = 0; i < LOCUS_SOURCE_COLUMN_COLUMNS; i++)
		locus_buffer_done(&encoder->source_columns[i]);
	locus_packer_done(&encoder->packer);
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
		state->depth = encoder->states[context->caller].depth + 1;
		if (state->depth >= LOCUS_DEPTH_MAX)
			return locus_fail(error, LOCUS_ERR_USAGE, "inlined deeper than %u", LOCUS_DEPTH_MAX);
	}
	return LOCUS_OK;
}

/* A line as a code: 0 unknown, else 1 + the zigzagged distance from the function's last line, which it becomes. */
static uint64_t line_code(struct function_state *function, uint32_t line, uint32_t decl_line)
{
	if (!line)
		return 0;
	uint64_t code = 1 + (uint64_t)locus_zigzag(line - decl_line - function->line);
	function->line = line - decl_line;
	return code;
}

/* Writes the file if it is not the function's last one. It becomes the last one unless it is unknown. */
static bool put_file(struct function_state *function, uint32_t file, struct locus_buffer *column)
{
	if (file == function->file)
		return false;
	locus_buffer_put_varint(column, file);
	if (file != LOCUS_UNKNOWN)
		function->file = file;
	return true;
}

static bool put_function(struct locus_encoder *encoder, uint32_t id)
{
	struct function_state *function = &encoder->function_states[id];
	locus_buffer_put_varint(&encoder->columns[LOCUS_INTERVAL_FUNCTION], function->number);
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
	locus_buffer_put_byte(&encoder->columns[LOCUS_INTERVAL_PART],
			      (uint8_t)(part->kind | (distance ? LOCUS_PART_DISTANCE : 0)));
	if (distance)
		locus_buffer_put_varint(&encoder->columns[LOCUS_INTERVAL_PART], distance);
	return put_function(encoder, part->function);
}

static bool is_same_call(const struct locus_block_context *a, const struct locus_block_context *b)
{
	return a->function == b->function && a->call_line == b->call_line && a->call_file == b->call_file;
}

static bool put_inlinee(struct locus_encoder *encoder, uint32_t index)
{
	const struct locus_block_context *context = &encoder->block->context[index];
	const struct locus_block_context *caller = &encoder->block->context[context->caller];
	struct state *above = &encoder->states[context->caller];
	struct function_state *function = &encoder->function_states[caller->function];
	uint32_t *expected = above->last_call == LOCUS_NO_CONTEXT ? &function->first_call
								  : &encoder->states[above->last_call].next_call;
	bool is_any_expected = *expected != LOCUS_NO_CONTEXT;
	if (is_any_expected && is_same_call(&encoder->block->context[*expected], context)) {
		locus_buffer_put_byte(&encoder->columns[LOCUS_INTERVAL_CALL_EXPECTED], 0);
		encoder->states[index].call = above->last_call = *expected;
		return true;
	}

	encoder->states[index].call = above->last_call = *expected = index;
	bool is_new_file = put_file(function, context->call_file, &encoder->columns[LOCUS_INTERVAL_CALL_FILE]);
	uint64_t line = line_code(function, context->call_line, caller->decl_line);
	locus_buffer_put_varint(&encoder->columns[is_any_expected ? LOCUS_INTERVAL_CALL_EXPECTED : LOCUS_INTERVAL_CALL],
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

/* The place of a context in the recent list; 0: it is not in it. */
static uint32_t recent_find(const struct locus_encoder *encoder, uint32_t context)
{
	if (!encoder->states[context].is_recent)
		return 0;
	for (uint32_t i = 1; i < encoder->recent_count; i++)
		if (encoder->recent[i] == context)
			return i;
	return 0;
}

/* Moves a context from `place` to the front; place == recent_count: it was not in the list. */
static void recent_front(struct locus_encoder *encoder, uint32_t context, uint32_t place)
{
	if (place == encoder->recent_count) {
		if (encoder->recent_count <= LOCUS_OP_RECENT_MAX)
			encoder->recent_count++;
		else
			place--;
	}
	memmove(encoder->recent + 1, encoder->recent, place * sizeof(encoder->recent[0]));
	encoder->recent[0] = context;
	encoder->states[context].is_recent = true;
}

/* How many levels `ancestor` is above the current context; LOCUS_NO_CONTEXT: it is not above it. */
static uint32_t levels_up(const struct locus_encoder *encoder, uint32_t ancestor)
{
	if (!encoder->recent_count)
		return LOCUS_NO_CONTEXT;
	uint32_t at = encoder->recent[0];
	uint32_t from = encoder->states[at].depth, to = encoder->states[ancestor].depth;
	if (to > from)
		return LOCUS_NO_CONTEXT;
	for (uint32_t i = to; i < from; i++)
		at = encoder->block->context[at].caller;
	return at == ancestor ? from - to : LOCUS_NO_CONTEXT;
}

/* The op that leads from the known context `from` to the wanted one, by pushing the contexts that were collected. */
static uint8_t op_from(struct locus_encoder *encoder, uint32_t from)
{
	uint32_t levels = levels_up(encoder, from);
	if (encoder->pushed_count <= LOCUS_OP_PUSH_MAX && levels <= LOCUS_OP_UP_MAX)
		return (uint8_t)(LOCUS_OP_UP + LOCUS_OP_UP_STEP * levels + encoder->pushed_count);
	struct locus_buffer *escape = &encoder->columns[LOCUS_INTERVAL_ESCAPE];
	locus_buffer_put_varint(escape, 1 + (uint64_t)(encoder->next_number - 1 - encoder->states[from].number));
	locus_buffer_put_varint(escape, encoder->pushed_count);
	return LOCUS_OP_ESCAPE;
}

static uint8_t op_part(struct locus_encoder *encoder)
{
	encoder->recent_count = 0;
	if (encoder->pushed_count <= LOCUS_OP_PUSH_MAX)
		return (uint8_t)(LOCUS_OP_PART + encoder->pushed_count);
	struct locus_buffer *escape = &encoder->columns[LOCUS_INTERVAL_ESCAPE];
	locus_buffer_put_varint(escape, 0);
	locus_buffer_put_varint(escape, encoder->pushed_count);
	return LOCUS_OP_ESCAPE;
}

/* Finds the op that leads to `context`, which becomes the current context. Its contexts are pushed. */
static bool move_to(struct locus_encoder *encoder, uint32_t context, uint8_t *ret)
{
	if (encoder->recent_count && encoder->recent[0] == context) {
		*ret = LOCUS_OP_SAME;
		return true;
	}

	uint32_t place = recent_find(encoder, context);
	if (place) {
		recent_front(encoder, context, place);
		*ret = (uint8_t)(LOCUS_OP_RECENT + place);
		return true;
	}

	encoder->pushed_count = 0;
	uint32_t at = context;
	while (at != LOCUS_NO_CONTEXT && encoder->states[at].number == LOCUS_NO_CONTEXT) {
		encoder->pushed[encoder->pushed_count++] = at;
		at = encoder->block->context[at].caller;
	}

	*ret = at == LOCUS_NO_CONTEXT ? op_part(encoder) : op_from(encoder, at);
	if (!push_all(encoder))
		return false;
	recent_front(encoder, context, encoder->recent_count);
	return true;
}

/* ---- Intervals ---- */

static enum locus_status put_interval(struct locus_encoder *encoder, uint32_t index, struct locus_error *error)
{
	const struct locus_block *block = encoder->block;
	struct locus_buffer *ops = &encoder->columns[LOCUS_INTERVAL_OP];

	/* The first start of a block is its key; the others are written as the distance from the one before. */
	if (index) {
		if (block->starts[index] <= encoder->start)
			return locus_fail(error, LOCUS_ERR_USAGE, "interval starts do not ascend");
		locus_buffer_put_varint(&encoder->columns[LOCUS_INTERVAL_START],
					block->starts[index] - encoder->start - 1);
	}
	encoder->start = block->starts[index];
	if (block->columns)
		put_source_column(encoder, LOCUS_SOURCE_COLUMN_INTERVAL, block->lines[index], block->columns[index]);

	/* A gap has neither a context nor a line. */
	uint32_t context = block->contexts[index];
	if (context == LOCUS_NO_CONTEXT) {
		locus_buffer_put_byte(ops, LOCUS_OP_GAP);
		return LOCUS_OK;
	}
	uint8_t op;
	if (context >= block->context_count)
		return locus_fail(error, LOCUS_ERR_USAGE, "an interval's context is out of range");
	if (!move_to(encoder, context, &op))
		return locus_fail(error, LOCUS_ERR_USAGE, "a function's id is 0, or a part starts behind its code");

	/* Line and file are written relative to the function's last ones. */
	const struct locus_block_context *at = &block->context[context];
	struct function_state *function = &encoder->function_states[at->function];
	unsigned column = op == LOCUS_OP_SAME ? LOCUS_INTERVAL_LINE_SAME : LOCUS_INTERVAL_LINE;
	locus_buffer_put_varint(&encoder->columns[column], line_code(function, block->lines[index], at->decl_line));
	bool is_new_file = put_file(function, block->files[index], &encoder->columns[LOCUS_INTERVAL_FILE]);
	locus_buffer_put_byte(ops, (uint8_t)(op | (is_new_file ? LOCUS_OP_FILE : 0)));
	return LOCUS_OK;
}

static void encoder_begin(struct locus_encoder *encoder, const struct locus_block *block)
{
	for (unsigned i = 0; i < LOCUS_INTERVAL_COLUMNS; i++)
		locus_buffer_clear(&encoder->columns[i]);
	for (unsigned i = 0; i < LOCUS_SOURCE_COLUMN_COLUMNS; i++)
		locus_buffer_clear(&encoder->source_columns[i]);
	encoder->block = block;
	encoder->recent_count = 0;
	encoder->next_number = 0;
	encoder->function_count = 0;
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

	encoder_begin(encoder, block);
	enum locus_status status = states_init(encoder, error);
	for (uint32_t i = 0; i < block->interval_count && status == LOCUS_OK; i++)
		status = put_interval(encoder, i, error);
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
		.last_start = encoder->start,
		.ends_in_gap = block->contexts[block->interval_count - 1] == LOCUS_NO_CONTEXT,
	};
	return LOCUS_OK;
}
