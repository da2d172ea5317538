/* A unit of .debug_info or .debug_types: its header, its own DIE, and its share of each section. */
#ifndef LOCUS_UNIT_H
#define LOCUS_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/dwarf/abbrev.h"
#include "convert/dwarf/dwarf_file.h"
#include "convert/dwarf/line_header.h"
#include "convert/dwarf/string_offsets.h"
#include "convert/elf/cursor.h"

/* A unit's share of a section in a .dwp. */
struct contribution {
	uint64_t offset;
	uint64_t size;
};

/* Offsets in .debug_ranges and .debug_rnglists. */
struct list_places {
	uint64_t ranges, rnglists;
};

struct unit {
	struct dwarf *dwarf;
	const struct unit *skeleton; /* for a split unit, the skeleton, which has its addresses and, before DWARF 5, its
					ranges; else NULL */
	enum debug_section where;    /* DEBUG_INFO or DEBUG_TYPES */
	const uint8_t *bytes;        /* from the header to the end */
	uint64_t offset;             /* of the header in its section */
	uint64_t end;
	uint64_t die_offset;  /* of the first DIE */
	uint64_t id;          /* dwo_id or type signature */
	uint64_t type_offset; /* offset of a type unit's type, from `offset` */
	uint16_t version;
	uint8_t type; /* DW_UT_ */
	struct form_sizes sizes;
	struct abbrev_table abbrevs;
	const uint8_t *abbrev_bytes;    /* the bytes that the abbreviations were read from last, as units may share a
					   table; NULL: none */
	struct form_sizes abbrev_sizes; /* the sizes that they were read for */
	struct contribution share[DEBUG_SECTION_COUNT]; /* of a unit in a .dwp, if shares_of says so; else zeroed: the
							   whole section counts */
	uint32_t shares_of; /* the bits of the sections, by enum debug_section, of which it has a share alone */

	/* From the unit's own DIE. */
	uint16_t language;
	const char *name;
	const char *comp_dir;
	const char *dwo_name;
	uint64_t low_pc;
	uint64_t stmt_list; /* UINT64_MAX: none */
	bool is_partial;    /* it is there to be referred to, as dwz writes them (DWARF 5, 3.1.1) */
	bool has_code;      /* false: only types, DIEs that other units share, or a link to one of clang's modules */
	uint64_t str_offsets_base;
	uint64_t addr_base;
	uint64_t rnglists_base;
	struct list_places floors; /* set by who reads it: lists below these may be given back at any time */
	uint64_t ranges_base;

	struct line_header lines; /* the file table, if it has a line table that can be read */
	bool borrows;        /* it was opened for references: its tables are shared with other units (unit_tables.h) */
	bool files_are_lent; /* `lines` and `file_ids` belong to another unit */
	const struct unit *files_unit; /* the unit whose `lines` the file indices refer to: this one, or its skeleton */
	_Atomic uint32_t *file_ids;    /* by file index: the interned id; 0: not asked for yet */
	uint32_t file_id_count, file_id_room;
};

/* Makes room for ids of files that were added to the unit's table since it was opened. False: out of memory. */
bool unit_grow_files(struct unit *unit);
void unit_done(struct unit *unit);

/* A cursor over the unit's bytes from `offset` of its section. */
struct cursor unit_cursor(const struct unit *unit, uint64_t offset);

/* Whether the unit, in a .dwp, has a share of the section alone, which may be empty. */
static inline bool unit_has_share(const struct unit *unit, enum debug_section which)
{
	return unit->shares_of >> which & 1;
}

/*
 * Whether units can refer to others by offsets or signatures: not in a .dwp, where offsets are still those of the .dwo,
 * whose units are not told, and where each unit's share of the abbreviations would have to be known.
 */
static inline bool unit_may_refer_across(const struct unit *unit)
{
	return !unit_has_share(unit, DEBUG_INFO);
}

/* The unit's bytes of a section: all of them or, in a .dwp, its share. */
const uint8_t *unit_section(const struct unit *unit, enum debug_section which, uint64_t *ret_size);

/*
 * Inflates at least the first `end` of these bytes, where they are compressed, and returns how many may be read now.
 * That is less than `end` where the section ends before, or is damaged, which section_is_damaged then tells.
 */
uint64_t unit_section_need(const struct unit *unit, enum debug_section which, uint64_t end);

/*
 * Whether the compiler could not give more than one range of a function or an inlinee: DWARF 2 has no DW_AT_ranges, and
 * with gcc's -gstrict-dwarf only the first of several parts has a place.
 */
static inline bool unit_truncates_ranges(const struct unit *unit)
{
	return unit->version == 2;
}

/* The unit's table of string offsets, from its base on; empty: it has none. */
struct string_offsets unit_string_offsets(const struct unit *unit);

/* An address by index into .debug_addr. */
bool unit_address_at(const struct unit *unit, uint64_t index, uint64_t *ret);

#endif
