/*
 * Keeps the processors that this process may use awake until it is killed, by a loop of idle priority on each: it runs
 * only where nothing else does, and makes way at once. A processor that has nothing to do falls asleep; in a virtual
 * machine its host then has to bring it back, and what it does first is slow. That is the host's doing and not the
 * measured program's, and it differs from hour to hour.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static void *loop(void *processor)
{
	const struct sched_param none = {0};
	if (sched_setaffinity(0, sizeof(cpu_set_t), processor) < 0 || sched_setscheduler(0, SCHED_IDLE, &none) < 0) {
		perror("bench-awake");
		exit(1);
	}
	for (;;) {
#if defined(__x86_64__) || defined(__i386__)
		__builtin_ia32_pause();
#else
		__asm__ volatile("" ::: "memory");
#endif
	}
	return NULL;
}

int main(void)
{
	static cpu_set_t allowed, alone[CPU_SETSIZE];
	pthread_t thread;
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* what started it may be killed, too */
	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0) {
		perror("bench-awake");
		return 1;
	}
	for (int processor = 0; processor < CPU_SETSIZE; processor++) {
		CPU_SET(processor, &alone[processor]);
		if (CPU_ISSET(processor, &allowed) && pthread_create(&thread, NULL, loop, &alone[processor]) != 0) {
			fprintf(stderr, "bench-awake: cannot start a thread\n");
			return 1;
		}
	}
	for (;;)
		pause();
}
