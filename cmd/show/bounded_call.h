/* Calls a function that may not end on some inputs, and stops it when it has used its share of the processor. */
#ifndef LOCUS_BOUNDED_CALL_H
#define LOCUS_BOUNDED_CALL_H

#include <stdbool.h>

/*
 * Calls `function` with `argument`. False: it was stopped after 20 to 40 ms of this thread's CPU time; or it was not
 * called, because the system has no timer for it, or because all calls together took more than 640 ms and a little
 * for each.
 *
 * The function is stopped by a jump out of a signal handler, wherever it is. So it must not hold a lock, nor call
 * itself through here, nor be in the heap's functions for long; what it allocated is lost. Only for one thread of a
 * process.
 */
bool bounded_call(void (*function)(void *argument), void *argument);

#endif
