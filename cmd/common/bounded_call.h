/* Calls a function that may never end on some inputs, and leaves it when it has had its share of the processor. */
#ifndef LOCUS_BOUNDED_CALL_H
#define LOCUS_BOUNDED_CALL_H

#include <stdbool.h>

/*
 * Calls `function` with `argument`. False: it was left after 20 to 40 ms of this thread's CPU time; or it was not
 * called, since the system has no timer for it, or since all calls together took half a second and more than calls do.
 *
 * The function is left by a jump out of a signal handler, wherever it is. So it may neither allocate from the heap for
 * long, nor hold a lock, nor call itself through here; what it allocated is lost. For one thread of a process.
 */
bool bounded_call(void (*function)(void *argument), void *argument);

#endif
