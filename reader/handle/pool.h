/*
 * Memory for blocks that a handle keeps until it is closed, in the system's large pages: random lookups in a large
 * program otherwise wait mostly for the processor to find out where pages are.
 */
#ifndef LOCUS_POOL_H
#define LOCUS_POOL_H

#include <stdatomic.h>
#include <stddef.h>

#include "reader/handle/allowance.h"

/* Bytes of a large page, as x86 and most other machines have them; elsewhere it is just a size. */
enum { LOCUS_POOL_PAGE = 2 << 20 };

/* Shared by the threads that use a handle. Zeroed, it is empty. */
struct locus_pool {
	_Atomic(struct locus_pool_page *) newest;
	atomic_size_t size; /* bytes of all pages */
};

/*
 * Takes `size` bytes at the start of a cache line, which stay until locus_pool_done: for them locus_allowance_free does
 * nothing. NULL: they are too many, or there is no memory, or no more is allowed. Safe from many threads.
 */
void *locus_pool_take(struct locus_pool *pool, struct locus_allowance *allowance, size_t size);

void locus_pool_done(struct locus_pool *pool, struct locus_allowance *allowance);

#endif
