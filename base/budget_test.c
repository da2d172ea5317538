/* Tests of base/budget.c: what is counted, what grows with the input, and what is said where it is exceeded. */
#include "base/arena.h"
#include "base/array.h"
#include "base/budget.h"
#include "base/intern.h"
#include "base/parallel.h"
#include "base/toolkit_test.h"

static void without_a_budget_nothing_is_bounded(void **state)
{
	(void)state;
	budget_use(NULL);
	budget_admit(1);
	assert_true(budget_spend(UINT64_MAX));
	assert_true(budget_take(UINT64_MAX));
}

static void the_budget_grows_with_the_input(void **state)
{
	struct budget budget;
	uint64_t small = 0, large = 0;
	(void)state;
	budget_init(&budget, 0);
	budget_use(&budget);
	while (budget_spend(1 << 20))
		small++;
	budget_init(&budget, 0);
	budget_admit(64 << 20);
	while (budget_spend(1 << 20))
		large++;
	budget_use(NULL);
	assert_true(small > 0);
	assert_true(large >= small + 64);
}

static void given_memory_does_not_grow_with_the_input(void **state)
{
	struct budget budget;
	(void)state;
	budget_init(&budget, 1000);
	budget_use(&budget);
	budget_admit(1 << 30);
	assert_true(budget_take(1000));
	assert_false(budget_take(1));
	budget_use(NULL);
}

static void amounts_beyond_all_bounds_are_refused(void **state)
{
	struct budget budget;
	(void)state;
	budget_init(&budget, 0);
	budget_use(&budget);
	budget_admit(UINT64_MAX);
	assert_false(budget_take(UINT64_MAX));
	assert_false(budget_spend(UINT64_MAX / 2));
	budget_use(NULL);
}

static void the_first_excess_is_told(void **state)
{
	struct budget budget;
	struct locus_error error = {.text = "untouched"};
	(void)state;
	budget_init(&budget, 100);
	budget_use(&budget);
	assert_int_equal(budget_fail(&budget, LOCUS_ERR_IO, &error), LOCUS_ERR_IO);
	assert_string_equal(error.text, "untouched");
	budget_at("rows", NULL, ".debug_line", 0x12);
	assert_false(budget_take(101));
	budget_at("names", "x.dwo", ".debug_str", 0);
	assert_false(budget_take(101));
	assert_int_equal(budget_fail(&budget, LOCUS_OK, &error), LOCUS_ERR_LIMIT);
	assert_string_equal(error.text, "its rows take more memory than --max-memory allows, at .debug_line+0x12");
	budget_use(NULL);
}

static void arrays_arenas_and_sets_are_counted(void **state)
{
	struct budget budget;
	struct arena arena = {0};
	struct string_set strings;
	uint64_t *array = NULL;
	uint32_t room = 0;
	(void)state;
	budget_init(&budget, 1 << 10);
	budget_use(&budget);
	assert_true(array_reserve(&array, &room, 1, sizeof(*array)));
	assert_false(array_reserve(&array, &room, 1000, sizeof(*array)));
	assert_null(arena_take(&arena, 2000));
	string_set_init(&strings);
	assert_null(string_put(&strings, "name", 4));
	string_set_done(&strings);
	arena_done(&arena);
	free(array);
	budget_use(NULL);
}

/* A thread that comes late would have nothing to do: so each waits for the others. */
static void spend_one(void *argument, unsigned thread)
{
	(void)thread;
	pthread_barrier_wait(argument);
	budget_take(1);
}

static void threads_share_the_budget_of_their_caller(void **state)
{
	struct budget budget;
	pthread_barrier_t all_are_there;
	(void)state;
	pthread_barrier_init(&all_are_there, NULL, 4);
	budget_init(&budget, 4);
	budget_use(&budget);
	locus_parallel(4, spend_one, &all_are_there);
	assert_false(budget_take(1));
	budget_use(NULL);
	pthread_barrier_destroy(&all_are_there);
}

