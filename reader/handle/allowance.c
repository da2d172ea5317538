/* The size of each allocation stands in a cache line before it, so that freeing need not be told the size. */
#include "reader/handle/allowance.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

enum { CACHE_LINE = LOCUS_ALLOWANCE_HEAD };

enum locus_status locus_allowance_take(struct locus_allowance *allowance, size_t size, struct locus_error *error)
{
	size_t before = atomic_load_explicit(&allowance->used, memory_order_relaxed);

	/* What is refused is never counted, not even for a moment: another thread would be refused what there is. */
	do {
		if (size > allowance->max - before)
			return locus_fail(error, LOCUS_ERR_LIMIT,
					  "reading it takes more memory than the %zu MiB that are allowed",
					  allowance->max >> 20);
	} while (!atomic_compare_exchange_weak_explicit(&allowance->used, &before, before + size, memory_order_relaxed,
							memory_order_relaxed));
	return LOCUS_OK;
}

void locus_allowance_give(struct locus_allowance *allowance, size_t size)
{
	atomic_fetch_sub_explicit(&allowance->used, size, memory_order_relaxed);
}

enum locus_status locus_allowance_allocate(struct locus_allowance *allowance, size_t size, void *ret,
					   struct locus_error *error)
{
	/* A size above the limit is not rounded up, which might wrap: it is refused as it is. */
	bool is_too_large = size > allowance->max;
	size_t whole = is_too_large ? size : CACHE_LINE + (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	enum locus_status status = locus_allowance_take(allowance, whole, error);
	if (status != LOCUS_OK)
		return status;

	uint8_t *memory = aligned_alloc(CACHE_LINE, whole);
	if (!memory) {
		locus_allowance_give(allowance, whole);
		return locus_fail_memory(error);
	}
	memcpy(memory, &whole, sizeof(whole));
	memory += CACHE_LINE;
	memcpy(ret, &memory, sizeof(memory));
	return LOCUS_OK;
}

enum locus_status locus_allowance_grow(struct locus_allowance *allowance, void *list, size_t count, size_t *capacity,
				       size_t element_size, struct locus_error *error)
{
	enum { LEAST = 16 };
	size_t larger = *capacity ? 2 * *capacity : LEAST;
	void *before, *after = NULL;
	if (count < *capacity)
		return LOCUS_OK;
	enum locus_status status =
		locus_allowance_allocate(allowance, locus_array_size(larger, element_size), &after, error);
	if (status != LOCUS_OK)
		return status;
	memcpy(&before, list, sizeof(before));
	if (count)
		memcpy(after, before, count * element_size);
	locus_allowance_free(allowance, before);
	memcpy(list, &after, sizeof(after));
	*capacity = larger;
	return LOCUS_OK;
}

/* The size before the memory, 0 for that of a pool. */
static size_t size_of(const void *memory)
{
	size_t size;
	memcpy(&size, (const uint8_t *)memory - CACHE_LINE, sizeof(size));
	return size;
}

void *locus_allowance_mark_pooled(void *memory)
{
	const size_t none = 0;
	memcpy(memory, &none, sizeof(none));
	return (uint8_t *)memory + CACHE_LINE;
}

bool locus_allowance_is_pooled(const void *memory)
{
	return !size_of(memory);
}

void locus_allowance_free(struct locus_allowance *allowance, void *memory)
{
	if (!memory || locus_allowance_is_pooled(memory))
		return;
	size_t whole = size_of(memory);
	free((uint8_t *)memory - CACHE_LINE);
	locus_allowance_give(allowance, whole);
}
