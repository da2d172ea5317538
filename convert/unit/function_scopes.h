/* From a unit's scopes, which stand in the order of their DIEs, to those of one function at a time. */
#ifndef LOCUS_FUNCTION_SCOPES_H
#define LOCUS_FUNCTION_SCOPES_H

#include "convert/unit/scopes.h"
#include "convert/unit/split.h"

/* Zeroed before the first unit, reused from unit to unit, freed by function_scopes_done. */
struct function_scopes {
	/* The function at hand: itself first, then its inlinees, callers before callees. */
	struct split_scope *local;
	uint32_t *scope_of; /* by local scope: the unit's scope that it is */
	uint32_t count;

	/* By the unit's scope. */
	uint32_t *next_of;  /* the next scope of the same function; UINT32_MAX: it is the last */
	uint32_t *local_of; /* its index in `local`, where it is of the function at hand */

	uint32_t local_room, scope_of_room, next_room, local_of_room;
};

/* Finds out which scopes are whose: to be called once for each unit. False: out of memory. */
bool function_scopes_link(struct function_scopes *functions, const struct scopes *scopes);

/* Turns to the function whose own scope is `function`. False: out of memory. */
bool function_scopes_gather(struct function_scopes *functions, const struct scopes *scopes, uint32_t function);

void function_scopes_done(struct function_scopes *functions);

#endif
