/*
 * One input of `locus convert`. It is converted in a child process into a staging directory; the parent puts the result
 * in place, and cleans up whatever happened.
 */
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/common/counter_names.h"
#include "cmd/common/exit_code.h"
#include "cmd/common/report.h"
#include "cmd/jobs/child.h"
#include "cmd/jobs/converter.h"
#include "cmd/jobs/job.h"
#include "cmd/jobs/staging.h"

/* One input, where it goes and what became of it. */
struct job {
	const char *input;
	char output[PATH_MAX];
	int code;
	struct locus_convert_result result;  /* where the code is EXIT_OK or EXIT_STALE */
	char failure[LOCUS_ERROR_TEXT_SIZE]; /* elsewhere */
};

/* ---- What became of a job ---- */

static void fail(struct job *job, const char *file, int code, const char *text)
{
	report(file, "%s", text);
	snprintf(job->failure, sizeof(job->failure), "%s", text);
	job->code = code;
}

/* The library counts into arrays by id; what shows counters takes them as a file has them. */
static void to_counters(const uint64_t *values, size_t count, struct locus_counter_info *ret)
{
	for (size_t i = 0; i < count; i++)
		ret[i] = (struct locus_counter_info){.id = (uint32_t)i, .value = values[i]};
}

struct counters {
	struct locus_counter_info coverage[LOCUS_COVERAGE_COUNT];
	struct locus_counter_info dropped[LOCUS_DROPPED_COUNT];
};

static void job_counters(const struct job *job, struct counters *ret)
{
	to_counters(job->result.coverage, LOCUS_COVERAGE_COUNT, ret->coverage);
	to_counters(job->result.dropped, LOCUS_DROPPED_COUNT, ret->dropped);
}

static void text_count(struct out *out, const char *label, uint64_t value)
{
	out_format(out, "  %-13s %14llu\n", label, (unsigned long long)value);
}

static void text_stats(struct out *out, const struct job *job)
{
	const struct locus_convert_result *result = &job->result;
	struct counters counters;

	out_escaped(out, job->output, strlen(job->output));
	out_char(out, '\n');
	text_count(out, "bytes", result->bytes_written);
	text_count(out, "units", result->unit_count);
	text_count(out, "intervals", result->interval_count);
	text_count(out, "contexts", result->context_count);
	text_count(out, "functions", result->function_count);
	text_count(out, "files", result->file_count);
	text_count(out, "name bytes", result->name_bytes);
	out_format(out, "  %-13s %14.3f s reading, %.3f s writing\n", "CPU", result->cpu_read_s, result->cpu_write_s);
	job_counters(job, &counters);
	text_coverage(out, counters.coverage, LOCUS_COVERAGE_COUNT);
	text_dropped(out, counters.dropped, LOCUS_DROPPED_COUNT);
}

static void json_seconds(struct json *json, const char *key, double seconds)
{
	json_key_u64(json, key, (uint64_t)(seconds * 1e6));
}

static void json_result(struct json *json, const struct job *job)
{
	const struct locus_convert_result *result = &job->result;
	struct counters counters;

	job_counters(job, &counters);
	json_key_u64(json, "bytes", result->bytes_written);
	json_key_u64(json, "units", result->unit_count);
	json_key_u64(json, "intervals", result->interval_count);
	json_key_u64(json, "contexts", result->context_count);
	json_key_u64(json, "functions", result->function_count);
	json_key_u64(json, "files", result->file_count);
	json_key_u64(json, "name_bytes", result->name_bytes);
	json_seconds(json, "cpu_read_us", result->cpu_read_s);
	json_seconds(json, "cpu_write_us", result->cpu_write_s);
	json_coverage(json, counters.coverage, LOCUS_COVERAGE_COUNT);
	json_dropped(json, counters.dropped, LOCUS_DROPPED_COUNT);
}

static void json_job(struct json *json, const struct job *job)
{
	static const char *const statuses[] = {
		[EXIT_OK] = "ok",
		[EXIT_FAILED] = "failed",
		[EXIT_USAGE] = "failed",
		[EXIT_NO_DEBUG] = "no-debug",
		[EXIT_STALE] = "below-requirement",
	};

	json_open(json, '{');
	json_key_text(json, "input", job->input);
	json_key_text(json, "status", statuses[job->code]);
	if (job->code == EXIT_OK)
		json_key_text(json, "output", job->output);
	else
		json_key_text(json, "error", job->failure);
	if (job->code == EXIT_OK || job->code == EXIT_STALE)
		json_result(json, job);
	json_close(json, '}');
	json_end_line(json);
}

