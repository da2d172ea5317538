/* locus check: whether files are whole and well-formed, are what would be made now, and are right. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/check/judge_files.h"
#include "cmd/check/verify_files.h"
#include "cmd/common/exit_code.h"
#include "cmd/common/file_magic.h"
#include "cmd/common/file_state.h"
#include "cmd/common/json.h"
#include "cmd/common/options.h"
#include "cmd/common/processors.h"
#include "cmd/common/report.h"
#include "cmd/conversion/companion_options.h"
#include "cmd/conversion/converter.h"
#include "cmd/conversion/limit_options.h"
#include "cmd/store/symbol_store.h"
#include "cmd/subcommand.h"
#include "reader/locus.h"

struct check_options {
	char **paths;
	size_t path_count;
	unsigned job_count;
	const char *quarantine; /* NULL: none */
	bool deletes;
	bool quick;
	bool is_fresh_asked;
	enum freshness_look look;
	bool is_source_asked;
	uint64_t samples;                     /* addresses to compare with the source */
	bool all;                             /* compare every address, and not only samples */
	struct locus_convert_options library; /* how companions are found */
	bool json;
};

struct check {
	const struct check_options *options;
	struct out *out;
	struct json json;
	int code;
};

/* Whether the first path is that of an ELF file, or of a directory of these, by which the others are judged. */
static bool has_elf(const struct check_options *options)
{
	return options->is_fresh_asked || options->is_source_asked;
}

/* The description of a file that could be judged. */
static const char *well_text(const struct check *check, const struct verdict *verdict)
{
	if (verdict->comparison)
		return verdict->comparison->differing ? "differs" : "as its source";
	if (!check->options->is_fresh_asked)
		return "ok";
	return verdict->stale[0] ? "stale" : "fresh";
}

