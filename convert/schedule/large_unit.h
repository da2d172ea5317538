/*
 * Large units, as link-time optimisation makes them, are read by several threads at once, each of which reads one part
 * of the functions after the other. So no thread waits while another reads a large unit, and only a few parts are in
 * memory at a time.
 */
#ifndef LOCUS_LARGE_UNIT_H
#define LOCUS_LARGE_UNIT_H

#include <stdatomic.h>

#include "base/first_failure.h"
#include "base/monitor.h"
#include "convert/unit/unit_to_pieces.h"

struct large_unit;

/* The large units that are being read. */
struct large_units {
	struct first_failure *failure; /* failures are noted there, and then nothing new is begun */
	uint64_t whole_max;            /* the most bytes of DIEs of a unit that one thread reads as a whole */
	unsigned thread_count;
	struct monitor monitor; /* tells that a unit came, that a task is done, or that a thread leaves */
	struct large_unit *first;
	atomic_uint open_count; /* units from `first` on; written in the monitor */
	unsigned busy;          /* threads that have entered, each of which may still find a large unit */
	uint64_t count;         /* number of large units so far */
};

/* Sets up for `size` bytes of DIEs in all, read by so many threads. `failure` is borrowed. */
void large_units_init(struct large_units *large, uint64_t size, unsigned thread_count, struct first_failure *failure);
void large_units_done(struct large_units *large);

/*
 * Whether the unit has so many DIEs that it is to be read by large_units_read. `left` is how many bytes of DIEs follow
 * in later units, which other threads read meanwhile; UINT64_MAX: so many that none of them would wait.
 */
bool unit_is_large(const struct large_units *large, const struct unit *unit, uint64_t left);

/*
 * Reads a large unit together with the threads that call large_units_help or large_units_leave meanwhile. Arguments and
 * result are those of unit_reader_read. If another thread fails, LOCUS_OK is returned without a result, and the failure
 * is noted.
 */
enum locus_status large_units_read(struct large_units *large, struct unit_reader *reader, const struct unit *unit,
				   struct unit *rows, uint32_t unit_index, struct locus_error *error);

/* Makes this thread take part, until large_units_leave. */
void large_units_enter(struct large_units *large);

/* Helps with any large unit that has tasks left. */
void large_units_help(struct large_units *large, struct unit_reader *reader);

/* To be called when this thread will find no further large unit: it helps the others until none of them will. */
void large_units_leave(struct large_units *large, struct unit_reader *reader);

#endif
