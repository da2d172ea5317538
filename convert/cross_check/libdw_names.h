/* Finds the names of functions by libdw, and compares them with those in a .locus file (RULES D). */
#ifndef LOCUS_LIBDW_NAMES_H
#define LOCUS_LIBDW_NAMES_H

#include <elfutils/libdw.h>

#include "convert/cross_check/unit_scopes.h"
#include "convert/symbols/symbols.h"

/* The name of a function in a .locus file. NULL: absent. */
struct claimed_name {
	const char *function;
	const char *linkage;
	bool is_outermost; /* of the function whose code it is, not of one that was inlined there */
};

/* Where a function may be entered, and what symbols stand there. All borrowed. */
struct entry_points {
	const struct symbols *symbols;
	uint64_t first;
	const struct range *parts; /* which may be entered at their starts, too */
	uint32_t part_count;
};

/* The name of a function in DWARF. Strings are libdw's, except `qualified`, which is malloc'd. */
struct dwarf_name {
	const char *linkage; /* NULL: it has none */
	const char *name;
	char *qualified; /* the name behind its scopes, if it is shown so (RULES D3); else NULL */
};

/* Whether a symbol at `addr` has the function's linkage name. */
bool dwarf_name_is_at(const struct dwarf_name *dwarf, const struct symbols *symbols, uint64_t addr);

/* Whether a symbol at `addr` is that of a clone of the function, and not of a cold part of one. */
bool dwarf_name_has_clone_at(const struct dwarf_name *dwarf, const struct symbols *symbols, uint64_t addr);

/* RULES C7: whether there are symbols at `addr`, and all are other functions'. */
bool dwarf_name_has_others_at(const struct dwarf_name *dwarf, const struct symbols *symbols, uint64_t addr);

/* Whether a symbol at any address has the function's linkage name. */
bool dwarf_name_is_anywhere(const struct dwarf_name *dwarf, struct symbols *symbols);

/*
 * Whether a claimed name is the one in DWARF. A name that DWARF does not have may be a symbol's: of one that starts at
 * any of the function's entry points; or, in an inlined copy, of the function's own name.
 */
bool dwarf_name_is(const struct dwarf_name *dwarf, const struct claimed_name *claim,
		   const struct entry_points *entries);

/* The other name that a file has where the linkage name is not mangled; NULL: none, or the same. */
const char *dwarf_name_beside_linkage(const struct dwarf_name *dwarf);

/* ---- Names of DIEs that were asked for lately: the same few are asked for again and again ---- */

enum { DWARF_NAMES_KEPT = 4096 };

struct kept_name {
	const void *die; /* where its bytes are; NULL: nothing is kept */
	struct dwarf_name name;
};

/* Zeroed before the first use but for `scopes.loads`; freed by dwarf_name_cache_done. One thread uses it. */
struct dwarf_name_cache {
	struct unit_scopes scopes;
	struct kept_name names[DWARF_NAMES_KEPT];
};

/* The name of the DIE, valid until the next call; NULL: out of memory, or beyond the budget (base/budget.h). */
const struct dwarf_name *dwarf_name_get(struct dwarf_name_cache *cache, Dwarf_Die *die);
void dwarf_name_cache_done(struct dwarf_name_cache *cache);

#endif
