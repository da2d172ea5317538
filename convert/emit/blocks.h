/* Cuts the stream of intervals into blocks, and encodes several at once. */
#ifndef LOCUS_BLOCKS_H
#define LOCUS_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/emit/output_ids.h"
#include "convert/unit/piece.h"
#include "writer/locus_writer.h"

/* The part that the next intervals are in: one root of the inline tree. */
struct part {
	uint64_t start;
	enum locus_part_kind kind;
	/* The function's contexts, the root first; NULL: it is known by its symbol alone. */
	const struct context *contexts;
	const uint32_t *call_columns; /* by context; NULL: none are kept */
	uint32_t context_count;
	const char *symbol; /* the name of the root, instead of the one in the contexts; NULL: none */
};

struct blocks;

/* Work that needs no block, for a thread that has none to encode yet. */
struct side_work {
	void (*work)(void *context);
	void *context;
};

/*
 * What intervals come from: `emit` emits the next ones until blocks_is_due, or until none are left, which *ret_ended
 * says. Threads call it by turns.
 */
struct interval_source {
	enum locus_status (*emit)(void *context, bool *ret_ended, struct locus_error *error);
	void *context;
};

/*
 * `writer` and `ids` are borrowed. Up to `thread_count` blocks are encoded at once. `side_work` may begin in another
 * thread at once.
 */
enum locus_status blocks_new(struct locus_writer *writer, const struct locus_writer_options *options,
			     bool keeps_columns, struct output_ids *ids, unsigned thread_count,
			     struct side_work side_work, struct blocks **ret, struct locus_error *error);

/* Side work that has begun is ended first. */
void blocks_free(struct blocks *blocks);

/*
 * Begins a part, which the next intervals are in. It is copied; its contexts are borrowed until the part after the next
 * one begins.
 */
void blocks_begin_part(struct blocks *blocks, const struct part *part);

/* Where an address of the part is in the source. */
struct place {
	uint32_t context; /* index into part.contexts */
	uint32_t file;    /* interned */
	uint32_t line;    /* 0: unknown */
	uint32_t column;  /* 0: unknown, as where the line is, or columns are not kept */
};

/*
 * From `addr` on, code is at this place. An interval with the same answer as the one before is left out, even if they
 * come from different parts or units (RULES B9).
 */
enum locus_status blocks_interval(struct blocks *blocks, uint64_t addr, struct place place, struct locus_error *error);

/*
 * The same for the piece's intervals in [start, end), addresses of the piece, which are in the part that was begun.
 * Their bytes are added to `coverage`, by enum locus_coverage.
 */
enum locus_status blocks_piece(struct blocks *blocks, const struct piece *piece, uint64_t start, uint64_t end,
			       uint64_t *coverage, struct locus_error *error);

/* From `addr` on, nothing is known. Has no effect if that is so already. */
enum locus_status blocks_gap(struct blocks *blocks, uint64_t addr, struct locus_error *error);

/* Whether the thread that emits has filled a block, which it is to encode before it goes on. */
bool blocks_is_due(const struct blocks *blocks);

/*
 * Has all of the source emitted, by this thread and by others in turn: a thread that has filled a block encodes it, so
 * that it need not go from one processor to another, while the next thread emits.
 */
enum locus_status blocks_emit(struct blocks *blocks, struct interval_source source, struct locus_error *error);

/* To be called after the last interval: its block waits to be encoded, too. Other threads may be at it for a while. */
void blocks_end(struct blocks *blocks);

/* Has the side work done: by this thread, if no other has begun it. */
void blocks_end_side_work(struct blocks *blocks);

/* Encodes what other threads have not, and appends the last blocks. After blocks_emit and blocks_end_side_work. */
enum locus_status blocks_finish(struct blocks *blocks, struct locus_error *error);

/* How many intervals and contexts all blocks have that were appended. */
uint64_t blocks_interval_count(const struct blocks *blocks);
uint64_t blocks_context_count(const struct blocks *blocks);

#endif
