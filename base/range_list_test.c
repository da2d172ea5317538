/* Lists of ranges, put in order and searched. */
#include "base/range_list.h"

#include "base/budget.h"
#include "base/toolkit_test.h"

static void ranges_that_overlap_or_touch_become_one(void **state)
{
	static const struct range added[] = {{50, 60}, {10, 20}, {15, 18}, {20, 30}, {55, 70}, {40, 41}};
	static const struct range expected[] = {{10, 30}, {40, 41}, {50, 70}};
	struct range_list list = {0};
	(void)state;
	for (size_t i = 0; i < sizeof(added) / sizeof(*added); i++)
		assert_true(range_list_add(&list, added[i].start, added[i].end));
	range_list_sort(&list);
	assert_int_equal(list.count, sizeof(expected) / sizeof(*expected));
	assert_memory_equal(list.ranges, expected, sizeof(expected));
	range_list_done(&list);
}

static void an_empty_list_holds_nothing(void **state)
{
	struct range_list list = {0};
	(void)state;
	range_list_sort(&list);
	assert_int_equal(range_list_find(&list, 0), 0);
	assert_false(range_list_overlaps(&list, &(struct range){0, UINT64_MAX}));
	assert_false(range_list_holds(&list, &(struct range){1, 2}));
	range_list_done(&list);
}

/* Against each address by itself. */
static void what_is_found_is_what_is_there(void **state)
{
	struct range_list list = {0};
	(void)state;
	assert_true(range_list_add(&list, 2, 4) && range_list_add(&list, 6, 7) && range_list_add(&list, 9, 13));
	range_list_sort(&list);
	for (uint64_t start = 0; start < 16; start++)
		for (uint64_t end = start + 1; end < 17; end++) {
			uint64_t inside = 0;
			for (uint64_t addr = start; addr < end; addr++)
				inside += (addr >= 2 && addr < 4) || addr == 6 || (addr >= 9 && addr < 13);
			const struct range range = {start, end};
			assert_int_equal(range_list_overlaps(&list, &range), inside > 0);
			assert_int_equal(range_list_holds(&list, &range), inside == end - start);
		}
	assert_int_equal(range_list_find(&list, 3), 0);
	assert_int_equal(range_list_find(&list, 4), 1);
	assert_int_equal(range_list_find(&list, 13), 3);
	range_list_done(&list);
}

/* Whether all ranges of one list are in another: each by itself decides. */
static void all_ranges_are_held_or_not(void **state)
{
	struct range_list list = {0}, others = {0}, none = {0};
	(void)state;
	assert_true(range_list_add(&list, 10, 20) && range_list_add(&list, 30, 40));
	range_list_sort(&list);
	assert_true(range_list_holds_all(&list, &none));
	assert_true(range_list_holds_all(&list, &list));
	assert_false(range_list_holds_all(&none, &list));
	for (uint32_t outside = 0; outside < 3; outside++) {
		others.count = 0;
		for (uint32_t i = 0; i < 3; i++)
			assert_true(range_list_add(&others, i == outside ? 5 : 12 + i, i == outside ? 6 : 13 + i));
		assert_false(range_list_holds_all(&list, &others));
		others.ranges[outside] = (struct range){30, 40};
		assert_true(range_list_holds_all(&list, &others));
	}
	range_list_done(&list);
	range_list_done(&others);
}

static void a_range_without_room_is_not_added(void **state)
{
	struct budget budget;
	struct range_list list = {0};
	(void)state;
	budget_init(&budget, 1);
	budget_use(&budget);
	assert_false(range_list_add(&list, 1, 2));
	assert_int_equal(list.count, 0);
	budget_use(NULL);
	range_list_done(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_that_overlap_or_touch_become_one),
		cmocka_unit_test(an_empty_list_holds_nothing),
		cmocka_unit_test(what_is_found_is_what_is_there),
		cmocka_unit_test(all_ranges_are_held_or_not),
		cmocka_unit_test(a_range_without_room_is_not_added),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
