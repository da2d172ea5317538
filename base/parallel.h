/* Runs one function on several threads at once. */
#ifndef LOCUS_PARALLEL_H
#define LOCUS_PARALLEL_H

#include "base/awake.h"
#include "base/budget.h"
#include "base/monitor.h"

/*
 * At most so many threads, each with a stack of so many bytes, whatever the user's limit: to parse a name takes up to 2
 * MiB (convert/unit/mangled_name.c), all else little. Pages of a stack that are not used take no memory.
 */
enum { LOCUS_PARALLEL_MAX = 256, LOCUS_PARALLEL_STACK = 4 << 20 };

/*
 * Threads that are kept from call to call, so that a conversion starts each of them once. They belong to the thread
 * that keeps them: only its calls use them. Those that it has begun to use wait for the next call in between.
 */
struct kept_threads {
	struct awake awake;
	unsigned most; /* number of threads to start at most */
	unsigned started;
	pthread_t threads[LOCUS_PARALLEL_MAX];

	struct monitor calls; /* guards the fields below; tells of a call, and of `closing` */
	void (*work)(void *argument, unsigned thread);
	void *argument;
	struct budget *budget; /* the caller's */
	uint64_t call;         /* number of the call, from 1 on */
	unsigned next;         /* the number that the next thread gets which begins with the work */
	unsigned end;          /* the numbers below may be given */
	bool closing;

	/* A monitor of its own, so that the end of a call does not wake the threads that wait for the next one. */
	struct monitor ends;
	atomic_uint busy; /* number of threads at work; when it falls to 0, `ends` tells */
};

/*
 * From here on the calls of this thread use `thread_count` threads, itself included, and at most LOCUS_PARALLEL_MAX.
 * The others are started by the first call that needs them. Ended by kept_threads_done, in the same thread.
 */
void kept_threads_init(struct kept_threads *kept, unsigned thread_count);

/*
 * Ends the threads: kept_threads_close tells them to, after the last call; kept_threads_done waits until they have.
 * With other work between the two, nobody waits while a thread wakes up just to end.
 */
void kept_threads_close(struct kept_threads *kept);
void kept_threads_done(struct kept_threads *kept);

/*
 * Calls work(argument, 0) on this thread, and work(argument, i) on another one for each other i < thread_count; waits
 * for all of them. Fewer calls are made if a thread cannot be started or is still asleep when this one is done, and at
 * most LOCUS_PARALLEL_MAX: `work` must not rely on their number. All threads work for the caller's budget
 * (base/budget.h). If this thread keeps no threads, some are started for this call.
 */
void locus_parallel(unsigned thread_count, void (*work)(void *argument, unsigned thread), void *argument);

/*
 * The same in two steps, for a thread that has other work meanwhile: work(argument, 0) is not called. It has to keep
 * threads, and between the two steps it makes no other call.
 */
void locus_parallel_begin(unsigned thread_count, void (*work)(void *argument, unsigned thread), void *argument);
void locus_parallel_end(void);

#endif
