/*
 * Lists of address ranges, read by the book (DWARF 5, 2.17.3), an entry at a time. libdw's own function reads on
 * through any number of entries that select a base before it gives a range.
 */
#ifndef LOCUS_PLAIN_RANGES_H
#define LOCUS_PLAIN_RANGES_H

#include "convert/cross_check/dwarf_sections.h"

/* What the lists of a unit depend on. */
struct unit_ranges {
	struct section_bytes info;      /* of the DIEs */
	struct section_bytes lists;     /* .debug_ranges, or since DWARF 5 .debug_rnglists */
	struct section_bytes addresses; /* .debug_addr, from the unit's part on */
	uint64_t lists_base; /* where numbers of lists count from; in DWARF 4 what is added in a split unit */
	uint64_t low_pc;     /* the first base (RULES A5) */
	unsigned version;
	uint8_t addr_size, offset_size;
	bool swap;
};

/* Finds them. `die`: the unit's, of the skeleton where it is split; `code_die`: of what has the functions. */
void unit_ranges_find(struct unit_ranges *ret, Dwarf_Die *die, const struct dwarf_sections *sections,
		      Dwarf_Die *code_die, const struct dwarf_sections *code_sections);

/* The address that an attribute gives, by itself or by its number. False: its form gives none. */
bool unit_ranges_address(const struct unit_ranges *unit, const Dwarf_Attribute *attribute, uint64_t *ret);

/* A list, and where its reading stands. */
struct plain_ranges {
	const struct unit_ranges *unit;
	struct cursor c;
	uint64_t base;
};

/* Goes to the list that DW_AT_ranges names. False: there is none. */
bool plain_ranges_begin(struct plain_ranges *list, const struct unit_ranges *unit, const Dwarf_Attribute *attribute);

/* The next range, which may be empty or dead. False: the list ends, or the budget (base/budget.h) is exceeded. */
bool plain_ranges_next(struct plain_ranges *list, uint64_t *ret_start, uint64_t *ret_end);

#endif
