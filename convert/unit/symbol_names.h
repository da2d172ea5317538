/*
 * Joins functions with the symbols at their addresses: to find linkage names, entries, and functions at whose place
 * there is another (RULES A6, C7, D3).
 */
#ifndef LOCUS_SYMBOL_NAMES_H
#define LOCUS_SYMBOL_NAMES_H

#include "base/intern.h"
#include "convert/symbols/symbols.h"
#include "convert/unit/crowded_symbols.h"
#include "convert/unit/function_names.h"

enum { SYMBOL_NAMES_KNOWN = 64 };

/* The symbol table as one thread uses it. The first two are borrowed. */
struct symbol_names {
	struct symbols *symbols;
	struct intern_set *functions; /* of struct function_key; shared */

	/* Addresses that were looked up, by some of their bits: a function's entry is looked up repeatedly. */
	struct symbols_found {
		uint64_t addr;
		const struct symbol *first; /* NULL: none, or nothing was asked for yet */
		size_t count;
	} found[SYMBOL_NAMES_KNOWN];

	struct crowded_symbols crowded;
	uint64_t work; /* not counted in the budget yet */
};

void symbol_names_done(struct symbol_names *names);

/* Like symbols_at. */
const struct symbol *symbol_names_at(struct symbol_names *names, uint64_t addr, size_t *ret_count);

/* Looks up the symbols at `addr` ahead, and has the processor fetch a name that a function will be compared with. */
void symbol_names_ahead(struct symbol_names *names, uint64_t addr);

/*
 * RULES D3: gives a function without a linkage name the symbol at its entry as one, if the symbol has its name, or if
 * the function has no name at all. *function becomes the id of the function with it. *ret_is_name: the symbol is just
 * the name. False: out of memory.
 */
bool symbol_names_link(struct symbol_names *names, uint64_t entry, const struct die_names *named, uint32_t *function,
		       bool *ret_is_name);

/*
 * Whether there are symbols at `addr`, and all are other functions'. *ret_has_one: the only one is this function's
 * linkage name.
 */
bool symbol_names_are_others(struct symbol_names *names, uint64_t addr, const char *linkage, bool *ret_has_one);

/*
 * The entry of a function for which DWARF gives none: the start of a range at which a symbol has the function's very
 * name, else that of a clone of it, else of the first range. Compilers that split functions, and BOLT, which puts
 * ranges in order, may list the cold range first. `count` is not 0.
 */
uint64_t symbol_names_entry(struct symbol_names *names, const struct range *ranges, uint32_t count,
			    const struct die_names *named);

/*
 * Whether the symbol is the linkage name of a function that DWARF calls `name`, without its scopes. In C, and in
 * languages that mangle names, a plain symbol is the name itself; other languages build symbols around names.
 */
bool symbol_names_function(const char *symbol, const char *name, uint16_t language);

#endif
