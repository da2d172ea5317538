/* Searches in decoded blocks. They are inline because most lookups do little else. */
#ifndef LOCUS_SEARCH_H
#define LOCUS_SEARCH_H

#include "reader/blocks/cache.h"

/* Asks for a cache line before it is needed. */
static inline void locus_prefetch_line(const void *memory)
{
#ifdef __GNUC__
	__builtin_prefetch(memory);
#else
	(void)memory;
#endif
}

/* A decoded block that the handle keeps; NULL: it is not decoded yet, or not kept. */
static inline const struct locus_decoded *locus_kept(const struct locus_section_in *section, uint32_t index)
{
	return atomic_load_explicit(&section->blocks[index], memory_order_acquire);
}

/* A function whose block is kept; NULL: it is not. */
static inline const struct locus_function_in *locus_kept_function(const struct locus *locus, uint32_t id)
{
	const struct locus_section_in *functions = locus->known[LOCUS_SECTION_FUNCTIONS];
	uint32_t index = locus_section_block_of(functions, id - 1);
	const struct locus_decoded *block = locus_kept(functions, index);
	return block ? locus_functions_records(block) + (id - 1 - functions->firsts[index]) : NULL;
}

/*
 * The last of `count` ascending keys, 1 or more, that is not above `key`; 0 if none is. This is not
 * SEARCH_FIRST (base/binary_search.h): the loop has no branch that depends on a comparison, of which a processor would
 * predict half wrong for addresses in random order.
 */
static inline uint32_t locus_last_not_above(const uint64_t *keys, uint32_t count, uint64_t key)
{
	uint32_t low = 0;
	while (count > 1) {
		uint32_t half = count / 2;
		low = keys[low + half] <= key ? low + half : low;
		count -= half;
	}
	return low;
}

/*
 * The last of `count` packed intervals, 1 or more, that is below `key`; 0 if none is. None of the LOCUS_PACKED_PADDING
 * values behind these is below it. The last steps are the same for all counts, and most runs are no longer: so how many
 * steps there are is seldom mispredicted either.
 */
static inline uint32_t locus_last_packed_below(const uint64_t *packed, uint32_t count, uint64_t key)
{
	uint32_t low = 0;
	while (count > LOCUS_PACKED_PADDING + 1) {
		uint32_t half = count / 2;
		low = packed[low + half] < key ? low + half : low;
		count -= half;
	}
	low = packed[low + 4] < key ? low + 4 : low;
	low = packed[low + 2] < key ? low + 2 : low;
	return packed[low + 1] < key ? low + 1 : low;
}

/* The block of a keyed section that holds `address`, which is not below the first block's key. */
static inline uint32_t locus_section_block_at(const struct locus_section_in *section, uint64_t address)
{
	uint64_t group = (address - section->keys[0]) >> section->group_shift;
	const uint32_t *blocks = &section->group_blocks[group < section->group_count ? group : section->group_count];
	uint32_t low = blocks[0];
	return low + locus_last_not_above(section->keys + low, blocks[1] - low + 1, address);
}

static inline uint32_t locus_last_wide_not_above(const struct locus_wide_interval *wide, uint32_t count, uint64_t start)
{
	uint32_t low = 0;
	while (count > 1) {
		uint32_t half = count / 2;
		low = wide[low + half].start <= start ? low + half : low;
		count -= half;
	}
	return low;
}

/* The bucket of an address that is not below the block's start. */
static inline uint32_t locus_intervals_bucket(const struct locus_intervals *block, uint64_t address)
{
	uint64_t bucket = (address - block->start) >> block->bucket_shift;
	return bucket < block->bucket_count ? (uint32_t)bucket : block->bucket_count - 1u;
}

/* Some intervals of a block that follow each other, at least one. */
struct locus_interval_run {
	uint32_t low;
	uint32_t count;
};

/* Those that may hold an address of the bucket. */
static inline struct locus_interval_run locus_intervals_of_bucket(const struct locus_intervals *block, uint32_t bucket)
{
	uint32_t low = block->buckets[bucket];
	uint32_t high = bucket + 1 < block->bucket_count ? block->buckets[bucket + 1] + 1u : block->count;
	return (struct locus_interval_run){low, high - low};
}

/* The interval that holds `address`, which is not below the block's start, and in the bucket of this run. */
static inline uint32_t locus_intervals_find_in(const struct locus_intervals *block, struct locus_interval_run run,
					       uint64_t address)
{
	uint64_t distance = address - block->start;
	if (!block->packed)
		return run.low + locus_last_wide_not_above(block->wide + run.low, run.count, distance);
	/* All bits below the start are ones, as in no interval with this start: the line of a gap is in mid-range. */
	bool fits = distance << block->start_shift >> block->start_shift == distance;
	uint64_t key = fits ? ~(~distance << block->start_shift) : UINT64_MAX;
	return run.low + locus_last_packed_below(block->packed + run.low, run.count, key);
}

/* The interval of a block that holds `address`, which is not below the block's start. First it tries the hint. */
static inline uint32_t locus_intervals_find(const struct locus_intervals *block, uint64_t address, uint32_t hint)
{
	for (uint32_t i = hint; i < block->count && i - hint < 2; i++)
		if (locus_intervals_start(block, i) <= address &&
		    (i + 1 == block->count || address < locus_intervals_start(block, i + 1)))
			return i;
	uint32_t bucket = locus_intervals_bucket(block, address);
	return locus_intervals_find_in(block, locus_intervals_of_bucket(block, bucket), address);
}

#endif
