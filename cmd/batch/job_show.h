/* What `locus convert` says of a job that has ended. */
#ifndef LOCUS_JOB_SHOW_H
#define LOCUS_JOB_SHOW_H

#include "cmd/batch/job.h"

/* Prints what --json or --stats ask for, and notes the rule for --depfile. */
void job_show(struct job_context *context, const struct job *job);

#endif
