/*
 * Cuts the stream of intervals into blocks. A block carries the contexts that it uses, in the order of their first use,
 * so functions and files get their ids here, one after the other. Threads emit by turns: one that has filled a block
 * encodes it while the next one emits, for a block that another processor filled takes long to read. Full blocks wait
 * in a ring until they are encoded, and are appended in order.
 */
#include "convert/emit/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/always_inline.h"
#include "base/array.h"
#include "base/fail.h"
#include "base/monitor.h"
#include "base/parallel.h"
#include "convert/unit/packed_intervals.h"
#include "convert/unit/scopes.h"

#define NO_LOCAL UINT32_MAX

enum { WORTH_WAKING = 2 }; /* drafts */

enum draft_state {
	DRAFT_OPEN,    /* free, or being filled */
	DRAFT_FULL,    /* waits to be encoded */
	DRAFT_TAKEN,   /* a thread is encoding it */
	DRAFT_ENCODED, /* waits for those before it to be appended */
};

/*
 * A block that is being made. The monitor guards its state; the other fields belong to the thread that the state gives.
 */
struct draft {
	enum draft_state state;
	uint64_t *starts;
	uint32_t *contexts;
	uint32_t *files;
	uint32_t *lines;
	uint32_t *columns; /* NULL: none are kept */
	uint32_t count;
	struct locus_block_context *context;
	uint32_t context_count, context_room;
	struct locus_encoded encoded;
	enum locus_status status;
	struct locus_error error;
};

/* The answer of an interval, to leave out a next one with the same answer (RULES B9). */
struct answer {
	const struct part *part; /* NULL: a gap, as before the first interval */
	struct place place;
};

enum side_state {
	SIDE_OPEN,
	SIDE_TAKEN,
	SIDE_DONE,
};

struct blocks {
	struct locus_writer *writer;
	struct output_ids *ids;
	struct locus_encoder **encoders; /* one for each thread, this one's first */
	unsigned thread_count;           /* number of threads, this one included */
	struct monitor monitor;          /* tells of changes of a draft's state, the side work's, and `closing` */
	bool closing;
	struct side_work side_work;
	enum side_state side_state;
	uint32_t block_size;
	uint32_t context_max;
	struct draft *drafts; /* the ring */
	unsigned draft_count;
	unsigned full_count; /* number of drafts in DRAFT_FULL; guarded by the monitor */
	unsigned oldest;     /* the first draft that is not appended; guarded by the monitor */
	unsigned current;    /* index of the draft that intervals go to */

	/* The thread whose turn it is uses what is below. The monitor guards the turns. */
	struct interval_source source;
	bool is_emitting, is_ended;
	unsigned turn;      /* the thread that emits, or that did */
	struct draft *kept; /* the first that it has filled in this turn, which it encodes itself; NULL: none yet */
	enum locus_status status; /* of the source */
	struct locus_error error;
	struct part parts[2]; /* the part that intervals are in, and the part of the last answer, which may be the one
				 before */
	struct part *part;    /* the part that intervals are in */
	uint32_t *local_of;   /* by context of the part: its index in the draft, or NO_LOCAL */
	uint32_t *noted;      /* the contexts that have one; room for as many */
	uint32_t noted_count, local_room;
	struct answer last;
	uint64_t interval_count;
	uint64_t context_count;
};

static bool draft_init(struct draft *draft, uint32_t size, bool keeps_columns)
{
	draft->starts = malloc(size * sizeof(*draft->starts));
	draft->contexts = malloc(size * sizeof(*draft->contexts));
	draft->files = malloc(size * sizeof(*draft->files));
	draft->lines = malloc(size * sizeof(*draft->lines));
	if (keeps_columns)
		draft->columns = malloc(size * sizeof(*draft->columns));
	return draft->starts && draft->contexts && draft->files && draft->lines && (draft->columns || !keeps_columns);
}

