/*
 * Has two processors hand a cache line to each other, HANDOVERS times in all, so that the wall time of a run says how
 * far apart they are. Two that share a cache take some 25 ns for one; in a virtual machine, whose processors the host
 * moves from one to another, it may be six times as long a second later, and then so is what two threads wait for each
 * other's memory.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { HANDOVERS = 400000 }; /* benchreport.py divides by this */

static _Atomic unsigned line; /* how often it was handed over */
static cpu_set_t processors[2];

/* Takes the line each time that it is this side's turn. */
static void *side(void *processor)
{
	unsigned own = processor == &processors[1];
	if (sched_setaffinity(0, sizeof(cpu_set_t), processor) < 0)
		perror("bench-handover");
	for (unsigned turn = own; turn < HANDOVERS; turn += 2) {
		while (atomic_load_explicit(&line, memory_order_acquire) != turn)
			;
		atomic_store_explicit(&line, turn + 1, memory_order_release);
	}
	return NULL;
}

int main(void)
{
	cpu_set_t allowed;
	pthread_t thread;
	int found = 0;
	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0) {
		perror("bench-handover");
		return 1;
	}
	for (int processor = 0; processor < CPU_SETSIZE && found < 2; processor++)
		if (CPU_ISSET(processor, &allowed))
			CPU_SET(processor, &processors[found++]);
	if (found < 2 || pthread_create(&thread, NULL, side, &processors[1]) != 0) {
		fprintf(stderr, "bench-handover: there are no two processors\n");
		return 1;
	}
	side(&processors[0]);
	return pthread_join(thread, NULL);
}
