/* A handle publishes each block once, for all threads; a scratch keeps a short list of those without room there. */
#include "reader/blocks/cache.h"

#include "base/fail.h"

enum {
	HELD_MAX = 32, /* blocks that a scratch keeps, unless its last result needs more */
	/* Calls of a scratch that decode only what they want: a process may make a single lookup. */
	PARTIAL_CALLS_MAX = 4,
	POOLED_LEAST = 1 << 20, /* bytes */
	/*
	 * The bytes that all blocks may unfold to: UNFOLDED_SPARE, and UNFOLDED_RATIO for each byte of the file. Those
	 * of real programs take 14 for each at the highest level of compression, 10 of them for intervals.
	 */
	UNFOLDED_SPARE = 32 << 20,
	UNFOLDED_RATIO = 24,
	KEPT_INTERVALS_RATIO = 16,
};

static locus_decode *const decoders[LOCUS_SECTION_ID_END] = {
	[LOCUS_SECTION_INTERVALS] = locus_intervals_decode,
	[LOCUS_SECTION_FUNCTIONS] = locus_functions_decode,
	[LOCUS_SECTION_FILES] = locus_files_decode,
	[LOCUS_SECTION_ALTERNATES] = locus_alternates_decode,
	[LOCUS_SECTION_SOURCE_COLUMNS] = locus_source_columns_decode,
};

enum locus_status locus_cache_decode(const struct locus_block_ref *ref, struct locus_want want,
				     struct locus_decoded **ret, struct locus_error *error)
{
	struct locus_columns columns;
	enum locus_status status = locus_block_read(ref, &columns, error);
	if (status != LOCUS_OK)
		return status;
	return decoders[ref->section->id](ref, &columns, want, ret, error);
}

/* Frees the block that was unused longest, but none that this call asked for. Returns its place; NULL: none is free. */
static struct locus_held *held_evict(struct locus_scratch *scratch)
{
	struct locus_held *oldest = &scratch->held[0];
	for (size_t i = 1; i < scratch->held_count; i++)
		if (scratch->held[i].used < oldest->used)
			oldest = &scratch->held[i];
	if (oldest->used == scratch->use)
		return NULL;
	locus_allowance_free(scratch->allowance, oldest->block);
	return oldest;
}

/* Finds a place for a block. */
static enum locus_status held_add(struct locus_scratch *scratch, struct locus_held **ret, struct locus_error *error)
{
	if (scratch->held_count >= HELD_MAX) {
		*ret = held_evict(scratch);
		if (*ret)
			return LOCUS_OK;
	}

	enum locus_status status = locus_allowance_grow(scratch->allowance, &scratch->held, scratch->held_count,
							&scratch->held_capacity, sizeof(*scratch->held), error);
	if (status == LOCUS_OK)
		*ret = &scratch->held[scratch->held_count++];
	return status;
}

/* Whether a held block has what is wanted. Only calls that may decode a part themselves take a part. */
static bool has(const struct locus_block_ref *ref, const struct locus_decoded *held, struct locus_want want)
{
	return held->count == locus_block_entry_count(ref) ||
	       (ref->scratch->use <= PARTIAL_CALLS_MAX && want.address == UINT64_MAX && want.count <= held->count);
}

/*
 * Finds a held block that has what is wanted. If only too small a part of it is held, *want becomes all of the block,
 * so that it is not decoded part after part.
 */
static const struct locus_decoded *held_find(const struct locus_block_ref *ref, struct locus_want *want)
{
	struct locus_scratch *scratch = ref->scratch;
	for (size_t i = 0; i < scratch->held_count; i++) {
		struct locus_held *held = &scratch->held[i];
		if (held->section != ref->section || held->index != ref->index)
			continue;
		if (has(ref, held->block, *want)) {
			held->used = scratch->use;
			return held->block;
		}
		*want = LOCUS_WANT_ALL;
	}
	return NULL;
}

