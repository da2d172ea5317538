/* Address ranges of a DIE: DW_AT_low_pc/high_pc, .debug_ranges and .debug_rnglists. */
#ifndef LOCUS_RANGES_H
#define LOCUS_RANGES_H

#include <stdbool.h>

#include "base/range_list.h"
#include "convert/dwarf/attr_value.h"

enum { RANGE_READINGS_MAX = 16, RANGE_BYTES_SPARE = 1 << 20, RANGE_BYTES_AT_ONCE = 1 << 12 }; /* RULES A7 */

/* Ranges that DIEs give. Zeroed before the first use; range_list_done frees the list. */
struct given_ranges {
	struct range_list list;
	uint64_t tombstone_count; /* of those that were left out (RULES A2, A5) */
	uint64_t bad_count;       /* the same (RULES A3, A4) */
	uint64_t bare_count;      /* of those at 0 or 1 without a byte, as linkers leave them of what they dropped */
	uint64_t read_bytes;      /* of lists that were read and not counted yet (RULES A7) */
	struct list_places ends;  /* behind the last lists that were read */
};

/*
 * RULES A7: counts the bytes of lists that were read for `given`. False: so many DIEs share lists of ranges that no
 * compiler can have written them. All threads count at one place, so who reads many lists counts them together: when a
 * unit ends, and before that as soon as these are RANGE_BYTES_AT_ONCE.
 */
bool ranges_count(const struct unit *unit, struct given_ranges *given);

/*
 * Appends the ranges that a DIE's low_pc, high_pc and ranges attributes give (form 0: absent), of which the first two,
 * where both can be read, count alone. Dead ranges, and ones that end before they start, are counted and not appended;
 * empty ones are neither. False: out of memory. Bytes of lists are left to ranges_count.
 */
bool die_ranges(const struct unit *unit, const struct value *low, const struct value *high, const struct value *ranges,
		struct given_ranges *given);

#endif