static void draft_done(struct draft *draft)
{
	free(draft->starts);
	free(draft->contexts);
	free(draft->files);
	free(draft->lines);
	free(draft->columns);
	free(draft->context);
	locus_encoded_free(&draft->encoded);
}

static void encode_draft(struct draft *draft, struct locus_encoder *encoder)
{
	struct locus_block block = {
		.interval_count = draft->count,
		.starts = draft->starts,
		.contexts = draft->contexts,
		.files = draft->files,
		.lines = draft->lines,
		.columns = draft->columns,
		.context_count = draft->context_count,
		.context = draft->context,
	};
	draft->status = locus_encoder_block(encoder, &block, &draft->encoded, &draft->error);
}

/* Takes a draft that waits to be encoded; NULL: none does. The caller has entered the monitor. */
static struct draft *take_full(struct blocks *blocks)
{
	for (unsigned i = 0, at = blocks->oldest; i < blocks->draft_count; i++, at = (at + 1) % blocks->draft_count)
		if (blocks->drafts[at].state == DRAFT_FULL) {
			blocks->drafts[at].state = DRAFT_TAKEN;
			blocks->full_count--;
			return &blocks->drafts[at];
		}
	return NULL;
}

/* Encodes a draft that was taken. The caller has entered the monitor, which it leaves meanwhile. */
static void encode_taken(struct blocks *blocks, struct draft *draft, struct locus_encoder *encoder)
{
	monitor_leave(&blocks->monitor);
	encode_draft(draft, encoder);
	monitor_enter(&blocks->monitor);
	draft->state = DRAFT_ENCODED;
	monitor_tell_all(&blocks->monitor);
}

/* Encodes a draft that waits, or waits for a change. The caller has entered the monitor, which it leaves meanwhile. */
static void encode_or_wait(struct blocks *blocks, struct locus_encoder *encoder)
{
	struct draft *draft = take_full(blocks);
	if (draft)
		encode_taken(blocks, draft, encoder);
	else
		monitor_wait(&blocks->monitor);
}

/* Does the side work, if nobody has begun it. The caller has entered the monitor, which it leaves meanwhile. */
static void take_side_work(struct blocks *blocks)
{
	if (blocks->side_state != SIDE_OPEN)
		return;
	blocks->side_state = SIDE_TAKEN;
	monitor_leave(&blocks->monitor);
	blocks->side_work.work(blocks->side_work.context);
	monitor_enter(&blocks->monitor);
	blocks->side_state = SIDE_DONE;
	monitor_tell_all(&blocks->monitor);
}

void blocks_end_side_work(struct blocks *blocks)
{
	monitor_enter(&blocks->monitor);
	take_side_work(blocks);
	while (blocks->side_state != SIDE_DONE)
		encode_or_wait(blocks, blocks->encoders[0]);
	monitor_leave(&blocks->monitor);
}

/*
 * Emits until a block is full, and encodes it. The caller has entered the monitor, which it leaves meanwhile; no other
 * thread emits.
 */
static void take_turn(struct blocks *blocks, unsigned thread)
{
	blocks->is_emitting = true;
	blocks->turn = thread;
	monitor_leave(&blocks->monitor);
	bool is_ended;
	enum locus_status status = blocks->source.emit(blocks->source.context, &is_ended, &blocks->error);
	monitor_enter(&blocks->monitor);
	struct draft *filled = blocks->kept;
	blocks->kept = NULL;
	blocks->is_emitting = false;
	blocks->is_ended = is_ended || status != LOCUS_OK;
	blocks->status = status;
	monitor_tell_all(&blocks->monitor);
	if (filled)
		encode_taken(blocks, filled, blocks->encoders[thread]);
}

/* Does what is to be done next, or waits. The caller has entered the monitor, which it leaves meanwhile. */
static void emit_or_encode(struct blocks *blocks, unsigned thread)
{
	if (blocks->source.emit && !blocks->is_emitting && !blocks->is_ended)
		take_turn(blocks, thread);
	else
		encode_or_wait(blocks, blocks->encoders[thread]);
}