/* Bytes that blocks of a program whose file has this size may take, at so many for each byte. */
static uint64_t unfolded_max(const struct locus *locus, unsigned ratio)
{
	return UNFOLDED_SPARE + ratio * locus->file_size;
}

/*
 * Whether a block may be kept, if there is room. Intervals may be very regular, and then take hundreds of bytes for one
 * of the file: so these are kept only as far as a program's are, and never in place of names, which are needed in any
 * order.
 */
static bool may_keep(const struct locus_block_ref *ref)
{
	size_t kept = atomic_load_explicit(&ref->section->kept, memory_order_relaxed);
	return ref->section->id != LOCUS_SECTION_INTERVALS || kept <= unfolded_max(ref->locus, KEPT_INTERVALS_RATIO);
}

/* Counts a block among what the handle keeps, unless its page of the pool is counted. False: there is no room. */
static bool count_kept(struct locus *locus, const struct locus_decoded *block)
{
	if (locus_allowance_is_pooled(block))
		return true;
	size_t pooled = atomic_load_explicit(&locus->pool.size, memory_order_relaxed);
	size_t before = atomic_fetch_add(&locus->kept, block->size);
	size_t after = pooled + before + block->size;
	if (after <= locus->kept_max && after >= block->size)
		return true;
	atomic_fetch_sub(&locus->kept, block->size);
	return false;
}

/* Gives the block to the handle. False: that has no room. Otherwise *block is the one kept, maybe another thread's. */
static bool publish(const struct locus_block_ref *ref, struct locus_decoded **block)
{
	struct locus *locus = ref->locus;
	if (!may_keep(ref) || !count_kept(locus, *block))
		return false;
	struct locus_decoded *expected = NULL;
	if (atomic_compare_exchange_strong_explicit(&ref->section->blocks[ref->index], &expected, *block,
						    memory_order_acq_rel, memory_order_acquire)) {
		atomic_fetch_add_explicit(&ref->section->kept, (*block)->size, memory_order_relaxed);
		return true;
	}
	if (!locus_allowance_is_pooled(*block))
		atomic_fetch_sub(&locus->kept, (*block)->size);
	locus_allowance_free(&locus->allowance, *block);
	*block = expected;
	return true;
}

/* Frees all held blocks that this call has not asked for. False: there are none. */
static bool held_drop(struct locus_scratch *scratch)
{
	size_t kept = 0;
	for (size_t i = 0; i < scratch->held_count; i++) {
		if (scratch->held[i].used == scratch->use)
			scratch->held[kept++] = scratch->held[i];
		else
			locus_allowance_free(scratch->allowance, scratch->held[i].block);
	}
	bool dropped = kept < scratch->held_count;
	scratch->held_count = kept;
	return dropped;
}

/* Whether a block that was refused with this status would be refused again. */
static bool is_damage(enum locus_status status)
{
	return status == LOCUS_ERR_CHECKSUM || status == LOCUS_ERR_CORRUPT;
}

/* Fails for what was found of a block before. */
static enum locus_status fail_again(const struct locus_block_ref *ref, enum locus_status status,
				    struct locus_error *error)
{
	uint64_t offset = ref->section->offsets[ref->index];
	if (status == LOCUS_ERR_LIMIT)
		return locus_fail_at(error, status, offset,
				     "its blocks unfold to more than a file of %llu bytes can need",
				     (unsigned long long)ref->locus->file_size);
	return locus_fail_at(error, status, offset, "block %u of section %u is damaged, as was found before",
			     ref->index, ref->section->id);
}

/*
 * Decodes a block. That it is damaged, or refused, is remembered, so that hostile content costs its time only once. If
 * memory is out, blocks that this scratch holds from earlier calls are freed first.
 */
