/* Decoded blocks: made when they are first asked for, then kept by the handle while it has room, else by the scratch.
 */
#ifndef LOCUS_CACHE_H
#define LOCUS_CACHE_H

#include "reader/blocks/decode.h"

/* All of a block. */
#define LOCUS_WANT_ALL ((struct locus_want){.count = UINT32_MAX, .address = UINT64_MAX})

/*
 * Gives a decoded block, which stays at least until the scratch's next use. Several threads may ask for the same block
 * at once: each decodes it, one publishes it, and the others drop theirs. The first few calls of a scratch may get only
 * the part that they want. The reference is given by value, so that it stays in registers where the block is kept.
 */
enum locus_status locus_cache_get_slow(struct locus_block_ref ref, struct locus_want want,
				       const struct locus_decoded **ret, struct locus_error *error);

static inline enum locus_status locus_cache_get(struct locus_block_ref ref, struct locus_want want,
						const struct locus_decoded **ret, struct locus_error *error)
{
	const struct locus_decoded *block = atomic_load_explicit(&ref.section->blocks[ref.index], memory_order_acquire);
	if (!block)
		return locus_cache_get_slow(ref, want, ret, error);
	*ret = block;
	return LOCUS_OK;
}

/* Reads and decodes a block that is not kept: the caller frees it with locus_allowance_free. */
enum locus_status locus_cache_decode(const struct locus_block_ref *ref, struct locus_want want,
				     struct locus_decoded **ret, struct locus_error *error);

/* The block that holds entry `entry` of the section, which has more entries than that. */
static inline uint32_t locus_section_block_of(const struct locus_section_in *section, uint32_t entry)
{
	const uint32_t *blocks = &section->group_blocks[entry >> section->group_shift];
	uint32_t low = blocks[0], count = blocks[1] - low + 1;
	while (count > 1) {
		uint32_t half = count / 2;
		low = section->firsts[low + half] <= entry ? low + half : low;
		count -= half;
	}
	return low;
}

#endif
