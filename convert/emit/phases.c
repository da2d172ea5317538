/* A phase ends where the next one begins, so no time between two of them is lost. */
#include "convert/emit/phases.h"

#include <sys/resource.h>
#include <time.h>

static double cpu_seconds(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double wall_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void phases_end(struct phases *phases)
{
	double wall_s = wall_seconds(), cpu_s = cpu_seconds();
	if (phases->wall_s > 0) {
		phases->times[phases->current].wall_s += wall_s - phases->wall_s;
		phases->times[phases->current].cpu_s += cpu_s - phases->cpu_s;
	}
	phases->wall_s = wall_s;
	phases->cpu_s = cpu_s;
}

void phases_enter(struct phases *phases, enum locus_convert_phase phase)
{
	phases_end(phases);
	phases->current = phase;
	if (phases->progress)
		phases->progress(phases->context, phase, 0, 0);
}

void phases_note_read(void *context, uint64_t done, uint64_t total)
{
	struct phases *phases = context;
	if (!phases->progress || done <= phases->read_size)
		return;
	phases->read_size = done;
	phases->progress(phases->context, phases->current, done, total);
}
