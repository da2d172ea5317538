/*
 * All that is taken of an arena is aligned, unless it is asked for packed, apart from everything else, and stays as it
 * was until the end.
 */
#include "base/arena.h"

#include "base/budget.h"
#include "base/toolkit_test.h"

enum { THING_COUNT = 400 };

struct thing {
	uint8_t *data;
	size_t size;
};

/* Sizes from nothing to more than a chunk, the large ones between small ones. */
static size_t size_of(unsigned i)
{
	return i % 50 == 49 ? (size_t)i * 3000 : (size_t)i * 7 % 1000;
}

static void take(struct arena *arena, struct thing *things, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++) {
		static uint8_t bytes[THING_COUNT * 3000];
		bool packed = i % 3 == 2;
		things[i].size = size_of(i);
		memset(bytes, (int)(i % 251), things[i].size);
		things[i].data = packed ? arena_copy_packed(arena, bytes, things[i].size)
					: arena_copy(arena, bytes, things[i].size);
		assert_non_null(things[i].data);
		if (!packed)
			assert_int_equal((uintptr_t)things[i].data % _Alignof(max_align_t), 0);
	}
}

static void check(const struct thing *things, unsigned end)
{
	for (unsigned i = 0; i < end; i++)
		for (size_t k = 0; k < things[i].size; k++)
			assert_int_equal(things[i].data[k], i % 251);
}

static void things_stay_apart(void **state)
{
	struct thing things[THING_COUNT];
	struct arena arena = {0};
	(void)state;
	take(&arena, things, 0, THING_COUNT);
	check(things, THING_COUNT);
	arena_done(&arena);
}

static void joined_arenas_keep_what_both_had(void **state)
{
	struct thing things[THING_COUNT];
	struct arena arena = {0}, other = {0}, empty = {0};
	(void)state;
	arena_join(&arena, &empty);
	take(&other, things, 0, 100);
	arena_join(&arena, &other);
	assert_null(other.chunks);
	take(&other, things, 100, 200);
	take(&arena, things, 200, 300);
	arena_join(&arena, &other);
	arena_join(&arena, &empty);
	take(&arena, things, 300, THING_COUNT);
	check(things, THING_COUNT);
	arena_done(&other);
	arena_done(&arena);
}

/*
 * What an arena takes is counted by the budget: chunks of 16 KiB and twice as much each, up to 256 KiB, which small
 * blocks fill to the end; a large block takes a chunk of its own where it does not fit.
 */
static void chunks_are_filled_to_their_ends(void **state)
{
	enum { CHUNKS = (16 + 32 + 64 + 128) << 10, LAST = 256 << 10, LARGE = 100000, SMALL = 16 };
	struct budget budget;
	struct arena arena = {0};
	(void)state;
	budget_init(&budget, CHUNKS + LAST + LAST + LARGE);
	budget_use(&budget);
	for (size_t taken = 0; taken < CHUNKS + LAST + LAST / 2; taken += SMALL)
		assert_non_null(arena_take(&arena, SMALL));
	assert_non_null(arena_take(&arena, LARGE)); /* it fits into what is left */
	size_t left = LAST / 2 - LARGE;
	assert_non_null(arena_take(&arena, LARGE)); /* it does not */
	for (; left >= SMALL; left -= SMALL)
		assert_non_null(arena_take(&arena, SMALL));
	assert_int_equal(budget_fail(&budget, LOCUS_OK, NULL), LOCUS_OK);
	assert_null(arena_take(&arena, SMALL));
	budget_use(NULL);
	arena_done(&arena);
}

/* A large block takes what it needs, in whole units of the alignment, and what is left where that is just enough. */
static void large_blocks_take_no_more_than_they_need(void **state)
{
	enum { UNIT = _Alignof(max_align_t), LARGE = 1 << 17, CHUNKS = (16 + 32 + 64 + 128) << 10, LAST = 256 << 10 };
	static const struct {
		size_t size, taken;
	} cases[] = {{LARGE, LARGE},
		     {LARGE + 1, LARGE + UNIT},
		     {LARGE + UNIT - 1, LARGE + UNIT},
		     {LARGE + UNIT, LARGE + UNIT}};
	struct budget budget;
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct arena arena = {0};
		budget_init(&budget, cases[i].taken);
		budget_use(&budget);
		assert_non_null(arena_take(&arena, cases[i].size));
		assert_int_equal(budget.bytes_left, 0);
		arena_done(&arena);
	}

	struct arena arena = {0};
	budget_init(&budget, CHUNKS + LAST);
	for (size_t taken = 0; taken < CHUNKS + LAST - LARGE; taken += UNIT)
		assert_non_null(arena_take(&arena, UNIT));
	assert_int_equal(arena.left, LARGE);
	assert_non_null(arena_take(&arena, LARGE));
	assert_int_equal(arena.left, 0);
	arena_done(&arena);
	budget_use(NULL);
}

