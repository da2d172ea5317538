/*
 * All that is taken of an arena is aligned, unless it is asked for packed, apart from everything else, and stays as it
 * was until the end.
 */
#include "base/arena.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(things_stay_apart),
		cmocka_unit_test(joined_arenas_keep_what_both_had),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
