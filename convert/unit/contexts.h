/* The contexts of a function: scopes that answer somewhere, named and without repetition. */
#ifndef LOCUS_CONTEXTS_H
#define LOCUS_CONTEXTS_H

#include "convert/unit/function_names.h"
#include "convert/unit/function_scopes.h"
#include "convert/unit/piece.h"
#include "spec/counters.h"

/* Zeroed before the first function, reused from function to function, freed by contexts_done. */
struct contexts {
	struct context *contexts; /* of the current function; its own is the first */
	uint32_t *call_columns;   /* by context, if keeps_columns: 0 is unknown */
	uint32_t count;
	uint32_t *of_scope; /* by local scope of the current function: its context */
	bool keeps_columns; /* set by the caller before the first function */

	uint32_t *slots; /* hash table of the function's contexts */
	uint32_t room, call_column_room, of_scope_room, slot_room;
};

/* What contexts_make needs of a function. All is borrowed. */
struct context_source {
	const struct scopes *scopes;
	const struct function_scopes *functions; /* the current function */
	const struct segment *segments;          /* which scope answers where */
	uint32_t segment_count;
	uint32_t function; /* intern id */
	struct function_names *names;
};

/*
 * Makes the contexts of the scopes that own a segment, and of their callers. Scopes that own nothing are counted in
 * dropped[LOCUS_DROPPED_OUTSIDE_PARENT] (RULES C3), and have no context. False: out of memory.
 */
bool contexts_make(struct contexts *contexts, const struct context_source *source,
		   uint64_t dropped[LOCUS_DROPPED_COUNT]);

void contexts_done(struct contexts *contexts);

#endif
