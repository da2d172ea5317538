/* Picks the scopes of one function at a time from a unit's scopes, which are in the order of their DIEs. */
#ifndef LOCUS_FUNCTION_SCOPES_H
#define LOCUS_FUNCTION_SCOPES_H

#include "convert/unit/scopes.h"
#include "convert/unit/split.h"

/* Zeroed before the first unit, reused from unit to unit, freed by function_scopes_done. */
struct function_scopes {
	/* The scopes of the current function: itself first, then its inlinees, callers before callees. */
	struct split_scope *local;
	uint32_t *scope_of; /* by local scope: its index among the unit's scopes */
	uint32_t count;

	/* By index among the unit's scopes: */
	uint32_t *next_of;  /* the next scope of the same function; UINT32_MAX: it is the last */
	uint32_t *local_of; /* its index in `local`, if it is of the current function */

	uint32_t local_room, scope_of_room, next_room, local_of_room;
};

/* Finds out which scopes belong to which function: called once for each unit. False: out of memory. */
bool function_scopes_link(struct function_scopes *functions, const struct scopes *scopes);

/* Moves to the function whose own scope is `function`. False: out of memory. */
bool function_scopes_gather(struct function_scopes *functions, const struct scopes *scopes, uint32_t function);

void function_scopes_done(struct function_scopes *functions);

#endif
