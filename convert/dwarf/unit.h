/* A unit of .debug_info or .debug_types: its header, its own DIE, and where its share of each section is. */
#ifndef LOCUS_UNIT_H
#define LOCUS_UNIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/dwarf/abbrev.h"
#include "convert/dwarf/dwarf_file.h"
#include "convert/dwarf/line_header.h"
#include "convert/elf/cursor.h"

/* Where a unit of a .dwp finds its share of a section. Everything elsewhere. */
struct contribution {
	uint64_t offset;
	uint64_t size;
};

struct unit {
	struct dwarf *dwarf;
	const struct unit *skeleton; /* of a split unit: gives addresses, and ranges before DWARF 5; else NULL */
	enum debug_section where;    /* DEBUG_INFO or DEBUG_TYPES */
	const uint8_t *bytes;        /* from the header to the end */
	uint64_t offset;             /* of the header in its section */
	uint64_t end;
	uint64_t die_offset;  /* of the first DIE */
	uint64_t id;          /* dwo_id or type signature */
	uint64_t type_offset; /* of a type unit's type, from `offset` */
	uint16_t version;
	uint8_t type; /* DW_UT_ */
	struct form_sizes sizes;
	struct abbrev_table abbrevs;
	const uint8_t *abbrev_bytes;    /* what the table was made of, last: units may share one; NULL: nothing */
	struct form_sizes abbrev_sizes; /* and for which sizes */
	struct contribution share[DEBUG_SECTION_COUNT]; /* of a unit in a .dwp; else offset 0 and the whole section */

	/* From the unit's own DIE. */
	uint16_t language;
	const char *name;
	const char *comp_dir;
	const char *dwo_name;
	uint64_t low_pc;
	uint64_t stmt_list; /* UINT64_MAX: none */
	bool has_code;      /* false: types, or what other units share, and nothing else */
	uint64_t str_offsets_base;
	uint64_t addr_base;
	uint64_t rnglists_base;
	uint64_t ranges_base;

	struct line_header lines;      /* the file table, where there is a line table that can be read */
	bool borrows;                  /* opened for references: tables are shared with others (unit_tables.h) */
	bool files_are_lent;           /* `lines` and `file_ids` are not the unit's own */
	const struct unit *files_unit; /* whose `lines` file indices mean: this one, or its skeleton */
	_Atomic uint32_t *file_ids;    /* by file index: id once it was asked for; 0: not yet */
	uint32_t file_id_count, file_id_room;
};

/* Makes room for ids of files that were added to the unit's table since it was opened. False: out of memory. */
bool unit_grow_files(struct unit *unit);
void unit_done(struct unit *unit);

/* A cursor over the unit's bytes from `offset` of its section. */
struct cursor unit_cursor(const struct unit *unit, uint64_t offset);

/* The bytes of a section that belong to the unit: all of them, or its share in a .dwp. */
const uint8_t *unit_section(const struct unit *unit, enum debug_section which, uint64_t *ret_size);

/*
 * Whether the compiler had no way to say more than one range of an inlinee: DWARF 2 is without DW_AT_ranges, and only
 * the first part of what is not contiguous has a place there (gcc's -gstrict-dwarf).
 */
static inline bool unit_truncates_ranges(const struct unit *unit)
{
	return unit->version == 2;
}

/* An address by index into .debug_addr. */
bool unit_address_at(const struct unit *unit, uint64_t index, uint64_t *ret);

#endif
