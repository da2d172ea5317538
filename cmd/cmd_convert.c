/* locus convert: its arguments, and the batch of inputs. */
#include <sched.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/options.h"
#include "cmd/common/report.h"
#include "cmd/jobs/batch.h"
#include "cmd/jobs/child.h"
#include "cmd/jobs/converter.h"
#include "cmd/jobs/inputs.h"
#include "cmd/subcommand.h"

enum { LEVEL_DEFAULT = 3, LEVEL_MAX = 22, JOB_MAX = 1024, BLOCK_SIZE_DEFAULT = 16384, BLOCK_SIZE_MAX = 65536 };

/* What parsing gathers. */
struct arguments {
	struct convert_options options;
	struct inputs inputs;
	const char **lists; /* of --files-from */
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
	int code = batch_run(&context, &arguments->inputs);
	tdestroy(context.outputs, free);
	if (child_is_stopped())
		child_raise_stop();
	return report_finish(&out, code);
}

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
	OPTION_FILES_FROM,
	OPTION_ALLOW_NO_DEBUG,
	OPTION_KEEP_UNCHANGED,
};

static const struct argp_option argument_table[] = {
	{"output", 'o', "OUT", 0, "Write to OUT (default: FILE.locus beside FILE)", 0},
	{"output-dir", OPTION_OUTPUT_DIR, "DIR", 0, "Write each FILE's to DIR/NAME.locus", 0},
	{"recursive", 'r', NULL, 0, "Convert the ELF files in directories and below", 0},
	{"files-from", OPTION_FILES_FROM, "LIST", 0,
	 "Convert the files that LIST names, a line each (- for standard input)", 0},
	{"jobs", 'j', "N", 0, "Threads in all (default: one for each processor, or what make's jobserver gives)", 0},
	{"level", OPTION_LEVEL, "N", 0, "Compression, 1 to 22; 0 stores (default: 3)", 0},
	{"block-size", OPTION_BLOCK_SIZE, "N", 0, "Intervals in a block, at most (default: 16384)", 0},
	{"debug", OPTION_DEBUG, "FILE", 0, "Read this separate debug file", 0},
	{"debug-dir", OPTION_DEBUG_DIR, "DIR", 0, "Look for separate debug files here (default: /usr/lib/debug)", 0},
	{"alt", OPTION_ALT, "FILE", 0, "Read this alternate file, as dwz makes", 0},
	{"dwp", OPTION_DWP, "FILE", 0, "Read this package of split DWARF", 0},
	{"prefix-map", OPTION_PREFIX_MAP, "OLD=NEW", 0, "Replace OLD by NEW at the start of paths", 0},
	{"require", OPTION_REQUIRE, "line>=N%", 0, "Write nothing, exit 4, where less of the code has a line", 0},
	{"allow-no-debug", OPTION_ALLOW_NO_DEBUG, NULL, 0, "A file without debug information is no failure", 0},
	{"keep-unchanged", OPTION_KEEP_UNCHANGED, NULL, 0, "Leave an output untouched that has the right bytes", 0},
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

/* Directories and lists may stand for many inputs, so these are counted when all arguments are known. */
static void gather_inputs(struct arguments *arguments, const struct argp_state *state)
{
	for (size_t i = 0; i < arguments->list_count; i++)
		inputs_add_list(&arguments->inputs, arguments->lists[i], arguments->is_recursive);
	for (size_t i = arguments->first; i < (size_t)state->argc; i++)
		inputs_add(&arguments->inputs, state->argv[i], arguments->is_recursive);
}

static void check_arguments(const struct argp_state *state, const struct arguments *arguments)
{
	const struct convert_options *options = &arguments->options;
	size_t input_count = arguments->inputs.count;
	bool is_one = input_count <= 1 && !arguments->is_recursive;

	if (input_count == 0 && arguments->list_count == 0 && !arguments->is_recursive)
		usage_error(state, "name an ELF file");
	if (options->output && options->output_directory)
		usage_error(state, "-o and --output-dir exclude each other");
	if (options->output && !is_one)
		usage_error(state, "-o is for one input; --output-dir takes several");
	if (options->library.debug_file && !is_one)
		usage_error(state, "--debug is for one input");
	if (options->library.dwp_file && !is_one)
		usage_error(state, "--dwp is for one input");
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct convert_options *options = &arguments->options;
	struct locus_convert_options *library = &options->library;

	switch (key) {
	case 'o':
		options->output = text;
		return 0;
	case OPTION_OUTPUT_DIR:
		options->output_directory = text;
		return 0;
	case 'j':
		options->job_max = (unsigned)option_number(state, "-j", text, 1, JOB_MAX);
		return 0;
	case 'r':
		arguments->is_recursive = true;
		return 0;
	case OPTION_FILES_FROM:
		append(arguments->lists, &arguments->list_count, text);
		return 0;
	case OPTION_ALLOW_NO_DEBUG:
		options->allow_no_debug = true;
		return 0;
	case OPTION_KEEP_UNCHANGED:
		options->keep_unchanged = true;
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

static unsigned processor_count(void)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

	return count < JOB_MAX ? (unsigned)count : JOB_MAX;
}

static int run(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argument_table,
		.parser = parse_option,
		.args_doc = "FILE...",
		.doc = "Turn the debug information of ELF files into .locus files.",
	};
	struct arguments arguments = {
		.options =
			{
				.job_max = processor_count(),
				.library = {.level = LEVEL_DEFAULT, .block_size = BLOCK_SIZE_DEFAULT},
			},
		.first = (size_t)argc,
	};
	struct convert_options *options = &arguments.options;
	int code;

	arguments.lists = calloc((size_t)argc, sizeof(char *));
	options->debug_directories = calloc((size_t)argc, sizeof(char *));
	options->prefix_maps = calloc((size_t)argc, sizeof(char *));
	if (!arguments.lists || !options->debug_directories || !options->prefix_maps) {
		report(NULL, "out of memory");
		return EXIT_FAILED;
	}
	parse_arguments(&argp, argc, argv, &arguments);
	if (options->library.debug_dir_count)
		options->library.debug_dirs = options->debug_directories;
	options->library.prefix_maps = options->prefix_maps;
	code = converter_load() ? convert_all(&arguments) : EXIT_FAILED;
	inputs_done(&arguments.inputs);
	free(arguments.lists);
	free(options->debug_directories);
	free(options->prefix_maps);
	return code;
}

const struct subcommand subcommand_convert = {"convert", run,
					      "turn the debug information of ELF files into .locus files"};
