/*
 * The intervals of one block to columns (FORMAT.md 6.2).
 *
 * Every interval costs a start, an op byte that leads from the context before to this one, and a line. What the op
 * says is found without hashing: the block's contexts have small indexes, so their state is an array; the recent
 * list is short enough to scan; and an inline chain is walked up only to where it is known already. What was inlined
 * into a function once is expected again where the function comes up again, in the same order.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "writer/locus_writer.h"
#include "writer/pack.h"

static const enum locus_pack_kind kinds[LOCUS_INTERVAL_COLUMNS] = {
	[LOCUS_INTERVAL_START] = LOCUS_PACK_NUMBERS,      [LOCUS_INTERVAL_OP] = LOCUS_PACK_CODES,
	[LOCUS_INTERVAL_LINE_SAME] = LOCUS_PACK_NUMBERS,  [LOCUS_INTERVAL_LINE_AGAIN] = LOCUS_PACK_NUMBERS,
	[LOCUS_INTERVAL_LINE_FIRST] = LOCUS_PACK_NUMBERS, [LOCUS_INTERVAL_FILE] = LOCUS_PACK_CODES,
	[LOCUS_INTERVAL_PART] = LOCUS_PACK_CODES,         [LOCUS_INTERVAL_PART_FUNCTION] = LOCUS_PACK_CODES,
	[LOCUS_INTERVAL_FUNCTION] = LOCUS_PACK_CODES,     [LOCUS_INTERVAL_CALL_EXPECTED] = LOCUS_PACK_CODES,
	[LOCUS_INTERVAL_CALL] = LOCUS_PACK_NUMBERS,       [LOCUS_INTERVAL_CALL_FILE] = LOCUS_PACK_CODES,
	[LOCUS_INTERVAL_ESCAPE] = LOCUS_PACK_NUMBERS,
};

/* What the decoder will know of a context when it comes to the interval at hand. */
struct state {
	uint32_t number; /* contexts are numbered as they are pushed; LOCUS_NO_CONTEXT: not yet */
	uint32_t depth;  /* contexts above it */
	uint32_t line;   /* the last, relative to the function's decl_line, modulo 2^32 */
	uint32_t file;   /* the predicted one: an id */
	bool has_line;
	bool is_recent;      /* may be in the list */
	uint32_t child;      /* the first pushed onto this one; LOCUS_NO_CONTEXT: none, here and below */
	uint32_t child_last; /* the last */
	uint32_t sibling;    /* the next pushed onto the same caller */
	uint32_t model;      /* whose children are expected here */
	uint32_t met;        /* the last of them that came */
};

/* The same of a function. */
struct usage {
	uint32_t model;      /* the context of it that got its first child last */
	uint32_t first_line; /* of the context of it that had its first line last; 0 at first */
};

struct locus_encoder {
	struct locus_packer packer;
	struct locus_buffer columns[LOCUS_INTERVAL_COLUMNS];
	struct state *states;
	size_t state_capacity;
	struct usage *usages; /* by function id; set up for those that the block uses */
	size_t usage_capacity;
	uint32_t recent[LOCUS_OP_RECENT_MAX + 1]; /* [0] is the current context */
	uint32_t recent_count;
	uint32_t pushed[LOCUS_DEPTH_MAX]; /* innermost first */
	uint32_t pushed_count;
	uint32_t next_number;
	uint32_t next_function;
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
	locus_packer_done(&encoder->packer);
	free(encoder->states);
	free(encoder->usages);
	free(encoder);
}

void locus_encoded_free(struct locus_encoded *encoded)
{
	free(encoded->data);
	*encoded = (struct locus_encoded){0};
}

/* ---- Contexts ---- */

/* Makes `*array` hold `count` elements of `size` bytes; what it held is lost. */
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
	       make_room((void **)&encoder->usages, &encoder->usage_capacity, (size_t)function_max + 1,
			 sizeof(*encoder->usages));
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
			.file = context->decl_file,
			.child = LOCUS_NO_CONTEXT,
			.sibling = LOCUS_NO_CONTEXT,
			.model = LOCUS_NO_CONTEXT,
			.met = LOCUS_NO_CONTEXT,
		};
		encoder->usages[context->function] = (struct usage){.model = LOCUS_NO_CONTEXT};
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

/* A file as a code: what the reader can say without the function's record (FORMAT.md 2.4). */
static uint64_t file_code(uint32_t file, uint32_t decl_file)
{
	if (file == LOCUS_UNKNOWN)
		return LOCUS_FILE_CODE_UNKNOWN;
	return file == decl_file ? LOCUS_FILE_CODE_DECL : (uint64_t)LOCUS_FILE_CODE_ID + file;
}