enum locus_status blocks_emit(struct blocks *blocks, struct interval_source source, struct locus_error *error)
{
	monitor_enter(&blocks->monitor);
	blocks->source = source;
	monitor_tell_all(&blocks->monitor);
	while (!blocks->is_ended)
		emit_or_encode(blocks, 0);
	blocks->turn = 0;
	monitor_leave(&blocks->monitor);
	if (blocks->status != LOCUS_OK && error)
		*error = blocks->error;
	return blocks->status;
}

/* What another thread does until the blocks are freed. */
static void help(void *argument, unsigned thread)
{
	struct blocks *blocks = argument;
	monitor_enter(&blocks->monitor);
	take_side_work(blocks);
	while (!blocks->closing)
		emit_or_encode(blocks, thread);
	monitor_leave(&blocks->monitor);
}

static void stop_helpers(struct blocks *blocks)
{
	monitor_enter(&blocks->monitor);
	blocks->closing = true;
	monitor_tell_all(&blocks->monitor);
	monitor_leave(&blocks->monitor);
	locus_parallel_end();
}

enum locus_status blocks_new(struct locus_writer *writer, const struct locus_writer_options *options,
			     bool keeps_columns, struct output_ids *ids, unsigned thread_count,
			     struct side_work side_work, struct blocks **ret, struct locus_error *error)
{
	struct blocks *blocks = calloc(1, sizeof(*blocks));
	if (!blocks)
		return locus_fail_memory(error);
	monitor_init(&blocks->monitor);
	blocks->writer = writer;
	blocks->ids = ids;
	blocks->side_work = side_work;
	blocks->thread_count = thread_count;
	blocks->block_size = options->block_size;
	blocks->context_max = options->block_size / 8 * 3 + 1;
	/* Two drafts for each thread keep all of them busy; one thread alone needs one. */
	blocks->draft_count = thread_count > 1 ? 2 * thread_count : 1;
	blocks->part = blocks->parts;

	blocks->drafts = calloc(blocks->draft_count, sizeof(*blocks->drafts));
	blocks->encoders = calloc(thread_count, sizeof(*blocks->encoders));
	bool memory = blocks->drafts && blocks->encoders;
	for (unsigned i = 0; memory && i < blocks->draft_count; i++)
		memory = draft_init(&blocks->drafts[i], options->block_size, keeps_columns);
	enum locus_status status = memory ? LOCUS_OK : locus_fail_memory(error);
	for (unsigned i = 0; status == LOCUS_OK && i < thread_count; i++)
		status = locus_encoder_new(options, &blocks->encoders[i], error);
	if (status != LOCUS_OK) {
		blocks_free(blocks);
		return status;
	}
	locus_parallel_begin(thread_count, help, blocks);
	*ret = blocks;
	return LOCUS_OK;
}

void blocks_free(struct blocks *blocks)
{
	if (!blocks)
		return;
	stop_helpers(blocks);
	for (unsigned i = 0; blocks->drafts && i < blocks->draft_count; i++)
		draft_done(&blocks->drafts[i]);
	for (unsigned i = 0; blocks->encoders && i < blocks->thread_count; i++)
		locus_encoder_free(blocks->encoders[i]);
	monitor_done(&blocks->monitor);
	free(blocks->drafts);
	free(blocks->encoders);
	free(blocks->local_of);
	free(blocks->noted);
	free(blocks);
}

