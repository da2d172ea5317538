/* Pooled memory: where it lies, what it counts for, and when there is none. */
#include <pthread.h>
#include <string.h>

#include "base/toolkit_test.h"
#include "reader/handle/pool.h"

enum { BLOCK = 200 << 10, BLOCKS = 100 };

static struct locus_allowance allowance_of(size_t max)
{
	struct locus_allowance allowance = {.max = max};
	atomic_init(&allowance.used, 0);
	return allowance;
}

/* Each block is filled with a number of its own, which must still be there when all are taken. */
static void blocks_do_not_overlap(void **state)
{
	struct locus_allowance allowance = allowance_of((size_t)64 << 20);
	struct locus_pool pool = {.newest = NULL};
	uint8_t *blocks[BLOCKS];
	(void)state;
	for (size_t i = 0; i < BLOCKS; i++) {
		blocks[i] = locus_pool_take(&pool, &allowance, BLOCK + i);
		assert_non_null(blocks[i]);
		assert_int_equal((uintptr_t)blocks[i] % 64, 0);
		assert_true(locus_allowance_is_pooled(blocks[i]));
		memset(blocks[i], (int)i, BLOCK + i);
	}
	for (size_t i = 0; i < BLOCKS; i++) {
		assert_int_equal(blocks[i][0], i);
		assert_int_equal(blocks[i][BLOCK + i - 1], i);
		locus_allowance_free(&allowance, blocks[i]);
		assert_int_equal(blocks[i][0], i); /* it stays until the pool is done */
	}

	/* Ten blocks of 200 KiB fit a page of 2 MiB. */
	assert_int_equal(pool.size, BLOCKS / 10 * LOCUS_POOL_PAGE);
	assert_int_equal(allowance.used, pool.size);
	locus_pool_done(&pool, &allowance);
	assert_int_equal(allowance.used, 0);
}

static void large_blocks_are_not_pooled(void **state)
{
	struct locus_allowance allowance = allowance_of((size_t)64 << 20);
	struct locus_pool pool = {.newest = NULL};
	(void)state;
	assert_non_null(locus_pool_take(&pool, &allowance, LOCUS_POOL_PAGE / 4));
	assert_null(locus_pool_take(&pool, &allowance, LOCUS_POOL_PAGE / 4 + 1));
	assert_null(locus_pool_take(&pool, &allowance, SIZE_MAX));
	locus_pool_done(&pool, &allowance);
}

static void no_page_beyond_what_is_allowed(void **state)
{
	struct locus_allowance allowance = allowance_of(LOCUS_POOL_PAGE);
	struct locus_pool pool = {.newest = NULL};
	size_t count = 0;
	(void)state;
	while (locus_pool_take(&pool, &allowance, BLOCK))
		count++;
	assert_int_equal(count, 10);
	assert_int_equal(allowance.used, LOCUS_POOL_PAGE);

	/* With 32 bits, what all of these ask for together would wrap. */
	for (size_t i = 0; i < 100000; i++)
		assert_null(locus_pool_take(&pool, &allowance, BLOCK));
	locus_pool_done(&pool, &allowance);
}

/* 31 blocks that fill what is behind the page's head to the last cache line. */
static void a_page_is_filled_to_its_end(void **state)
{
	enum { COUNT = 31, SIZE = (LOCUS_POOL_PAGE - 64) / COUNT - LOCUS_ALLOWANCE_HEAD };
	struct locus_allowance allowance = allowance_of((size_t)64 << 20);
	struct locus_pool pool = {.newest = NULL};
	(void)state;
	assert_int_equal((SIZE + LOCUS_ALLOWANCE_HEAD) * COUNT + 64, LOCUS_POOL_PAGE);
	for (size_t i = 0; i < COUNT; i++) {
		uint8_t *block = locus_pool_take(&pool, &allowance, SIZE - i % 64);
		assert_non_null(block);
		memset(block, 0xff, SIZE - i % 64);
		assert_int_equal(pool.size, LOCUS_POOL_PAGE);
	}
	assert_non_null(locus_pool_take(&pool, &allowance, 1));
	assert_int_equal(pool.size, 2 * LOCUS_POOL_PAGE);
	locus_pool_done(&pool, &allowance);
}

/* A thread that takes blocks and fills them with its number. */
struct taker {
	pthread_t thread;
	struct locus_pool *pool;
	struct locus_allowance *allowance;
	int number;
	uint8_t *blocks[BLOCKS];
};

static void *take(void *argument)
{
	struct taker *taker = argument;
	for (size_t i = 0; i < BLOCKS; i++) {
		taker->blocks[i] = locus_pool_take(taker->pool, taker->allowance, BLOCK);
		if (taker->blocks[i])
			memset(taker->blocks[i], taker->number, BLOCK);
	}
	return NULL;
}

static void threads_get_blocks_of_their_own(void **state)
{
	enum { THREADS = 4 };
	static struct taker takers[THREADS];
	struct locus_allowance allowance = allowance_of((size_t)256 << 20);
	struct locus_pool pool = {.newest = NULL};
	(void)state;
	for (int i = 0; i < THREADS; i++) {
		takers[i] = (struct taker){.pool = &pool, .allowance = &allowance, .number = i};
		assert_int_equal(pthread_create(&takers[i].thread, NULL, take, &takers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(takers[i].thread, NULL);

	for (int i = 0; i < THREADS; i++)
		for (size_t k = 0; k < BLOCKS; k++) {
			assert_non_null(takers[i].blocks[k]);
			assert_int_equal(takers[i].blocks[k][0], i);
			assert_memory_equal(takers[i].blocks[k], takers[i].blocks[k] + 1, BLOCK - 1);
		}
	assert_int_equal(allowance.used, pool.size);
	locus_pool_done(&pool, &allowance);
	assert_int_equal(allowance.used, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_do_not_overlap),           cmocka_unit_test(large_blocks_are_not_pooled),
		cmocka_unit_test(no_page_beyond_what_is_allowed),  cmocka_unit_test(a_page_is_filled_to_its_end),
		cmocka_unit_test(threads_get_blocks_of_their_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
