/* Runs one function on several threads and waits for all of them. */
#ifndef LOCUS_PARALLEL_H
#define LOCUS_PARALLEL_H

enum { LOCUS_PARALLEL_MAX = 256 };

/* Calls work(argument, 0) to work(argument, thread_count - 1), the first on this thread. A thread that can't be had is
 * done without, and so are those beyond LOCUS_PARALLEL_MAX. All work for the caller's budget (base/budget.h). */
void locus_parallel(unsigned thread_count, void (*work)(void *argument, unsigned thread), void *argument);

#endif
