/* A batch of conversions: several run at a time, and results are shown in the order of the inputs. */
#ifndef LOCUS_BATCH_H
#define LOCUS_BATCH_H

#include "cmd/batch/job.h"

/*
 * Converts all inputs and returns the worst of their exit codes; a failure does not stop the others. All jobs together
 * have at most options->job_max threads, and at most as many as a jobserver allows. On a terminal, progress is drawn on
 * standard error. If child_is_stopped, returns early, with everything cleaned up.
 */
int batch_run(struct job_context *context, const struct inputs *inputs);

#endif