/* Appends the oldest draft, encoding it on this thread if no other has. */
static enum locus_status append_oldest(struct blocks *blocks, struct locus_error *error)
{
	struct draft *draft = &blocks->drafts[blocks->oldest];
	monitor_enter(&blocks->monitor);
	if (draft == blocks->kept) { /* intervals of one part fill the whole ring */
		blocks->kept = NULL;
		encode_taken(blocks, draft, blocks->encoders[blocks->turn]);
	}
	while (draft->state != DRAFT_ENCODED)
		encode_or_wait(blocks, blocks->encoders[blocks->turn]);
	draft->state = DRAFT_OPEN;
	blocks->oldest = (blocks->oldest + 1) % blocks->draft_count;
	monitor_leave(&blocks->monitor);
	if (draft->status != LOCUS_OK) {
		if (error)
			*error = draft->error;
		return draft->status;
	}
	blocks->interval_count += draft->count;
	blocks->context_count += draft->encoded.context_count;
	draft->count = draft->context_count = 0;
	return locus_writer_append(blocks->writer, &draft->encoded, error);
}

bool blocks_is_due(const struct blocks *blocks)
{
	return blocks->kept != NULL;
}

/*
 * Marks the current draft as full, so that it is encoded: the first of a turn by this thread. Those that wait are told
 * of others only when `least` drafts are full: to wake them takes this thread's time, which is what they wait for.
 */
static void close_current(struct blocks *blocks, unsigned least)
{
	struct draft *draft = &blocks->drafts[blocks->current];
	bool is_kept = blocks->thread_count > 1 && !blocks->kept;
	monitor_enter(&blocks->monitor);
	draft->state = is_kept ? DRAFT_TAKEN : DRAFT_FULL;
	if (is_kept)
		blocks->kept = draft;
	else if (++blocks->full_count >= least)
		monitor_tell_all(&blocks->monitor);
	monitor_leave(&blocks->monitor);
	blocks->current = (blocks->current + 1) % blocks->draft_count;
}

/* A function may have a million contexts and a million parts, so only those that were noted are looked at. */
static void forget_locals(struct blocks *blocks)
{
	while (blocks->noted_count)
		blocks->local_of[blocks->noted[--blocks->noted_count]] = NO_LOCAL;
}

/*
 * Whether the draft is full. A context costs a lookup as much as two or three intervals, so blocks with many contexts,
 * as in C++, have fewer intervals. Contexts of an answer that was left out may be in a draft without intervals, of
 * which no block is made.
 */
static bool is_full(const struct blocks *blocks, const struct draft *draft)
{
	return draft->count == blocks->block_size || (draft->count && draft->context_count >= blocks->context_max);
}

/* Goes on to the next draft, which is empty then. */
static enum locus_status next_draft(struct blocks *blocks, struct locus_error *error)
{
	close_current(blocks, WORTH_WAKING);
	if (blocks->current == blocks->oldest) {
		enum locus_status status = append_oldest(blocks, error);
		if (status != LOCUS_OK)
			return status;
	}
	forget_locals(blocks);
	return LOCUS_OK;
}

/* Gives a draft that has room for another interval. */
static inline enum locus_status make_room(struct blocks *blocks, struct draft **ret, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	if (is_full(blocks, &blocks->drafts[blocks->current]))
		status = next_draft(blocks, error);
	*ret = &blocks->drafts[blocks->current];
	return status;
}

/* Makes room for so many contexts, none of which is noted. If memory is out, there is no local_of. */
static void reserve_locals(struct blocks *blocks, uint32_t count)
{
	const size_t room = count + count / 2;
	if (count <= blocks->local_room)
		return;
	free(blocks->local_of);
	free(blocks->noted);
	blocks->local_of = malloc(room * sizeof(*blocks->local_of));
	blocks->noted = blocks->local_of ? malloc(room * sizeof(*blocks->noted)) : NULL;
	blocks->local_room = blocks->noted ? (uint32_t)room : 0;
	if (blocks->noted) {
		memset(blocks->local_of, 0xff, room * sizeof(*blocks->local_of));
	} else {
		free(blocks->local_of);
		blocks->local_of = NULL;
	}
}

