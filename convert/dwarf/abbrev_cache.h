/* All tables of a .debug_abbrev: what they declare again and again is compiled once. */
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
	uint32_t *declarations;              /* of all tables, by code: where they are in the store */
	uint32_t table_count, table_room, declaration_count;
	uint32_t seen_count;   /* of tables that are not empty, also those that are left out */
	bool refers_across;    /* another unit's DIE may name a function; or what is behind damage may say so */
	uint32_t across_count; /* of tables that say so; UINT32_MAX: behind damage there may be any number */
};

/*
 * Reads the tables in `bytes`, which are borrowed and may go afterwards, for units of `sizes`. `section` is zeroed.
 * Left out are tables whose codes are not 1, 2, 3 …, those with a form that is not known, and all from the first that
 * is cut off. False: out of memory. Freed by abbrev_section_done in either case.
 */
bool abbrev_section_read(struct abbrev_section *section, const uint8_t *bytes, size_t size,
			 const struct form_sizes *sizes);

/*
 * Makes `table` the one at `offset` for a unit of `sizes`; it borrows from the section. *ret_found is false where the
 * section has none: abbrev_table_read says then what is there. False: out of memory.
 */
bool abbrev_section_get(const struct abbrev_section *section, uint64_t offset, const struct form_sizes *sizes,
			struct abbrev_table *table, bool *ret_found);

void abbrev_section_done(struct abbrev_section *section);

#endif
