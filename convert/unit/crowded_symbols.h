/*
 * The symbols of addresses that have very many, as where a linker folded functions: by the words in their names, so
 * that a function's is found without comparing all of them.
 */
#ifndef LOCUS_CROWDED_SYMBOLS_H
#define LOCUS_CROWDED_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/symbols/symbols.h"

/* Zeroed before the first use; freed by crowded_symbols_done. For one thread. */
struct crowded_symbols {
	void *crowds;  /* tsearch tree by address */
	uint64_t work; /* not counted in the budget yet */
};

/* A symbol whose name has a word. */
struct worded_symbol {
	uint64_t hash;  /* of the word */
	uint32_t index; /* among the symbols at its address */
};

/* Symbols of one word, in their order. */
struct worded_symbols {
	const struct worded_symbol *symbols;
	size_t count;
};

/* Whether a symbol's name is mangled as those of C++ and of Rust's older kind are. */
bool symbol_has_words(const char *symbol);

/*
 * Finds, of the `count` symbols at one address, of which `symbols` is the first, the mangled ones that may be of a
 * function called `name`, as mangled_name_is says. *ret_is_known: no other symbol with words is of that function. It is
 * false where the name has no word; then none is found. False: out of memory, or beyond the budget.
 */
bool crowded_symbols_find(struct crowded_symbols *crowded, const struct symbol *symbols, size_t count, const char *name,
			  struct worded_symbols *ret, bool *ret_is_known);
void crowded_symbols_done(struct crowded_symbols *crowded);

#endif