static void show(struct batch *batch, const struct job *job)
{
	if (batch->options->json)
		json_job(&batch->json, job);
	else if (batch->options->stats && job->code == EXIT_OK)
		text_stats(batch->out, job);
	out_flush(batch->out);
}

/* ---- One job ---- */

static int compare_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* False where an earlier input has this output already. */
static bool claim_output(struct batch *batch, const char *output)
{
	char *copy = strdup(output);
	char **found = copy ? tsearch(copy, &batch->outputs, compare_text) : NULL;

	if (!found) {
		report(NULL, "out of memory");
		exit(EXIT_FAILED);
	}
	if (*found == copy)
		return true;
	free(copy);
	return false;
}

static bool name_output(struct job *job, const struct convert_options *options)
{
	const char *slash = strrchr(job->input, '/');
	const char *base = slash ? slash + 1 : job->input;
	int size;

	if (options->output)
		size = snprintf(job->output, sizeof(job->output), "%s", options->output);
	else if (options->output_directory)
		size = snprintf(job->output, sizeof(job->output), "%s/%s.locus", options->output_directory, base);
	else
		size = snprintf(job->output, sizeof(job->output), "%s.locus", job->input);
	return size < (int)sizeof(job->output);
}

/* What can be said before any work is done. */
static bool prepare(struct batch *batch, struct job *job)
{
	struct stat input;

	if (stat(job->input, &input) < 0)
		fail(job, job->input, EXIT_FAILED, strerror(errno));
	else if (!S_ISREG(input.st_mode))
		fail(job, job->input, EXIT_FAILED, "not a regular file");
	else if (!name_output(job, batch->options))
		fail(job, job->input, EXIT_FAILED, "the output's name is too long");
	else if (!claim_output(batch, job->output))
		fail(job, job->input, EXIT_FAILED, "an earlier input has the same output name");
	return job->code == EXIT_OK;
}

/* Whether the result is good enough to keep; if not, says where lines are missing most. */
static bool meets_requirement(struct batch *batch, struct job *job)
{
	const struct locus_convert_result *result = &job->result;
	struct counters counters;
	char text[128];

	job_counters(job, &counters);
	double percent = coverage_line_percent(counters.coverage, LOCUS_COVERAGE_COUNT);
	if (percent >= batch->options->require_line_percent)
		return true;
	snprintf(text, sizeof(text), "%.2f %% of the code has a line, %g %% is required", percent,
		 batch->options->require_line_percent);
	fail(job, job->input, EXIT_STALE, text);
	for (size_t i = 0; i < result->worst_count; i++)
		report(job->input, "unit %s: %llu of %llu bytes have a line", result->worst[i].name,
		       (unsigned long long)result->worst[i].line_bytes, (unsigned long long)result->worst[i].bytes);
	return false;
}

static void convert_into(struct batch *batch, struct job *job, const struct staging *staging)
{
	struct locus_convert_options options = batch->options->library;
	struct locus_error error;
	enum locus_status status;

	options.output = staging->file;
	options.destination = job->output;
	error_clear(&error);
	status = child_convert(job->input, &options, &job->result, &error);
	if (status != LOCUS_OK) {
		if (!child_is_stopped())
			report_error(job->input, status, &error);
		snprintf(job->failure, sizeof(job->failure), "%s", error_text(status, &error));
		job->code = exit_of(status);
		return;
	}
	if (meets_requirement(batch, job) && !staging_commit(staging, job->output))
		fail(job, job->output, EXIT_FAILED, strerror(errno));
}

static void convert(struct batch *batch, struct job *job)
{
	struct staging staging;

	if (!prepare(batch, job))
		return;
	if (!staging_init(&staging, job->output)) {
		fail(job, job->output, EXIT_FAILED,
		     errno == EEXIST ? "exists and is not a regular file" : strerror(errno));
		return;
	}
	convert_into(batch, job, &staging);
	staging_done(&staging);
}

int job_run(struct batch *batch, const char *input)
{
	struct job job = {.input = input};

	convert(batch, &job);
	if (!child_is_stopped())
		show(batch, &job);
	converter()->result_done(&job.result);
	return job.code;
}
