/* The function that is run divides its work itself, so that it gets done even if some threads cannot be started. */
#include "base/parallel.h"

#include <stddef.h>

/* Initial-exec for the reason that base/budget.c gives. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct kept_threads *used;

/* Takes part in the call that is being made. The thread has entered the monitor, which it leaves meanwhile. */
static void take_part(struct kept_threads *kept)
{
	unsigned number = kept->next++;
	atomic_fetch_add(&kept->busy, 1);
	monitor_leave(&kept->calls);
	budget_use(kept->budget);
	kept->work(kept->argument, number);
	if (atomic_fetch_sub(&kept->busy, 1) == 1) {
		monitor_enter(&kept->ends);
		monitor_tell_all(&kept->ends);
		monitor_leave(&kept->ends);
	}
	monitor_enter(&kept->calls);
}

static void *run(void *argument)
{
	struct kept_threads *kept = argument;
	uint64_t done = 0; /* number of the last call that this thread took part in */
	awake_begin(&kept->awake);
	monitor_enter(&kept->calls);
	while (!kept->closing) {
		if (kept->call != done && kept->next < kept->end) {
			done = kept->call;
			take_part(kept);
		} else {
			monitor_wait(&kept->calls);
		}
	}
	monitor_leave(&kept->calls);
	awake_end();
	return NULL;
}

void kept_threads_init(struct kept_threads *kept, unsigned thread_count)
{
	*kept = (struct kept_threads){.most = thread_count < LOCUS_PARALLEL_MAX ? thread_count : LOCUS_PARALLEL_MAX};
	monitor_init(&kept->calls);
	monitor_init(&kept->ends);
	atomic_init(&kept->busy, 0);
	awake_init(&kept->awake);
	if (thread_count > 1)
		awake_begin(&kept->awake);
	used = kept;
}

void kept_threads_close(struct kept_threads *kept)
{
	monitor_enter(&kept->calls);
	kept->closing = true;
	monitor_tell_all(&kept->calls);
	monitor_leave(&kept->calls);
}

void kept_threads_done(struct kept_threads *kept)
{
	for (unsigned i = 0; i < kept->started; i++)
		pthread_join(kept->threads[i], NULL);
	awake_end();
	monitor_done(&kept->calls);
	monitor_done(&kept->ends);
	used = NULL;
}

/* Starts one more thread. False: the system has none. */
static bool start(struct kept_threads *kept)
{
	pthread_attr_t attributes;
	if (pthread_attr_init(&attributes) != 0)
		return false;
	bool is_started = pthread_attr_setstacksize(&attributes, LOCUS_PARALLEL_STACK) == 0 &&
			  pthread_create(&kept->threads[kept->started], &attributes, run, kept) == 0;
	kept->started += is_started;
	pthread_attr_destroy(&attributes);
	return is_started;
}

void locus_parallel_begin(unsigned thread_count, void (*work)(void *argument, unsigned thread), void *argument)
{
	struct kept_threads *kept = used;
	unsigned count = thread_count < kept->most ? thread_count : kept->most;
	if (count <= 1)
		return;
	monitor_enter(&kept->calls);
	kept->work = work;
	kept->argument = argument;
	kept->budget = budget_used();
	kept->call++;
	kept->next = 1;
	kept->end = count;
	for (unsigned i = 1; i < count && i <= kept->started; i++)
		monitor_tell_one(&kept->calls);
	monitor_leave(&kept->calls);

	/* Those that are started only now find the work there. */
	while (kept->started + 1 < count && start(kept))
		continue;
}

void locus_parallel_end(void)
{
	struct kept_threads *kept = used;
	monitor_enter(&kept->calls);
	kept->end = 0;
	monitor_leave(&kept->calls);

	/* No further thread becomes busy. */
	monitor_enter(&kept->ends);
	while (atomic_load(&kept->busy))
		monitor_wait(&kept->ends);
	monitor_leave(&kept->ends);
}

void locus_parallel(unsigned thread_count, void (*work)(void *argument, unsigned thread), void *argument)
{
	struct kept_threads own, *kept = used;
	if (!kept)
		kept_threads_init(&own, thread_count);
	locus_parallel_begin(thread_count, work, argument);
	work(argument, 0);
	locus_parallel_end();
	if (!kept) {
		kept_threads_close(&own);
		kept_threads_done(&own);
	}
}
