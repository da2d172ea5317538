/* Arrays grow with what is in them, up to the bound of their elements and of the budget. */
#include "base/array.h"

#include "base/budget.h"
#include "base/toolkit_test.h"

static void elements_stay_while_an_array_grows(void **state)
{
	uint64_t *array = NULL;
	uint32_t room = 0;
	(void)state;
	for (uint32_t count = 0; count < 10000; count++) {
		assert_true(array_reserve(&array, &room, count + UINT64_C(1), sizeof(*array)));
		assert_true(room > count);
		array[count] = count * UINT64_C(0x100000001);
	}
	for (uint32_t i = 0; i < 10000; i++)
		assert_true(array[i] == i * UINT64_C(0x100000001));
	free(array);
}

static void growing_one_by_one_copies_seldom(void **state)
{
	uint8_t *array = NULL;
	uint32_t room = 0;
	(void)state;
	assert_true(array_reserve(&array, &room, 5000, 1));
	assert_int_equal(room, 5000);
	memset(array, 1, room);
	assert_true(array_reserve(&array, &room, 5001, 1));
	assert_in_range(room, 5001, 10000);
	assert_true(room >= 7000);
	free(array);
}

/* That many elements are refused for their number; one fewer only for their memory. */
static void more_elements_than_the_bound_are_refused(void **state)
{
	struct budget budget;
	uint8_t *array = NULL;
	uint32_t room = 0;
	(void)state;
	budget_init(&budget, 1000);
	budget_use(&budget);
	assert_false(array_reserve(&array, &room, UINT32_MAX / 2 + UINT64_C(1), 1));
	assert_false(array_reserve(&array, &room, UINT64_MAX, 1));
	assert_int_equal(budget_fail(&budget, LOCUS_OK, NULL), LOCUS_OK);
	assert_false(array_reserve(&array, &room, UINT32_MAX / 2, 1));
	assert_int_equal(budget_fail(&budget, LOCUS_OK, NULL), LOCUS_ERR_LIMIT);
	budget_use(NULL);
	assert_null(array);
	assert_int_equal(room, 0);
}

/* Only what an array grows by is taken from the budget. */
static void growth_is_charged_once(void **state)
{
	struct budget budget;
	uint8_t *array = NULL;
	uint32_t room = 0;
	(void)state;
	budget_init(&budget, 150 * 8);
	budget_use(&budget);
	assert_true(array_reserve(&array, &room, 100, 8));
	assert_true(array_reserve(&array, &room, 150, 8));
	assert_int_equal(room, 150);
	assert_false(array_reserve(&array, &room, 151, 8));
	assert_int_equal(room, 150);
	budget_use(NULL);
	free(array);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_stay_while_an_array_grows),
		cmocka_unit_test(growing_one_by_one_copies_seldom),
		cmocka_unit_test(more_elements_than_the_bound_are_refused),
		cmocka_unit_test(growth_is_charged_once),
	};
	return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}
