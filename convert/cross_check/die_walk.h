/* Visits the DIEs below one, parents before their children, in time that grows with their number alone. */
#ifndef LOCUS_DIE_WALK_H
#define LOCUS_DIE_WALK_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct die_walk {
	Dwarf_Die die;  /* at hand */
	uint32_t depth; /* of it: 1 for a child of the DIE where the walk began */
};

/*
 * Goes to the first child of `root`. False: it has none, or the budget (base/budget.h) is exceeded, to which each DIE
 * is counted.
 */
bool die_walk_begin(struct die_walk *walk, Dwarf_Die *root);

/*
 * Counts, for the budget, what it takes to ask a DIE for a few of its attributes: as much as it has attributes. False:
 * the budget is exceeded.
 */
bool die_walk_spend(Dwarf_Die *die);

/* Goes to the next DIE; not to one below the DIE at hand, if `descend` is false. False: there is none, or as above. */
bool die_walk_next(struct die_walk *walk, bool descend);

#endif
