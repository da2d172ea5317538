/* locus convert: its arguments, and the batch of inputs. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/batch/batch.h"
#include "cmd/batch/inputs.h"
#include "cmd/common/exit_code.h"
#include "cmd/common/options.h"
#include "cmd/common/processors.h"
#include "cmd/common/report.h"
#include "cmd/conversion/child.h"
#include "cmd/conversion/companion_options.h"
#include "cmd/conversion/content_options.h"
#include "cmd/conversion/converter.h"
#include "cmd/conversion/fetch_options.h"
#include "cmd/conversion/limit_options.h"
#include "cmd/subcommand.h"
#include "spec/format.h"

enum { LEVEL_DEFAULT = 3 };

/* The arguments, as far as they are parsed. */
struct arguments {
	struct convert_options options;
	struct inputs inputs;
	const char **lists; /* the values of --files-from */
	size_t list_count;
	bool is_recursive;
	size_t first; /* index of the first argument that is no option */
};

static int convert_all(const struct arguments *arguments)
{
	static struct out out;
	struct job_context context = {.options = &arguments->options, .out = &out};

	out_init(&out, STDOUT_FILENO);
	json_init(&context.json, &out);
	child_catch_signals();
	context.durable.durability = arguments->options.durability;
	context.depfile.path = arguments->options.depfile;
	int code = batch_run(&context, &arguments->inputs);
	if (!durable_finish(&context.durable)) {
		report(NULL, "outputs could not be written to their disk: %s", strerror(errno));
		code = exit_worst(code, EXIT_FAILED);
	}
	if (child_is_stopped())
		depfile_give_up(&context.depfile);
	else if (!depfile_write(&context.depfile))
		code = exit_worst(code, EXIT_FAILED);
	depfile_done(&context.depfile);
	tdestroy(context.outputs, free);
	if (child_is_stopped())
		child_raise_stop();
	return report_finish(&out, code);
}

enum {
	OPTION_OUTPUT_DIR = 0x100,
	OPTION_LEVEL,
	OPTION_BLOCK_SIZE,
	OPTION_DIGEST,
	OPTION_REQUIRE,
	OPTION_STATS,
	OPTION_JSON,
	OPTION_FILES_FROM,
	OPTION_ALLOW_NO_DEBUG,
	OPTION_KEEP_UNCHANGED,
	OPTION_IF_STALE,
	OPTION_EMBED,
	OPTION_FSYNC,
	OPTION_STORE,
	OPTION_DEPFILE,
};

static const struct argp_option argument_table[] = {
	{"output", 'o', "OUT", 0, "Write to OUT (default: FILE.locus beside FILE)", 0},
	{"output-dir", OPTION_OUTPUT_DIR, "DIR", 0, "Write DIR/NAME.locus for each FILE", 0},
	{"store", OPTION_STORE, "DIR", 0, "Write DIR/buildid/BUILD-ID/locus for each FILE, unless a fresh one is there",
	 0},
	{"recursive", 'r', NULL, 0, "Convert the ELF files in directories and below", 0},
	{"files-from", OPTION_FILES_FROM, "LIST", 0,
	 "Convert the files that LIST names, a line each (- for standard input)", 0},
	{"jobs", 'j', "N", 0, "Threads in all (default: one for each processor, or what make's jobserver gives)", 0},
	{"level", OPTION_LEVEL, "N", 0, "Compression, 1 to 22; 0 stores (default: 3)", 0},
	{"block-size", OPTION_BLOCK_SIZE, "N", 0, "Intervals in a block, at most (default: 16384)", 0},
	{"digest", OPTION_DIGEST, NULL, 0, "Record a digest of all bytes of each input, also where it has a build-id",
	 0},
	{"require", OPTION_REQUIRE, "line>=N%", 0,
	 "Where less than N percent of the code has a line, write nothing and exit 4", 0},
	{"allow-no-debug", OPTION_ALLOW_NO_DEBUG, NULL, 0, "A file without debug information is no failure", 0},
	{"keep-unchanged", OPTION_KEEP_UNCHANGED, NULL, 0, "Leave an output as it is that has the right bytes already",
	 0},
	{"if-stale", OPTION_IF_STALE, NULL, 0, "Convert only where the output is not what would be made now", 0},
	{"depfile", OPTION_DEPFILE, "FILE", 0, "Write to FILE, as rules for make and ninja, which files were read", 0},
	{"embed", OPTION_EMBED, NULL, 0, "Put what is made of FILE into FILE itself, as a section that strip keeps", 0},
	{"fsync", OPTION_FSYNC, "none|file|batch", 0,
	 "Wait until outputs are on their disk: not at all (default), for each file, or at the end", 0},
	{"stats", OPTION_STATS, NULL, 0, "Print what was read, written and dropped", 0},
	{"json", OPTION_JSON, NULL, 0,
	 "Print what --stats prints, and what the file is, as one JSON object for each file", 0},
	{0},
};

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

static enum durability parse_durability(const struct argp_state *state, const char *text)
{
	static const char *const names[] = {
		[DURABLE_NONE] = "none", [DURABLE_FILE] = "file", [DURABLE_BATCH] = "batch"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(text, names[i]) == 0)
			return (enum durability)i;
	usage_error(state, "--fsync takes none, file or batch, not '%s'", text);
}

