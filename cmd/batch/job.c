/*
 * Converts one input of `locus convert` in a child process into a staging directory. The parent puts the result in
 * place, and cleans up whatever happens.
 */
#include "cmd/batch/job.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/same_file.h"
#include "cmd/common/exit_code.h"
#include "cmd/common/file_magic.h"
#include "cmd/common/file_state.h"
#include "cmd/common/folders.h"
#include "cmd/common/memory.h"
#include "cmd/common/report.h"
#include "cmd/conversion/conversion.h"
#include "cmd/conversion/converter.h"
#include "cmd/store/staging.h"
#include "cmd/store/symbol_store.h"

/* ---- What became of a job ---- */

static void fail(struct job *job, const char *file, int code, const char *text)
{
	report(file, "%s", text);
	snprintf(job->failure, sizeof(job->failure), "%s", text);
	job->code = code;
}

/* The library counts into arrays by id. */
static void to_counters(const uint64_t *values, size_t count, struct locus_counter_info *ret)
{
	for (size_t i = 0; i < count; i++)
		ret[i] = (struct locus_counter_info){.id = (uint32_t)i, .value = values[i]};
}

void job_count(const struct job *job, struct job_counters *ret)
{
	to_counters(job->result.coverage, LOCUS_COVERAGE_COUNT, ret->coverage);
	to_counters(job->result.dropped, LOCUS_DROPPED_COUNT, ret->dropped);
}

/* ---- Where its output goes ---- */

static int compare_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Notes the output. False: an earlier input has the same one. */
static bool claim_output(struct job_context *context, const char *output)
{
	char *copy = memory_checked(strdup(output));
	char **found = memory_checked(tsearch(copy, &context->outputs, compare_text));

	if (*found == copy)
		return true;
	free(copy);
	return false;
}

/* Members of a thin archive have paths; their outputs are files beside the archive all the same. */
static void flatten_member(char *output)
{
	char *member = strchr(output, '(');

	for (char *slash = member ? strchr(member, '/') : NULL; slash; slash = strchr(slash, '/'))
		*slash = '_';
}

static void name_output(struct job *job, const struct convert_options *options)
{
	const struct input *input = job->input;
	const char *suffix = options->library.embed ? "" : ".locus";

	if (options->output)
		job->output = memory_checked(strdup(options->output));
	else if (options->output_directory)
		job->output = memory_text("%s/%s%s", options->output_directory, input->path + input->base, suffix);
	else
		job->output = memory_text("%s%s", input->path, suffix);
	if (input->is_member && !options->output)
		flatten_member(job->output + strlen(job->output) - strlen(input->path + input->base) - strlen(suffix));
	/* An output that is a link to a program stays a link. */
	char *program = options->library.embed && !options->output ? realpath(job->output, NULL) : NULL;
	if (program) {
		free(job->output);
		job->output = program;
	}
}

/* In a store the build-id gives the place; without one there is none. */
static bool name_in_store(struct job *job, const char *store)
{
	const char *path = job->input->path;
	char hex[STORE_HEX_MAX + 1];
	struct locus_error error;
	enum locus_status status = store_read_build_id(path, hex, &error);

	if (status != LOCUS_OK)
		fail(job, path, EXIT_FAILED, error_text(status, &error));
	else if (!hex[0])
		fail(job, path, EXIT_FAILED, "has no build-id, by which a store keeps what is made of it");
	else
		job->output = store_path(store, hex);
	return job->code == EXIT_OK;
}

/* ---- What is there already ---- */

/* Whether the existing output has enough lines for --require, as a new one must have. */
static bool has_required_lines(const struct convert_options *options, const char *output)
{
	const struct locus_info *info;
	struct locus *locus;

	if (options->require_line_percent <= 0)
		return true;
	if (locus_open(output, NULL, &locus, NULL) != LOCUS_OK)
		return false;
	bool has = locus_info(locus, &info, NULL) == LOCUS_OK &&
		   coverage_line_percent(info->coverage, info->coverage_count) >= options->require_line_percent;
	locus_close(locus);
	return has;
}

/* Whether to ask if the output is fresh: it exists, and is of the kind that would be made. */
static bool may_be_fresh(const struct convert_options *options, const char *output)
{
	return (options->if_stale || options->store) && access(output, R_OK) == 0 &&
	       file_begins_with(output, FILE_MAGIC_ELF, false) == options->library.embed &&
	       has_required_lines(options, output);
}

