/* Which addresses a file's units say they have code at: in .debug_aranges, and by the ranges of their own DIEs. */
#ifndef LOCUS_CLAIMS_H
#define LOCUS_CLAIMS_H

#include "convert/dwarf/dwarf_file.h"
#include "convert/dwarf/rows.h"

struct claim {
	struct range range;
	uint64_t unit; /* offset in .debug_info */
};

/* Offsets of units or of line tables, ascending once all are there. */
struct offset_list {
	uint64_t *offsets;
	uint32_t count, room;
};

struct claims {
	struct claim *claims; /* in no order */
	uint32_t claim_count, claim_room;
	struct offset_list tabled;      /* units that .debug_aranges speaks for */
	struct offset_list units;       /* all of them */
	struct offset_list unsaid;      /* those with code of which nobody says where */
	struct offset_list line_tables; /* that units refer to; only where each was asked */
};

/*
 * What .debug_aranges says. *ret_complete: it seems to speak for every unit. Compilers that write it write a set for
 * each unit, be it empty, and so there are as many sets as line tables or, where those are compressed, tables of
 * abbreviations. dwarf_prepare_some was called.
 */
enum locus_status claims_from_table(struct claims *claims, struct dwarf *dwarf, bool *ret_complete,
				    struct locus_error *error);

/* The place of the unit at `offset` among all. */
uint32_t claims_unit_index(const struct claims *claims, uint64_t offset);

/* The bytes of the unit at `offset`, in a .debug_info of `info_size` bytes, where the units are known. */
uint64_t claims_unit_size(const struct claims *claims, uint64_t offset, uint64_t info_size);

/* What each unit says, in addition. A .debug_info that is not there as a whole is inflated for it, and rewound. */
enum locus_status claims_from_units(struct claims *claims, struct dwarf *dwarf, struct locus_error *error);

void claims_done(struct claims *claims);

#endif
