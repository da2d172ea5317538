/* Where the functions of a .locus file start, by name: for texts that say `fn+0x10/0x40` instead of an address. */
#ifndef LOCUS_FUNCTION_INDEX_H
#define LOCUS_FUNCTION_INDEX_H

#include "reader/locus.h"

struct function_index;

/* Reads the whole file once, some 0.1 µs an interval. The handle and a scratch of its own must outlive the index. */
enum locus_status function_index_new(struct locus *locus, struct locus_scratch *scratch, struct function_index **ret,
				     struct locus_error *error);
void function_index_free(struct function_index *index);

/*
 * The address `delta` bytes into the function of this name or linkage name. Compilers' suffixes (foo.cold,
 * foo.constprop.0) may be part of the name. Where several functions have the name, `size` tells which is meant, as
 * kernels give it: up to the next symbol, or for the last one of a module to the end of its page, so with the padding.
 * 0: unknown; then the name must be one function's alone.
 * False: no function has this name, and this size.
 */
bool function_index_find(struct function_index *index, struct locus_string name, uint64_t delta, uint64_t size,
			 uint64_t *ret);

#endif
