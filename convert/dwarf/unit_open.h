/* Opening units of .debug_info and .debug_types. */
#ifndef LOCUS_UNIT_OPEN_H
#define LOCUS_UNIT_OPEN_H

#include "convert/dwarf/ranges.h"
#include "convert/dwarf/unit.h"

/*
 * Opens the unit whose header is at `offset` of section `where`: reads its header, abbreviations, own DIE, and its file
 * table if it has code or is opened for references (unit->borrows, with dwarf->lock held). `bytes` are those of the
 * whole unit if the section is not kept in memory; else NULL. `unit` was zeroed or opened before (its memory is
 * reused). `skeleton` is NULL except for split units. Errors are LOCUS_ERR_BAD_DWARF with the offset in the section.
 */
enum locus_status unit_open(struct unit *unit, struct dwarf *dwarf, enum debug_section where, uint64_t offset,
			    const uint8_t *bytes, const struct unit *skeleton, struct locus_error *error);

/* Like unit_open, for a unit of .debug_info that is not split, but without its file table. */
enum locus_status unit_open_die(struct unit *unit, struct dwarf *dwarf, uint64_t offset, const uint8_t *bytes,
				struct locus_error *error);

/*
 * Appends the ranges of the own DIE of an opened unit to *ret. *ret_says: it has attributes that give ranges, even if
 * they are empty, and all of these can be read. False: out of memory.
 */
bool unit_own_ranges(const struct unit *unit, struct given_ranges *ret, bool *ret_says);

/* Opens only the file table at `offset` of .debug_line, which no unit refers to. dwarf and sizes.address are set. */
enum locus_status unit_open_lines(struct unit *unit, uint64_t offset, struct locus_error *error);

#endif