/* 64 Mi steps and 96 MiB, and 8 steps and 24 bytes more for each byte of input: not one more. */
static void the_bounds_are_exact(void **state)
{
	struct budget budget;
	(void)state;
	budget_init(&budget, 0);
	budget_use(&budget);
	assert_true(budget_spend(64 << 20) && budget_take(96 << 20));
	budget_admit(1000);
	assert_true(budget_spend(8000) && budget_take(24000));
	assert_int_equal(budget_fail(&budget, LOCUS_OK, NULL), LOCUS_OK);
	assert_false(budget_spend(1));
	assert_int_equal(budget_fail(&budget, LOCUS_OK, NULL), LOCUS_ERR_BAD_DWARF);
	budget_init(&budget, 0);
	assert_true(budget_take(96 << 20));
	assert_false(budget_take(1));

	/* So many bytes that a number with a sign cannot count them are as many as it can. */
	budget_init(&budget, (uint64_t)INT64_MAX - 1);
	assert_false(budget_take((uint64_t)INT64_MAX + 1));
	assert_true(budget_take(INT64_MAX / 4));
	budget_init(&budget, INT64_MAX);
	assert_true(budget_take(INT64_MAX / 4));
	budget_init(&budget, UINT64_MAX);
	assert_true(budget_take(INT64_MAX / 4));
	budget_use(NULL);
}

/* Of a file's size no more counts than leaves room to count on. */
static void the_largest_input_gives_a_bounded_budget(void **state)
{
	const int64_t most = INT64_MAX / 4 / 24;
	struct budget budget;
	(void)state;
	budget_init(&budget, 0);
	budget_use(&budget);
	budget_admit(UINT64_MAX);
	assert_int_equal(budget.input_size, most);
	assert_int_equal(budget.work_left, (64 << 20) + most * 8);
	assert_int_equal(budget.bytes_left, (96 << 20) + most * 24);
	budget_use(NULL);
}

static void what_is_too_much_is_told(void **state)
{
	struct budget budget;
	struct locus_error error;
	(void)state;
	budget_init(&budget, 0);
	budget_use(&budget);
	budget_admit(1000);
	budget_admit(24);
	budget_at(NULL, NULL, NULL, 0);
	assert_false(budget_spend(INT32_MAX));
	assert_int_equal(budget_fail(&budget, LOCUS_OK, &error), LOCUS_ERR_BAD_DWARF);
	assert_string_equal(error.text, "it takes more work than input of 1024 bytes can need");
	budget_init(&budget, 0);
	budget_admit(10);
	budget_at("names", "x.dwo", ".debug_str", 0x1234);
	assert_false(budget_take(INT32_MAX));
	budget_fail(&budget, LOCUS_OK, &error);
	assert_string_equal(error.text,
			    "x.dwo: its names take more memory than input of 10 bytes can need, at .debug_str+0x1234");
	budget_init(&budget, 1 << 30);
	assert_false(budget_spend(INT32_MAX)); /* what memory was given does not bound the work */
	budget_fail(&budget, LOCUS_OK, &error);
	assert_non_null(strstr(error.text, "more work than input of 0 bytes can need"));
	budget_at(NULL, NULL, NULL, 0);
	budget_use(NULL);
}

/* That memory is out is told as such, and excess before it. */
static void memory_that_is_out_is_no_excess(void **state)
{
	struct budget budget;
	struct locus_error error;
	(void)state;
	assert_false(budget_memory_out());
	budget_init(&budget, 0);
	budget_use(&budget);
	budget_note(LOCUS_OK);
	budget_note(LOCUS_ERR_BAD_DWARF);
	assert_int_equal(budget_fail(&budget, LOCUS_ERR_IO, &error), LOCUS_ERR_IO);
	budget_note(LOCUS_ERR_MEMORY);
	assert_int_equal(budget_fail(&budget, LOCUS_OK, &error), LOCUS_ERR_MEMORY);

	budget_init(&budget, 0);
	assert_false(budget_memory_out());
	assert_int_equal(budget_fail(&budget, LOCUS_ERR_IO, &error), LOCUS_ERR_MEMORY);
	assert_string_equal(error.text, "out of memory");
	assert_false(budget_take(INT32_MAX));
	assert_int_equal(budget_fail(&budget, LOCUS_ERR_IO, &error), LOCUS_ERR_BAD_DWARF);
	assert_ptr_equal(budget_used(), &budget);
	budget_use(NULL);
	assert_null(budget_used());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_budget_nothing_is_bounded),
		cmocka_unit_test(the_budget_grows_with_the_input),
		cmocka_unit_test(given_memory_does_not_grow_with_the_input),
		cmocka_unit_test(amounts_beyond_all_bounds_are_refused),
		cmocka_unit_test(the_first_excess_is_told),
		cmocka_unit_test(the_bounds_are_exact),
		cmocka_unit_test(the_largest_input_gives_a_bounded_budget),
		cmocka_unit_test(what_is_too_much_is_told),
		cmocka_unit_test(memory_that_is_out_is_no_excess),
		cmocka_unit_test(arrays_arenas_and_sets_are_counted),
		cmocka_unit_test(threads_share_the_budget_of_their_caller),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
