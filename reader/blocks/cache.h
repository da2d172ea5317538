/*
 * Decoded blocks: made when they are first asked for, then kept by the handle while it has room, else by the scratch.
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

/* The last of `count` blocks' first entries, 1 or more, that is not above `entry`; 0 if none is. */
static inline uint32_t locus_last_first_not_above(const uint32_t *firsts, uint32_t count, uint32_t entry)
{
	uint32_t low = 0;
	while (count > 1) {
		uint32_t half = count / 2;
		low = firsts[low + half] <= entry ? low + half : low;
		count -= half;
	}
	return low;
}

/* The block that holds entry `entry` of a section without keys, which has more entries than that. */
static inline uint32_t locus_section_block_of(const struct locus_section_in *section, uint32_t entry)
{
	const uint32_t *blocks = &section->group_blocks[entry >> section->group_shift];
	uint32_t low = blocks[0];
	return low + locus_last_first_not_above(section->firsts + low, blocks[1] - low + 1, entry);
}

/* The same of a keyed section, in which entries are seldom asked for by their number. */
static inline uint32_t locus_keyed_block_of(const struct locus_section_in *section, uint32_t entry)
{
	return locus_last_first_not_above(section->firsts, section->block_count, entry);
}

#endif
