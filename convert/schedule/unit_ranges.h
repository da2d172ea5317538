/*
 * Finds the addresses at which units say that they have code: in .debug_aranges, and by the ranges of their own DIEs.
 */
#ifndef LOCUS_UNIT_RANGES_H
#define LOCUS_UNIT_RANGES_H

#include "base/range_list.h"
#include "convert/dwarf/dwarf_file.h"

struct unit_range {
	struct range range;
	uint64_t unit; /* offset in .debug_info */
};

/* Offsets of units or of line tables. */
struct offset_list {
	uint64_t *offsets;
	uint32_t count, room;
};

struct unit_ranges {
	struct unit_range *ranges; /* in no order */
	uint32_t range_count, range_room;
	struct offset_list tabled;      /* units that have a set in .debug_aranges, ascending */
	struct offset_list units;       /* all units, ascending */
	struct offset_list unsaid;      /* units with code that say nowhere where it is, ascending */
	struct offset_list line_tables; /* those that units refer to, ascending; only if each unit was read */
};

/*
 * Adds what .debug_aranges says. *ret_complete: it seems to cover every unit. Compilers that write it write a set for
 * each unit, even an empty one; so there are then as many sets as line tables or, if those are compressed, as tables of
 * abbreviations. dwarf_prepare_some was called.
 */
enum locus_status unit_ranges_from_table(struct unit_ranges *unit_ranges, struct dwarf *dwarf, bool *ret_complete,
					 struct locus_error *error);

/* The index of the unit at `offset` among all units. */
uint32_t unit_ranges_unit_index(const struct unit_ranges *unit_ranges, uint64_t offset);

/* The size of the unit at `offset`, in a .debug_info of `info_size` bytes. The units must be known. */
uint64_t unit_ranges_unit_size(const struct unit_ranges *unit_ranges, uint64_t offset, uint64_t info_size);

/* Adds what each unit says itself. If .debug_info is not in memory as a whole, it is inflated for this, and rewound. */
enum locus_status unit_ranges_from_dies(struct unit_ranges *unit_ranges, struct dwarf *dwarf,
					struct locus_error *error);

void unit_ranges_done(struct unit_ranges *unit_ranges);

#endif
