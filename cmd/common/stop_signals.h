/* The signals by which people and systems end a program that can still clean up behind itself first. */
#ifndef LOCUS_STOP_SIGNALS_H
#define LOCUS_STOP_SIGNALS_H

#include <signal.h>

enum { STOP_SIGNAL_COUNT = 8 };

/* The handlers that stood before another one. */
struct stop_signals {
	struct sigaction before[STOP_SIGNAL_COUNT];
};

/*
 * Has `handler`, or SIG_DFL, stand for each of them. One that the caller of this program ignores, as under nohup, stays
 * ignored. `ret_before` may be NULL.
 */
void stop_signals_catch(void (*handler)(int), struct stop_signals *ret_before);

/* Restores the handlers that stood before. */
void stop_signals_restore(const struct stop_signals *before);

/* Holds them back from this thread until `before`, which it fills, is given to sigprocmask with SIG_SETMASK. */
void stop_signals_hold(sigset_t *ret_before);

/* Ends the process as the signal does, or as what stands for it does; also within a handler of the signal. */
void stop_signals_take_course(int number) __attribute__((noreturn));

#endif
