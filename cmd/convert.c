/* locus convert: each input in a child process of its own, each output put in place in one step or not at all. */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/child.h"
#include "cmd/cmd.h"
#include "cmd/counters.h"
#include "cmd/staging.h"

enum { LEVEL_DEFAULT = 9, LEVEL_MAX = 22, JOB_MAX = 1024, BLOCK_SIZE_DEFAULT = 8192, BLOCK_SIZE_MAX = 1 << 20 };

struct convert_options {
	struct locus_convert_options library;
	char **inputs;
	size_t input_count;
	const char *output;
	const char *output_directory;
	const char **debug_directories;
	const char **prefix_maps;
	double require_line_percent; /* 0: nothing required */
	bool stats;
	bool json;
};

struct batch {
	const struct convert_options *options;
	struct out *out;
	struct json json;
	void *outputs; /* tsearch tree of the output paths so far */
	int code;
};

/* One input, where it goes and what became of it. */
struct job {
	const char *input;
	char output[PATH_MAX];
	int code;
	struct locus_convert_result result;  /* where the code is EXIT_OK or EXIT_STALE */
	char failure[LOCUS_ERROR_TEXT_SIZE]; /* elsewhere */
};

/* ---- What became of a job ---- */

static void fail_job(struct job *job, const char *file, int code, const char *text)
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

static void show_job(struct batch *batch, const struct job *job)
{
	if (batch->options->json)
		json_job(&batch->json, job);
	else if (batch->options->stats && job->code == EXIT_OK)
		text_stats(batch->out, job);
	out_flush(batch->out);
}

/* ---- One job ---- */

static bool same_file(const char *path, const struct stat *other)
{
	struct stat status;

	return path && stat(path, &status) == 0 && status.st_dev == other->st_dev && status.st_ino == other->st_ino;
}

static bool overwrites_input(const struct job *job, const struct locus_convert_options *options)
{
	struct stat output;

	if (stat(job->output, &output) < 0)
		return false;
	return same_file(job->input, &output) || same_file(options->debug_file, &output) ||
	       same_file(options->alt_file, &output) || same_file(options->dwp_file, &output);
}

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
static bool prepare_job(struct batch *batch, struct job *job)
{
	struct stat input;

	if (stat(job->input, &input) < 0)
		fail_job(job, job->input, EXIT_FAILED, strerror(errno));
	else if (!S_ISREG(input.st_mode))
		fail_job(job, job->input, EXIT_FAILED, "not a regular file");
	else if (!name_output(job, batch->options))
		fail_job(job, job->input, EXIT_FAILED, "the output's name is too long");
	else if (overwrites_input(job, &batch->options->library))
		fail_job(job, job->output, EXIT_FAILED, "would overwrite its own input");
	else if (!claim_output(batch, job->output))
		fail_job(job, job->input, EXIT_FAILED, "an earlier input has the same output name");
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
	fail_job(job, job->input, EXIT_STALE, text);
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
		fail_job(job, job->output, EXIT_FAILED, strerror(errno));
}

static void run_job(struct batch *batch, struct job *job)
{
	struct staging staging;

	if (!prepare_job(batch, job))
		return;
	if (!staging_init(&staging, job->output)) {
		fail_job(job, job->output, EXIT_FAILED,
			 errno == EEXIST ? "exists and is not a regular file" : strerror(errno));
		return;
	}
	convert_into(batch, job, &staging);
	staging_done(&staging);
}

static int run_batch(const struct convert_options *options)
{
	static struct out out;
	struct batch batch = {.options = options, .out = &out};

	out_init(&out, STDOUT_FILENO);
	json_init(&batch.json, &out);
	child_catch_signals();
	for (size_t i = 0; i < options->input_count && !child_is_stopped(); i++) {
		struct job job = {.input = options->inputs[i]};
		run_job(&batch, &job);
		if (!child_is_stopped())
			show_job(&batch, &job);
		batch.code = exit_worst(batch.code, job.code);
		locus_convert_result_done(&job.result);
	}
	tdestroy(batch.outputs, free);
	if (child_is_stopped())
		child_raise_stop();
	return out_finish(&out, batch.code);
}

/* ---- Arguments ---- */

enum {
	OPTION_OUTPUT_DIR = 0x100,
	OPTION_LEVEL,
	OPTION_BLOCK_SIZE,
	OPTION_DEBUG,
	OPTION_DEBUG_DIR,
	OPTION_ALT,
	OPTION_DWP,
	OPTION_PREFIX_MAP,
	OPTION_REQUIRE,
	OPTION_STATS,
	OPTION_JSON,
};

