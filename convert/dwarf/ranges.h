/* Address ranges of a DIE: DW_AT_low_pc/high_pc, .debug_ranges and .debug_rnglists. */
#ifndef LOCUS_RANGES_H
#define LOCUS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range_list.h"
#include "convert/dwarf/attr_value.h"

enum { RANGE_READINGS_MAX = 16, RANGE_BYTES_SPARE = 1 << 20 }; /* RULES A7 */

/* RULES A7: whether so many DIEs share lists of ranges that no compiler can have written them. */
bool ranges_are_endless(const struct unit *unit);

/*
 * Appends the ranges that a DIE's low_pc, high_pc and ranges attributes give (form 0: absent). Dead ranges, and ones
 * that end before they start, are counted and not appended; empty ones are neither. False: out of memory.
 */
bool die_ranges(const struct unit *unit, const struct value *low, const struct value *high, const struct value *ranges,
		struct range_list *list);

#endif
