/* One input of `locus convert`: what is made of it, where it goes, what is said of it. */
#ifndef LOCUS_JOB_H
#define LOCUS_JOB_H

#include "cmd/common/json.h"
#include "cmd/jobs/conversion.h"
#include "cmd/jobs/depfile.h"
#include "cmd/jobs/durable.h"
#include "cmd/jobs/inputs.h"
#include "cmd/jobs/staging.h"
#include "convert/locus_convert.h"

struct convert_options {
	struct locus_convert_options library; /* `output` and `job_count` are set for each job */
	unsigned job_max;                     /* threads of all jobs together */
	const char *output;
	const char *output_directory;
	const char *store;           /* a directory: see symbol_store.h */
	const char *depfile;         /* see depfile.h; NULL: none */
	double require_line_percent; /* 0: nothing required */
	enum durability durability;
	bool allow_no_debug;
	bool keep_unchanged;
	bool if_stale; /* what is fresh at the output is left, as it always is in a store */
	bool stats;
	bool json;
};

/* What the jobs of one call share. */
struct job_context {
	const struct convert_options *options;
	struct out *out;
	struct json json;
	struct durable durable;
	struct depfile depfile;
	void *outputs; /* tsearch tree of the output paths so far */
};

/* One input, where it goes and what became of it. */
struct job {
	const struct input *input;
	char *output;
	struct staging staging;
	struct conversion conversion;
	unsigned thread_count;
	bool is_running;
	struct freshness freshness; /* of what was at the output; zeroed where nobody asked, or it could not be said */
	struct timespec as_of;      /* when that was judged */
	bool is_unchanged;          /* the output had these bytes already, and was left as it is */
	int code;
	struct locus_convert_result result;  /* where the code is EXIT_OK or EXIT_STALE */
	char failure[LOCUS_ERROR_TEXT_SIZE]; /* elsewhere */
};

/*
 * Starts to convert an input with `thread_count` threads; job->is_running is false where it came to its end at once.
 * Freed by job_free; ends the program where memory is out.
 */
struct job *job_start(struct job_context *context, const struct input *input, unsigned thread_count);

/* Ends a running job, for which conversion_is_done was true: the result is put in place, or what went wrong is said. */
void job_finish(struct job_context *context, struct job *job);

/* Prints what --json or --stats ask for, and notes what --depfile does. The job has ended. */
void job_show(struct job_context *context, const struct job *job);

void job_free(struct job *job);

#endif
