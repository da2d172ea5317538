/* Joins functions with the symbols at their addresses: linkage names, entries, and what is misplaced (RULES A6, D3). */
#ifndef LOCUS_SYMBOL_NAMES_H
#define LOCUS_SYMBOL_NAMES_H

#include "base/intern.h"
#include "convert/elf/symbols.h"
#include "convert/unit/function_names.h"
#include "convert/unit/scopes.h"

/* One thread's view of the symbol table. Both are borrowed. */
struct symbol_names {
	struct symbols *symbols;
	struct intern_set *functions; /* of struct function_key; shared */

	/* What was asked for last: a function's entry is asked for again and again. */
	uint64_t addr;
	const struct symbol *first; /* NULL: none, or nothing was asked for yet */
	size_t count;

	uint64_t work; /* that the budget was not told of yet */
};

/* As symbols_at. */
const struct symbol *symbol_names_at(struct symbol_names *names, uint64_t addr, size_t *ret_count);

/*
 * RULES D3: gives a function without a linkage name the symbol at its entry as one, if that symbol names it or if it
 * has no name at all. *function is the function's id with it; *ret_is_name says that the symbol is just the name.
 * False: out of memory.
 */
bool symbol_names_link(struct symbol_names *names, uint64_t entry, const struct named *named, uint32_t *function,
		       bool *ret_is_name);

/*
 * RULES A6: whether the symbol table has another function at `addr`, and this one elsewhere. Linkers point the debug
 * information of a copy that they dropped at the one they kept, which may be laid out otherwise.
 */
bool symbol_names_misplaced(struct symbol_names *names, uint64_t addr, const char *linkage);

/*
 * A function's entry where DWARF does not say it: the start of a range at which a symbol bears the function's very
 * name, else of the first range. Compilers that split functions may list the cold range first. `count` is not 0.
 */
uint64_t symbol_names_entry(struct symbol_names *names, const struct range *ranges, uint32_t count,
			    const struct named *named);

/*
 * Whether the symbol is the linkage name of a function that DWARF calls `name`, without its scopes. In C, and in
 * the languages that mangle, a plain symbol is the very name; others build symbols around names.
 */
bool symbol_names_function(const char *symbol, const char *name, uint16_t language);

#endif
