/* Runs one function on several threads and waits for all of them. */
#ifndef PARALLEL_H
#define PARALLEL_H

/* Calls work(argument, 0) to work(argument, thread_count - 1), the first on this thread. A thread that can't be had is
 * done without. */
void parallel_run(unsigned thread_count, void (*work)(void *argument, unsigned thread), void *argument);

#endif
