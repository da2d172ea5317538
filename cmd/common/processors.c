/* The scheduler is asked, because it respects containers and taskset. */
#include "cmd/common/processors.h"

#include <sched.h>

unsigned processor_count(void)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

	return count < JOB_MAX ? (unsigned)count : JOB_MAX;
}
