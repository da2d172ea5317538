/* How many processors a process may use: the scheduler knows, for it respects containers and taskset. */
#ifndef LOCUS_AFFINITY_H
#define LOCUS_AFFINITY_H

#include <sched.h>

/* How many processors this process may use: at least 1. */
static inline unsigned affinity_count(void)
{
	/* Linux refuses a set with less room than it has processors, which may be more than cpu_set_t has room for. */
	union {
		cpu_set_t set;
		unsigned char room[1 << 13];
	} allowed;
	int failed = sched_getaffinity(0, sizeof(allowed), &allowed.set);
	return failed ? 1 : (unsigned)CPU_COUNT_S(sizeof(allowed), &allowed.set);
}

#endif
