/* Memory for batches of units: blocks of all sizes, in pages that are used again and again. */
#ifndef LOCUS_BATCH_POOL_H
#define LOCUS_BATCH_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/short_lock.h"

/*
 * A page that is written for the first time costs more than what is done with it later: the kernel fills it with zeros,
 * and in a virtual machine its host may have to find it first. Units are of all sizes, so the memory of one that is
 * done seldom fits the next. Therefore blocks lie in one region, where several small ones find room in what a large one
 * left, or one large in what small ones left. Several threads may use a pool.
 */
struct batch_pool {
	struct short_lock lock; /* guards the fields below, not the bytes of blocks */
	uint8_t *region;        /* mapped, or NULL */
	uint8_t *chunks;        /* the states of the region's chunks, all of one size */
	size_t count;           /* of chunks */
	size_t open;            /* the first so many of them may be written; only these count for a limit of memory */
	size_t kept;            /* bytes of the region that are in no block but have pages */
};

struct batch_block {
	uint8_t *bytes;
	size_t room; /* 0: there is none */
};

/*
 * `size`: bytes of the region, at most; it takes no more than is used. With 0 there is none, and blocks come from
 * malloc. False: out of memory. Freed by batch_pool_done in any case.
 */
bool batch_pool_init(struct batch_pool *pool, size_t size);

/* No block is used any more. */
void batch_pool_done(struct batch_pool *pool);

/* Takes a block of at least `size` bytes, with anything in them. False: out of memory. */
bool batch_pool_take(struct batch_pool *pool, size_t size, struct batch_block *ret);

/*
 * Gives the block back and empties it; an empty one is fine. Afterwards at most `most` bytes that are in no block keep
 * their pages, and less than a 32nd of the region more; the rest go back to the kernel.
 */
void batch_pool_give(struct batch_pool *pool, struct batch_block *block, size_t most);

#endif
