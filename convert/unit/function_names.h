/* Finds the names, linkage names and declarations of functions, through their chains of origins. */
#ifndef LOCUS_FUNCTION_NAMES_H
#define LOCUS_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "convert/dwarf/die_reference.h"
#include "convert/unit/scopes.h"
#include "convert/unit/source_paths.h"
#include "spec/counters.h"

enum { ORIGIN_HOPS_MAX = 16 }; /* RULES D1 */

/* A function's identity (RULES C2). Strings live as long as the conversion; equal ones mostly have equal pointers. */
struct function_key {
	const char *linkage; /* NULL: none */
	const char *name;    /* NULL: none, or not needed because the linkage name contains it */
	uint32_t decl_file;  /* id of a struct source_paths (source_paths.h) */
	uint32_t decl_line;
	uint32_t language;
	uint32_t zero; /* 0, because keys are compared bytewise */
};

#define FUNCTION_UNKNOWN UINT32_MAX

/* The names of a DIE. */
struct die_names {
	struct function_key key;
	const char *bare;  /* DW_AT_name without its scopes; NULL: none, or the linkage name contains it */
	uint32_t function; /* the key's id; FUNCTION_UNKNOWN: it has no name */
};

/*
 * The DIEs of one unit that were asked for before. DIEs are numbered over all units: those of earlier units have
 * numbers below `first`, so a new unit need not empty the slots. They are small, because most questions are for the id
 * alone, about DIEs all over the unit.
 */
struct names_cache {
	struct names_slot {
		uint64_t offset;
		uint32_t number;   /* 0: free */
		uint32_t function; /* as in die_names */
	} * slots;
	uint32_t mask;
	struct die_names *named; /* by number - first */
	uint32_t room;
	uint32_t count;
	uint32_t first;
};

/*
 * What was wrong with the name of a DIE. Several threads may read one unit and find the same fault, so faults are
 * collected, and counted once when all threads are done.
 */
struct complaint {
	uint64_t offset;    /* offset of the DIE whose name was wanted */
	bool bad_reference; /* RULES D1 */
	bool bad_file;      /* RULES B11 */
};

struct complaints {
	struct complaint *complaints;
	uint32_t count, room;
};

/* Moves the complaints of `from` here. False: out of memory. */
bool complaints_join(struct complaints *complaints, struct complaints *from);

/* Counts each DIE once in LOCUS_DROPPED_BAD_REFERENCE and LOCUS_DROPPED_BAD_FILE, and empties the list. */
void complaints_count(struct complaints *complaints, uint64_t dropped[LOCUS_DROPPED_COUNT]);
void complaints_done(struct complaints *complaints);

/* What a thread needs to name the functions of its current unit. */
struct function_names {
	struct intern_set *functions; /* of struct function_key; shared */
	struct string_set *strings;   /* shared */
	struct path_finder *paths;    /* of the thread */
	struct names_cache cache;
	const struct scopes *scopes;      /* of the current unit */
	const struct unit *unit;          /* the current unit */
	void *other_scopes;               /* tsearch tree: the name scopes of other units that were needed */
	const struct other_scopes *other; /* those of the unit that was needed last */
	uint64_t work;                    /* not counted in the budget yet */
	struct complaints complaints;
};

void function_names_done(struct function_names *names);

/* Moves to the next unit. */
void function_names_begin(struct function_names *names, const struct unit *unit, const struct scopes *scopes);

/*
 * Finds the function that the DIE at `offset` of the unit's section names, itself or through origins. False: out of
 * memory.
 */
bool function_names_find(struct function_names *names, uint64_t offset, struct die_names *ret);

/*
 * The same for several DIEs, at most FUNCTION_NAMES_AT_ONCE, but gives only the functions' ids. What they need is
 * seldom in the processor's caches, and is waited for at the same time.
 */
enum { FUNCTION_NAMES_AT_ONCE = 16 };
bool function_names_ids(struct function_names *names, const uint64_t *offsets, uint32_t count, uint32_t *ret);

/* Whether the linkage name is mangled, and so contains the name. */
bool is_mangled(const char *linkage);

#endif