static bool is_own_input(const struct job *job)
{
	return paths_are_same_file(job->input->path, job->output);
}

/*
 * Sets the time of an output that was judged by digests, so that times are enough the next time. A program that carries
 * its own conversion is also the input, and stays as it is.
 */
static void touch_output(const struct job *job)
{
	if (!is_own_input(job))
		freshness_touch(job->output, &job->as_of);
}

/* ---- One job ---- */

/* Whether the output would take the place of another job's input. The converter refuses the job's own. */
static bool is_other_input(const struct job_context *context, const struct job *job)
{
	struct stat output;

	return stat(job->output, &output) == 0 && inputs_have(context->inputs, &output) && !is_own_input(job);
}

/* Whether the input, which is no member of an archive, is there and can be converted; if not, reports why. */
static bool is_regular(struct job *job)
{
	if (stat(job->input->path, &job->program) != 0)
		fail(job, job->input->path, EXIT_FAILED, strerror(errno));
	else if (S_ISDIR(job->program.st_mode))
		fail(job, job->input->path, EXIT_FAILED, "a directory; --recursive converts the files in it");
	else if (!S_ISREG(job->program.st_mode))
		fail(job, job->input->path, EXIT_FAILED, "not a regular file");
	return job->code == EXIT_OK;
}

/*
 * Names the output, and finds the failures that show before any work. In a store two inputs may have one output: what
 * has one build-id has one place there.
 */
static void prepare(struct job_context *context, struct job *job)
{
	const char *path = job->input->path, *directory = context->options->output_directory;

	if (job->input->problem) {
		fail(job, path, EXIT_FAILED, job->input->problem);
		return;
	}
	if (job->input->is_member && context->options->library.embed) {
		fail(job, path, EXIT_FAILED, "a member of an archive cannot carry symbols: unpack it");
		return;
	}
	if (!job->input->is_member && !is_regular(job))
		return;
	if (context->options->store && !name_in_store(job, context->options->store))
		return;
	if (!context->options->store)
		name_output(job, context->options);
	if (!context->options->store && !claim_output(context, job->output))
		fail(job, path, EXIT_FAILED, "an earlier input has the same output name");
	else if (is_other_input(context, job))
		fail(job, job->output, EXIT_FAILED, "is an input itself, which the output of another would overwrite");
	else if (context->options->depfile && is_own_input(job))
		fail(job, job->output, EXIT_FAILED, "is its own input, and no rule can make a file of itself");
	else if (directory && !folders_make(directory, job->output))
		fail(job, job->output, EXIT_FAILED, staging_problem(errno));
}

/* Whether the result has enough lines to be kept; if not, reports where most are missing. */
static bool meets_requirement(const struct convert_options *options, struct job *job)
{
	const struct locus_convert_result *result = &job->result;
	struct job_counters counters;
	char text[128];

	job_count(job, &counters);
	double percent = coverage_line_percent(counters.coverage, LOCUS_COVERAGE_COUNT);
	if (percent >= options->require_line_percent)
		return true;
	snprintf(text, sizeof(text), "%.2f %% of the code has a line, %g %% is required%s", percent,
		 options->require_line_percent,
		 result->worst_count ? "" : "; the rest is in no unit of the debug information");
	fail(job, job->input->path, EXIT_STALE, text);
	for (size_t i = 0; i < result->worst_count; i++)
		report(job->input->path, "unit %s: %llu of %llu bytes have a line", result->worst[i].name,
		       (unsigned long long)result->worst[i].line_bytes, (unsigned long long)result->worst[i].bytes);
	return false;
}

static void fail_status(struct job *job, enum locus_status status, const struct locus_error *error)
{
	if (!child_is_stopped())
		report_error(status == LOCUS_ERR_OUTPUT ? job->output : job->input->path, status, error);
	snprintf(job->failure, sizeof(job->failure), "%s", error_text(status, error));
	job->code = exit_of(status);
}

/*
 * Whether there is what an earlier run made: a .locus file, whatever its state, or a program that carries one. Anything
 * else may be an input, or a companion.
 */
static bool is_earlier_output(const struct job *job)
{
	struct locus *locus;

	if (file_begins_with(job->output, FILE_MAGIC_LOCUS, false))
		return true;
	if (is_own_input(job) || locus_open(job->output, NULL, &locus, NULL) != LOCUS_OK)
		return false;
	locus_close(locus);
	return true;
}

