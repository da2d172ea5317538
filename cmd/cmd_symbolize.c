/* locus symbolize: a filter that completes the addresses in crashes, profiles and logs. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/display_options.h"
#include "cmd/common/exit_code.h"
#include "cmd/common/options.h"
#include "cmd/common/report.h"
#include "cmd/subcommand.h"
#include "cmd/symbolize/symbolizer.h"

struct symbolize_options {
	struct symbol_options symbols;
	const char **given; /* what symbols.given points to */
	struct display_options display;
	char **files;
	size_t file_count;
};

/* What came is written before more is waited for, unless it comes from a file, where nobody waits. */
static void symbolize_stream(struct symbolizer *symbolizer, struct out *out, int fd, const char *name, int *code)
{
	static struct text_stream stream;
	struct text_piece piece;

	text_stream_init(&stream, fd);
	while (!out->error) {
		if (text_stream_next(&stream, &piece)) {
			symbolizer_put(symbolizer, &piece);
			continue;
		}
		if (stream.ended)
			break;
		if (!stream.is_file)
			out_flush(out);
		text_stream_read(&stream);
	}
	symbolizer_end_text(symbolizer);
	if (stream.error) {
		report(name, "%s", strerror(stream.error));
		*code = EXIT_FAILED;
	}
}

static void symbolize_file(struct symbolizer *symbolizer, struct out *out, const char *path, int *code)
{
	int fd;

	if (strcmp(path, "-") == 0) {
		symbolize_stream(symbolizer, out, STDIN_FILENO, "standard input", code);
		return;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		report(path, "%s", strerror(errno));
		*code = EXIT_FAILED;
		return;
	}
	symbolize_stream(symbolizer, out, fd, path, code);
	close(fd);
}

static int symbolize(const struct symbolize_options *options, struct out *out)
{
	struct symbol_sources *sources = symbol_sources_new(&options->symbols);
	const struct display display = {display_wants_colour(out->fd), options->display.short_names};
	struct symbolizer *symbolizer = symbolizer_new(out, sources, &display);
	int code = EXIT_OK;

	if (symbolizer) {
		if (options->file_count == 0)
			symbolize_file(symbolizer, out, "-", &code);
		for (size_t i = 0; i < options->file_count && !out->error; i++)
			symbolize_file(symbolizer, out, options->files[i], &code);
		symbolizer_free(symbolizer);
		code = report_finish(out, exit_worst(code, symbol_sources_code(sources)));
		symbol_sources_report_missing(sources);
	} else {
		code = EXIT_FAILED;
	}
	symbol_sources_free(sources);
	return code;
}

enum { OPTION_SYMBOLS = 0x100, OPTION_VERBOSE };

static const struct argp_option argument_table[] = {
	{"symbols", OPTION_SYMBOLS, "PATH", 0,
	 "Symbols: a .locus or ELF file, or a directory that is a store or has files by name; may be repeated", 0},
	{"verbose", OPTION_VERBOSE, NULL, 0, "Say which file answers for which module", 0},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct symbolize_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->display;
		return 0;
	case OPTION_SYMBOLS:
		options->given[options->symbols.given_count++] = text;
		return 0;
	case OPTION_VERBOSE:
		options->symbols.verbose = true;
		return 0;
	case ARGP_KEY_ARGS:
		options->files = &state->argv[state->next];
		options->file_count = (size_t)(state->argc - state->next);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = {{&display_argp, 0, NULL, 0}, {0}};
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

	options.given = calloc((size_t)argc, sizeof(*options.given));
	if (!options.given) {
		report(NULL, "out of memory");
		return EXIT_FAILED;
	}
	parse_arguments(&argp, argc, argv, &options);
	out_init(&out, STDOUT_FILENO);
	options.symbols.given = options.given;
	options.symbols.labels = (struct symbol_labels){
		.out = &out, .no_demangle = options.display.no_demangle, .relative_to = options.display.relative_to};
	code = symbolize(&options, &out);
	free(options.given);
	return code;
}

const struct subcommand subcommand_symbolize = {"symbolize", run, "make a crash, a profile or a log readable"};
