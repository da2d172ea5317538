/* Symbols that give code a further name, beside that of what answers there (RULES D6). */
#ifndef LOCUS_ALIASES_H
#define LOCUS_ALIASES_H

#include "convert/emit/output_ids.h"
#include "convert/emit/overlaps.h"
#include "convert/emit/symbol_spans.h"

struct alias {
	uint64_t addr;
	const char *name; /* the symbol's */
};

struct aliases {
	/* Set by the caller; nothing of it is changed meanwhile. */
	const struct exec_range *asked; /* sorted, disjoint */
	size_t asked_count;
	const struct symbols *symbols;
	const struct symbol_spans *spans;
	const struct overlaps *overlaps;
	const struct intern_set *function_keys;

	/* Results: those of functions in address order, then those of what only symbols name. */
	struct alias *found; /* malloc'd */
	uint32_t count, room;
	bool failed; /* out of memory */
};

/* Whether any of [start, end) is asked for. */
bool aliases_asked(const struct aliases *aliases, uint64_t start, uint64_t end);

/* Finds them, for a `struct aliases`: it needs no ids, and so may run beside emission. */
void aliases_find(void *aliases);

#endif