/*
 * Handles an input without debug information where that is allowed: says nothing, and removes an output of an earlier
 * build, which is out of date. In a store it is not: the store's file is for this very build, made where its debug
 * information was.
 */
static void be_without_debug(const struct convert_options *options, struct job *job, const struct locus_error *error)
{
	snprintf(job->failure, sizeof(job->failure), "%s", error_text(LOCUS_ERR_NO_DEBUG, error));
	job->code = EXIT_NO_DEBUG;
	if (options->store || !is_earlier_output(job))
		return;
	if (unlink(job->output) != 0 && errno != ENOENT)
		fail(job, job->output, EXIT_FAILED, strerror(errno));
}

/* Begins the output beside its place. False, with errno: that failed. */
static bool begin_output(const struct convert_options *options, struct job *job)
{
	return options->store ? store_staging_init(&job->staging, options->store, job->output)
			      : staging_init(&job->staging, job->output);
}

static void fail_to_write(const struct convert_options *options, struct job *job)
{
	bool is_named = job->write_error == EISDIR && !options->store;

	fail(job, job->output, EXIT_FAILED,
	     is_named ? "a directory; --output-dir writes into it" : staging_problem(job->write_error));
}

/* Ends what begin_output began, also where it failed. A store has no folder for a file that was not made. */
static void end_output(const struct convert_options *options, struct job *job)
{
	staging_done(&job->staging);
	if (options->store)
		store_remove_unused(job->output);
}

/* Whether the output is what converting the input with these options would give now. */
static struct freshness_question question_of(const struct job *job, const struct locus_convert_options *options)
{
	return (struct freshness_question){
		.file = job->output, .elf = job->input->path, .options = options, .look = LOOK_AT_TIMES_FIRST};
}

/* Whether a store has what was made of the input together with its program, be it by another job meanwhile. */
static bool is_part_of_stored(const struct convert_options *options, const struct job *job)
{
	const struct freshness_question question = question_of(job, &options->library);

	return options->store && freshness_is_companion(&question);
}

struct job *job_new(struct job_context *context, const struct input *input)
{
	struct job *job = memory_checked(calloc(1, sizeof(*job)));

	job->input = input;
	prepare(context, job);
	return job;
}

void job_start(struct job_context *context, struct job *job, unsigned thread_count)
{
	struct locus_convert_options options = context->options->library;
	const struct input *input = job->input;
	struct locus_error error;

	if (job->code != EXIT_OK)
		return;
	job->thread_count = thread_count;
	options.member_header = input->member_header;
	const struct freshness_question question = question_of(job, &options);

	/* If times show that the output is fresh, no process is started. */
	bool is_asked = may_be_fresh(context->options, job->output);
	freshness_clock(&job->as_of);
	if (is_asked && (freshness_is_plain(&question) || is_part_of_stored(context->options, job))) {
		job->freshness = (struct freshness){.is_fresh = true, .by_times = true};
		job->is_unchanged = true;
		if (context->options->store) /* in which nobody else writes to this folder again */
			staging_remove_leftovers(job->output);
		return;
	}
	job->write_error = begin_output(context->options, job) ? 0 : errno;
	if (job->write_error && !is_asked) {
		fail_to_write(context->options, job);
		end_output(context->options, job);
		return;
	}

	/*
	 * The child writes beside the output; its file is put in place when it has succeeded. Where nothing can be
	 * written, as in a store that others keep, what is there may still be fresh by its digests.
	 */
	options.output = job->write_error ? NULL : job->staging.file;
	options.destination = job->output;
	options.job_count = thread_count;
	options.sync = context->options->durability == DURABLE_FILE;
	error_clear(&error);
	enum locus_status status =
		conversion_start(&job->conversion, input->path, &options, is_asked ? &question : NULL, &error);
	job->is_running = status == LOCUS_OK;
	if (!job->is_running) {
		fail_status(job, status, &error);
		end_output(context->options, job);
	}
}

/*
 * A program that carries its symbols keeps its mode, so that it still runs. What has been linked anew meanwhile is not
 * replaced by the program that it was, nor are symbols of one put into the other.
 */
