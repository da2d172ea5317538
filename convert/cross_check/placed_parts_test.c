/* Parts that hold an address, held against a search that goes over all of them. */
#include "convert/cross_check/placed_parts.h"

#include "base/toolkit_test.h"

enum { PARTS = 60, ADDRESSES = 100, ROUNDS = 200 };

static void check(struct placed_parts *placed, const struct span_index *parts, const bool *is_misplaced, uint64_t addr)
{
	uint32_t expected[PARTS], count = 0, holding = 0, last = 0;
	for (uint32_t i = 0; i < parts->count; i++) {
		if (parts->spans[i].start > addr || parts->spans[i].end <= addr)
			continue;
		holding++;
		last = i;
		if (!is_misplaced[i])
			expected[count++] = i;
	}
	if (holding == 1 && !count)
		expected[count++] = last;

	assert_true(placed_parts_find(placed, parts, addr));
	assert_int_equal(placed->found_count, count);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(placed->found[i], expected[i]);
	assert_int_equal(placed->is_only, holding == 1);
}

static void as_a_search_of_all(void **state)
{
	uint64_t random = 0;
	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct span_index parts = {0};
		struct placed_parts placed = {0};
		bool is_misplaced[PARTS] = {false};
		uint32_t count = (uint32_t)(random_below(&random, PARTS + 1));
		for (uint32_t i = 0; i < count; i++) {
			uint64_t start = random_below(&random, ADDRESSES);
			assert_true(span_index_add(&parts, start, start + 1 + random_below(&random, 20), i));
		}
		span_index_sort(&parts);
		for (uint32_t i = 0; i < ADDRESSES; i++) {
			check(&placed, &parts, is_misplaced, random_below(&random, ADDRESSES));
			for (uint32_t k = 0; k < placed.found_count; k++) {
				if (random_below(&random, 4))
					continue;
				is_misplaced[placed.found[k]] = true;
				placed_parts_note_misplaced(&placed, placed.found[k]);
			}
		}
		placed_parts_done(&placed);
		span_index_done(&parts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_a_search_of_all),
	};
	return cmocka_run_group_tests_name("placed_parts", tests, NULL, NULL);
}