void blocks_begin_part(struct blocks *blocks, const struct part *part)
{
	blocks->part = &blocks->parts[blocks->last.part == &blocks->parts[0]];
	*blocks->part = *part;
	forget_locals(blocks);
	reserve_locals(blocks, part->context_count ? part->context_count : 1);
}

/* Room for one more context in the draft, filled by the caller. NULL: out of memory. */
static struct locus_block_context *new_context(struct draft *draft)
{
	bool memory = array_reserve(&draft->context, &draft->context_room, draft->context_count + UINT64_C(1),
				    sizeof(*draft->context));
	return memory ? &draft->context[draft->context_count++] : NULL;
}

/* The context, if it is an inlinee; NULL: it is the part itself. */
static const struct context *inlinee_of(const struct part *part, uint32_t context)
{
	const struct context *inlinee = part->contexts ? &part->contexts[context] : NULL;
	return inlinee && inlinee->caller != NO_CONTEXT ? inlinee : NULL;
}

static uint32_t call_column(const struct part *part, const struct context *inlinee)
{
	return part->call_columns ? part->call_columns[inlinee - part->contexts] : 0;
}

/* The function that the part belongs to. */
static struct output_function part_function(struct blocks *blocks, const struct part *part)
{
	if (part->symbol) /* which is declared nowhere */
		return (struct output_function){.id = output_ids_symbol(blocks->ids, part->symbol)};
	return output_ids_function(blocks->ids, part->contexts[0].function);
}

/* Adds one context whose caller is in the draft already. */
static bool add_one(struct blocks *blocks, struct draft *draft, uint32_t index)
{
	const struct part *part = blocks->part;
	const struct context *inlinee = inlinee_of(part, index);
	const struct output_function function =
		inlinee ? output_ids_function(blocks->ids, inlinee->function) : part_function(blocks, part);
	struct locus_block_context *added = new_context(draft);
	if (!added)
		return false;
	blocks->local_of[index] = draft->context_count - 1;
	blocks->noted[blocks->noted_count++] = index;
	if (inlinee) {
		added->caller = blocks->local_of[inlinee->caller];
		added->call_file = output_ids_file(blocks->ids, inlinee->call_file);
		added->call_line = inlinee->call_line;
		added->call_column = call_column(part, inlinee);
		added->start = 0;
		added->kind = 0;
	} else {
		*added = (struct locus_block_context){
			.caller = LOCUS_NO_CONTEXT,
			.start = part->start,
			.kind = (uint8_t)part->kind,
		};
	}
	added->function = function.id;
	added->decl_file = function.decl_file;
	added->decl_line = function.decl_line;
	return true;
}

/* Adds a context that is not in the draft yet, after those of its callers that are not. */
static bool add_chain(struct blocks *blocks, struct draft *draft, uint32_t context, uint32_t *ret)
{
	uint32_t path[INLINE_DEPTH_MAX + 2], depth = 0; /* the function, its inlinees, and one that is too deep */
	const struct part *part = blocks->part;
	for (uint32_t at = context; at != NO_CONTEXT && blocks->local_of[at] == NO_LOCAL;
	     at = part->contexts ? part->contexts[at].caller : NO_CONTEXT)
		path[depth++] = at;
	while (depth)
		if (!add_one(blocks, draft, path[--depth]))
			return false;
	*ret = blocks->local_of[context];
	return true;
}

/* The context's index in the draft. */
static inline bool local_context(struct blocks *blocks, struct draft *draft, uint32_t context, uint32_t *ret)
{
	*ret = blocks->local_of[context];
	return *ret != NO_LOCAL || add_chain(blocks, draft, context, ret);
}