/* A line as a code: 0 unknown, else 1 + the zigzagged distance from `before`. */
static uint64_t line_code(uint32_t line, uint32_t decl_line, uint32_t before)
{
	return line ? 1 + (uint64_t)locus_zigzag(line - decl_line - before) : 0;
}

static bool put_function(struct locus_encoder *encoder, struct locus_buffer *column, uint32_t function)
{
	if (function == encoder->next_function) {
		locus_buffer_put_byte(column, 0);
		encoder->next_function++;
		return true;
	}
	locus_buffer_put_varint(column, function);
	return function != LOCUS_UNKNOWN && function < encoder->next_function;
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
	return put_function(encoder, &encoder->columns[LOCUS_INTERVAL_PART_FUNCTION], part->function);
}

/* The context's last line, or, where it had none, the one its function is likely to begin with. */
static uint32_t last_line(const struct locus_encoder *encoder, uint32_t index)
{
	const struct state *state = &encoder->states[index];
	return state->has_line ? state->line : encoder->usages[encoder->block->context[index].function].first_line;
}

/* The context that the caller's next child is expected to be like; LOCUS_NO_CONTEXT: none. */
static uint32_t expected_child(const struct locus_encoder *encoder, uint32_t caller)
{
	const struct state *state = &encoder->states[caller];
	if (state->model == LOCUS_NO_CONTEXT)
		return LOCUS_NO_CONTEXT;
	return state->met == LOCUS_NO_CONTEXT ? encoder->states[state->model].child
					      : encoder->states[state->met].sibling;
}

/* Adds a context to its caller's children; the first one makes the caller its function's model. */
static void add_child(struct locus_encoder *encoder, uint32_t index)
{
	const struct locus_block_context *contexts = encoder->block->context;
	struct state *caller = &encoder->states[contexts[index].caller];
	if (caller->child == LOCUS_NO_CONTEXT) {
		struct usage *usage = &encoder->usages[contexts[contexts[index].caller].function];
		caller->model = usage->model;
		caller->child = index;
		usage->model = contexts[index].caller;
	} else {
		encoder->states[caller->child_last].sibling = index;
	}
	caller->child_last = index;
}

static bool is_same_call(const struct locus_block_context *a, const struct locus_block_context *b)
{
	return a->function == b->function && a->call_line == b->call_line && a->call_file == b->call_file;
}

static bool put_inlinee(struct locus_encoder *encoder, uint32_t index)
{
	const struct locus_block_context *context = &encoder->block->context[index];
	const struct locus_block_context *caller = &encoder->block->context[context->caller];
	struct state *state = &encoder->states[context->caller];
	add_child(encoder, index);
	uint32_t expected = expected_child(encoder, context->caller);
	bool is_expected = expected != LOCUS_NO_CONTEXT;
	if (is_expected && is_same_call(&encoder->block->context[expected], context)) {
		locus_buffer_put_byte(&encoder->columns[LOCUS_INTERVAL_CALL_EXPECTED], 0);
		state->met = expected;
		return true;
	}
	bool other = context->call_file != state->file;
	uint64_t line = line_code(context->call_line, caller->decl_line, last_line(encoder, context->caller));
	locus_buffer_put_varint(&encoder->columns[is_expected ? LOCUS_INTERVAL_CALL_EXPECTED : LOCUS_INTERVAL_CALL],
				line * 2 + other + is_expected);
	if (other)
		locus_buffer_put_varint(&encoder->columns[LOCUS_INTERVAL_CALL_FILE],
					file_code(context->call_file, caller->decl_file));
	return put_function(encoder, &encoder->columns[LOCUS_INTERVAL_FUNCTION], context->function);
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
	}
	return true;
}

/* The recent list's place of a context, 0 if it is not in it. */
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

/* How many levels above the current context `ancestor` stands; LOCUS_NO_CONTEXT if it does not. */
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

