/* All that is taken of an arena is aligned, apart from everything else, and stays as it was until the end. */
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
		things[i].size = size_of(i);
		things[i].data = arena_take(arena, things[i].size);
		assert_non_null(things[i].data);
		assert_int_equal((uintptr_t)things[i].data % _Alignof(max_align_t), 0);
		memset(things[i].data, (int)(i % 251), things[i].size);
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
