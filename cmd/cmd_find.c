/* locus find: where the code of a function is, inlined copies included, or which addresses a line became. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/options.h"
#include "cmd/common/report.h"
#include "cmd/conversion/fetch_options.h"
#include "cmd/find/range_search.h"
#include "cmd/store/lookup_file.h"
#include "cmd/subcommand.h"

enum { SHOWN_MAX = 80 }; /* bytes of a name that a message shows, as of a bad question to locus lookup */

struct find_options {
	const char *file;
	const char *wanted;
	bool is_regex;
	bool json;
	bool no_demangle;
	struct choice choice; /* made of the others */
};

/* Searches an open file. */
static enum locus_status search(struct find_options *options, struct locus *locus, struct range_output *output,
				struct out *out, struct locus_error *error)
{
	const struct locus_info *info;
	enum locus_status status = locus_info(locus, &info, error);

	if (status != LOCUS_OK)
		return status;
	range_output_init(output, out, options->json, !options->no_demangle, locus, info);
	output->with_source = options->choice.path_size;
	status = range_search(locus, &options->choice, output, error);
	range_output_done(output);
	return status;
}

static int find_in_file(struct find_options *options)
{
	static struct out out;
	struct range_output output = {0};
	const struct locus_convert_options conversion = lookup_file_options();
	struct lookup_file file;
	struct locus_error error;
	int code = EXIT_OK;

	error_clear(&error);
	out_init(&out, STDOUT_FILENO);

	/* An ELF file is converted as a whole: a name may be anywhere in it. */
	enum locus_status status = lookup_file_open(&file, options->file, &conversion, &error);
	if (status == LOCUS_OK)
		status = lookup_file_prepare(&file, NULL, 0, &error);
	if (status == LOCUS_OK)
		status = search(options, file.locus, &output, &out, &error);
	if (status != LOCUS_OK) {
		report_error(options->file, status, &error);
		code = exit_of(status);
	} else if (!output.count) {
		bool is_long = strlen(options->wanted) > SHOWN_MAX;
		report(options->file, "no function or line in it is '%.*s%s'", SHOWN_MAX, options->wanted,
		       is_long ? "..." : "");
		code = EXIT_FAILED;
	}
	lookup_file_close(&file);
	return report_finish(&out, code);
}

/* A method of Objective-C, -[Class method], looks like an option. */
enum { OPTION_METHOD = '[', OPTION_JSON = 0x100, OPTION_REGEX, OPTION_NO_DEMANGLE };

static const struct argp_option argument_table[] = {
	{"regex", OPTION_REGEX, NULL, 0, "NAME is an extended regular expression, found anywhere in a name", 0},
	{"no-demangle", OPTION_NO_DEMANGLE, NULL, 0, "Look for, and show, linkage names as they are", 0},
	{"json", OPTION_JSON, NULL, 0, "Print one JSON object for each range", 0},
	{NULL, OPTION_METHOD, "METHOD", OPTION_HIDDEN, NULL, 0},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct find_options *options = state->input;

	switch (key) {
	case OPTION_JSON:
		options->json = true;
		return 0;
	case OPTION_REGEX:
		options->is_regex = true;
		return 0;
	case OPTION_NO_DEMANGLE:
		options->no_demangle = true;
		return 0;
	case OPTION_METHOD:
	case ARGP_KEY_ARG: {
		const char **ret = options->file || key == OPTION_METHOD ? &options->wanted : &options->file;
		if (*ret)
			usage_error(state, "give one file, and one name or FILE:LINE");
		*ret = key == OPTION_METHOD ? state->argv[state->next - 1] : text;
		return 0;
	}
	case ARGP_KEY_END:
		if (!options->file || !options->wanted || !options->wanted[0])
			usage_error(state, "name a file, and a function or FILE:LINE");
		if (!choice_init(&options->choice, options->wanted, options->is_regex, !options->no_demangle))
			usage_error(state, "'%s' %s", options->wanted, options->choice.problem);
		if (choice_is_line_0(&options->choice))
			usage_error(state, "'%s': lines begin at 1", options->wanted);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = {{&fetch_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.children = children,
		.options = argument_table,
		.parser = parse_option,
		.args_doc = "FILE NAME|FILE:LINE",
		.doc = "Say where the code of a function is, each copy that was inlined included, or which addresses a "
		       "line of the source became.",
	};
	struct find_options options = {0};

	parse_arguments(&argp, argc, argv, &options);
	int code = find_in_file(&options);
	choice_done(&options.choice);
	return code;
}

const struct subcommand subcommand_find = {"find", run, "say where functions and lines are, inlined copies included"};
