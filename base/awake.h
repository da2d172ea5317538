/*
 * Waiting without falling asleep. To wake a sleeping thread, and the processor that went idle with it, takes tens of
 * microseconds, in a virtual machine a hundred and more; what threads of one conversion wait for mostly takes less. So
 * a thread that has to wait looks again and again for a short time before it sleeps. It does so only while there is a
 * processor for each thread that is awake: otherwise it would keep the one from running that it waits for.
 */
#ifndef LOCUS_AWAKE_H
#define LOCUS_AWAKE_H

#include <stdatomic.h>
#include <stdbool.h>

/* The threads that work together. */
struct awake {
	unsigned processor_count; /* that this process may use */
	atomic_uint thread_count; /* of those that do not sleep */
};

/* None is counted yet. */
void awake_init(struct awake *awake);

/* Counts the calling thread among these threads from now on; awake_end: no more. A thread belongs to one `awake`. */
void awake_begin(struct awake *awake);
void awake_end(void);

/* Whether the calling thread works together with others. If not, nothing changes while it waits, except by signals. */
bool awake_is_shared(void);

/* Looks until `is_over` says so; false: it took too long, or there is no processor to wait on, so sleep is better. */
bool awake_until(bool (*is_over)(void *context), void *context);

/* To be called before the calling thread falls asleep because it waits, and after that. */
void awake_pause(void);
void awake_resume(void);

#endif
