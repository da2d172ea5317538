/* locus convert: its arguments, and the batch of inputs. */
#include <sched.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/options.h"
#include "cmd/common/report.h"
#include "cmd/jobs/child.h"
#include "cmd/jobs/converter.h"
#include "cmd/jobs/job.h"
#include "cmd/subcommand.h"

enum { LEVEL_DEFAULT = 3, LEVEL_MAX = 22, JOB_MAX = 1024, BLOCK_SIZE_DEFAULT = 16384, BLOCK_SIZE_MAX = 65536 };

static int run_batch(const struct convert_options *options)
{
	static struct out out;
	struct batch batch = {.options = options, .out = &out};
	int code = EXIT_OK;

	out_init(&out, STDOUT_FILENO);
	json_init(&batch.json, &out);
	child_catch_signals();
	for (size_t i = 0; i < options->input_count && !child_is_stopped(); i++)
		code = exit_worst(code, job_run(&batch, options->inputs[i]));
	tdestroy(batch.outputs, free);
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
};

static const struct argp_option argument_table[] = {
	{"output", 'o', "OUT", 0, "Write to OUT (default: FILE.locus beside FILE)", 0},
	{"output-dir", OPTION_OUTPUT_DIR, "DIR", 0, "Write each FILE's to DIR/NAME.locus", 0},
	{"jobs", 'j', "N", 0, "Threads for each file (default: one for each processor)", 0},
	{"level", OPTION_LEVEL, "N", 0, "Compression, 1 to 22; 0 stores (default: 3)", 0},
	{"block-size", OPTION_BLOCK_SIZE, "N", 0, "Intervals in a block, at most (default: 16384)", 0},
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

static int run(int argc, char **argv)
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
	code = converter_load() ? run_batch(&options) : EXIT_FAILED;
	free(options.debug_directories);
	free(options.prefix_maps);
	return code;
}

const struct subcommand subcommand_convert = {"convert", run,
					      "turn the debug information of ELF files into .locus files"};
