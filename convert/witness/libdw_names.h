/* What functions are called, as libdw tells it, held against what a .locus file calls them (RULES D). */
#ifndef LOCUS_LIBDW_NAMES_H
#define LOCUS_LIBDW_NAMES_H

#include <elfutils/libdw.h>

#include "convert/elf/symbols.h"

/* As a .locus file tells it. NULL: absent. */
struct told_name {
	const char *function;
	const char *linkage;
};

/* What DWARF says of a function's name. Strings are libdw's, but for `qualified`, which is malloc'd. */
struct said_name {
	const char *linkage; /* NULL: it says none */
	const char *name;
	char *qualified; /* behind its scopes, where such a name is shown so (RULES D3); NULL: it is not */
};

/* Collects it. False: out of memory. */
bool said_name_read(Dwarf_Die *die, struct said_name *ret);
void said_name_done(struct said_name *said);

/* RULES A6: the symbol table has another function at `start`, where this one is said to begin, and this one elsewhere.
 */
bool said_name_is_misplaced(const struct said_name *said, struct symbols *symbols, uint64_t start);

/*
 * Whether a frame's name is what was said. A name that DWARF does not give may be a symbol's: of one that starts at any
 * of `entries`, where the function's parts start, or, in an inlined copy, of the function's own name.
 */
bool said_name_is(const struct said_name *said, const struct told_name *told, const struct symbols *symbols,
		  const uint64_t *entries, uint32_t entry_count, bool is_outermost);

/* ---- Names of DIEs that were asked for lately: the same few are asked for again and again ---- */

enum { SAID_NAMES_KEPT = 4096 };

struct kept_name {
	const void *die; /* where its bytes are; NULL: nothing is kept */
	struct said_name name;
};

/* Zeroed before the first use, freed by said_name_cache_done. One thread uses it. */
struct said_name_cache {
	struct kept_name names[SAID_NAMES_KEPT];
};

/* What is said of the DIE, valid until the next call; NULL: out of memory. */
const struct said_name *said_name_get(struct said_name_cache *cache, Dwarf_Die *die);
void said_name_cache_done(struct said_name_cache *cache);

#endif
