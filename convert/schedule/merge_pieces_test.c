/* Merging pieces, held against sorting all of them. */
#include "convert/schedule/merge_pieces.h"

#include <stdlib.h>

#include "base/toolkit_test.h"

/* Random pieces, some of which begin where others do; `size` says which one it is. */
static void make_pieces(struct piece *pieces, uint32_t count, uint32_t first, uint32_t starts, uint64_t *random)
{
	for (uint32_t i = 0; i < count; i++)
		pieces[i] = (struct piece){.start = random_below(random, starts), .size = first + i};
}

static void check_sorted(const struct piece *pieces, uint32_t count, uint8_t *seen)
{
	memset(seen, 0, count);
	for (uint32_t i = 0; i < count; i++) {
		assert_true(!i || pieces[i - 1].start <= pieces[i].start);
		assert_true(pieces[i].size < count && !seen[pieces[i].size]);
		seen[pieces[i].size] = 1;
	}
}

static void all_come_in_order(void **state)
{
	enum { MOST = 300000 };
	static const struct {
		uint32_t counts[2], starts;
	} cases[] = {
		{{0, 0}, 1},         {{0, 5}, 9},
		{{5, 0}, 9},         {{1, 1}, 1},
		{{40, 30}, 20},      {{3000, 10}, 900},
		{{10, 3000}, 90000}, {{100, 1 << 16}, 1 << 20},
		{{1000, 200000}, 1}, {{100000, 200000}, 1 << 30},
	};
	struct piece *pieces = malloc(MOST * sizeof(*pieces));
	uint8_t *seen = malloc(MOST);
	uint64_t random = 11;
	(void)state;
	assert_true(pieces && seen);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const uint32_t count = cases[i].counts[0], more = cases[i].counts[1];
		struct piece *from = malloc((more + 1) * sizeof(*from));
		assert_non_null(from);
		make_pieces(pieces, count, 0, cases[i].starts, &random);
		make_pieces(from, more, count, cases[i].starts, &random);
		pieces_sort(pieces, count);
		pieces_sort(from, more);
		pieces_merge(pieces, count, from, more);
		check_sorted(pieces, count + more, seen);
		free(from);
	}
	free(seen);
	free(pieces);
}

/* Memory of pieces that were merged is given back; what lies behind the list is not. */
static void pages_are_given_back(void **state)
{
	enum { COUNT = 70000, BEHIND = 1 << 17 };
	struct piece *from = calloc(COUNT + BEHIND, sizeof(*from)), *pieces = malloc(COUNT * sizeof(*pieces));
	(void)state;
	assert_true(from && pieces);
	for (uint32_t i = 0; i < COUNT + BEHIND; i++)
		from[i] = (struct piece){.start = i, .size = 1};
	pieces_merge(pieces, 0, from, COUNT);
	assert_int_equal(from[COUNT - 300].size, 0);
	for (uint32_t i = COUNT; i < COUNT + BEHIND; i++)
		assert_int_equal(from[i].size, 1);
	for (uint32_t i = 0; i < COUNT; i++)
		assert_int_equal(pieces[i].start, i);
	free(from);
	free(pieces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_come_in_order),
		cmocka_unit_test(pages_are_given_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