/* The op that leads from a known context, `from`, by pushing what was collected. */
static uint8_t op_from(struct locus_encoder *encoder, uint32_t from)
{
	uint32_t levels = levels_up(encoder, from);
	if (encoder->pushed_count <= LOCUS_OP_PUSH_MAX && levels != LOCUS_NO_CONTEXT) {
		if (levels <= LOCUS_OP_UP_MAX)
			return (uint8_t)(LOCUS_OP_UP + 6 * levels + encoder->pushed_count);
		if (encoder->states[from].depth == 0)
			return (uint8_t)(LOCUS_OP_UP + 6 * LOCUS_OP_UP_PART + encoder->pushed_count);
	}
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

/* The op that leads to `context`, whose contexts are pushed and which becomes the current one. */
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

static void put_line(struct locus_encoder *encoder, uint32_t index, uint32_t line, bool same)
{
	struct state *state = &encoder->states[index];
	uint32_t decl_line = encoder->block->context[index].decl_line;
	unsigned column = !state->has_line ? LOCUS_INTERVAL_LINE_FIRST
			  : same           ? LOCUS_INTERVAL_LINE_SAME
					   : LOCUS_INTERVAL_LINE_AGAIN;
	locus_buffer_put_varint(&encoder->columns[column], line_code(line, decl_line, last_line(encoder, index)));
	if (!line)
		return;
	state->line = line - decl_line;
	if (!state->has_line)
		encoder->usages[encoder->block->context[index].function].first_line = state->line;
	state->has_line = true;
}

/* A file that is not the predicted one. An unknown file predicts nothing. */
static void put_file(struct locus_encoder *encoder, uint32_t index, uint32_t file)
{
	locus_buffer_put_varint(&encoder->columns[LOCUS_INTERVAL_FILE],
				file_code(file, encoder->block->context[index].decl_file));
	if (file != LOCUS_UNKNOWN)
		encoder->states[index].file = file;
}

static enum locus_status put_interval(struct locus_encoder *encoder, uint32_t index, struct locus_error *error)
{
	const struct locus_block *block = encoder->block;
	struct locus_buffer *ops = &encoder->columns[LOCUS_INTERVAL_OP];
	if (index) {
		if (block->starts[index] <= encoder->start)
			return locus_fail(error, LOCUS_ERR_USAGE, "interval starts do not ascend");
		locus_buffer_put_varint(&encoder->columns[LOCUS_INTERVAL_START],
					block->starts[index] - encoder->start - 1);
	}
	encoder->start = block->starts[index];
	uint32_t context = block->contexts[index];
	if (context == LOCUS_NO_CONTEXT) {
		locus_buffer_put_byte(ops, LOCUS_OP_GAP);
		return LOCUS_OK;
	}
	uint8_t op;
	if (context >= block->context_count)
		return locus_fail(error, LOCUS_ERR_USAGE, "an interval's context is out of range");
	if (!move_to(encoder, context, &op))
		return locus_fail(error, LOCUS_ERR_USAGE,
				  "functions are not numbered by first use, or a part starts behind its code");
	bool other = block->files[index] != encoder->states[context].file;
	put_line(encoder, context, block->lines[index], op == LOCUS_OP_SAME);
	if (other)
		put_file(encoder, context, block->files[index]);
	locus_buffer_put_byte(ops, (uint8_t)(op | (other ? LOCUS_OP_FILE : 0)));
	return LOCUS_OK;
}

static void encoder_begin(struct locus_encoder *encoder, const struct locus_block *block)
{
	for (unsigned i = 0; i < LOCUS_INTERVAL_COLUMNS; i++)
		locus_buffer_clear(&encoder->columns[i]);
	encoder->block = block;
	encoder->recent_count = 0;
	encoder->next_number = 0;
	encoder->next_function = block->function_first;
	locus_buffer_put_varint(&encoder->columns[LOCUS_INTERVAL_PART_FUNCTION], block->function_first);
}

enum locus_status locus_encoder_block(struct locus_encoder *encoder, const struct locus_block *block,
				      struct locus_encoded *ret, struct locus_error *error)
{
	if (!block->interval_count || block->interval_count > LOCUS_BLOCK_ENTRIES_MAX || !block->function_first)
		return locus_fail(error, LOCUS_ERR_USAGE, "a block of %u intervals, with functions from %u on",
				  block->interval_count, block->function_first);
	if (block->context_count > LOCUS_BLOCK_CONTEXTS_MAX)
		return locus_fail(error, LOCUS_ERR_USAGE, "%u contexts in a block", block->context_count);
	encoder_begin(encoder, block);
	enum locus_status status = states_init(encoder, error);
	for (uint32_t i = 0; i < block->interval_count && status == LOCUS_OK; i++)
		status = put_interval(encoder, i, error);
	struct locus_packed packed;
	if (status == LOCUS_OK)
		status = locus_packer_pack(&encoder->packer, encoder->columns, LOCUS_INTERVAL_COLUMNS, kinds, &packed,
					   error);
	if (status != LOCUS_OK)
		return status;
	*ret = (struct locus_encoded){
		.data = packed.data,
		.size = packed.size,
		.checksum = packed.checksum,
		.digest = {packed.digest[0], packed.digest[1]},
		.start = block->starts[0],
		.interval_count = block->interval_count,
		.context_count = encoder->next_number,
		.raw_size = packed.raw_size,
		.last_start = encoder->start,
		.function_first = block->function_first,
		.function_next = encoder->next_function,
		.ends_in_gap = block->contexts[block->interval_count - 1] == LOCUS_NO_CONTEXT,
	};
	return LOCUS_OK;
}
