/* A batch of conversions: as many at one time as there are jobs to be had, shown in the order of the inputs. */
#ifndef LOCUS_BATCH_H
#define LOCUS_BATCH_H

#include "cmd/jobs/job.h"

/*
 * Converts all inputs and returns the worst of their exit codes. One that fails stops nothing. The threads of all jobs
 * are at most options->job_max, and at most what a jobserver gives. On a terminal, progress is drawn on standard
 * error. Returns early, with what was started cleaned up, where child_is_stopped.
 */
int batch_run(struct job_context *context, const struct inputs *inputs);

#endif
