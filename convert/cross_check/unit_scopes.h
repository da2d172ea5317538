/*
 * Namespaces and classes of units, by what they enclose, as libdw's own functions tell it. Each unit is read once, when
 * the first of its DIEs is asked for. One thread uses it.
 */
#ifndef LOCUS_UNIT_SCOPES_H
#define LOCUS_UNIT_SCOPES_H

#include <elfutils/libdw.h>

#include "base/hash_slots.h"
#include "convert/cross_check/unit_loads.h"

#define NO_ENCLOSING_SCOPE UINT32_MAX

struct enclosing_scope {
	uint64_t start, end; /* offsets of the DIE, and of what comes behind the last DIE in it */
	uint32_t parent;     /* NO_ENCLOSING_SCOPE: it is an outermost one */
	const char *name;    /* libdw's; of one without a name, what stands for it */
};

struct unit_with_scopes {
	const void *cu;                 /* libdw's handle of the unit */
	struct enclosing_scope *scopes; /* by start */
	uint32_t count, room;
};

/* Zeroed before the first use but for `loads`; freed by unit_scopes_done. */
struct unit_scopes {
	struct unit_loads *loads; /* not owned */
	struct unit_with_scopes *units;
	uint32_t count, room;
	struct hash_slots slots; /* by handle */
	uint32_t *open;          /* while a unit is read: by depth, the scope around the DIEs there */
	uint32_t open_room;
};

/*
 * The scopes of the unit that a DIE is in, and in *ret_innermost the index of the innermost one around it, or
 * NO_ENCLOSING_SCOPE. NULL: out of memory, or beyond the budget (base/budget.h). Valid until the next call.
 */
const struct unit_with_scopes *unit_scopes_around(struct unit_scopes *scopes, Dwarf_Die *die, uint32_t *ret_innermost);
void unit_scopes_done(struct unit_scopes *scopes);

#endif
