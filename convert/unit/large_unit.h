/*
 * Large units, which link-time optimisation makes: several threads read one at the same time, each a part of its
 * functions after the other, so that no thread waits for another's unit, and what is in memory at one time is what a
 * few parts take.
 */
#ifndef LOCUS_LARGE_UNIT_H
#define LOCUS_LARGE_UNIT_H

#include <pthread.h>

#include "base/first_failure.h"
#include "convert/unit/unit_to_pieces.h"

struct large_unit;

/* The large units that are being read. */
struct large_units {
	struct first_failure *failure; /* what goes wrong is noted there, and nothing is begun any more */
	uint64_t whole_max;            /* bytes of DIEs of a unit that one thread reads as a whole */
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a unit came or went, or a task is done */
	struct large_unit *first;
	unsigned busy;  /* threads that have entered: each may still bring a large unit */
	uint64_t count; /* of all that there were */
};

/* For `size` bytes of DIEs in all, that so many threads read. `failure` is borrowed. */
void large_units_init(struct large_units *large, uint64_t size, unsigned thread_count, struct first_failure *failure);
void large_units_done(struct large_units *large);

/* Whether the unit has so many DIEs that it is to be read by large_units_read. */
bool unit_is_large(const struct large_units *large, const struct unit *unit);

/*
 * Reads a large unit with the help of the threads that call large_units_help or large_units_leave meanwhile. Arguments
 * and result are those of unit_reader_read. Where another thread fails LOCUS_OK is returned with *ret NULL, and the
 * failure is noted.
 */
enum locus_status large_units_read(struct large_units *large, struct unit_reader *reader, const struct unit *unit,
				   struct unit *rows, uint32_t unit_index, struct unit_result **ret,
				   struct locus_error *error);

/* This thread takes part from now on; large_units_leave ends it. */
void large_units_enter(struct large_units *large);

/* Helps with whatever large unit has something left to do; returns at once where none has. */
void large_units_help(struct large_units *large, struct unit_reader *reader);

/* This thread brings no further unit: it helps the others until none of them does. */
void large_units_leave(struct large_units *large, struct unit_reader *reader);

#endif
