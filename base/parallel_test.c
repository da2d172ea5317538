/* Each thread is called once, with a number of its own, and all are waited for. */
#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/budget.h"
#include "base/toolkit_test.h"

struct calls {
	atomic_uint of[2 * LOCUS_PARALLEL_MAX]; /* by the number that a thread was told */
	atomic_uint others;                     /* calls that ran on another thread than the caller's */
	pthread_t caller;
	struct budget *budget;
	atomic_uint with_budget;
};

static void count_call(void *argument, unsigned thread)
{
	struct calls *calls = argument;
	/* Long enough that a thread nobody waits for ends after the check. */
	if (thread)
		nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	atomic_fetch_add(&calls->of[thread], 1);
	if (!pthread_equal(pthread_self(), calls->caller))
		atomic_fetch_add(&calls->others, 1);
	if (budget_used() == calls->budget)
		atomic_fetch_add(&calls->with_budget, 1);
}

static void each_thread_is_called_once(void **state)
{
	static const struct {
		unsigned asked, expected;
	} cases[] = {{1, 1},
		     {2, 2},
		     {5, 5},
		     {LOCUS_PARALLEL_MAX, LOCUS_PARALLEL_MAX},
		     {LOCUS_PARALLEL_MAX + 1, LOCUS_PARALLEL_MAX},
		     {2 * LOCUS_PARALLEL_MAX, LOCUS_PARALLEL_MAX}};
	struct budget budget;
	(void)state;
	budget_init(&budget, 0);
	budget_use(&budget);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct calls calls = {.caller = pthread_self(), .budget = &budget};
		locus_parallel(cases[i].asked, count_call, &calls);
		for (unsigned k = 0; k < COUNT_OF(calls.of); k++)
			if (calls.of[k] != (k < cases[i].expected))
				fail_msg("%u threads: %u was called %u times", cases[i].asked, k, calls.of[k]);
		assert_int_equal(calls.others, cases[i].expected - 1);
		assert_int_equal(calls.with_budget, cases[i].expected);
	}
	budget_use(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_thread_is_called_once)};
	return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
