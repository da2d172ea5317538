/*
 * What symbols add to functions' names: further names of a function (RULES D6), and whether a name is the linkage name
 * (RULES D3).
 */
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
	/*
	 * By number of the interned function (base/intern.h), malloc'd: whether one of the symbols at the addresses
	 * for which the function answers has the function's own name.
	 */
	bool *has_own_symbol;
	bool failed; /* out of memory */
};

/* Frees the results. */
void aliases_done(struct aliases *aliases);

/* Whether any of [start, end) is asked for. */
bool aliases_asked(const struct aliases *aliases, uint64_t start, uint64_t end);

/*
 * Fills in the results; `aliases` is a struct aliases, passed as the task of a thread. It uses no ids of the output,
 * and so may run while another thread emits intervals, which gives these ids.
 */
void aliases_find(void *aliases);

#endif
