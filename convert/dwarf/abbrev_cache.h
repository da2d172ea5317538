/* All tables of a .debug_abbrev, with each distinct declaration compiled once. */
#ifndef LOCUS_ABBREV_CACHE_H
#define LOCUS_ABBREV_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/dwarf/abbrev.h"

struct abbrev_section_table;

struct abbrev_section {
	struct abbrev_store store;           /* each declaration once, whatever its code */
	struct abbrev_section_table *tables; /* by offset */
	uint32_t *declarations;              /* by table and code: indexes in the store */
	uint32_t table_count, table_room, declaration_count;
	uint32_t seen_count;   /* tables that are not empty, also those that were left out */
	bool refers_across;    /* a function may get its name from another unit's DIE; also true if damage hides some
				  tables */
	uint32_t across_count; /* tables that allow it; UINT32_MAX: damage hides how many */
};

/*
 * Reads the tables in `bytes` for units of `sizes`; the bytes need not stay. `section` is zeroed. Left out are tables
 * whose codes are not 1, 2, 3 …, those with an unknown form, and all from the first that is cut off. False: out of
 * memory. Freed by abbrev_section_done in either case.
 */
bool abbrev_section_read(struct abbrev_section *section, const uint8_t *bytes, size_t size,
			 const struct form_sizes *sizes);

/*
 * Makes `table` the one at `offset` for a unit of `sizes`; it borrows from the section. *ret_found is false if the
 * section has left it out: then abbrev_table_read reads it, or says what is wrong. False: out of memory.
 */
bool abbrev_section_get(const struct abbrev_section *section, uint64_t offset, const struct form_sizes *sizes,
			struct abbrev_table *table, bool *ret_found);

void abbrev_section_done(struct abbrev_section *section);

#endif
