/*
 * Finds the addresses at which units say that they have code: in .debug_aranges, and by the ranges of their own DIEs.
 */
#ifndef LOCUS_CLAIMS_H
#define LOCUS_CLAIMS_H

#include "convert/dwarf/dwarf_file.h"
#include "convert/dwarf/rows.h"

struct claim {
	struct range range;
	uint64_t unit; /* offset in .debug_info */
};

/* Offsets of units or of line tables, ascending once all are added. */
struct offset_list {
	uint64_t *offsets;
	uint32_t count, room;
};

struct claims {
	struct claim *claims; /* in no order */
	uint32_t claim_count, claim_room;
	struct offset_list tabled;      /* units that have a set in .debug_aranges */
	struct offset_list units;       /* all units */
	struct offset_list unsaid;      /* units with code that have no ranges anywhere */
	struct offset_list line_tables; /* those that units refer to; only if each unit was read */
};

/*
 * Adds what .debug_aranges says. *ret_complete: it seems to cover every unit. Compilers that write it write a set for
 * each unit, even an empty one; so there are then as many sets as line tables or, if those are compressed, as tables of
 * abbreviations. dwarf_prepare_some was called.
 */
enum locus_status claims_from_table(struct claims *claims, struct dwarf *dwarf, bool *ret_complete,
				    struct locus_error *error);

/* The index of the unit at `offset` among all units. */
uint32_t claims_unit_index(const struct claims *claims, uint64_t offset);

/* The size of the unit at `offset`, in a .debug_info of `info_size` bytes. The units must be known. */
uint64_t claims_unit_size(const struct claims *claims, uint64_t offset, uint64_t info_size);

/* Adds what each unit says itself. If .debug_info is not in memory as a whole, it is inflated for this, and rewound. */
enum locus_status claims_from_units(struct claims *claims, struct dwarf *dwarf, struct locus_error *error);

void claims_done(struct claims *claims);

#endif
