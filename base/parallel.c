/* The function that is run divides its work itself, so that it gets done even if some threads cannot be started. */
#include "base/parallel.h"

#include <pthread.h>
#include <stdbool.h>

#include "base/budget.h"

/* A thread to be started. */
struct start {
	pthread_t thread;
	void (*work)(void *argument, unsigned thread);
	void *argument;
	unsigned index;
	struct budget *budget; /* the caller's */
	bool running;
};

static void *run(void *argument)
{
	struct start *start = argument;
	budget_use(start->budget);
	start->work(start->argument, start->index);
	return NULL;
}

void locus_parallel(unsigned thread_count, void (*work)(void *argument, unsigned thread), void *argument)
{
	struct start starts[LOCUS_PARALLEL_MAX];
	unsigned count = thread_count < LOCUS_PARALLEL_MAX ? thread_count : LOCUS_PARALLEL_MAX;
	for (unsigned i = 1; i < count; i++) {
		starts[i] = (struct start){.work = work, .argument = argument, .index = i, .budget = budget_used()};
		starts[i].running = pthread_create(&starts[i].thread, NULL, run, &starts[i]) == 0;
	}
	work(argument, 0);
	for (unsigned i = 1; i < count; i++)
		if (starts[i].running)
			pthread_join(starts[i].thread, NULL);
}
