/*
 * Prefetching: the memory that lookups of many addresses will read is requested at once, so that they wait for it
 * together and not one after another (group prefetching: Chen, Ailamaki, Gibbons and Mowry, Improving hash join
 * performance through prefetching, 2004). Each step requests what the next one reads.
 */
#include "reader/search.h"

enum {
	GROUP = 32, /* addresses: more than the processor's line-fill buffers hold would wait for each other */
	LEVELS = 4, /* frames whose functions are asked for */
};

/* How far the lookup of one address has come. */
struct trail {
	const struct locus_intervals *block;      /* NULL: it has ended, or its next block is not decoded */
	const struct locus_function_in *function; /* of the innermost frame; NULL: not known, or not kept */
	uint64_t address;
	struct locus_interval_run bucket; /* the intervals of its bucket */
	uint32_t context;
};

/* Starts a lookup: finds the block, if it is decoded, and requests its bucket. */
static struct trail begin(const struct locus *locus, uint64_t address)
{
	const struct locus_section_in *section = locus->known[LOCUS_SECTION_INTERVALS];
	struct trail trail = {.address = address};
	if (!section->block_count || address < section->keys[0])
		return trail;
	uint32_t index = locus_section_block_at(section, address);
	trail.block = (const struct locus_intervals *)(const void *)locus_kept(section, index);
	if (trail.block)
		locus_prefetch_line(&trail.block->buckets[locus_intervals_bucket(trail.block, address)]);
	return trail;
}

/*
 * Requests the intervals of the bucket, and notes which they are. A function that did nothing but prefetch would be one
 * without an effect to gcc, which leaves out calls of such a function.
 */
static void ask_for_places(struct trail *trail)
{
	const struct locus_intervals *block = trail->block;
	struct locus_interval_run bucket =
		locus_intervals_of_bucket(block, locus_intervals_bucket(block, trail->address));
	trail->bucket = bucket;
	if (!block->packed) {
		locus_prefetch_line(&block->wide[bucket.low]);
		return;
	}
	locus_prefetch_line(&block->packed[bucket.low]);
	locus_prefetch_line(&block->packed[bucket.low + bucket.count / 2]);
}

static void find_place(struct trail *trail)
{
	uint32_t index = locus_intervals_find_in(trail->block, trail->bucket, trail->address);
	uint32_t context = locus_intervals_place(trail->block, index).context;
	trail->context = context & LOCUS_PLACE_CONTEXT;
	if (context == LOCUS_PLACE_GAP)
		trail->block = NULL;
	else
		locus_prefetch_line(&trail->block->contexts[trail->context]);
}

/* Requests the record of the current context's function, and moves to the context that it was inlined into. */
static void go_up(const struct locus *locus, struct trail *trail)
{
	const struct locus_context *context = &trail->block->contexts[trail->context];
	const struct locus_function_in *function = locus_kept_function(locus, context->function);
	locus_prefetch_line(function);
	if (!trail->function)
		trail->function = function;
	trail->context = context->caller & LOCUS_CONTEXT_CALLER;
	if (context->caller & LOCUS_CONTEXT_IS_PART)
		trail->block = NULL;
	else
		locus_prefetch_line(&trail->block->contexts[trail->context]);
}

static void prefetch_group(const struct locus *locus, const uint64_t *addresses, size_t count)
{
	struct trail trails[GROUP];
	for (size_t i = 0; i < count; i++)
		trails[i] = begin(locus, addresses[i]);
	for (size_t i = 0; i < count; i++)
		if (trails[i].block)
			ask_for_places(&trails[i]);

	for (size_t i = 0; i < count; i++)
		if (trails[i].block)
			find_place(&trails[i]);
	for (unsigned level = 0; level < LEVELS; level++)
		for (size_t i = 0; i < count; i++)
			if (trails[i].block)
				go_up(locus, &trails[i]);

	for (size_t i = 0; i < count; i++)
		if (trails[i].function)
			locus_prefetch_line(trails[i].function->name);
}

void locus_prefetch(const struct locus *locus, const uint64_t *addresses, size_t count)
{
	for (size_t i = 0; i < count; i += GROUP)
		prefetch_group(locus, addresses + i, count - i < GROUP ? count - i : GROUP);
}
