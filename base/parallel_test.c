/* Each thread is called once, with a number of its own, and all are waited for. */
#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/toolkit_test.h"

struct calls {
	unsigned expected;
	atomic_uint begun;
	atomic_uint of[2 * LOCUS_PARALLEL_MAX]; /* by the number that a thread was told */
	atomic_uint others;                     /* calls that ran on another thread than the caller's */
	atomic_uint ended;
	pthread_t caller;
	struct budget *budget;
	atomic_uint with_budget;
};

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* Goes on when all threads take part, so that none comes too late; but no thread is waited for longer than a minute. */
static void count_call(void *argument, unsigned thread)
{
	struct calls *calls = argument;
	atomic_fetch_add(&calls->begun, 1);
	for (int i = 0; i < 60000 && calls->begun < calls->expected; i++)
		sleep_ms(1);
	/* Long enough that a thread nobody waits for ends after the check. */
	if (thread)
		sleep_ms(2);
	atomic_fetch_add(&calls->of[thread], 1);
	if (!pthread_equal(pthread_self(), calls->caller))
		atomic_fetch_add(&calls->others, 1);
	if (budget_used() == calls->budget)
		atomic_fetch_add(&calls->with_budget, 1);
	atomic_fetch_add(&calls->ended, 1);
}

static void check_calls(const struct calls *calls, unsigned asked, unsigned expected)
{
	for (unsigned k = 0; k < COUNT_OF(calls->of); k++)
		if (calls->of[k] != (k < expected))
			fail_msg("%u threads: %u was called %u times", asked, k, calls->of[k]);
	assert_int_equal(calls->others, expected - 1);
	assert_int_equal(calls->with_budget, expected);
}

static const struct {
	unsigned asked, expected;
} cases[] = {{1, 1},
	     {2, 2},
	     {5, 5},
	     {LOCUS_PARALLEL_MAX, LOCUS_PARALLEL_MAX},
	     {LOCUS_PARALLEL_MAX + 1, LOCUS_PARALLEL_MAX},
	     {2 * LOCUS_PARALLEL_MAX, LOCUS_PARALLEL_MAX}};

static void each_thread_is_called_once(void **state)
{
	struct budget budget;
	(void)state;
	budget_init(&budget, 0);
	budget_use(&budget);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct calls calls = {.expected = cases[i].expected, .caller = pthread_self(), .budget = &budget};
		locus_parallel(cases[i].asked, count_call, &calls);
		check_calls(&calls, cases[i].asked, cases[i].expected);
	}
	budget_use(NULL);
}

/* As a conversion does it: calls for several numbers of threads, one after the other, with another budget each. */
static void kept_threads_take_part_in_each_call(void **state)
{
	enum { KEPT = 6 };
	static const unsigned asked[] = {3, 1, KEPT, 2, 2 * KEPT, KEPT};
	struct kept_threads kept;
	(void)state;
	kept_threads_init(&kept, KEPT);
	for (size_t i = 0; i < COUNT_OF(asked); i++) {
		unsigned expected = asked[i] < KEPT ? asked[i] : KEPT;
		struct budget budget;
		budget_init(&budget, 0);
		budget_use(&budget);
		struct calls calls = {.expected = expected, .caller = pthread_self(), .budget = &budget};
		locus_parallel(asked[i], count_call, &calls);
		check_calls(&calls, asked[i], expected);
	}
	kept_threads_close(&kept);
	kept_threads_done(&kept);
	assert_int_equal(kept.started, KEPT - 1);
	budget_use(NULL);
}

static void the_caller_works_between_begin_and_end(void **state)
{
	struct kept_threads kept;
	struct calls calls = {.expected = 3, .caller = pthread_self()};
	(void)state;
	kept_threads_init(&kept, 3);
	locus_parallel_begin(3, count_call, &calls);
	count_call(&calls, 0);
	locus_parallel_end();
	assert_int_equal(calls.ended, 3);
	check_calls(&calls, 3, 3);
	kept_threads_close(&kept);
	kept_threads_done(&kept);
}

