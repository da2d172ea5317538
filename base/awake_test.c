/* Who is awake, as the waits of base/ count it: a thread that sleeps is not, and one looks no longer than there is a
 * processor for it. */
#include "base/awake.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/monitor.h"
#include "base/toolkit_test.h"

static void threads_are_counted_while_they_take_part(void **state)
{
	struct awake awake;
	(void)state;
	assert_false(awake_is_shared());
	awake_pause(); /* of a thread by itself nothing is counted */
	awake_resume();
	awake_init(&awake);
	assert_int_equal(awake.thread_count, 0);
	assert_false(awake_is_shared());
	awake_begin(&awake);
	assert_true(awake_is_shared());
	assert_int_equal(awake.thread_count, 1);
	awake_pause();
	assert_int_equal(awake.thread_count, 0);
	assert_true(awake_is_shared());
	awake_resume();
	assert_int_equal(awake.thread_count, 1);
	awake_end();
	assert_int_equal(awake.thread_count, 0);
	assert_false(awake_is_shared());
}

static unsigned processors_of_kernel = 1; /* no set with less room is taken */

/* In place of the C library's: a kernel for many processors refuses a small set. */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *ret)
{
	if (size * 8 < processors_of_kernel) {
		errno = EINVAL;
		return -1;
	}
	memset(ret, 0, size);
	return syscall(SYS_sched_getaffinity, pid, size, ret) < 0 ? -1 : 0;
}

/* Not those of the machine: a container or taskset may allow one of many. */
static void processors_are_those_that_may_be_used(void **state)
{
	struct awake awake;
	cpu_set_t all, one;
	int first = 0;
	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	awake_init(&awake);
	assert_int_equal(awake.processor_count, CPU_COUNT(&all));
	while (!CPU_ISSET(first, &all))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	awake_init(&awake);
	assert_int_equal(awake.processor_count, 1);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);

	/* As many as any kernel is built for. */
	for (processors_of_kernel = 1; processors_of_kernel <= 1 << 16; processors_of_kernel *= 2) {
		awake_init(&awake);
		assert_int_equal(awake.processor_count, CPU_COUNT(&all));
	}
	processors_of_kernel = 1;
}

/* What is looked at: how often, after how many looks it is over, and after how many another thread wakes up. */
struct looks {
	unsigned count, over_after, woken_after;
};

static bool look(void *context)
{
	struct looks *looks = context;
	if (++looks->count == looks->woken_after)
		awake_resume(); /* as another thread does */
	return looks->count == looks->over_after;
}

static void one_looks_until_it_is_over(void **state)
{
	struct awake awake;
	struct looks alone = {.over_after = 1}, at_once = {.over_after = 1}, third = {.over_after = 3},
		     crowded = {.over_after = 2, .woken_after = 1}, never = {.over_after = 0};
	(void)state;
	assert_false(awake_until(look, &alone));
	assert_int_equal(alone.count, 0);
	awake_init(&awake);
	awake.processor_count = 1;
	awake_begin(&awake);
	assert_true(awake_until(look, &at_once));
	assert_int_equal(at_once.count, 1);
	/* On a busy machine the time may be over before the third look. */
	for (int i = 0; i < 1000 && third.count != third.over_after; i++) {
		third.count = 0;
		awake_until(look, &third);
	}
	assert_int_equal(third.count, 3);
	assert_false(awake_until(look, &never));
	assert_true(never.count > 0);
	assert_false(awake_until(look, &crowded));
	assert_int_equal(crowded.count, 1);
	awake_pause();
	awake_end();
}

/* ---- Sleep ---- */

/* A thread that waits for another one; there is no processor to wait awake on. */
struct sleeper {
	struct awake awake;
	struct short_lock lock;
	struct monitor monitor;
	atomic_bool has_begun;
	bool is_told;
	unsigned awake_after;
};

static void sleeper_init(struct sleeper *sleeper)
{
	memset(sleeper, 0xff, sizeof(*sleeper)); /* memory need not be zeros before it is initialised */
	sleeper->is_told = false;
	atomic_init(&sleeper->has_begun, false);
	awake_init(&sleeper->awake);
	sleeper->awake.processor_count = 1;
	short_lock_init(&sleeper->lock);
	monitor_init(&sleeper->monitor);
	awake_begin(&sleeper->awake);
}

/* Starts the thread, and waits until it sleeps; but no longer than a minute. */
static pthread_t start(struct sleeper *sleeper, void *(*wait)(void *))
{
	pthread_t thread;
	assert_int_equal(pthread_create(&thread, NULL, wait, sleeper), 0);
	for (int i = 0; i < 60000 && !(sleeper->has_begun && sleeper->awake.thread_count == 1); i++)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	assert_true(sleeper->has_begun);
	assert_int_equal(sleeper->awake.thread_count, 1);
	return thread;
}

static void sleeper_done(struct sleeper *sleeper, pthread_t thread)
{
	pthread_join(thread, NULL);
	assert_int_equal(sleeper->awake_after, 2);
	assert_int_equal(sleeper->awake.thread_count, 1);
	awake_end();
	monitor_done(&sleeper->monitor);
	short_lock_done(&sleeper->lock);
}

static void *take_lock(void *argument)
{
	struct sleeper *sleeper = argument;
	awake_begin(&sleeper->awake);
	sleeper->has_begun = true;
	short_lock_take(&sleeper->lock);
	sleeper->awake_after = sleeper->awake.thread_count;
	short_lock_release(&sleeper->lock);
	awake_end();
	return NULL;
}

static void one_sleeps_for_a_lock(void **state)
{
	struct sleeper sleeper;
	(void)state;
	sleeper_init(&sleeper);
	assert_true(short_lock_try(&sleeper.lock));
	assert_false(short_lock_try(&sleeper.lock));
	pthread_t thread = start(&sleeper, take_lock);
	short_lock_release(&sleeper.lock);
	sleeper_done(&sleeper, thread);
}

static void *wait_for_change(void *argument)
{
	struct sleeper *sleeper = argument;
	awake_begin(&sleeper->awake);
	sleeper->has_begun = true;
	monitor_enter(&sleeper->monitor);
	while (!sleeper->is_told)
		monitor_wait(&sleeper->monitor);
	sleeper->awake_after = sleeper->awake.thread_count;
	monitor_leave(&sleeper->monitor);
	awake_end();
	return NULL;
}

static void one_sleeps_for_a_change(void **state)
{
	(void)state;
	for (int tells_all = 0; tells_all < 2; tells_all++) {
		struct sleeper sleeper;
		sleeper_init(&sleeper);
		pthread_t thread = start(&sleeper, wait_for_change);
		monitor_enter(&sleeper.monitor);
		sleeper.is_told = true;
		if (tells_all)
			monitor_tell_all(&sleeper.monitor);
		else
			monitor_tell_one(&sleeper.monitor);
		monitor_leave(&sleeper.monitor);
		assert_int_equal(sleeper.monitor.changes, 1);
		sleeper_done(&sleeper, thread);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_counted_while_they_take_part),
		cmocka_unit_test(processors_are_those_that_may_be_used),
		cmocka_unit_test(one_looks_until_it_is_over),
		cmocka_unit_test(one_sleeps_for_a_lock),
		cmocka_unit_test(one_sleeps_for_a_change),
	};
	return cmocka_run_group_tests_name("awake", tests, NULL, NULL);
}
