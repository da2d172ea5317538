/* The contexts of a unit's functions: scopes that answer somewhere, named and without repetition. */
#ifndef LOCUS_CONTEXTS_H
#define LOCUS_CONTEXTS_H

#include "convert/unit/function_names.h"
#include "convert/unit/function_scopes.h"
#include "convert/unit/piece.h"
#include "spec/counters.h"

/* Zeroed before the first unit, reused from unit to unit, freed by contexts_done. */
struct contexts {
	struct context *contexts; /* of all functions of the unit */
	uint32_t count;
	uint32_t *of_scope; /* by local scope of the function at hand: its context */

	uint32_t *slots; /* hash of the function's contexts */
	uint32_t room, of_scope_room, slot_room;
};

/* A function as contexts_make wants it. All is borrowed. */
struct context_source {
	const struct scopes *scopes;
	const struct function_scopes *functions; /* the function at hand */
	const struct segment *segments;          /* who answers where */
	uint32_t segment_count;
	uint32_t function; /* intern id */
	struct names *names;
};

/*
 * Adds the contexts of the scopes that own a segment, and of their callers; the function's own comes first. Scopes that
 * own nothing are counted in dropped[LOCUS_DROPPED_OUTSIDE_PARENT] (RULES C3), and have no context. False: out of
 * memory.
 */
bool contexts_make(struct contexts *contexts, const struct context_source *source,
		   uint64_t dropped[LOCUS_DROPPED_COUNT]);

/* Adds one context as it is, for code without a function. False: out of memory. */
bool contexts_add(struct contexts *contexts, const struct context *context, uint32_t *ret);

void contexts_done(struct contexts *contexts);

#endif
