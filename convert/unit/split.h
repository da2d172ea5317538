/*
 * Splitting: makes disjoint intervals, with one answer each, of a function's inlinees and rows. Arrays in, arrays out.
 */
#ifndef LOCUS_SPLIT_H
#define LOCUS_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/range_list.h"
#include "convert/dwarf/rows.h"

/* A function (index 0) or an inlinee in it. Parents stand before their children. */
struct split_scope {
	uint32_t parent;
	uint32_t range_first; /* index in the array of ranges */
	uint32_t range_count;
};

/* Addresses whose innermost scope is `scope`. */
struct segment {
	uint64_t start;
	uint32_t size;
	uint32_t scope;
};

static inline uint64_t segment_end(const struct segment *segment)
{
	return segment->start + segment->size;
}

/* Rows [row_first, row_first + row_count) cover [start, end); the first is at or below `start`. */
struct row_span {
	uint64_t start;
	uint64_t end;
	uint32_t row_first;
	uint32_t row_count;
};

/* One answer, from `start` on until the next interval or the end of the part. */
struct interval {
	uint32_t start; /* distance from the start of the part */
	uint32_t context;
	uint32_t file;   /* 0: unknown, or no row covers */
	uint32_t line;   /* 0: unknown, or no row covers */
	uint32_t column; /* 0: unknown, as where the line is, or columns are not kept */
};

/* What takes over the intervals of a list that is full, so that it need not grow. False: out of memory. */
struct interval_sink {
	bool (*take)(void *context, const struct interval *intervals, uint32_t count); /* NULL: the list grows */
	void *context;
};

struct interval_list {
	struct interval *intervals; /* those behind the ones that the sink took */
	uint32_t count;
	uint32_t room;
	uint64_t line_bytes;       /* bytes of the intervals that have a line, the taken ones included */
	struct interval_sink sink; /* set by the caller; it takes about 65,536 intervals at a time, or more */
};

/* Working memory, reused from call to call. Zeroed before the first; freed by splitter_done. */
struct splitter {
	struct sort_key *keys, *scratch; /* ranges by their index, each with the index of its scope */
	struct open_range *open; /* ranges that begin at or below the address that the sweep is at, and end above it */
	uint32_t *by_end;        /* the places in `open`, first those in use, of which the last ends first */
	uint32_t *tops;          /* by parent + 1: its open child that answers; [0]: the function */
	struct segment *segments;
	uint32_t segment_count;
	uint32_t clipped_count; /* of segments */
	uint32_t place_count;   /* in `open` and `by_end` */
	uint64_t work;          /* not counted in the budget yet */
	uint32_t key_room, scratch_room, open_room, by_end_room, top_room, segment_room;
};

/* The rows that cover a part. All is borrowed. */
struct covering_rows {
	const struct split_row *rows;
	const uint32_t *columns;      /* by row; NULL: none are kept */
	const struct row_span *spans; /* sorted, disjoint */
	uint32_t span_count;
};

void splitter_done(struct splitter *splitter);

/* Frees the segments if they take much memory, when they are not needed any more. */
void splitter_trim(struct splitter *splitter);

/*
 * Puts the segments of the function's addresses, sorted and disjoint, into splitter->segments. At an address, the
 * search begins at the function and goes on to the child that covers it; of several, to the one that starts last (of
 * those the last in the array). So an inlinee answers only inside its parent (RULES C3), the deepest is innermost, and
 * of siblings that overlap the later-starting one owns the overlap (RULES C4). `truncated`: only the first range of the
 * function and of an inlinee is known; it also covers what is inlined into it elsewhere. A segment is clipped to the
 * 4 GiB that its size can say. False: out of memory.
 */
bool split_scopes(struct splitter *splitter, const struct split_scope *scopes, uint32_t scope_count,
		  const struct range *ranges, bool truncated);

/*
 * Appends the intervals of a part of the function: `segments` that touch each other, overlaid with rows. Rows are cut
 * at the boundaries of segments (RULES B8); if no row covers an address, file, line and column are 0 (RULES B7).
 * contexts[scope] becomes the interval's context. Adjacent intervals equal in context, file, line and column are merged
 * (RULES B9). The bytes that have a line are added to list->line_bytes. The part is at most 4 GiB. False: out of
 * memory.
 */
bool split_rows(const struct segment *segments, uint32_t segment_count, const struct covering_rows *covering,
		const uint32_t *contexts, struct interval_list *list);

#endif
