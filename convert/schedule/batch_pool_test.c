/* Blocks keep their bytes whatever happens to others, and what no block uses takes no more memory than was said. */
#include "convert/schedule/batch_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/parallel.h"
#include "base/toolkit_test.h"

enum { CHUNK = 1 << 16, REGION = 64 * CHUNK, MORE = REGION / 32, BLOCKS = 12, TURNS = 1500 };

static struct batch_block take(struct batch_pool *pool, size_t size)
{
	struct batch_block block;
	assert_true(batch_pool_take(pool, size, &block));
	assert_in_range(block.room, size, SIZE_MAX);
	return block;
}

static bool is_in_region(const struct batch_pool *pool, const struct batch_block *block)
{
	return pool->region && block->bytes >= pool->region && block->bytes + block->room <= pool->region + REGION;
}

/* Bytes of the region that are in memory. */
static size_t resident_size(const struct batch_pool *pool)
{
	static unsigned char pages[REGION / 4096];
	size_t page = (size_t)sysconf(_SC_PAGESIZE), count = 0;
	assert_int_equal(mincore(pool->region, REGION, pages), 0);
	for (size_t i = 0; i < REGION / page; i++)
		count += pages[i] & 1;
	return count * page;
}

/* Takes and gives blocks at random, and sees that each still has what was written to it. */
static void exercise(struct batch_pool *pool, uint64_t seed, size_t most)
{
	struct batch_block blocks[BLOCKS] = {{0}};
	uint64_t random = seed;
	uint8_t marks[BLOCKS] = {0};
	for (unsigned turn = 0; turn < TURNS; turn++) {
		unsigned i = random_below(&random, BLOCKS);
		if (blocks[i].room) {
			size_t last = blocks[i].room - 1;
			for (size_t at = 0; at < last; at += 1000)
				if (blocks[i].bytes[at] != marks[i])
					fail_msg("byte %zu of %zu is another block's", at, last + 1);
			assert_int_equal(blocks[i].bytes[last], marks[i]);
			batch_pool_give(pool, &blocks[i], most);
			assert_int_equal(blocks[i].room, 0);
		} else {
			size_t size = 1 + random_below(&random, random_one_in(&random, 4) ? 20 * CHUNK : 2 * CHUNK);
			blocks[i] = take(pool, size);
			marks[i] = (uint8_t)(seed * 16 + i);
			memset(blocks[i].bytes, marks[i], blocks[i].room);
		}
	}
	for (unsigned i = 0; i < BLOCKS; i++)
		batch_pool_give(pool, &blocks[i], most);
}

static void blocks_keep_their_bytes(void **state)
{
	static const size_t kept[] = {0, CHUNK, 7 * CHUNK + 100, SIZE_MAX};
	(void)state;
	for (size_t k = 0; k < COUNT_OF(kept); k++) {
		struct batch_pool pool;
		assert_true(batch_pool_init(&pool, REGION));
		exercise(&pool, k + 1, kept[k]);
		assert_in_range(pool.kept, 0, kept[k] < REGION ? kept[k] + MORE - CHUNK : REGION);
		assert_in_range(resident_size(&pool), 0, pool.kept);
		batch_pool_done(&pool);
	}
}

static void blocks_without_a_region(void **state)
{
	struct batch_pool pool;
	(void)state;
	assert_true(batch_pool_init(&pool, 0));
	exercise(&pool, 1, SIZE_MAX);
	assert_int_equal(pool.kept, 0);
	batch_pool_done(&pool);
}

static void exercise_thread(void *argument, unsigned thread)
{
	exercise(argument, thread + 1, 9 * CHUNK);
}

static void several_threads_use_a_pool(void **state)
{
	struct batch_pool pool;
	(void)state;
	assert_true(batch_pool_init(&pool, REGION));
	locus_parallel(3, exercise_thread, &pool);
	assert_in_range(pool.kept, 0, 9 * CHUNK + MORE - CHUNK);
	assert_in_range(resident_size(&pool), 0, pool.kept);
	batch_pool_done(&pool);
}

/* What a large block left holds small ones, what those left a large one, and none of them needs another page. */
static void pages_are_used_again(void **state)
{
	enum { SMALL = 8 };
	struct batch_block large, small[SMALL];
	struct batch_pool pool;
	(void)state;
	assert_true(batch_pool_init(&pool, REGION));
	large = take(&pool, SMALL * CHUNK);
	for (unsigned turn = 0; turn < 3; turn++) {
		memset(large.bytes, 1, large.room);
		batch_pool_give(&pool, &large, SIZE_MAX);
		assert_int_equal(pool.kept, SMALL * CHUNK);
		for (unsigned i = 0; i < SMALL; i++) {
			small[i] = take(&pool, CHUNK - i);
			memset(small[i].bytes, 2, small[i].room);
			assert_int_equal(pool.kept, (SMALL - 1 - i) * CHUNK);
		}
		for (unsigned i = 0; i < SMALL; i++)
			batch_pool_give(&pool, &small[i * 3 % SMALL], SIZE_MAX);
		large = take(&pool, SMALL * CHUNK);
		assert_int_equal(pool.kept, 0);
		assert_int_equal(resident_size(&pool), SMALL * CHUNK);
	}
	batch_pool_give(&pool, &large, 3 * CHUNK - 1);
	assert_int_equal(pool.kept, 2 * CHUNK);
	assert_int_equal(resident_size(&pool), 2 * CHUNK);
	batch_pool_done(&pool);
}

/* Little is kept until it is worth a call of the kernel. */
static void little_is_not_given_back(void **state)
{
	struct batch_pool pool;
	struct batch_block little, more;
	(void)state;
	assert_true(batch_pool_init(&pool, REGION));
	little = take(&pool, MORE - CHUNK);
	more = take(&pool, CHUNK);
	memset(little.bytes, 1, little.room);
	memset(more.bytes, 1, more.room);
	batch_pool_give(&pool, &little, 0);
	assert_int_equal(pool.kept, MORE - CHUNK);
	batch_pool_give(&pool, &more, 0);
	assert_int_equal(pool.kept, 0);
	assert_int_equal(resident_size(&pool), 0);
	batch_pool_done(&pool);
}

/* A block that the region has no room for is mapped by itself, and is no part of what is kept. */
static void a_full_region(void **state)
{
	struct batch_pool pool;
	struct batch_block first, second, third;
	(void)state;
	assert_true(batch_pool_init(&pool, REGION));
	first = take(&pool, REGION - CHUNK);
	second = take(&pool, CHUNK + 1);
	third = take(&pool, CHUNK);
	assert_true(is_in_region(&pool, &first));
	assert_false(is_in_region(&pool, &second));
	assert_true(is_in_region(&pool, &third));
	memset(second.bytes, 1, second.room);
	batch_pool_give(&pool, &second, SIZE_MAX);
	assert_int_equal(pool.kept, 0);
	batch_pool_give(&pool, &first, SIZE_MAX);
	batch_pool_give(&pool, &third, SIZE_MAX);
	assert_int_equal(pool.kept, REGION);
	first = take(&pool, REGION);
	assert_true(is_in_region(&pool, &first));
	batch_pool_give(&pool, &first, 0);
	assert_int_equal(resident_size(&pool), 0);
	batch_pool_done(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_keep_their_bytes),    cmocka_unit_test(blocks_without_a_region),
		cmocka_unit_test(several_threads_use_a_pool), cmocka_unit_test(pages_are_used_again),
		cmocka_unit_test(little_is_not_given_back),   cmocka_unit_test(a_full_region),
	};
	return cmocka_run_group_tests_name("batch_pool", tests, NULL, NULL);
}