/* Whether the chain of the last answer and this one's are equal in the file. All their functions have ids. */
static bool is_same_chain(struct blocks *blocks, const struct part *last_part, uint32_t last_context, uint32_t context)
{
	const struct part *a = last_part, *b = blocks->part;
	if (a->start != b->start || a->kind != b->kind)
		return false;
	const struct context *x = inlinee_of(a, last_context), *y = inlinee_of(b, context);
	while (x && y) {
		if (x == y)
			return true;
		if (x->call_line != y->call_line || call_column(a, x) != call_column(b, y) ||
		    x->call_file != y->call_file ||
		    output_ids_function(blocks->ids, x->function).id !=
			    output_ids_function(blocks->ids, y->function).id)
			return false;
		x = inlinee_of(a, x->caller);
		y = inlinee_of(b, y->caller);
	}
	return !x && !y && part_function(blocks, a).id == part_function(blocks, b).id;
}

/*
 * Adds an interval, unless it has the same answer as the last one (RULES B9), which it becomes. Inlined into the loop
 * over a piece's intervals, so that both answers stay in registers: through memory it takes twice the time.
 */
static ALWAYS_INLINE enum locus_status add_interval(struct blocks *blocks, struct answer *last, uint64_t addr,
						    struct place place, struct locus_error *error)
{
	struct draft *draft;
	uint32_t local;
	bool is_same_line = last->part && last->place.file == place.file && last->place.line == place.line &&
			    last->place.column == place.column;
	if (is_same_line && last->part == blocks->part && last->place.context == place.context)
		return LOCUS_OK;

	/* Make room first: functions get their ids in the order of the blocks. */
	enum locus_status status = make_room(blocks, &draft, error);
	if (status != LOCUS_OK)
		return status;
	if (!blocks->local_of || !local_context(blocks, draft, place.context, &local))
		return locus_fail_memory(error);

	/*
	 * Two units may have the same function, and contexts of one unit may have equal names: then it is one answer.
	 */
	bool is_repeated = is_same_line && is_same_chain(blocks, last->part, last->place.context, place.context);
	*last = (struct answer){blocks->part, place};
	if (!is_repeated) {
		uint32_t at = draft->count++;
		draft->starts[at] = addr;
		draft->contexts[at] = local;
		draft->files[at] = output_ids_file(blocks->ids, place.file);
		draft->lines[at] = place.line;
		if (draft->columns)
			draft->columns[at] = place.column;
	}
	return blocks->ids->failed ? locus_fail_memory(error) : LOCUS_OK;
}

enum locus_status blocks_interval(struct blocks *blocks, uint64_t addr, struct place place, struct locus_error *error)
{
	return add_interval(blocks, &blocks->last, addr, place, error);
}

static enum locus_coverage coverage_of(const struct interval *interval)
{
	if (interval->line)
		return interval->context ? LOCUS_COVERAGE_INLINE : LOCUS_COVERAGE_LINE;
	return interval->file ? LOCUS_COVERAGE_LINE_ZERO : LOCUS_COVERAGE_FUNCTION;
}

/* The current draft while nothing but intervals is added to it: a copy, so that it stays in registers. */
struct filling {
	uint64_t *starts;
	uint32_t *contexts, *files, *lines, *columns;
	uint32_t at;  /* where the next interval goes */
	uint32_t end; /* where none goes without asking whether the draft is full; 0: ask for each */
};

static inline struct filling filling_begin(const struct blocks *blocks)
{
	const struct draft *draft = &blocks->drafts[blocks->current];
	return (struct filling){
		.starts = draft->starts,
		.contexts = draft->contexts,
		.files = draft->files,
		.lines = draft->lines,
		.columns = draft->columns,
		.at = draft->count,
		.end = draft->context_count < blocks->context_max ? blocks->block_size : 0,
	};
}

/*
 * Adds an interval as add_interval does, but only where that is simple, as it nearly always is: the draft has room and
 * the interval's context, the file has an id, and the last answer has another line. False: it is not.
 */