static void json_comparison(struct json *json, const struct comparison *comparison)
{
	json_key_u64(json, "asked", comparison->asked);
	json_key_u64(json, "differing", comparison->differing);
	json_key(json, "differences");
	json_open(json, '[');
	for (size_t i = 0; i < comparison->shown; i++) {
		const struct comparison_difference *difference = &comparison->differences[i];
		json_open(json, '{');
		json_key_hex(json, "address", difference->address);
		json_key_text(json, "file_says", difference->file_says);
		json_key_text(json, "source_says", difference->source_says);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* Shows the first differences, a line each, and how many there are. */
static void report_differences(const char *path, const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->shown; i++) {
		const struct comparison_difference *difference = &comparison->differences[i];
		report(path, "0x%llx: the file says %s; its source says %s", (unsigned long long)difference->address,
		       difference->file_says, difference->source_says);
	}
	report(path, "%llu of %llu addresses differ from its source%s", (unsigned long long)comparison->differing,
	       (unsigned long long)comparison->asked,
	       comparison->is_other_build ? ", which is of another build: the build-ids differ" : "");
}

/* Shows a verdict. `done`: what was done with a bad file; NULL: nothing. */
static void show_json(struct check *check, const struct verdict *verdict, const char *done)
{
	struct json *json = &check->json;
	const struct locus_error *error = &verdict->error;
	enum locus_status status = verdict->status;

	json_open(json, '{');
	json_key_text(json, "file", verdict->file->path);
	json_key_text(json, "status", status == LOCUS_OK ? well_text(check, verdict) : locus_status_text(status));
	if (verdict->stale[0])
		json_key_text(json, "reason", verdict->stale);
	if (status != LOCUS_OK) {
		if (verdict->elf)
			json_key_text(json, "elf", verdict->elf);
		json_key_text(json, "error", error_text(status, error));
		if (error->offset != LOCUS_NO_OFFSET)
			json_key_u64(json, "offset", error->offset);
	}
	if (verdict->comparison)
		json_comparison(json, verdict->comparison);
	if (done)
		json_key_text(json, "action", done);
	json_close(json, '}');
	json_end_line(json);
}

/*
 * Whether the file itself is at fault, so that a cache is better without it; and not the system or this program. A
 * program is more than the symbols that it carries: it stays.
 */
static bool is_no_good(const struct verdict *verdict)
{
	enum locus_status status = verdict->status;

	if (file_begins_with(verdict->file->path, FILE_MAGIC_ELF, false))
		return false;
	if (verdict->elf || verdict->stale[0])
		return verdict->stale[0];
	return status == LOCUS_ERR_NOT_LOCUS || status == LOCUS_ERR_TRUNCATED || status == LOCUS_ERR_CHECKSUM ||
	       status == LOCUS_ERR_CORRUPT;
}

/* Whether the file, which was found in a directory, is gone since: then there is nothing to report, or to put away. */
static bool is_gone(const struct found_file *file)
{
	struct stat now;

	return file->is_found && lstat(file->path, &now) != 0 && errno == ENOENT;
}

/* Whether the file was replaced or written to after it was read: then the verdict is of another. */
static bool is_another(const struct verdict *verdict)
{
	struct stat now;

	return stat(verdict->file->path, &now) != 0 || !file_state_is_same(&verdict->as_read, &now);
}

/* The path of a file in the quarantine: its own, as in a URL with "%2F" for each '/', so that no two get one name. */
static bool quarantine_path(const struct check_options *options, const char *path, char *ret, size_t size)
{
	int used = snprintf(ret, size, "%s/", options->quarantine);

	for (; *path && used >= 0 && (size_t)used < size; path++) {
		const char *format = *path == '/' || *path == '%' ? "%%%02X" : "%c";
		used += snprintf(ret + used, size - (size_t)used, format, (unsigned char)*path);
	}
	return used >= 0 && (size_t)used < size;
}

/* Of a store's file that is gone the folder goes, too: nothing else will ever be in it. */
static const char *gone(const char *path, const char *how)
{
	size_t id_size;

	if (store_file_id(path, &id_size))
		store_remove_unused(path);
	return how;
}

/* Deletes or moves a bad file, as the options ask. Returns what was done; NULL: nothing. */
static const char *put_away(struct check *check, const struct verdict *verdict)
{
	const char *path = verdict->file->path;
	char place[PATH_MAX];

	if (!check->options->quarantine && !check->options->deletes)
		return NULL;
	if (is_another(verdict)) {
		report(path, "stays, because it was replaced after it was read: check it again");
	} else if (check->options->deletes) {
		if (unlink(path) == 0)
			return gone(path, "deleted");
		report(path, "cannot be deleted: %s", strerror(errno));
	} else {
		if (!quarantine_path(check->options, path, place, sizeof(place)))
			report(path, "its name is too long for the quarantine");
		else if (rename(path, place) == 0)
			return gone(path, "quarantined");
		else
			report(path, "cannot be moved to %s: %s", place, strerror(errno));
	}
	check->code = exit_worst(check->code, EXIT_FAILED);
	return NULL;
}

/* Reports a verdict, and deletes or moves the file if that was asked for. */
static bool take_one(void *context, const struct verdict *verdict)
{
	struct check *check = context;
	const char *path = verdict->file->path, *done = NULL;
	const struct comparison *comparison = verdict->comparison;
	bool is_well = verdict->status == LOCUS_OK && !verdict->stale[0] && (!comparison || !comparison->differing);

	if (!is_well && is_gone(verdict->file))
		return true;
	if (verdict->status != LOCUS_OK) {
		report_error(verdict->elf ? verdict->elf : path, verdict->status, &verdict->error);
		check->code = exit_worst(check->code, exit_of(verdict->status));
	} else if (!is_well && comparison) {
		report_differences(path, comparison);
		check->code = exit_worst(check->code, EXIT_FAILED);
	} else if (!is_well) {
		report(path, "stale: %s", verdict->stale);
		check->code = exit_worst(check->code, EXIT_STALE);
	}

	/* What is wrong went to standard error; standard output has the files that are well or were put away. */
	if (is_no_good(verdict))
		done = put_away(check, verdict);
	if (check->options->json) {
		show_json(check, verdict, done);
	} else if (is_well || done) {
		out_escaped(check->out, path, strlen(path));
		out_format(check->out, ": %s\n", done ? done : well_text(check, verdict));
	}
	out_flush(check->out);
	return !check->out->error;
}

/* Judges the files by the ELF file, or the directory of ELF files, that is named before them. */
static void judge_all(struct check *check, const struct found_files *files)
{
	const struct check_options *options = check->options;
	const struct judging judging = {
		.elf = options->paths[0],
		.options = &options->library,
		.job_count = options->job_count,
		.compares = options->is_source_asked,
		.look = options->look,
		.samples = options->all ? 0 : options->samples,
	};

	if (converter_load())
		judge_files(files, &judging, take_one, check);
	else
		check->code = EXIT_FAILED;
}

/* Whether bad files can be moved where the options say. It is said before any file is read, not with each bad one. */
static bool has_quarantine(const struct check_options *options)
{
	struct stat found;

	if (!options->quarantine)
		return true;
	if (stat(options->quarantine, &found) != 0)
		report(options->quarantine, "%s", strerror(errno));
	else if (!S_ISDIR(found.st_mode))
		report(options->quarantine, "%s", strerror(ENOTDIR));
	else
		return true;
	return false;
}

/* If nobody reads the verdicts any more, the files that were not judged are not known to be good. */
static int check_all(struct check *check)
{
	const struct check_options *options = check->options;
	enum locus_verify_depth depth = options->quick ? LOCUS_VERIFY_QUICK : LOCUS_VERIFY_FULL;
	struct found_files files = {.clears = options->deletes};

	for (size_t i = has_elf(options); i < options->path_count; i++)
		found_files_add(&files, options->paths[i]);
	if (has_elf(options))
		judge_all(check, &files);
	else
		verify_files(&files, depth, options->job_count, take_one, check);
	found_files_done(&files);
	return check->out->error ? exit_worst(check->code, EXIT_FAILED) : check->code;
}

enum { OPTION_JSON = 0x100, OPTION_QUICK, OPTION_FRESH, OPTION_SOURCE, OPTION_ALL, OPTION_DELETE, OPTION_QUARANTINE };

static const struct argp_option argument_table[] = {
	{"quick", OPTION_QUICK, NULL, 0,
	 "Read only what is read when a file is opened: header, directory, indexes, provenance", 0},
	{"fresh", OPTION_FRESH, "stat", OPTION_ARG_OPTIONAL,
	 "Say whether each FILE is what converting ELF now would give, by build-ids, sizes and digests; with =stat by "
	 "sizes and times",
	 0},
	{"source", OPTION_SOURCE, "N", OPTION_ARG_OPTIONAL,
	 "Say whether each FILE says what the debug information of ELF says, read in another way, at N addresses "
	 "(default: 10000)",
	 0},
	{"all", OPTION_ALL, NULL, 0,
	 "With --source: compare every address where either may begin to say something else", 0},
	{"jobs", 'j', "N", 0, "Files to check at one time (default: one for each processor)", 0},
	{"delete", OPTION_DELETE, NULL, 0, "Delete files that are damaged or, with --fresh, stale", 0},
	{"quarantine", OPTION_QUARANTINE, "DIR", 0, "Move files that are damaged or, with --fresh, stale into DIR", 0},
	{"json", OPTION_JSON, NULL, 0, "Print one JSON object for each file", 0},
	{0},
};

/* The name of an option that was given and that only --fresh and --source take; NULL: none was. */
static const char *judging_option_given(const struct check_options *options)
{
	const char *companion = companion_option_given(&options->library);

	return companion ? companion : limit_option_given();
}

static void check_arguments(const struct argp_state *state, const struct check_options *options)
{
	const char *judging_option = judging_option_given(options);

	if (options->deletes && options->quarantine)
		usage_error(state, "--delete and --quarantine exclude each other");
	if (options->is_fresh_asked + options->is_source_asked + options->quick > 1)
		usage_error(state, "--quick, --fresh and --source exclude each other");
	if (has_elf(options) && options->path_count < 2)
		usage_error(state, "%s takes an ELF file, and behind it the .locus files that were made of it",
			    options->is_fresh_asked ? "--fresh" : "--source");
	if (judging_option && !has_elf(options))
		usage_error(state, "%s needs --fresh or --source", judging_option);
	if (options->all && !options->is_source_asked)
		usage_error(state, "--all needs --source");
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct check_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->library;
		return 0;
	case OPTION_FRESH:
		if (text && strcmp(text, "stat") != 0)
			usage_error(state, "--fresh takes nothing, or =stat, not '%s'", text);
		options->is_fresh_asked = true;
		options->look = text ? LOOK_AT_TIMES : LOOK_AT_DIGESTS;
		return 0;
	case OPTION_SOURCE:
		options->is_source_asked = true;
		if (text)
			options->samples = option_number(state, "--source", text, 1, UINT32_MAX);
		return 0;
	case OPTION_ALL:
		options->all = true;
		return 0;
	case 'j':
		options->job_count = (unsigned)option_number(state, "-j", text, 1, JOB_MAX);
		return 0;
	case OPTION_DELETE:
		options->deletes = true;
		return 0;
	case OPTION_QUARANTINE:
		options->quarantine = option_path(state, "--quarantine", text);
		return 0;
	case OPTION_QUICK:
		options->quick = true;
		return 0;
	case OPTION_JSON:
		options->json = true;
		return 0;
	case ARGP_KEY_ARGS:
		options->paths = &state->argv[state->next];
		options->path_count = (size_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_NO_ARGS:
		usage_error(state, "name a .locus file, or a directory of them");
	case ARGP_KEY_END:
		check_arguments(state, options);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Of the options of judging a file by its program, which --help lists together. */
static error_t pass_library(int key, char *text, struct argp_state *state)
{
	(void)text;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->input;
	return 0;
}

static int run(int argc, char **argv)
{
	static const struct argp_child judging_children[] = {
		{&companion_argp, 0, NULL, 0}, {&limit_argp, 0, NULL, 0}, {0}};
	static const struct argp judging_argp = {.parser = pass_library, .children = judging_children};
	static const struct argp_child children[] = {{&judging_argp, 0, "With --fresh and --source:", 0}, {0}};
	static const struct argp argp = {
		.options = argument_table,
		.parser = parse_option,
		.children = children,
		.args_doc = "FILE|DIR...\n--fresh[=stat] ELF FILE|DIR...\n--source[=N] ELF FILE|DIR...",
		.doc = "Say whether .locus files are whole and well-formed. In a directory, every *.locus file is "
		       "checked, and every file of a store.",
	};
	static struct out out;
	struct check_options options = {.job_count = processor_count(), .samples = COMPARISON_SAMPLES};
	struct check check = {.options = &options, .out = &out};

	parse_arguments(&argp, argc, argv, &options);
	out_init(&out, STDOUT_FILENO);
	json_init(&check.json, &out);
	return report_finish(&out, has_quarantine(&options) ? check_all(&check) : EXIT_FAILED);
}

const struct subcommand subcommand_check = {"check", run, "say whether .locus files are whole and well-formed"};
