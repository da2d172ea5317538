/* Threads that are awake are counted, and each compares their number with that of the processors. */
#include "base/awake.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/affinity.h"

enum {
	WAIT_NS = 50000,    /* twice as long makes conversions no faster, and takes more CPU */
	PAUSES_PER_LOOK = 8 /* so that looking does not slow down the thread that holds what is looked at */
};

/* Initial-exec for the reason that base/budget.c gives. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct awake *used;

void awake_init(struct awake *awake)
{
	awake->processor_count = affinity_count();
	atomic_init(&awake->thread_count, 0);
}

void awake_begin(struct awake *awake)
{
	used = awake;
	awake_resume();
}

void awake_end(void)
{
	awake_pause();
	used = NULL;
}

bool awake_is_shared(void)
{
	return used != NULL;
}

void awake_pause(void)
{
	if (used)
		atomic_fetch_sub_explicit(&used->thread_count, 1, memory_order_relaxed);
}

void awake_resume(void)
{
	if (used)
		atomic_fetch_add_explicit(&used->thread_count, 1, memory_order_relaxed);
}

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Tells the processor that this thread only waits. */
static void pause_processor(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static bool has_processor(const struct awake *awake)
{
	return atomic_load_explicit(&awake->thread_count, memory_order_relaxed) <= awake->processor_count;
}

bool awake_until(bool (*is_over)(void *context), void *context)
{
	if (!used || !has_processor(used))
		return false;
	uint64_t end = now_ns() + WAIT_NS;
	do {
		for (unsigned i = 0; i < PAUSES_PER_LOOK; i++)
			pause_processor();
		if (is_over(context))
			return true;
	} while (has_processor(used) && now_ns() < end);
	return false;
}
