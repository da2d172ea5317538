/* Address ranges of a DIE: DW_AT_low_pc/high_pc, .debug_ranges and .debug_rnglists. */
#ifndef LOCUS_RANGES_H
#define LOCUS_RANGES_H

#include <stdbool.h>

#include "base/range_list.h"
#include "convert/dwarf/attr_value.h"

enum { RANGE_READINGS_MAX = 16, RANGE_BYTES_SPARE = 1 << 20, RANGE_BYTES_AT_ONCE = 1 << 12 }; /* RULES A7 */

/*
 * RULES A7: counts the bytes of lists that were read for `list`. False: so many DIEs share lists of ranges that no
 * compiler can have written them. All threads count at one place, so who reads many lists counts them together: when a
 * unit ends, and before that as soon as these are RANGE_BYTES_AT_ONCE.
 */
bool ranges_count(const struct unit *unit, struct range_list *list);

/*
 * Appends the ranges that a DIE's low_pc, high_pc and ranges attributes give (form 0: absent), of which the first two,
 * where both can be read, count alone. Dead ranges, and ones that end before they start, are counted and not appended;
 * empty ones are neither. False: out of memory. Bytes of lists are left to ranges_count.
 */
bool die_ranges(const struct unit *unit, const struct value *low, const struct value *high, const struct value *ranges,
		struct range_list *list);

#endif
