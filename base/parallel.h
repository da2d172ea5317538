/* Runs one function on several threads and waits for all of them. */
#ifndef LOCUS_PARALLEL_H
#define LOCUS_PARALLEL_H

enum { LOCUS_PARALLEL_MAX = 256 };

/*
 * Calls work(argument, 0) on this thread, and work(argument, i) on a thread each for the other i < thread_count. Fewer
 * calls are made if a thread cannot be started, and at most LOCUS_PARALLEL_MAX: `work` must not rely on their number.
 * All threads work for the caller's budget (base/budget.h).
 */
void locus_parallel(unsigned thread_count, void (*work)(void *argument, unsigned thread), void *argument);

#endif