/* Not larger than it must be: as many small programs are read as large ones. */
static void the_first_chunk_is_small(void **state)
{
	struct budget budget;
	struct arena arena = {0};
	(void)state;
	budget_init(&budget, 16 << 10);
	budget_use(&budget);
	assert_non_null(arena_take(&arena, 1));
	assert_non_null(arena_take(&arena, (16 << 10) - 16));
	assert_int_equal(budget_fail(&budget, LOCUS_OK, NULL), LOCUS_OK);
	assert_null(arena_take(&arena, 1));
	budget_use(NULL);
	arena_done(&arena);
}

static void a_first_block_may_be_larger_than_a_chunk(void **state)
{
	struct arena arena = {0};
	const char text[] = "behind it";
	(void)state;
	for (size_t size = (1 << 18) - 1; size <= (1 << 18) + 17; size++) {
		uint8_t *block = arena_take(&arena, size);
		assert_non_null(block);
		memset(block, 0xff, size);
		char *copy = arena_copy_packed(&arena, text, sizeof(text));
		assert_string_equal(copy, text);
		for (size_t i = 0; i < size; i++)
			if (block[i] != 0xff)
				fail_msg("byte %zu of %zu is another block's", i, size);
		arena_done(&arena);
	}
}

/* What is taken after two arenas are joined goes where there was room, and over nothing that either had. */
static void joined_arenas_know_what_is_left(void **state)
{
	enum { FIRST = 16 << 10, BLOCK = 1000 };
	struct arena full = {0}, fresh = {0}, empty = {0};
	(void)state;
	uint8_t *before = arena_take(&full, FIRST);
	memset(before, 1, FIRST);
	uint8_t *joined = arena_take(&fresh, 16);
	memset(joined, 2, 16);
	arena_join(&full, &fresh);
	assert_int_equal(full.left, 0);
	memset(arena_take(&full, BLOCK), 4, BLOCK); /* in a chunk of its own */
	for (size_t i = 0; i < FIRST; i++)
		assert_int_equal(before[i], 1);
	for (size_t i = 0; i < 16; i++)
		assert_int_equal(joined[i], 2);

	memset(arena_take(&fresh, 16), 3, 16);
	arena_join(&empty, &fresh);
	assert_int_equal(empty.left, FIRST - 16);
	assert_non_null(arena_take(&empty, BLOCK)); /* in the chunk that was joined */
	assert_int_equal(empty.left, FIRST - 16 - 1008);
	arena_done(&full);
	arena_done(&empty);
}

static void what_does_not_fit_is_not_copied(void **state)
{
	struct budget budget;
	struct arena arena = {0};
	(void)state;
	budget_init(&budget, 1);
	budget_use(&budget);
	assert_null(arena_copy(&arena, "text", 4));
	assert_null(arena_copy_packed(&arena, "text", 4));
	assert_null(arena_take(&arena, 1 << 20));
	budget_use(NULL);
	assert_non_null(arena_copy(&arena, NULL, 0));
	assert_string_equal(arena_copy(&arena, "text", 5), "text");
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(things_stay_apart),
		cmocka_unit_test(joined_arenas_keep_what_both_had),
		cmocka_unit_test(joined_arenas_know_what_is_left),
		cmocka_unit_test(what_does_not_fit_is_not_copied),
		cmocka_unit_test(chunks_are_filled_to_their_ends),
		cmocka_unit_test(large_blocks_take_no_more_than_they_need),
		cmocka_unit_test(the_first_chunk_is_small),
		cmocka_unit_test(a_first_block_may_be_larger_than_a_chunk),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
