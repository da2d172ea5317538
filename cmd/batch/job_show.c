/* Prints what is known of a job: for people, or in JSON. The counts have the same names in both. */
#include "cmd/batch/job_show.h"

#include <stddef.h>
#include <string.h>

#include "cmd/batch/phase_names.h"
#include "cmd/common/counter_names.h"
#include "cmd/common/exit_code.h"
#include "cmd/common/origin.h"

/* The counts of a conversion in the order in which they are shown, with the names that JSON has too. */
static const struct {
	const char *name;
	size_t offset; /* offset of a uint64_t in the result */
} counts[] = {
	{"bytes", offsetof(struct locus_convert_result, bytes_written)},
	{"units", offsetof(struct locus_convert_result, unit_count)},
	{"intervals", offsetof(struct locus_convert_result, interval_count)},
	{"contexts", offsetof(struct locus_convert_result, context_count)},
	{"functions", offsetof(struct locus_convert_result, function_count)},
	{"files", offsetof(struct locus_convert_result, file_count)},
	{"name_bytes", offsetof(struct locus_convert_result, name_bytes)},
};
enum { COUNT_COUNT = sizeof(counts) / sizeof(counts[0]) };

static uint64_t count_of(const struct locus_convert_result *result, size_t i)
{
	uint64_t value;

	memcpy(&value, (const char *)result + counts[i].offset, sizeof(value));
	return value;
}

/*
 * How busy the threads of a phase were: the rest of their time they waited for each other. The kernel adds up what
 * threads on other processors use some milliseconds late, so a short phase may seem to have used more than it had.
 */
static double percent_busy(const struct locus_convert_phase_time *time, unsigned thread_count)
{
	double had = time->wall_s * thread_count;

	if (had <= 0)
		return 0;
	return time->cpu_s < had ? 100 * time->cpu_s / had : 100;
}

static void text_phases(struct out *out, const struct job *job)
{
	out_format(out, "\n%-15s %10s %9s  busy, of %u thread%s\n", "time", "wall s", "CPU s", job->thread_count,
		   job->thread_count == 1 ? "" : "s");
	for (int i = 0; i < LOCUS_PHASE_COUNT; i++) {
		const struct locus_convert_phase_time *time = &job->result.phases[i];
		out_format(out, "  %-13s %10.3f %9.3f %5.0f %%\n", phase_name((enum locus_convert_phase)i),
			   time->wall_s, time->cpu_s, percent_busy(time, job->thread_count));
	}
}

static void text_stats(struct out *out, const struct job *job)
{
	struct job_counters counters;

	out_escaped(out, job->output, strlen(job->output));
	if (job->freshness.is_fresh) {
		out_format(out, ": fresh, by %s\n", job->freshness.by_times ? "times" : "digests");
		return;
	}
	out_char(out, '\n');
	for (size_t i = 0; i < COUNT_COUNT; i++)
		out_format(out, "  %-13s %14llu\n", counts[i].name, (unsigned long long)count_of(&job->result, i));
	text_phases(out, job);
	job_count(job, &counters);
	text_coverage(out, counters.coverage, LOCUS_COVERAGE_COUNT);
	text_dropped(out, counters.dropped, LOCUS_DROPPED_COUNT);
}

static void json_phases(struct json *json, const struct job *job)
{
	json_key_u64(json, "threads", job->thread_count);
	json_key(json, "phases");
	json_open(json, '[');
	for (int i = 0; i < LOCUS_PHASE_COUNT; i++) {
		const struct locus_convert_phase_time *time = &job->result.phases[i];
		json_open(json, '{');
		json_key_text(json, "name", phase_name((enum locus_convert_phase)i));
		json_key_u64(json, "wall_us", (uint64_t)(time->wall_s * 1e6));
		json_key_u64(json, "cpu_us", (uint64_t)(time->cpu_s * 1e6));
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_result(struct json *json, const struct job *job)
{
	struct job_counters counters;

	for (size_t i = 0; i < COUNT_COUNT; i++)
		json_key_u64(json, counts[i].name, count_of(&job->result, i));
	json_phases(json, job);
	job_count(job, &counters);
	json_coverage(json, counters.coverage, LOCUS_COVERAGE_COUNT);
	json_dropped(json, counters.dropped, LOCUS_DROPPED_COUNT);
}

/* Prints identity, build-id and ELF type, so that one pass over many files makes a manifest of them. */
static void json_made(struct json *json, const char *path)
{
	struct locus *locus;
	const struct locus_info *info;

	if (locus_open(path, NULL, &locus, NULL) != LOCUS_OK)
		return;
	if (locus_info(locus, &info, NULL) == LOCUS_OK)
		json_origin(json, locus, info);
	locus_close(locus);
}

/* Shows whether the earlier output was fresh. */
static void json_freshness(struct json *json, const struct freshness *freshness)
{
	if (freshness->is_fresh)
		json_key_text(json, "fresh", freshness->by_times ? "times" : "digests");
	else if (freshness->reason[0])
		json_key_text(json, "stale", freshness->reason);
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
	json_key_text(json, "input", job->input->path);
	json_key_text(json, "status", statuses[job->code]);
	if (job->code == EXIT_OK) {
		json_key_text(json, "output", job->output);
		json_key_bool(json, "unchanged", job->is_unchanged);
		json_made(json, job->output);
	} else {
		json_key_text(json, "error", job->failure);
	}
	json_freshness(json, &job->freshness);
	if ((job->code == EXIT_OK && !job->freshness.is_fresh) || job->code == EXIT_STALE)
		json_result(json, job);
	json_close(json, '}');
	json_end_line(json);
}

void job_show(struct job_context *context, const struct job *job)
{
	if (job->code == EXIT_OK) {
		depfile_add(&context->depfile, job->output, job->result.read_paths, job->result.read_paths_size);
	} else if (job->code == EXIT_NO_DEBUG && context->options->allow_no_debug) {
		depfile_add(&context->depfile, job->output, job->input->path, strlen(job->input->path) + 1);
	}
	if (context->options->json)
		json_job(&context->json, job);
	else if (context->options->stats && job->code == EXIT_OK)
		text_stats(context->out, job);
	out_flush(context->out);
}
