/* locus symbolize: a filter that completes the addresses in crashes, profiles and logs. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/file_magic.h"
#include "cmd/common/options.h"
#include "cmd/common/report.h"
#include "cmd/conversion/fetch_options.h"
#include "cmd/show/display_options.h"
#include "cmd/store/staging.h"
#include "cmd/subcommand.h"
#include "cmd/symbolize/profile_symbolizer.h"
#include "cmd/symbolize/symbolizer.h"

struct symbolize_options {
	struct symbol_options symbols;
	const char **given; /* the values of --symbols, which symbols.given points to in the end */
	struct display_options display;
	bool is_profile;
	const char *output; /* NULL: standard output */
	char **files;
	size_t file_count;
};

/* Opens an input, and gives the name for messages; -1: that failed, and was reported. */
static int open_input(const char *path, const char **ret_name)
{
	bool is_standard = strcmp(path, "-") == 0;
	int fd = is_standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

	*ret_name = is_standard ? "standard input" : path;
	if (fd < 0)
		report(*ret_name, "%s", strerror(errno));
	return fd;
}

/* What to do with a file that is no text, as the bytes that come next show; NULL: it may be one, as every pipe may. */
static const char *advice_for(int fd)
{
	static const struct {
		const char *magic, *advice;
	} kinds[] = {
		{FILE_MAGIC_GZIP,
		 "it is compressed, and no text: unpack it first; for a profile in pprof's format, give --pprof"},
		{FILE_MAGIC_XZ, "it is compressed, and no text: unpack it first"},
		{FILE_MAGIC_ZSTD, "it is compressed, and no text: unpack it first"},
		{FILE_MAGIC_PERF, "it is a file of perf, and no text: give what 'perf script --no-inline "
				  "--show-mmap-events --show-task-events' prints of it"},
		{FILE_MAGIC_ELF, "it is an ELF file, and no text: give it with --symbols, or to 'locus lookup'"},
		{FILE_MAGIC_LOCUS, "it is a .locus file, and no text: give it with --symbols, or to 'locus lookup'"},
	};
	char bytes[8];
	ssize_t size = pread(fd, bytes, sizeof(bytes), lseek(fd, 0, SEEK_CUR));

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t magic_size = strlen(kinds[i].magic);
		if (size >= (ssize_t)magic_size && memcmp(bytes, kinds[i].magic, magic_size) == 0)
			return kinds[i].advice;
	}
	return NULL;
}

static void symbolize_file(struct symbolizer *symbolizer, const char *path, int *code)
{
	const char *name;
	int fd = open_input(path, &name);

	if (fd < 0) {
		*code = EXIT_FAILED;
		return;
	}
	const char *advice = advice_for(fd);
	if (advice)
		report(name, "%s", advice);
	if (advice || !symbolizer_put_file(symbolizer, fd, name))
		*code = EXIT_FAILED;
	close(fd);
}

/* The name of an output for messages. */
static const char *output_name(const struct symbolize_options *options, int fd)
{
	return fd == STDOUT_FILENO ? "standard output" : options->output;
}

/* *ret_is_whole: all inputs were read, and all was written. */
static int symbolize_texts(const struct symbolize_options *options, struct symbol_sources *sources, struct out *out,
			   bool *ret_is_whole)
{
	const struct display display = {display_wants_colour(out->fd), options->display.short_names};
	struct symbolizer *symbolizer = symbolizer_new(out, sources, &display);
	int code = EXIT_OK;

	*ret_is_whole = false;
	if (!symbolizer)
		return EXIT_FAILED;
	if (options->file_count == 0)
		symbolize_file(symbolizer, "-", &code);
	for (size_t i = 0; i < options->file_count && !out->error; i++)
		symbolize_file(symbolizer, options->files[i], &code);
	symbolizer_free(symbolizer);

	/* The last of the text is written only now, so that now it is known whether all was. */
	int worst = report_finish_named(out, output_name(options, out->fd), code);
	*ret_is_whole = code == EXIT_OK && !out->error;
	return worst;
}

/* Symbolizes a profile. `text` is the output that labels are made in. */
static int symbolize_one_profile(const struct symbolize_options *options, struct symbol_sources *sources,
				 struct out *text, int output)
{
	const struct display display = {false, options->display.short_names};
	struct profile_files files = {.output = output, .output_name = output_name(options, output)};
	int code;