/* Directories and lists may give many inputs, so these are counted after all arguments are parsed. */
static void gather_inputs(struct arguments *arguments, const struct argp_state *state)
{
	for (size_t i = 0; i < arguments->list_count; i++)
		inputs_add_list(&arguments->inputs, arguments->lists[i], arguments->is_recursive);
	for (size_t i = arguments->first; i < (size_t)state->argc; i++)
		inputs_add(&arguments->inputs, state->argv[i], arguments->is_recursive);
}

static void check_is_path(const struct argp_state *state, const char *path, const char *what, const char *option)
{
	if (path && strcmp(path, "-") == 0)
		usage_error(state,
			    "%s cannot be written to standard output: %s takes a path (./- is a file of that name)",
			    what, option);
}

static void check_arguments(const struct argp_state *state, const struct arguments *arguments)
{
	const struct convert_options *options = &arguments->options;
	size_t input_count = arguments->inputs.count;
	bool is_one = input_count <= 1 && !arguments->is_recursive;

	bool is_named = input_count > 0 || arguments->list_count > 0 || arguments->inputs.code != EXIT_OK;

	if (!is_named)
		usage_error(state, "name an ELF file");
	check_is_path(state, options->output, "an output", "-o");
	check_is_path(state, options->depfile, "a depfile", "--depfile");
	if (options->output && options->output_directory)
		usage_error(state, "-o and --output-dir exclude each other");
	if (options->store && (options->output || options->output_directory || options->library.embed))
		usage_error(state, "--store excludes -o, --output-dir and --embed");
	if (options->depfile && (options->store || options->if_stale))
		usage_error(state, "--depfile excludes --store and --if-stale: it is for a build tool that decides "
				   "itself what to convert");
	if (options->depfile && options->library.embed && !options->output && !options->output_directory)
		usage_error(state,
			    "--depfile with --embed needs -o or --output-dir: no rule can make a file of itself");
	if (options->output && !is_one)
		usage_error(state, "-o is for one input; --output-dir takes several");
	if (options->library.debug_file && !is_one)
		usage_error(state, "--debug is for one input");
	if (options->library.dwp_file && !is_one)
		usage_error(state, "--dwp is for one input");
}

/* What an option without a value sets; NULL: the option has one. */
static bool *flag_of(struct arguments *arguments, int key)
{
	switch (key) {
	case 'r':
		return &arguments->is_recursive;
	case OPTION_ALLOW_NO_DEBUG:
		return &arguments->options.allow_no_debug;
	case OPTION_KEEP_UNCHANGED:
		return &arguments->options.keep_unchanged;
	case OPTION_IF_STALE:
		return &arguments->options.if_stale;
	case OPTION_STATS:
		return &arguments->options.stats;
	case OPTION_JSON:
		return &arguments->options.json;
	case OPTION_EMBED:
		return &arguments->options.library.embed;
	case OPTION_DIGEST:
		return &arguments->options.library.digest;
	default:
		return NULL;
	}
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct convert_options *options = &arguments->options;
	struct locus_convert_options *library = &options->library;
	bool *flag = flag_of(arguments, key);

	if (flag) {
		*flag = true;
		return 0;
	}
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[1] = library;
		return 0;
	case 'o':
		options->output = option_path(state, "-o", text);
		return 0;
	case OPTION_OUTPUT_DIR:
		options->output_directory = option_path(state, "--output-dir", text);
		return 0;
	case OPTION_STORE:
		options->store = option_path(state, "--store", text);
		return 0;
	case 'j':
		options->job_max = (unsigned)option_number(state, "-j", text, 1, JOB_MAX);
		return 0;
	case OPTION_FILES_FROM:
		option_append(&arguments->lists, &arguments->list_count, option_path(state, "--files-from", text));
		return 0;
	case OPTION_DEPFILE:
		options->depfile = option_path(state, "--depfile", text);
		return 0;
	case OPTION_FSYNC:
		options->durability = parse_durability(state, text);
		return 0;
	case OPTION_LEVEL:
		library->level = (int)option_number(state, "--level", text, 0, LOCUS_CONVERT_LEVEL_MAX);
		return 0;
	case OPTION_BLOCK_SIZE:
		library->block_size = (uint32_t)option_number(state, "--block-size", text, 1, LOCUS_BLOCK_ENTRIES_MAX);
		return 0;
	case OPTION_REQUIRE:
		options->require_line_percent = parse_requirement(state, text);
		return 0;
	case ARGP_KEY_ARGS:
		arguments->first = (size_t)state->next;
		return 0;
	case ARGP_KEY_END:
		gather_inputs(arguments, state);
		check_arguments(state, arguments);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = {{&companion_argp, 0, NULL, 0},
						     {&content_argp, 0, NULL, 0},
						     {&limit_argp, 0, NULL, 0},
						     {&fetch_argp, 0, NULL, 0},
						     {0}};
	static const struct argp argp = {
		.options = argument_table,
		.parser = parse_option,
		.children = children,
		.args_doc = "FILE...",
		.doc = "Turn the debug information of ELF files into .locus files.",
	};
	struct arguments arguments = {
		.options =
			{
				.job_max = processor_count(),
				.library = {.level = LEVEL_DEFAULT, .block_size = LOCUS_CONVERT_BLOCK_SIZE},
			},
		.first = (size_t)argc,
	};
	parse_arguments(&argp, argc, argv, &arguments);
	int code = converter_load() ? convert_all(&arguments) : EXIT_FAILED;
	inputs_done(&arguments.inputs);
	free(arguments.lists);
	return code;
}

const struct subcommand subcommand_convert = {"convert", run,
					      "turn the debug information of ELF files into .locus files"};
