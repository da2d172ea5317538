/* References from one DIE to another: within a unit, across units, into the alternate file, or by signature. */
#ifndef LOCUS_DIE_REFERENCE_H
#define LOCUS_DIE_REFERENCE_H

#include "convert/dwarf/attr_value.h"

/* A DIE: its unit, and its offset in the unit's section. */
struct die_ref {
	const struct unit *unit;
	uint64_t offset;
};

/*
 * Finds the DIE that a reference leads to: in the unit, across units, in the alternate file, or by signature (RULES
 * D1). False: it leads nowhere. Another unit is opened once, and kept with its dwarf.
 */
bool value_die(const struct unit *unit, const struct value *value, struct die_ref *ret);

/*
 * Makes the units of .debug_info known that begin below `offset`, which are readable: their headers are not read again.
 * False: out of memory. Safe from many threads.
 */
bool die_index_pass(struct dwarf *dwarf, uint64_t offset);

/*
 * Keeps the bytes of a unit that is there for others to refer to: without this they could be given back long before
 * the first reference to it is followed. dwarf_info_failure tells if memory is out. Safe from many threads.
 */
void die_index_expect(struct dwarf *dwarf, const struct unit *unit);

/* Finds the DIE at `offset` of a section, in whichever unit. Only if dwarf->refers_across. */
bool dwarf_die_at(struct dwarf *dwarf, enum debug_section where, uint64_t offset, struct die_ref *ret);

/* Closes the units that were opened for references into `dwarf`. */
void die_index_done(struct dwarf *dwarf);

#endif