static const struct argp_option argument_table[] = {
	{"output", 'o', "OUT", 0, "Write to OUT (default: FILE.locus beside FILE)", 0},
	{"output-dir", OPTION_OUTPUT_DIR, "DIR", 0, "Write each FILE's to DIR/NAME.locus", 0},
	{"jobs", 'j', "N", 0, "Threads for each file (default: one for each processor)", 0},
	{"level", OPTION_LEVEL, "N", 0, "Compression, 1 to 22; 0 stores (default: 9)", 0},
	{"block-size", OPTION_BLOCK_SIZE, "N", 0, "Intervals in a block (default: 8192)", 0},
	{"debug", OPTION_DEBUG, "FILE", 0, "Read this separate debug file", 0},
	{"debug-dir", OPTION_DEBUG_DIR, "DIR", 0, "Look for separate debug files here (default: /usr/lib/debug)", 0},
	{"alt", OPTION_ALT, "FILE", 0, "Read this alternate file, as dwz makes", 0},
	{"dwp", OPTION_DWP, "FILE", 0, "Read this package of split DWARF", 0},
	{"prefix-map", OPTION_PREFIX_MAP, "OLD=NEW", 0, "Replace OLD by NEW at the start of paths", 0},
	{"require", OPTION_REQUIRE, "line>=N%", 0, "Write nothing, exit 4, where less of the code has a line", 0},
	{"stats", OPTION_STATS, NULL, 0, "Print what was read, written and dropped", 0},
	{"json", OPTION_JSON, NULL, 0, "Print the same as one JSON object a file", 0},
	{0},
};

/* Appends to an array that argp's caller made room in for as many as there are arguments. */
static void append(const char **array, size_t *count, const char *text)
{
	array[(*count)++] = text;
}

static double parse_requirement(const struct argp_state *state, const char *text)
{
	static const char prefix[] = "line>=";
	char *end;

	if (strncmp(text, prefix, strlen(prefix)) == 0) {
		double percent = strtod(text + strlen(prefix), &end);
		if (end != text + strlen(prefix) && strcmp(end, "%") == 0 && percent >= 0 && percent <= 100)
			return percent;
	}
	usage_error(state, "--require takes line>=N%%, not '%s'", text);
}

static void parse_prefix_map(const struct argp_state *state, struct locus_convert_options *library, const char **maps,
			     const char *text)
{
	if (!strchr(text, '=') || text[0] == '=')
		usage_error(state, "--prefix-map takes OLD=NEW, not '%s'", text);
	append(maps, &library->prefix_map_count, text);
}

static void check_arguments(const struct argp_state *state, const struct convert_options *options)
{
	if (options->input_count == 0)
		usage_error(state, "name an ELF file");
	if (options->output && options->output_directory)
		usage_error(state, "-o and --output-dir exclude each other");
	if (options->output && options->input_count > 1)
		usage_error(state, "-o is for one input; --output-dir takes several");
	if (options->library.debug_file && options->input_count > 1)
		usage_error(state, "--debug is for one input");
	if (options->library.dwp_file && options->input_count > 1)
		usage_error(state, "--dwp is for one input");
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct convert_options *options = state->input;
	struct locus_convert_options *library = &options->library;

	switch (key) {
	case 'o':
		options->output = text;
		return 0;
	case OPTION_OUTPUT_DIR:
		options->output_directory = text;
		return 0;
	case 'j':
		library->job_count = (unsigned)option_number(state, "-j", text, 1, JOB_MAX);
		return 0;
	case OPTION_LEVEL:
		library->level = (int)option_number(state, "--level", text, 0, LEVEL_MAX);
		return 0;
	case OPTION_BLOCK_SIZE:
		library->block_size = (uint32_t)option_number(state, "--block-size", text, 1, BLOCK_SIZE_MAX);
		return 0;
	case OPTION_DEBUG:
		library->debug_file = text;
		return 0;
	case OPTION_DEBUG_DIR:
		append(options->debug_directories, &library->debug_dir_count, text);
		return 0;
	case OPTION_ALT:
		library->alt_file = text;
		return 0;
	case OPTION_DWP:
		library->dwp_file = text;
		return 0;
	case OPTION_PREFIX_MAP:
		parse_prefix_map(state, library, options->prefix_maps, text);
		return 0;
	case OPTION_REQUIRE:
		options->require_line_percent = parse_requirement(state, text);
		return 0;
	case OPTION_STATS:
		options->stats = true;
		return 0;
	case OPTION_JSON:
		options->json = true;
		return 0;
	case ARGP_KEY_ARGS:
		options->inputs = &state->argv[state->next];
		options->input_count = (size_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_END:
		check_arguments(state, options);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static unsigned processor_count(void)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

	return count < JOB_MAX ? (unsigned)count : JOB_MAX;
}

int convert_run(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argument_table,
		.parser = parse_option,
		.args_doc = "FILE...",
		.doc = "Turn the debug information of ELF files into .locus files.",
	};
	struct convert_options options = {
		.library = {.job_count = processor_count(), .level = LEVEL_DEFAULT, .block_size = BLOCK_SIZE_DEFAULT},
	};
	int code;

	options.debug_directories = calloc((size_t)argc, sizeof(char *));
	options.prefix_maps = calloc((size_t)argc, sizeof(char *));
	if (!options.debug_directories || !options.prefix_maps) {
		report(NULL, "out of memory");
		return EXIT_FAILED;
	}
	parse_arguments(&argp, argc, argv, &options);
	if (options.library.debug_dir_count)
		options.library.debug_dirs = options.debug_directories;
	options.library.prefix_maps = options.prefix_maps;
	code = run_batch(&options);
	free(options.debug_directories);
	free(options.prefix_maps);
	return code;
}