static ALWAYS_INLINE bool fill(struct filling *filling, const struct blocks *blocks, struct answer *last, uint64_t addr,
			       struct place place, bool has_columns)
{
	const uint32_t local = blocks->local_of[place.context], file = blocks->ids->file_of[place.file],
		       at = filling->at;
	const bool is_other = place.line != last->place.line || !last->part;
	if (at >= filling->end || local == NO_LOCAL || (!file && place.file != FILE_UNKNOWN) || !is_other)
		return false;
	filling->starts[at] = addr;
	filling->contexts[at] = local;
	filling->files[at] = file;
	filling->lines[at] = place.line;
	if (has_columns)
		filling->columns[at] = place.column;
	filling->at++;
	*last = (struct answer){blocks->part, place};
	return true;
}

/* The loop of blocks_piece. It is compiled twice, so that columns cost nothing if they are not kept. */
static ALWAYS_INLINE enum locus_status add_intervals(struct blocks *blocks, const struct piece *piece, uint64_t start,
						     uint64_t end, uint64_t *coverage, bool has_columns,
						     struct locus_error *error)
{
	uint32_t offset = start > piece->start ? (uint32_t)(start - piece->start) : 0; /* mostly the piece is whole */
	struct interval_cursor cursor = intervals_at(piece_intervals(piece), has_columns, offset);
	struct answer last = blocks->last;
	enum locus_status status = LOCUS_OK;
	bool goes_on = true;
	if (!blocks->local_of)
		return locus_fail_memory(error);
	struct filling filling = filling_begin(blocks);
	cursor.has_columns = has_columns;
	for (uint64_t from = start, until; goes_on && status == LOCUS_OK; from = until) {
		const struct interval *interval = &cursor.interval;
		const struct place place = {interval->context, interval->file, interval->line,
					    has_columns ? interval->column : 0};
		uint64_t *covered = &coverage[coverage_of(interval)];
		if (!fill(&filling, blocks, &last, from, place, has_columns)) {
			blocks->drafts[blocks->current].count = filling.at;
			status = add_interval(blocks, &last, from, place, error);
			filling = filling_begin(blocks);
		}
		goes_on = interval_next(&cursor);
		until = piece->start + interval->start;
		if (!goes_on || until >= end) {
			goes_on = false;
			until = end;
		}
		*covered += until - from;
	}
	blocks->drafts[blocks->current].count = filling.at;
	blocks->last = last;
	return status;
}

enum locus_status blocks_piece(struct blocks *blocks, const struct piece *piece, uint64_t start, uint64_t end,
			       uint64_t *coverage, struct locus_error *error)
{
	return piece->has_columns ? add_intervals(blocks, piece, start, end, coverage, true, error)
				  : add_intervals(blocks, piece, start, end, coverage, false, error);
}

enum locus_status blocks_gap(struct blocks *blocks, uint64_t addr, struct locus_error *error)
{
	struct draft *draft;
	if (!blocks->last.part)
		return LOCUS_OK;
	enum locus_status status = make_room(blocks, &draft, error);
	if (status != LOCUS_OK)
		return status;

	uint32_t at = draft->count++;
	draft->starts[at] = addr;
	draft->contexts[at] = LOCUS_NO_CONTEXT;
	draft->files[at] = draft->lines[at] = 0;
	if (draft->columns)
		draft->columns[at] = 0;
	blocks->last.part = NULL;
	return LOCUS_OK;
}

void blocks_end(struct blocks *blocks)
{
	if (blocks->drafts[blocks->current].count != 0)
		close_current(blocks, 1);
}

static bool is_any_left(struct blocks *blocks)
{
	monitor_enter(&blocks->monitor);
	bool is_left = blocks->drafts[blocks->oldest].state != DRAFT_OPEN;
	monitor_leave(&blocks->monitor);
	return is_left;
}

enum locus_status blocks_finish(struct blocks *blocks, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	while (status == LOCUS_OK && is_any_left(blocks))
		status = append_oldest(blocks, error);
	return status;
}

uint64_t blocks_interval_count(const struct blocks *blocks)
{
	return blocks->interval_count;
}

uint64_t blocks_context_count(const struct blocks *blocks)
{
	return blocks->context_count;
}
