/* Each large page is filled from its front, without a lock; what the next block is too large for stays unused. */
#define _DEFAULT_SOURCE /* madvise */
#include "reader/handle/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
	CACHE_LINE = 64,
	PARTS_LEAST = 4, /* no block takes more than this part of a page, so that little stays unused */
};

/* The head of a page, a cache line. */
struct locus_pool_page {
	struct locus_pool_page *before;
	atomic_size_t used; /* may be more than there is */
};

_Static_assert(sizeof(struct locus_pool_page) <= CACHE_LINE, "the head of a page is a cache line");

static struct locus_pool_page *page_new(struct locus_allowance *allowance, struct locus_pool_page *before)
{
	if (locus_allowance_take(allowance, LOCUS_POOL_PAGE, NULL) != LOCUS_OK)
		return NULL;
	struct locus_pool_page *page = aligned_alloc(LOCUS_POOL_PAGE, LOCUS_POOL_PAGE);
	if (!page) {
		locus_allowance_give(allowance, LOCUS_POOL_PAGE);
		return NULL;
	}
#ifdef MADV_HUGEPAGE /* Linux */
	madvise(page, LOCUS_POOL_PAGE, MADV_HUGEPAGE);
#endif
	page->before = before;
	atomic_init(&page->used, CACHE_LINE);
	return page;
}

static void page_free(struct locus_pool_page *page, struct locus_allowance *allowance)
{
	free(page);
	locus_allowance_give(allowance, LOCUS_POOL_PAGE);
}

void *locus_pool_take(struct locus_pool *pool, struct locus_allowance *allowance, size_t size)
{
	if (size > LOCUS_POOL_PAGE / PARTS_LEAST)
		return NULL;
	size_t whole = LOCUS_ALLOWANCE_HEAD + (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	struct locus_pool_page *page = atomic_load_explicit(&pool->newest, memory_order_acquire);
	for (;;) {
		size_t at = page ? atomic_load_explicit(&page->used, memory_order_relaxed) : LOCUS_POOL_PAGE;
		if (at <= LOCUS_POOL_PAGE - whole) /* else a full page would be counted up, and with 32 bits wrap */
			at = atomic_fetch_add_explicit(&page->used, whole, memory_order_relaxed);
		if (at <= LOCUS_POOL_PAGE - whole)
			return locus_allowance_mark_pooled((uint8_t *)page + at);

		/* Another thread may begin the next page at the same time: then there is one page, the other's. */
		struct locus_pool_page *fresh = page_new(allowance, page);
		if (!fresh)
			return NULL;
		if (atomic_compare_exchange_strong_explicit(&pool->newest, &page, fresh, memory_order_acq_rel,
							    memory_order_acquire)) {
			atomic_fetch_add_explicit(&pool->size, LOCUS_POOL_PAGE, memory_order_relaxed);
			page = fresh;
		} else {
			page_free(fresh, allowance);
		}
	}
}

void locus_pool_done(struct locus_pool *pool, struct locus_allowance *allowance)
{
	struct locus_pool_page *page = atomic_load(&pool->newest);
	while (page) {
		struct locus_pool_page *before = page->before;
		page_free(page, allowance);
		page = before;
	}
	atomic_store(&pool->newest, NULL);
}
