/* Finds the functions of a .locus file by name, for texts that have `fn+0x10/0x40` instead of an address. */
#ifndef LOCUS_FUNCTION_INDEX_H
#define LOCUS_FUNCTION_INDEX_H

#include "reader/locus.h"

struct function_index;

/*
 * Reads the whole file once, in some 0.1 µs for each interval, by a scratch that is not used any more then. The handle
 * must stay open as long as the index.
 */
enum locus_status function_index_new(struct locus *locus, struct locus_scratch *scratch, struct function_index **ret,
				     struct locus_error *error);
void function_index_free(struct function_index *index);

/* The bytes that it takes. */
size_t function_index_memory(const struct function_index *index);

/* A place in the code, as texts name it: fn+0x10/0x40. */
struct function_offset {
	struct locus_string name; /* or linkage name; it may have suffixes of compilers (foo.cold, foo.constprop.0) */
	uint64_t delta;           /* bytes from the function's start */
	/*
	 * Decides between functions of one name. It is the size that kernels give, up to the next symbol or, for the
	 * last function of a module, to the end of the page, and so includes padding. 0: unknown; then only one
	 * function may have the name.
	 */
	uint64_t size;
};

/* Finds the address of the place. False: no function has this name and size, or some hundreds have the name. */
bool function_index_find(struct function_index *index, const struct function_offset *place, uint64_t *ret);

#endif
