/* Which of many ranges of addresses hold one: of functions, sequences of rows, symbols. */
#ifndef LOCUS_SPAN_INDEX_H
#define LOCUS_SPAN_INDEX_H

#include <stdbool.h>
#include <stdint.h>

/* Addresses [start, end) of an item of the caller's. */
struct span {
	uint64_t start;
	uint64_t end;
	uint64_t reach; /* the highest end of all spans up to this one, once they are sorted */
	uint32_t item;
};

/* Zeroed before the first span, freed by span_index_done. */
struct span_index {
	struct span *spans;
	uint32_t count, room;
};

/* False: out of memory. An empty span is left out. */
bool span_index_add(struct span_index *index, uint64_t start, uint64_t end, uint32_t item);

/* After the last span, before the first question. */
void span_index_sort(struct span_index *index);
void span_index_done(struct span_index *index);

/* Gives up to `max` spans that hold `addr`, those that start last first. Returns their number. */
uint32_t span_index_find(const struct span_index *index, uint64_t addr, const struct span **ret, uint32_t max);

/* How many spans start at or below `addr`: those before this index. */
uint32_t span_index_count_below(const struct span_index *index, uint64_t addr);

/* The last span that starts at or below `addr`; NULL: none. */
const struct span *span_index_below(const struct span_index *index, uint64_t addr);

#endif
