/* A system call that one of them interrupts goes on. */
#include "cmd/common/stop_signals.h"

#include <stddef.h>
#include <unistd.h>

/*
 * Some announce a limit: SIGXCPU comes at the soft one of CPU time, SIGALRM from an alarm that was set before the
 * program was started, and SIGUSR1 and SIGUSR2 from batch systems, all before something ends the program that it cannot
 * catch.
 */
static const int numbers[STOP_SIGNAL_COUNT] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2};

void stop_signals_catch(void (*handler)(int), struct stop_signals *ret_before)
{
	const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

	for (size_t i = 0; i < STOP_SIGNAL_COUNT; i++) {
		struct sigaction before = {.sa_handler = SIG_DFL};
		sigaction(numbers[i], NULL, &before);
		if (before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
		if (ret_before)
			ret_before->before[i] = before;
	}
}

void stop_signals_restore(const struct stop_signals *before)
{
	for (size_t i = 0; i < STOP_SIGNAL_COUNT; i++)
		sigaction(numbers[i], &before->before[i], NULL);
}

void stop_signals_hold(sigset_t *ret_before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < STOP_SIGNAL_COUNT; i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, ret_before);
}

void stop_signals_take_course(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	_exit(128 + number); /* the first process of a container does not end by a signal that it does not catch */
}
