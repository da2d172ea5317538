/*
 * What it costs to have libdw load units. libdw reads the abbreviations anew for each unit, even where many units share
 * one table. So a table is counted once for each unit that refers to it, before libdw is asked for the unit.
 */
#ifndef LOCUS_UNIT_LOADS_H
#define LOCUS_UNIT_LOADS_H

#include <elfutils/libdw.h>

#include "base/hash_slots.h"
#include "convert/cross_check/dwarf_sections.h"

/* The abbreviations from an offset on. */
struct abbreviation_table {
	const void *dwarf;
	uint64_t offset;
	uint64_t steps, bytes; /* of the budget, for each unit that has it */
};

/* Zeroed before the first use, freed by unit_loads_done. */
struct unit_loads {
	struct abbreviation_table *tables;
	uint32_t table_count, table_room;
	struct hash_slots table_slots;
	const void **type_units; /* libdw's handles of those that were counted */
	uint32_t type_unit_count, type_unit_room;
	struct hash_slots type_unit_slots;
	uint64_t unread_form; /* of addresses, which libdw does not read, in some table; 0: there is none */
};

/*
 * Counts all units of a file but those of types, before libdw is asked for the first. `path`: the file, for messages.
 * False: out of memory, or beyond the budget (base/budget.h).
 */
bool unit_loads_count(struct unit_loads *loads, Dwarf *dwarf, const struct dwarf_sections *sections, const char *path);

/* Counts the unit that a DIE is in, if it is one of types and was not counted yet, before the DIE is read. */
bool unit_loads_count_type(struct unit_loads *loads, const Dwarf_Die *die);

void unit_loads_done(struct unit_loads *loads);

#endif
