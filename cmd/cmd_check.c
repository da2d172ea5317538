/* locus check: whether files are whole and well-formed. */
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/json.h"
#include "cmd/common/options.h"
#include "cmd/common/report.h"
#include "cmd/subcommand.h"
#include "reader/locus.h"

struct check_options {
	char **paths;
	size_t path_count;
	bool quick;
	bool json;
};

struct check {
	const struct check_options *options;
	struct out *out;
	struct json json;
	size_t checked; /* files, so far, with what could not be read */
	int code;
};

static enum locus_status verify(const char *path, enum locus_verify_depth depth, struct locus_error *error)
{
	struct locus *locus;
	enum locus_status status = locus_open(path, NULL, &locus, error);

	if (status != LOCUS_OK)
		return status;
	status = locus_verify(locus, depth, error);
	locus_close(locus);
	return status;
}

static void show_json(struct check *check, const char *path, enum locus_status status, const struct locus_error *error)
{
	struct json *json = &check->json;

	json_open(json, '{');
	json_key_text(json, "file", path);
	json_key_text(json, "status", status == LOCUS_OK ? "ok" : locus_status_text(status));
	if (status != LOCUS_OK) {
		json_key_text(json, "error", error_text(status, error));
		if (error->offset != LOCUS_NO_OFFSET)
			json_key_u64(json, "offset", error->offset);
	}
	json_close(json, '}');
	json_end_line(json);
}

static void check_file(struct check *check, const char *path)
{
	struct locus_error error;
	enum locus_status status;

	error_clear(&error);
	check->checked++;
	status = verify(path, check->options->quick ? LOCUS_VERIFY_QUICK : LOCUS_VERIFY_FULL, &error);
	if (status != LOCUS_OK) {
		report_error(path, status, &error);
		check->code = exit_worst(check->code, EXIT_FAILED);
	}
	if (check->options->json) {
		show_json(check, path, status, &error);
	} else if (status == LOCUS_OK) {
		out_escaped(check->out, path, strlen(path));
		out_text(check->out, ": ok\n");
	}
	out_flush(check->out);
}

static bool is_locus_name(const char *name)
{
	size_t size = strlen(name);

	return size > 6 && strcmp(name + size - 6, ".locus") == 0;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void fail(struct check *check, const char *path, const char *text)
{
	struct locus_error error;

	report(path, "%s", text);
	check->checked++;
	check->code = exit_worst(check->code, EXIT_FAILED);
	if (!check->options->json)
		return;
	error_clear(&error);
	snprintf(error.text, sizeof(error.text), "%s", text);
	show_json(check, path, LOCUS_ERR_IO, &error);
	out_flush(check->out);
}

static void check_entry(struct check *check, const FTSENT *entry)
{
	switch (entry->fts_info) {
	case FTS_F:
	case FTS_SL:
		/* A file that was named is checked whatever its name. */
		if (entry->fts_level == FTS_ROOTLEVEL || is_locus_name(entry->fts_name))
			check_file(check, entry->fts_path);
		break;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
	case FTS_SLNONE:
		fail(check, entry->fts_path, strerror(entry->fts_errno ? entry->fts_errno : ENOENT));
		break;
	case FTS_D:
	case FTS_DP:
		break;
	default:
		if (entry->fts_level == FTS_ROOTLEVEL)
			fail(check, entry->fts_path, "not a regular file");
	}
}

static void check_path(struct check *check, char *path)
{
	char *const roots[] = {path, NULL};
	size_t checked_before = check->checked;
	FTS *tree;
	FTSENT *entry;

	tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
	if (!tree) {
		fail(check, path, strerror(errno));
		return;
	}
	while (!check->out->error && (entry = fts_read(tree)) != NULL)
		check_entry(check, entry);
	fts_close(tree);
	if (check->checked == checked_before)
		fail(check, path, "no .locus file in it");
}

enum { OPTION_JSON = 0x100, OPTION_QUICK };

static const struct argp_option argument_table[] = {
	{"quick", OPTION_QUICK, NULL, 0, "Only what opening a file reads: header, directory, indexes, provenance", 0},
	{"json", OPTION_JSON, NULL, 0, "Print one JSON object a file", 0},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct check_options *options = state->input;

	(void)text;
	switch (key) {
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
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argument_table,
		.parser = parse_option,
		.args_doc = "FILE|DIR...",
		.doc = "Say whether .locus files are whole and well-formed. In a directory, every *.locus file is "
		       "checked.",
	};
	static struct out out;
	struct check_options options = {0};
	struct check check = {.options = &options, .out = &out};

	parse_arguments(&argp, argc, argv, &options);
	out_init(&out, STDOUT_FILENO);
	json_init(&check.json, &out);
	for (size_t i = 0; i < options.path_count && !out.error; i++)
		check_path(&check, options.paths[i]);
	return report_finish(&out, check.code);
}

const struct subcommand subcommand_check = {"check", run, "say whether .locus files are whole and well-formed"};