	files.input = open_input(options->file_count ? options->files[0] : "-", &files.input_name);
	if (files.input < 0)
		return EXIT_FAILED;
	code = symbolize_profile(sources, &display, text, &files);
	close(files.input);
	return code;
}

/* Symbolizes into an open file. *ret_is_whole: nothing is missing in it. */
static int symbolize_to(const struct symbolize_options *options, struct out *out, int output, bool *ret_is_whole)
{
	struct symbol_sources *sources = symbol_sources_new(&options->symbols);
	int code;

	out_init(out, output);
	if (options->is_profile) {
		code = symbolize_one_profile(options, sources, out, output);
		*ret_is_whole = code == EXIT_OK;
	} else {
		code = symbolize_texts(options, sources, out, ret_is_whole);
	}
	code = exit_worst(code, symbol_sources_code(sources));
	symbol_sources_report_missing(sources);
	symbol_sources_free(sources);
	return code;
}

/* A whole output replaces the earlier file. */
static int symbolize_to_staging(const struct symbolize_options *options, struct out *out, const struct staging *staging)
{
	int output = open(staging->file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	bool is_whole = false;
	int code = EXIT_FAILED;

	if (output >= 0) {
		code = symbolize_to(options, out, output, &is_whole);
		if (close(output) == 0 && (!is_whole || staging_commit(staging, options->output)))
			return code;
	}
	report(options->output, "%s", strerror(errno));
	return EXIT_FAILED;
}

static int symbolize(const struct symbolize_options *options, struct out *out)
{
	struct staging staging;
	bool is_whole;
	int code;

	if (!options->output || strcmp(options->output, "-") == 0)
		return symbolize_to(options, out, STDOUT_FILENO, &is_whole);
	if (!staging_init_guarded(&staging, options->output)) {
		report(options->output, "%s", staging_problem(errno));
		return EXIT_FAILED;
	}
	code = symbolize_to_staging(options, out, &staging);
	staging_done(&staging);
	return code;
}

enum { OPTION_SYMBOLS = 0x100, OPTION_VERBOSE, OPTION_PPROF };

static const struct argp_option argument_table[] = {
	{"symbols", OPTION_SYMBOLS, "PATH", 0,
	 "Symbols: a .locus or ELF file, or a directory that is a store or has files by name; may be repeated", 0},
	{"pprof", OPTION_PPROF, NULL, 0, "FILE is a profile in pprof's format, and so is what is written", 0},
	{"output", 'o', "OUT", 0, "Write to OUT, which appears when it is whole (default: -, standard output)", 0},
	{"verbose", OPTION_VERBOSE, NULL, 0, "Say which file answers for which module", 0},
	{0},
};

static void check_profile(const struct symbolize_options *options, const struct argp_state *state)
{
	if (!options->is_profile)
		return;
	if (options->file_count > 1)
		usage_error(state, "--pprof takes one profile");
	if (!options->output && isatty(STDOUT_FILENO))
		usage_error(state, "a profile cannot be written to a terminal: name a file with -o OUT");
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct symbolize_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->display;
		return 0;
	case OPTION_SYMBOLS:
		option_append(&options->given, &options->symbols.given_count, option_path(state, "--symbols", text));
		return 0;
	case OPTION_VERBOSE:
		options->symbols.verbose = true;
		return 0;
	case OPTION_PPROF:
		options->is_profile = true;
		return 0;
	case 'o':
		options->output = option_path(state, "-o", text);
		return 0;
	case ARGP_KEY_ARGS:
		options->files = &state->argv[state->next];
		options->file_count = (size_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_SUCCESS:
		check_profile(options, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = {{&display_argp, 0, NULL, 0}, {&fetch_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.children = children,
		.options = argument_table,
		.parser = parse_option,
		.args_doc = "[FILE...]",
		.doc = "Complete the addresses in a crash, a profile or a log by function, file, line and what was "
		       "inlined; all other text stays as it is.\v"
		       "Without FILE, or where it is -, standard input is read.",
	};
	static struct out out;
	struct symbolize_options options = {0};
	int code;

	parse_arguments(&argp, argc, argv, &options);

	options.symbols.given = options.given;
	options.symbols.labels = (struct symbol_labels){
		.out = &out, .no_demangle = options.display.no_demangle, .relative_to = options.display.relative_to};
	code = symbolize(&options, &out);
	free(options.given);
	return code;
}

const struct subcommand subcommand_symbolize = {"symbolize", run, "make a crash, a profile or a log readable"};
