/* The name a person reads for a function: demangled, and remembered by function. */
#ifndef LOCUS_FUNCTION_LABELS_H
#define LOCUS_FUNCTION_LABELS_H

#include "reader/locus.h"

struct function_labels; /* of one open file */

/* A name to show. */
struct name {
	const char *data;
	/* Both in one word, so that a name is passed in two registers and not in memory. */
	size_t size : 8 * sizeof(size_t) - 1; /* 0: nothing names it */
	size_t is_plain : 1;                  /* known to need no escapes */
};

/* Never NULL; out of memory ends the program. Freed by function_labels_free; a program that ends need not. */
struct function_labels *function_labels_new(bool demangle, uint32_t function_count);
void function_labels_free(struct function_labels *names);

/* The bytes that the remembered names take. */
size_t function_labels_memory(const struct function_labels *names);

/*
 * The linkage name, demangled if that is wanted and possible; if there is none, the function's own name. Stays until
 * the next call.
 */
struct name function_labels_get(struct function_labels *names, uint32_t function_id, struct locus_string function,
				struct locus_string linkage, uint32_t language);

/* Prefetches what function_labels_get will return: few of many names are in the processor's cache. */
void function_labels_prefetch(struct function_labels *names, uint32_t function_id);

/* "alias", "folded", "overlap". */
const char *alternate_kind_name(enum locus_alternate_kind kind);

#endif
