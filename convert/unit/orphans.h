/* Orphans: code that rows cover but no function of their unit (RULES B14). Arrays in, arrays out. */
#ifndef LOCUS_ORPHANS_H
#define LOCUS_ORPHANS_H

#include "convert/unit/sequences.h"

/* A walk over the orphans, in the order of addresses. */
struct orphan_walk {
	const struct sequences *sequences;
	struct range_list *covered;
	uint32_t sequence; /* that the walk is in */
	uint32_t next;     /* the first range of `covered` that may end above where the walk is */
	uint32_t released; /* ranges whose memory was given back */
	uint64_t reached;
};

/*
 * Begins a walk over the addresses of the sequences without those of the functions, which are `covered`, in any order:
 * they are sorted, and empty after the walk. Both are borrowed. `has_dropped`: a linker dropped functions of the unit
 * (RULES A2), whose rows, in sequences that begin at 0 or 1, are none.
 */
struct orphan_walk orphans_begin(const struct sequences *sequences, struct range_list *covered, bool has_dropped);

/* The next addresses, disjoint from those before. False: there are none. */
bool orphans_next(struct orphan_walk *walk, struct range *ret);

enum { ORPHANS_AT_ONCE = 256 };

/* The next ORPHANS_AT_ONCE of them, or the fewer that are left. Returns their number. */
uint32_t orphans_take(struct orphan_walk *walk, struct range ret[ORPHANS_AT_ONCE]);

#endif