/* What is seen while all threads of a call are at work. */
struct gathering {
	pthread_barrier_t all_are_there;
	struct kept_threads *kept;
	atomic_uint awake[LOCUS_PARALLEL_MAX]; /* by thread: how many are awake, itself included */
};

static void look_around(void *argument, unsigned thread)
{
	struct gathering *gathering = argument;
	pthread_barrier_wait(&gathering->all_are_there);
	gathering->awake[thread] = awake_is_shared() ? gathering->kept->awake.thread_count : 0;
	pthread_barrier_wait(&gathering->all_are_there);
}

/* A thread by itself waits for nobody, so none is counted. */
static void threads_at_work_are_awake(void **state)
{
	(void)state;
	for (unsigned count = 1; count <= 4; count++) {
		struct kept_threads kept;
		struct gathering gathering = {.kept = &kept};
		pthread_barrier_init(&gathering.all_are_there, NULL, count);
		kept_threads_init(&kept, count);
		assert_true(kept.awake.processor_count > 0);
		locus_parallel(count, look_around, &gathering);
		for (unsigned i = 0; i < count; i++)
			assert_int_equal(gathering.awake[i], count > 1 ? count : 0);
		kept_threads_close(&kept);
		kept_threads_done(&kept);
		assert_int_equal(kept.awake.thread_count, 0);
		pthread_barrier_destroy(&gathering.all_are_there);
	}
}

/* Who took part in a call, and how often. */
struct attendance {
	atomic_uint calls[8]; /* by number */
	pthread_t threads[8];
};

static void attend(void *argument, unsigned thread)
{
	struct attendance *attendance = argument;
	if (atomic_fetch_add(&attendance->calls[thread % 8], 1) == 0)
		attendance->threads[thread % 8] = pthread_self();
	if (!thread) /* so that there is time for one that would come again */
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

/* Of more threads than a call asks for, each takes part once or not at all, and none beyond the number asked for. */
static void no_thread_takes_part_twice(void **state)
{
	enum { KEPT = 6, ROUNDS = 500 };
	struct kept_threads kept;
	(void)state;
	kept_threads_init(&kept, KEPT);
	locus_parallel(KEPT, attend, &(struct attendance){.calls = {0}});
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct attendance attendance = {.calls = {0}};
		unsigned asked = 2 + round % 2;
		locus_parallel(asked, attend, &attendance);
		for (unsigned i = 0; i < 8; i++) {
			assert_true(attendance.calls[i] <= (i < asked));
			for (unsigned k = 0; k < i; k++)
				if (attendance.calls[i] && attendance.calls[k])
					assert_false(pthread_equal(attendance.threads[i], attendance.threads[k]));
		}
	}
	kept_threads_close(&kept);
	kept_threads_done(&kept);
}

enum { CALLS = 2000 };
static atomic_bool is_over[CALLS];
static atomic_uint late_count;

static void note_late_call(void *argument, unsigned thread)
{
	const atomic_bool *over = argument;
	if (thread && *over)
		late_count++;
}

/* When a thread wakes up late, what it was to work on may be gone. */
static void no_thread_begins_after_the_end(void **state)
{
	struct kept_threads kept;
	(void)state;
	kept_threads_init(&kept, 4);
	for (int i = 0; i < CALLS; i++) {
		locus_parallel(4, note_late_call, &is_over[i]);
		is_over[i] = true;
	}
	kept_threads_close(&kept);
	kept_threads_done(&kept);
	assert_int_equal(late_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_is_called_once),
		cmocka_unit_test(kept_threads_take_part_in_each_call),
		cmocka_unit_test(the_caller_works_between_begin_and_end),
		cmocka_unit_test(threads_at_work_are_awake),
		cmocka_unit_test(no_thread_takes_part_twice),
		cmocka_unit_test(no_thread_begins_after_the_end),
	};
	return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
