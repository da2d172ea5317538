/*
 * Intervals in a third of their memory: a stream of bytes in which each tells how it differs from the one before. Most
 * of what a conversion holds is intervals, between their unit's reading and their emission.
 */
#ifndef LOCUS_PACKED_INTERVALS_H
#define LOCUS_PACKED_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/unit/split.h"

/* Scratch memory, reused from call to call. Zeroed before the first; freed by interval_packer_done. */
struct interval_packer {
	uint8_t *bytes; /* what intervals_pack made last */
	uint32_t size;
	uint32_t room;
	bool keeps_columns; /* set by the caller before the first; else those of the intervals are not looked at */
};

/* Packs the `count` intervals of one piece, which ascend from 0 on, to packer->bytes. False: out of memory. */
bool intervals_pack(struct interval_packer *packer, const struct interval *intervals, uint32_t count);
void interval_packer_done(struct interval_packer *packer);

/* Where a walk over packed intervals is. */
struct interval_cursor {
	const uint8_t *next; /* the bytes of the interval behind this one */
	uint32_t left;       /* intervals behind this one */
	bool has_columns;
	struct interval interval;
};

/*
 * A cursor at the interval that `offset` (from the piece's start) is in. `bytes` are what intervals_pack made of
 * `count` intervals, at least one, with columns or without; they are borrowed.
 */
struct interval_cursor intervals_at(const uint8_t *bytes, uint32_t count, bool has_columns, uint32_t offset);

/* Moves on to the next interval. False: this one was the last. */
bool interval_next(struct interval_cursor *cursor);

#endif
