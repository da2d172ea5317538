/* One input of `locus convert`: its conversion, its output, and what is reported of failures. */
#ifndef LOCUS_JOB_H
#define LOCUS_JOB_H

#include "cmd/batch/depfile.h"
#include "cmd/batch/inputs.h"
#include "cmd/common/counter_names.h"
#include "cmd/common/json.h"
#include "cmd/conversion/conversion.h"
#include "cmd/store/durable.h"
#include "cmd/store/staging.h"
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
	bool if_stale; /* a fresh output is left as it is, as always in a store */
	bool stats;
	bool json;
};

/* What the jobs of a call share. */
struct job_context {
	const struct convert_options *options;
	const struct inputs *inputs; /* set by batch_run */
	struct out *out;
	struct json json;
	struct durable durable;
	struct depfile depfile;
	void *outputs; /* tsearch tree of the output paths so far */
};

/* An input, its output, and the result. */
struct job {
	const struct input *input;
	char *output;
	struct stat program; /* the input, as it was before; zeroed for a member of an archive */
	struct staging staging;
	int write_error; /* the errno for which no output can be made here: there may be a fresh one; 0: none */
	struct conversion conversion;
	unsigned thread_count;
	bool is_running;
	struct freshness freshness; /* of the earlier output; zeroed: not asked, or unknown */
	struct timespec as_of;      /* the time of that judgement */
	bool is_unchanged;          /* the output had the same bytes already, or better ones, and was left */
	int code;
	struct locus_convert_result result;  /* if the code is EXIT_OK or EXIT_STALE */
	char failure[LOCUS_ERROR_TEXT_SIZE]; /* otherwise */
};

/*
 * Prepares to convert an input: finds where its output goes, and failures that show before any work. Freed by job_free;
 * ends the program if memory is out.
 */
struct job *job_new(struct job_context *context, const struct input *input);

/*
 * Starts a job with `thread_count` threads. job->is_running is false if it ended at once, or had failed before, which
 * leaves it as it is.
 */
void job_start(struct job_context *context, struct job *job, unsigned thread_count);

/* Ends a running job after conversion_is_done was true: puts the result in place, or reports the failure. */
void job_finish(struct job_context *context, struct job *job);

/* What a conversion has counted, as a file has it: with ids. */
struct job_counters {
	struct locus_counter_info coverage[LOCUS_COVERAGE_COUNT];
	struct locus_counter_info dropped[LOCUS_DROPPED_COUNT];
};

/* Gives the counters of a job that has succeeded, or would have without --require. */
void job_count(const struct job *job, struct job_counters *ret);

void job_free(struct job *job);

#endif
