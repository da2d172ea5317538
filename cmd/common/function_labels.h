/* The name a person reads for a function: demangled, and remembered by function. */
#ifndef LOCUS_FUNCTION_LABELS_H
#define LOCUS_FUNCTION_LABELS_H

#include "reader/locus.h"

struct names; /* of one open file */

/* A name to show. */
struct name {
	const char *data;
	/* In one word: a name of two words is handed on in registers, one of three by memory. */
	size_t size : 63;    /* 0: nothing names it */
	size_t is_plain : 1; /* known to need no escapes */
};

/* Never NULL; out of memory ends the program. Freed by names_free; a program that ends need not. */
struct names *names_new(bool demangle, uint32_t function_count);
void names_free(struct names *names);

/*
 * The linkage name, demangled where that is asked for and possible; without one, the function's own name. Stays until
 * the next call.
 */
struct name names_get(struct names *names, uint32_t function_id, struct locus_string function,
		      struct locus_string linkage, uint32_t language);

/* Asks for what names_get will return before it is needed: of many names, few are in the cache. */
void names_prefetch(struct names *names, uint32_t function_id);

/* "alias", "folded", "overlap". */
const char *alternate_kind_name(enum locus_alternate_kind kind);

#endif
