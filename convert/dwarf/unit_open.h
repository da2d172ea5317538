/* Opening units of .debug_info and .debug_types. */
#ifndef LOCUS_UNIT_OPEN_H
#define LOCUS_UNIT_OPEN_H

#include "convert/dwarf/ranges.h"
#include "convert/dwarf/unit.h"

/*
 * Opens the unit whose header is at `offset` of section `where`: header, abbreviations, own DIE, and its file table
 * where it has code or is opened for references (unit->borrows, under dwarf->lock). `bytes` are the whole unit's where
 * the section is not kept, and NULL where it is. `unit` was zeroed or opened before (its memory is reused); `skeleton`
 * is NULL but for split units. Errors are LOCUS_ERR_BAD_DWARF with the offset in the section. ret_next, where not NULL,
 * becomes the offset of the next unit as soon as the header's length is known, also when what follows is damaged; else
 * UINT64_MAX.
 */
enum locus_status unit_open(struct unit *unit, struct dwarf *dwarf, enum debug_section where, uint64_t offset,
			    const uint8_t *bytes, const struct unit *skeleton, uint64_t *ret_next,
			    struct locus_error *error);

/* As unit_open for a unit of .debug_info that is no split one, but without its file table. */
enum locus_status unit_open_die(struct unit *unit, struct dwarf *dwarf, uint64_t offset, const uint8_t *bytes,
				struct locus_error *error);

/*
 * Appends the ranges that the own DIE of an opened unit gives. *ret_says: it has attributes that give some, be they
 * empty. False: out of memory.
 */
bool unit_own_ranges(const struct unit *unit, struct range_list *ranges, bool *ret_says);

/* Only the file table at `offset` of .debug_line, for a table that no unit refers to. dwarf and sizes.address are set.
 */
enum locus_status unit_open_lines(struct unit *unit, uint64_t offset, struct locus_error *error);

#endif
