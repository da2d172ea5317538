/*
 * Visits DIEs: those below one, parents before their children, and those that one originates in. Each is counted to the
 * budget (base/budget.h) before more is asked of it.
 */
#ifndef LOCUS_DIE_WALK_H
#define LOCUS_DIE_WALK_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "convert/cross_check/unit_loads.h"

struct die_walk {
	Dwarf_Die die;       /* at hand */
	uint32_t depth;      /* of it: 1 for a child of the DIE where the walk began */
	const char *counted; /* up to where the bytes of DIEs were counted */
	bool is_cut_off;     /* libdw could not tell what stands behind the DIE at hand, and so the walk ended there */
};

/* Goes to the first child of `root`. False: it has none, or the budget is exceeded. */
bool die_walk_begin(struct die_walk *walk, Dwarf_Die *root);

/* Goes to the next DIE; not to one below the DIE at hand, if `descend` is false. False: there is none, or as above. */
bool die_walk_next(struct die_walk *walk, bool descend);

/*
 * Counts what it takes to ask a DIE outside of a walk for a few of its attributes: as much as it has attributes, and as
 * its strings are long. False: the budget is exceeded.
 */
bool die_spend(Dwarf_Die *die);

/*
 * The same for a DIE and all that it originates in or completes, which libdw reads for an attribute that the DIE does
 * not have.
 */
bool die_spend_origins(struct unit_loads *loads, Dwarf_Die die);

/*
 * The first name that these DIEs have, but for empty ones (RULES D7), and which of them has it. NULL: none has.
 * dwarf_attr_integrate would end at an attribute that is empty, or has a form that gives no string.
 */
const char *die_find_name(Dwarf_Die die, Dwarf_Die *ret);

/* The first linkage name that they have, in whichever attribute (RULES D2). NULL: none has. */
const char *die_find_linkage(Dwarf_Die die);

#endif