static bool take_over_program(struct job *job)
{
	struct stat now;

	if (stat(job->input->path, &now) != 0) {
		fail(job, job->input->path, EXIT_FAILED, strerror(errno));
		return false;
	}
	if (!file_state_is_same(&job->program, &now)) {
		fail(job, job->input->path, EXIT_FAILED, "it was replaced while it was read: convert it again");
		return false;
	}
	if (staging_take_mode(&job->staging, &now))
		return true;
	fail(job, job->output, EXIT_FAILED, strerror(errno));
	return false;
}

static bool has_debug_coverage(const struct locus_counter_info *coverage, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (coverage[i].id < LOCUS_COVERAGE_SYMBOL && coverage[i].value)
			return true;
	return false;
}

/*
 * Whether symbols alone would replace what a store has of debug information: that is for this very build, made where
 * its debug information was.
 */
static bool has_less_than_stored(const struct convert_options *options, const struct job *job)
{
	struct job_counters counters;
	const struct locus_info *info;
	struct locus *locus;

	job_count(job, &counters);
	if (!options->store || has_debug_coverage(counters.coverage, LOCUS_COVERAGE_COUNT) ||
	    locus_open(job->output, NULL, &locus, NULL) != LOCUS_OK)
		return false;
	bool has_less =
		locus_info(locus, &info, NULL) == LOCUS_OK && has_debug_coverage(info->coverage, info->coverage_count);
	locus_close(locus);
	return has_less;
}

static bool segments_are_equal(const struct locus_info *a, const struct locus_info *b)
{
	if (a->segment_count != b->segment_count)
		return false;
	for (size_t i = 0; i < a->segment_count; i++)
		if (a->segments[i].address != b->segments[i].address ||
		    a->segments[i].memory_size != b->segments[i].memory_size)
			return false;
	return true;
}

/*
 * Whether two .locus files are of different programs, whatever their build-ids: where programs are loaded is the same
 * with and without symbols, and in the debug file alone.
 */
static bool are_of_different_programs(const char *a, const char *b)
{
	const struct locus_info *info_a, *info_b;
	struct locus *locus_a = NULL, *locus_b = NULL;
	bool are = locus_open(a, NULL, &locus_a, NULL) == LOCUS_OK && locus_open(b, NULL, &locus_b, NULL) == LOCUS_OK &&
		   locus_info(locus_a, &info_a, NULL) == LOCUS_OK && locus_info(locus_b, &info_b, NULL) == LOCUS_OK &&
		   !segments_are_equal(info_a, info_b);

	locus_close(locus_a);
	locus_close(locus_b);
	return are;
}

static void put_in_place(struct job_context *context, struct job *job)
{
	if (context->options->library.embed && !take_over_program(job))
		return;
	job->is_unchanged = is_part_of_stored(context->options, job) || has_less_than_stored(context->options, job) ||
			    (context->options->keep_unchanged && staging_is_same(&job->staging, job->output));
	if (context->options->store && !job->is_unchanged && are_of_different_programs(job->staging.file, job->output))
		report(job->input->path, "has the build-id of another program, whose file it replaces: %s",
		       job->output);
	if (!job->is_unchanged &&
	    (!staging_commit(&job->staging, job->output) || !durable_note(&context->durable, job->output)))
		fail(job, job->output, EXIT_FAILED, strerror(errno));
}

/* Handles an output that is fresh. */
static void leave(struct job *job)
{
	job->is_unchanged = true;
	if (!job->freshness.by_times)
		touch_output(job);
}

void job_finish(struct job_context *context, struct job *job)
{
	const struct convert_options *options = context->options;
	struct locus_error error;

	error_clear(&error);
	enum locus_status status = conversion_finish(&job->conversion, &job->result, &job->freshness, &error);
	job->is_running = false;
	if (job->write_error && (status != LOCUS_OK || !job->freshness.is_fresh))
		fail_to_write(options, job);
	else if (status == LOCUS_ERR_NO_DEBUG && options->allow_no_debug)
		be_without_debug(options, job, &error);
	else if (status != LOCUS_OK)
		fail_status(job, status, &error);
	else if (job->freshness.is_fresh)
		leave(job);
	else if (meets_requirement(options, job))
		put_in_place(context, job);
	if (job->code == EXIT_OK)
		depfile_add_made(&context->depfile, job->output);
	end_output(options, job);
}

void job_free(struct job *job)
{
	converter()->result_done(&job->result);
	free(job->output);
	free(job);
}
