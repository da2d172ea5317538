/*
 * Prefetching: the memory that lookups of many addresses will read is requested at once, so that they wait for it
 * together and not one after another (group prefetching: Chen, Ailamaki, Gibbons and Mowry, Improving hash join
 * performance through prefetching, 2004). Each step requests what the next one reads. What they find stays in the
 * scratch, for the lookups.
 */
#include "reader/search.h"

/* How far the lookup of one address has come, beside what is kept of it. */
struct trail {
	struct locus_interval_run bucket; /* the intervals of its bucket */
	uint32_t context;                 /* of the next frame; LOCUS_PLACE_GAP: none is left */
};

/* Starts a lookup: finds the block, if it is decoded, and requests its bucket. */
static void begin(const struct locus_section_in *section, struct locus_ahead *ahead, uint64_t address)
{
	ahead->address = address;
	ahead->block = NULL;
	ahead->function_count = 0;
	if (!section->block_count || address < section->keys[0])
		return;
	ahead->block_index = locus_section_block_at(section, address);
	ahead->block = (const struct locus_intervals *)(const void *)locus_kept(section, ahead->block_index);
	if (ahead->block)
		locus_prefetch_line(&ahead->block->buckets[locus_intervals_bucket(ahead->block, address)]);
}

/*
 * Requests the intervals of the bucket, and notes which they are. A function that did nothing but prefetch would be one
 * without an effect to gcc, which leaves out calls of such a function.
 */
static void ask_for_places(const struct locus_ahead *ahead, struct trail *trail)
{
	const struct locus_intervals *block = ahead->block;
	struct locus_interval_run bucket =
		locus_intervals_of_bucket(block, locus_intervals_bucket(block, ahead->address));
	trail->bucket = bucket;
	if (!block->packed) {
		locus_prefetch_line(&block->wide[bucket.low]);
		return;
	}
	locus_prefetch_line(&block->packed[bucket.low]);
	locus_prefetch_line(&block->packed[bucket.low + bucket.count / 2]);
}

static void find_place(struct locus_ahead *ahead, struct trail *trail)
{
	ahead->interval = locus_intervals_find_in(ahead->block, trail->bucket, ahead->address);
	trail->context = locus_intervals_place(ahead->block, ahead->interval).context;
	if (trail->context == LOCUS_PLACE_GAP)
		return;
	trail->context &= LOCUS_PLACE_CONTEXT;
	locus_prefetch_line(&ahead->block->contexts[trail->context]);
}

/*
 * Requests the record of the next frame's function, and moves to the frame that this one was inlined into. It ends at a
 * function that is not decoded: most of the time then goes to decoding that.
 */
static void go_up(const struct locus *locus, struct locus_ahead *ahead, struct trail *trail)
{
	const struct locus_context *context = &ahead->block->contexts[trail->context];
	const struct locus_function_in *function = locus_kept_function(locus, context->function);
	locus_prefetch_line(function);
	if (function)
		ahead->functions[ahead->function_count++] = function;
	if (!function || context->caller & LOCUS_CONTEXT_IS_PART) {
		trail->context = LOCUS_PLACE_GAP;
		return;
	}
	trail->context = context->caller & LOCUS_CONTEXT_CALLER;
	locus_prefetch_line(&ahead->block->contexts[trail->context]);
}

/* Allocates what is found ahead, when it is first needed: most scratches serve a single lookup. */
static bool has_room(struct locus_scratch *scratch)
{
	size_t size = LOCUS_PREFETCH_MAX * sizeof(*scratch->ahead);
	return scratch->ahead || locus_allowance_allocate(scratch->allowance, size, &scratch->ahead, NULL) == LOCUS_OK;
}

void locus_prefetch(const struct locus *locus, struct locus_scratch *scratch, const uint64_t *addresses, size_t count)
{
	struct trail trails[LOCUS_PREFETCH_MAX];
	if (!has_room(scratch))
		return;
	struct locus_ahead *ahead = scratch->ahead;
	if (count > LOCUS_PREFETCH_MAX)
		count = LOCUS_PREFETCH_MAX;
	scratch->ahead_count = (uint32_t)count;
	scratch->ahead_next = 0;
	for (size_t i = 0; i < count; i++)
		begin(locus->known[LOCUS_SECTION_INTERVALS], &ahead[i], addresses[i]);
	for (size_t i = 0; i < count; i++)
		if (ahead[i].block)
			ask_for_places(&ahead[i], &trails[i]);

	for (size_t i = 0; i < count; i++)
		if (ahead[i].block)
			find_place(&ahead[i], &trails[i]);
	for (uint32_t frame = 0; frame < LOCUS_AHEAD_FRAMES; frame++)
		for (size_t i = 0; i < count; i++)
			if (ahead[i].block && trails[i].context != LOCUS_PLACE_GAP)
				go_up(locus, &ahead[i], &trails[i]);

	for (size_t i = 0; i < count; i++)
		for (uint32_t frame = 0; frame < ahead[i].function_count; frame++)
			locus_prefetch_line(ahead[i].functions[frame]->name);
}