static enum locus_status decode(const struct locus_block_ref *ref, struct locus_want want, struct locus_decoded **ret,
				struct locus_error *error)
{
	struct locus_section_in *section = ref->section;
	uint8_t met = atomic_load_explicit(&section->met[ref->index], memory_order_relaxed);
	if (met && met != LOCUS_MET_WHOLE)
		return fail_again(ref, (enum locus_status)met, error);
	enum locus_status status = locus_cache_decode(ref, want, ret, error);
	if (status == LOCUS_ERR_LIMIT && held_drop(ref->scratch))
		status = locus_cache_decode(ref, want, ret, error);
	if (is_damage(status))
		atomic_store_explicit(&section->met[ref->index], (uint8_t)status, memory_order_relaxed);
	return status;
}

/*
 * Whether a block should go to the pool: so much is kept already that another large page is no waste. The pool takes at
 * most an eighth of what may be kept, because the ends of its pages stay unused, and a program whose blocks just fit
 * would not fit any more.
 */
static bool pays_to_pool(const struct locus *locus)
{
	size_t kept = atomic_load_explicit(&locus->kept, memory_order_relaxed);
	size_t pooled = atomic_load_explicit(&locus->pool.size, memory_order_relaxed);
	return kept >= POOLED_LEAST && pooled + LOCUS_POOL_PAGE <= locus->kept_max / 8 &&
	       kept + pooled + LOCUS_POOL_PAGE <= locus->kept_max;
}

/*
 * Counts a whole block the first time that it is met. True: the blocks unfold to more than those of a program can. What
 * the intervals themselves take is not counted: see may_keep.
 */
static bool unfolds_too_far(const struct locus_block_ref *ref, const struct locus_decoded *block)
{
	const struct locus_section_in *section = ref->section;
	struct locus *locus = ref->locus;
	size_t plain = section->id == LOCUS_SECTION_INTERVALS ? block->count * sizeof(struct locus_wide_interval) : 0;
	size_t size = block->size > plain ? block->size - plain : 0;
	uint8_t met = atomic_exchange_explicit(&section->met[ref->index], LOCUS_MET_WHOLE, memory_order_relaxed);
	size_t unfolded = atomic_load_explicit(&locus->unfolded, memory_order_relaxed);
	if (met != LOCUS_MET_WHOLE)
		unfolded = size + atomic_fetch_add_explicit(&locus->unfolded, size, memory_order_relaxed);
	return unfolded > unfolded_max(locus, UNFOLDED_RATIO);
}

/* Gives a block for which the handle has no room to the scratch. */
static enum locus_status hold(const struct locus_block_ref *ref, struct locus_decoded *block, struct locus_error *error)
{
	struct locus_held *held;
	enum locus_status status = held_add(ref->scratch, &held, error);
	if (status == LOCUS_OK)
		*held = (struct locus_held){ref->section, ref->index, ref->scratch->use, block};
	return status;
}

enum locus_status locus_cache_get_slow(struct locus_block_ref ref, struct locus_want want,
				       const struct locus_decoded **ret, struct locus_error *error)
{
	const struct locus_decoded *found = held_find(&ref, &want);
	if (found) {
		*ret = found;
		return LOCUS_OK;
	}

	struct locus_decoded *block;
	if (ref.scratch->use > PARTIAL_CALLS_MAX) {
		want = LOCUS_WANT_ALL;
		want.is_kept = may_keep(&ref) && pays_to_pool(ref.locus);
	}
	enum locus_status status = decode(&ref, want, &block, error);
	if (status != LOCUS_OK)
		return status;

	/*
	 * A file can be made whose answers need, in turn, blocks that do not fit into memory together. Each of a
	 * million lookups would then decode a block, which takes milliseconds. So such a file is refused.
	 */
	bool is_whole = block->count == locus_block_entry_count(&ref);
	if (is_whole && unfolds_too_far(&ref, block)) {
		atomic_store_explicit(&ref.section->met[ref.index], LOCUS_ERR_LIMIT, memory_order_relaxed);
		status = fail_again(&ref, LOCUS_ERR_LIMIT, error);
	} else if (!is_whole || !publish(&ref, &block)) {
		status = hold(&ref, block, error);
	}
	if (status == LOCUS_OK)
		*ret = block;
	else
		locus_allowance_free(&ref.locus->allowance, block);
	return status;
}
