/* The units of .debug_info, handed out to threads in the file's order. */
#ifndef LOCUS_UNIT_QUEUE_H
#define LOCUS_UNIT_QUEUE_H

#include "convert/dwarf/dwarf_file.h"

/* Whole units that stand behind each other. Its memory is reused. */
struct batch {
	uint64_t start; /* in .debug_info: what bytes[0] is */
	uint64_t next;  /* of the next unit that is handed out */
	uint64_t end;   /* next == end: none is left */
	uint32_t index; /* of the next unit, among all */
	uint8_t *bytes;
	size_t room;
};

enum { READY_MAX = 4 }; /* batches: of one, two threads wait for it a seventh of the time */

/* What a thread has got: one unit, and the rest of its batch. Zeroed before the first turn; freed by turn_done. */
struct turn {
	uint64_t offset;
	uint64_t end;
	uint32_t index;
	const uint8_t *bytes; /* the unit's; NULL where .debug_info is there as a whole */
	struct batch batch;
};

struct turns {
	struct dwarf *dwarf;
	const struct unit_choice *choice; /* NULL: every unit is handed out */
	bool whole;                       /* .debug_info is there as a whole; else it is inflated batch by batch */
	bool ahead;                       /* batches are made ready for whoever comes next */

	/* Guarded by `lock`, which is held while a batch is inflated. */
	pthread_mutex_t lock;
	uint64_t next_offset; /* of the first unit that is in no batch yet */
	uint32_t count;       /* of units in batches */
	uint32_t chosen_next; /* of the choice: the first that was not handed out yet */
	uint8_t *rest;        /* the start of that unit, where it was inflated with the last batch */
	size_t rest_size;

	pthread_mutex_t ready_lock;    /* guards what follows; held for a moment only */
	struct batch ready[READY_MAX]; /* a ring; those not ready are empty */
	unsigned ready_first, ready_count;
};

/* Which units are handed out. */
struct unit_choice {
	const uint64_t *offsets; /* ascending */
	const uint32_t *indexes; /* of the same among all units */
	uint32_t count;
};

/* `dwarf` is borrowed and prepared; a `choice` is for one thread where .debug_info is compressed. False: out of memory.
 * Freed by turns_done in any case. */
bool turns_init(struct turns *turns, struct dwarf *dwarf, const struct unit_choice *choice, unsigned thread_count);
void turns_done(struct turns *turns);

/* Moves on to the next unit. *ret_any is false where none is left, and where it fails. */
enum locus_status turns_take(struct turns *turns, struct turn *turn, bool *ret_any, struct locus_error *error);
void turn_done(struct turn *turn);

#endif
