/*
 * The functions' parts that hold an address, without those that are known to be misplaced (RULES A6): debug information
 * may have thousands of these at one place.
 */
#ifndef LOCUS_PLACED_PARTS_H
#define LOCUS_PLACED_PARTS_H

#include "convert/cross_check/span_index.h"

/* Zeroed before the first use, freed by placed_parts_done. */
struct placed_parts {
	/* By index of the part: how many parts there are up to one that is not known to be misplaced; NULL: unused. */
	uint32_t *counts;
	uint32_t *found; /* indexes of those that hold the address that was asked for last, in their order */
	uint32_t found_count, found_room;
	bool is_only; /* no other part holds that address, misplaced or not: this one is found whatever it is */
};

/* Finds them, of all parts, which stay the same. False: out of memory, or beyond the budget (base/budget.h). */
bool placed_parts_find(struct placed_parts *placed, const struct span_index *parts, uint64_t addr);

/* Notes that a part is misplaced. */
void placed_parts_note_misplaced(struct placed_parts *placed, uint32_t part);
void placed_parts_done(struct placed_parts *placed);

#endif
