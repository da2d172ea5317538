/* The units of .debug_info, handed out to threads in the file's order. */
#ifndef LOCUS_UNIT_QUEUE_H
#define LOCUS_UNIT_QUEUE_H

#include "base/monitor.h"
#include "convert/dwarf/dwarf_file.h"
#include "convert/elf/adler_parts.h"
#include "convert/schedule/batch_pool.h"

/* Whole units, one behind the other. */
struct batch {
	uint64_t start; /* offset of memory.bytes[0] in .debug_info */
	uint64_t next;  /* offset of the next unit to hand out */
	uint64_t end;   /* next == end: none is left */
	uint32_t index; /* index of the next unit, among all */
	struct batch_block memory;
};

/*
 * Batches are made ready ahead: units that take long to read make up for those that are read faster than inflated, and
 * no thread need wait while a large unit is inflated. The memory of those that are done is spare, and used again. What
 * is left of units takes more and more memory while they are read, so as long as few are read, more may be ready and
 * spare.
 */
enum {
	READY_MAX = 256,
	AHEAD_SIZE = 4 << 20,        /* bytes that may be ready and spare together in the end, in a large section */
	AHEAD_SIZE_FIRST = 32 << 20, /* the same at first */
};

/* The unit that a thread has, and the rest of its batch. Zeroed before the first unit; freed by taken_unit_done. */
struct taken_unit {
	uint64_t offset;
	uint64_t end;
	uint32_t index;
	const uint8_t *bytes; /* of the unit; NULL: it stands in its place in .debug_info */
	struct batch batch;
};

struct unit_queue {
	struct dwarf *dwarf;
	const struct unit_choice *choice; /* NULL: every unit is handed out */
	bool whole;        /* units stand in their places in .debug_info; else it is inflated batch by batch */
	bool is_shared;    /* between several threads, so that batches are made ready ahead */
	bool sums_batches; /* threads compute the checksum of .debug_info, of the batches that they take */

	/* Only for the thread that fills a batch or, while none does, for one that is in the monitor: */
	uint64_t next_offset; /* offset of the first unit that is in no batch yet */
	uint32_t count;       /* number of units in batches so far */
	uint8_t *rest;        /* the beginning of the unit at next_offset, if it was inflated with the last batch */
	size_t rest_size;
	enum locus_status status; /* of filling batches so far: after a failure no more are filled */
	struct locus_error error; /* of that failure */

	struct monitor monitor; /* guards the fields below; not held while a batch is filled */
	bool is_filling;
	uint32_t chosen_next;          /* index of the first chosen unit that was not handed out yet */
	struct batch ready[READY_MAX]; /* a ring; batches that are not ready are empty */
	unsigned ready_first, ready_count;
	size_t ready_size;           /* bytes of units in them */
	size_t ahead_size_least;     /* bytes that may be ready and spare together in the end */
	size_t ahead_size_max;       /* the same now: no batch is begun beyond that */
	struct adler_parts checksum; /* of the batches that were summed */
	struct batch_pool pool;      /* of memory for batches */
};

/* Which units are handed out. */
struct unit_choice {
	const uint64_t *offsets; /* ascending */
	const uint32_t *indexes; /* by chosen unit: its index among all units */
	uint32_t count;
};

/*
 * `dwarf` is borrowed and prepared. With a `choice`, a compressed .debug_info is read by one thread. False: out of
 * memory. Freed by unit_queue_done in any case.
 */
bool unit_queue_init(struct unit_queue *queue, struct dwarf *dwarf, const struct unit_choice *choice,
		     unsigned thread_count);
void unit_queue_done(struct unit_queue *queue);

/* Moves on to the next unit. *ret_any is false if none is left, and on failure. */
enum locus_status unit_queue_take(struct unit_queue *queue, struct taken_unit *taken, bool *ret_any,
				  struct locus_error *error);
void taken_unit_done(struct unit_queue *queue, struct taken_unit *taken);

/*
 * To be called when all threads are done with their units. LOCUS_ERR_BAD_ELF: .debug_info was handed out as a whole,
 * but its checksum is wrong.
 */
enum locus_status unit_queue_check(struct unit_queue *queue, struct locus_error *error);

#endif
