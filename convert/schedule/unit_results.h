/* What is left of the units that were read: their pieces, a result of each, and counts of what was dropped. */
#ifndef LOCUS_UNIT_RESULTS_H
#define LOCUS_UNIT_RESULTS_H

#include "base/short_lock.h"
#include "convert/unit/unit_to_pieces.h"

struct unit_results {
	struct unit_result **by_unit; /* in the file's order, line tables without a unit last; NULL: it has no code */
	uint32_t count;
	struct piece *pieces; /* of all units, by their starts */
	uint32_t piece_count;
	uint64_t dropped[LOCUS_DROPPED_COUNT];

	struct short_lock lock; /* guards all fields while threads read units */
	uint32_t result_room, piece_room;
	struct arena arena; /* has the results, and what the pieces point to */
};

void unit_results_init(struct unit_results *results);
void unit_results_done(struct unit_results *results);

/* Makes `count` at least so much; the results that this adds are NULL. False: out of memory. Safe from many threads. */
bool unit_results_reserve(struct unit_results *results, uint32_t count);

/*
 * Moves here what a thread has read: sorts its pieces, merges them into those of others, stores the units' results by
 * their indexes, so that it does not matter which thread read them, and takes its arena over. Safe from many threads.
 */
enum locus_status unit_results_collect(struct unit_results *results, struct unit_reader *reader,
				       struct locus_error *error);

/* Forgets all units that were read, so that they can be read again. */
void unit_results_forget(struct unit_results *results);

#endif
