/*
 * Packs intervals in a third of their memory: a stream of bytes in which each is given by its difference from the one
 * before. Intervals are most of what a conversion holds, from the time that their unit is read until they are emitted.
 */
#ifndef LOCUS_PACKED_INTERVALS_H
#define LOCUS_PACKED_INTERVALS_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/always_inline.h"
#include "convert/unit/fold.h"
#include "convert/unit/split.h"

/* Scratch memory, reused from call to call. Zeroed before the first; freed by interval_packer_done. */
struct interval_packer {
	uint8_t *bytes; /* the result of the last intervals_pack */
	uint32_t size;
	uint32_t room;
	bool keeps_columns; /* set by the caller before the first call; if false, columns are ignored */
	uint32_t count;     /* intervals of the piece that intervals_pack_some has packed */

	/* While there are some: the last of them, and the table of what is packed. */
	struct interval last;
	uint8_t *table;
	uint32_t table_size, table_room;
};

/* Packs intervals of a piece that others follow, so that not all need be in memory. False: out of memory. */
bool intervals_pack_some(struct interval_packer *packer, const struct interval *intervals, uint32_t count);

/*
 * The last bytes of what is packed. They may have any value, but are read, because fields are read four bytes at a
 * time.
 */
enum { INTERVALS_PADDING = 4 };

/*
 * Packs the intervals of one piece, or those behind what intervals_pack_some has packed of it, to packer->bytes: at
 * least one. The piece's ascend from 0 on. False: out of memory.
 */
bool intervals_pack(struct interval_packer *packer, const struct interval *intervals, uint32_t count);
void interval_packer_done(struct interval_packer *packer);

/* A walk over packed intervals. */
struct interval_cursor {
	const uint8_t *next; /* the bytes of the interval behind this one */
	uint32_t left;       /* intervals behind this one */
	bool has_columns;
	struct interval interval;
};

/*
 * A cursor at the interval that holds `offset` (from the start of the piece). `bytes` are the result of intervals_pack,
 * with columns or without; they are borrowed.
 */
struct interval_cursor intervals_at(const uint8_t *bytes, bool has_columns, uint32_t offset);

/* By control byte: where each of its fields ends, counted from the byte behind it, in one byte of the number each. */
extern const uint32_t interval_field_ends[256];
/* By two bits of the control byte: a mask for the bytes that belong to the field, of the four that are read. */
extern const uint32_t interval_field_masks[4];

static inline uint32_t interval_field(const uint8_t *fields, uint32_t control, unsigned index)
{
	uint32_t at = index ? interval_field_ends[control] >> 8 * (index - 1) & 0xff : 0, number;
	memcpy(&number, fields + at, sizeof(number));
	return le32toh(number) & interval_field_masks[control >> 2 * index & 3];
}

/* The same for a field that holds a difference of either sign. */
static inline uint32_t interval_difference(const uint8_t *fields, uint32_t control, unsigned index)
{
	return unfold_difference(interval_field(fields, control, index));
}

/*
 * Moves on to the next interval. False: this one was the last. Inlined, so that a loop keeps the interval in registers.
 */
static ALWAYS_INLINE bool interval_next(struct interval_cursor *cursor)
{
	struct interval *interval = &cursor->interval;
	if (!cursor->left)
		return false;
	uint32_t control = *cursor->next;
	const uint8_t *fields = cursor->next + 1;
	interval->start += interval_field(fields, control, 0);
	interval->line += interval_difference(fields, control, 1);
	interval->context += interval_difference(fields, control, 2);
	interval->file += interval_difference(fields, control, 3);
	cursor->next = fields + (interval_field_ends[control] >> 24);
	if (cursor->has_columns) {
		control = *cursor->next;
		interval->column += interval_difference(cursor->next + 1, control, 0);
		cursor->next += 1 + (interval_field_ends[control] & 0xff);
	}
	cursor->left--;
	return true;
}

#endif
