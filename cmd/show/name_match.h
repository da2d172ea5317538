/* Whether a demangled name is the one that somebody means. */
#ifndef LOCUS_NAME_MATCH_H
#define LOCUS_NAME_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/show/usual_name.h"

/* What somebody means, with its usual spellings: it is held against many names. */
struct name_wanted {
	const char *text; /* borrowed */
	size_t size;
	bool may_have_inner_modules; /* modules in that of a file, which names of OCaml do not have, may stand in it */
	size_t usual_size, usual_size_in_d; /* 0: there is no usual spelling */
	char usual[USUAL_NAME_ROOM], usual_in_d[USUAL_NAME_ROOM];
};

/* For a start, without inner modules. */
void name_wanted_init(struct name_wanted *wanted, const char *text);

/*
 * Whether `wanted`, which is not empty, is the name in full, or the end of the qualified name in it. There its return
 * type is left out, and each of its lists of template arguments, of parameters and what follows these may be. Spaces
 * count only between words. Behind a leading `::` it is the whole qualified name, not its end. `language` is a DW_LANG
 * code, which says what separates the components of the name, and whether letter case counts; 0: unknown.
 */
bool name_matches(const struct name_wanted *wanted, const char *name, size_t size, uint32_t language);

/*
 * Finds a word in `wanted` that stands in every name that it matches, and is spelled out in the mangled form of each:
 * no name without it need be walked or demangled, but for those that are encoded in another way (source_name.h). The
 * size is 0 if there may be none.
 */
const char *name_match_word(const char *wanted, size_t *ret_size);

/* The same for names that are not mangled: the word `operator` is spelled out in them. */
const char *name_match_shown_word(const char *wanted, size_t *ret_size);

#endif
