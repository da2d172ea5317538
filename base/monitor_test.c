/* Threads that wait for each other lose no change, whether they wait awake or asleep, and count themselves rightly. */
#include "base/monitor.h"

#include "base/parallel.h"
#include "base/toolkit_test.h"

enum { ROUNDS = 300 };

/* A number that the threads raise in turn. */
struct turns {
	struct monitor monitor;
	unsigned thread_count;
	unsigned taken;
	unsigned wrong;
};

static void take_turns(void *argument, unsigned thread)
{
	struct turns *turns = argument;
	monitor_enter(&turns->monitor);
	for (int i = 0; i < ROUNDS; i++) {
		while (turns->taken % turns->thread_count != thread)
			monitor_wait(&turns->monitor);
		turns->taken++;
		monitor_tell_all(&turns->monitor);
	}
	monitor_leave(&turns->monitor);
}

/* `processors`: that the threads are told of; 0: all that there are. */
static void check_turns(unsigned thread_count, unsigned processors)
{
	struct kept_threads kept;
	struct turns turns = {.thread_count = thread_count};
	monitor_init(&turns.monitor);
	kept_threads_init(&kept, thread_count);
	if (processors)
		kept.awake.processor_count = processors;
	locus_parallel(thread_count, take_turns, &turns);
	assert_int_equal(turns.taken, thread_count * ROUNDS);
	kept_threads_close(&kept);
	kept_threads_done(&kept);
	assert_int_equal(kept.awake.thread_count, 0);
	monitor_done(&turns.monitor);
}

static void threads_take_turns(void **state)
{
	(void)state;
	check_turns(2, 0);
	check_turns(4, 0);
	check_turns(2, 2); /* two wait awake, also where there is one processor */
	check_turns(4, 4);
	check_turns(3, 1); /* all wait asleep */
}

/* A store of numbers, of which each is for one thread. */
struct store {
	struct monitor monitor;
	unsigned stored, left;
	unsigned fetched[4];
};

static void fetch(struct store *store, unsigned thread)
{
	monitor_enter(&store->monitor);
	for (;;) {
		while (!store->left && store->stored < ROUNDS)
			monitor_wait(&store->monitor);
		if (!store->left)
			break;
		store->left--;
		store->fetched[thread]++;
	}
	monitor_leave(&store->monitor);
}

static void store_or_fetch(void *argument, unsigned thread)
{
	struct store *store = argument;
	if (thread) {
		fetch(store, thread);
		return;
	}
	for (int i = 0; i < ROUNDS; i++) {
		monitor_enter(&store->monitor);
		store->stored++;
		store->left++;
		if (store->stored < ROUNDS)
			monitor_tell_one(&store->monitor);
		else
			monitor_tell_all(&store->monitor);
		monitor_leave(&store->monitor);
	}
	fetch(store, 0);
}

static void what_one_thread_is_told_of_is_fetched_once(void **state)
{
	struct store store = {0};
	unsigned fetched = 0;
	(void)state;
	monitor_init(&store.monitor);
	locus_parallel(COUNT_OF(store.fetched), store_or_fetch, &store);
	monitor_done(&store.monitor);
	for (size_t i = 0; i < COUNT_OF(store.fetched); i++)
		fetched += store.fetched[i];
	assert_int_equal(fetched, ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_take_turns),
		cmocka_unit_test(what_one_thread_is_told_of_is_fetched_once),
	};
	return cmocka_run_group_tests_name("monitor", tests, NULL, NULL);
}
