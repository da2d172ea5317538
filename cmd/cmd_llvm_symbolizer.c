/* locus llvm-symbolizer: the options, requests and answers of llvm-symbolizer that sanitizers and pprof use. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/input_lines.h"
#include "cmd/common/report.h"
#include "cmd/subcommand.h"
#include "cmd/tools/tool_answer.h"
#include "cmd/tools/tool_arguments.h"
#include "cmd/tools/tool_options.h"
#include "cmd/tools/tool_request.h"

static const char help[] =
	"Usage: llvm-symbolizer [OPTION...] [ADDRESS...]\n"
	"Answer requests as llvm-symbolizer does, from .locus files, stores, or the debug information itself. A "
	"request is\n"
	"[CODE|DATA|FRAME] MODULE ADDRESS, or with --obj an ADDRESS, which may be SYMBOL+OFFSET; without any, they are "
	"read from\n"
	"standard input.\n\n"
	"  -e, --obj=FILE                  the program or library of all addresses\n"
	"  -C, --demangle, --no-demangle   names as their programmers know them (default), or as linkers do\n"
	"  -f, --functions=[linkage|short|none]\n"
	"                                  names of functions (default), without what they are in, or none\n"
	"  -i, --inlines, --no-inlines     inlined functions too (default), or not\n"
	"  --output-style=[LLVM|GNU|JSON]\n"
	"  --adjust-vma=OFFSET             addresses are so much larger than those of the file\n"
	"  -a, --addresses  -p, --pretty-print  -s, --basenames  -h, --help  -v, --version\n"
	"  @FILE                           the arguments in FILE, in its place\n\n"
	"LLVM_SYMBOLIZER_OPTS in the environment has further options.\n"
	"LOCUS_SYMBOLS in the environment names .locus files and stores to ask, with ':' between them.\n";

enum { KEY_NO_DEMANGLE = 0x100, KEY_NO_INLINES, KEY_STYLE, KEY_ADJUST, KEY_IGNORED };

/* Options may begin with one dash or two, and have a value behind '=': pprof passes -demangle=false. */
static const struct option options_table[] = {
	{"obj", required_argument, NULL, 'e'},
	{"exe", required_argument, NULL, 'e'},
	{"demangle", optional_argument, NULL, 'C'},
	{"no-demangle", no_argument, NULL, KEY_NO_DEMANGLE},
	{"inlines", optional_argument, NULL, 'i'},
	{"inlining", optional_argument, NULL, 'i'},
	{"no-inlines", no_argument, NULL, KEY_NO_INLINES},
	{"functions", optional_argument, NULL, 'f'},
	{"output-style", required_argument, NULL, KEY_STYLE},
	{"addresses", no_argument, NULL, 'a'},
	{"print-address", no_argument, NULL, 'a'},
	{"pretty-print", no_argument, NULL, 'p'},
	{"basenames", no_argument, NULL, 's'},
	{"default-arch", required_argument, NULL,
	 KEY_IGNORED}, /* accepted: it is for universal binaries of another system */
	{"adjust-vma", required_argument, NULL, KEY_ADJUST},
	{"relative-address", no_argument, NULL, KEY_IGNORED}, /* accepted: in ELF files all addresses are */
	{"use-symbol-table", optional_argument, NULL, KEY_IGNORED},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'v'},
	{0},
};

/* Reads the optional value of an option that is on or off. */
static bool is_on(const char *value)
{
	return !value || (strcmp(value, "false") != 0 && strcmp(value, "0") != 0);
}

static bool parse_style(const char *value, enum tool_style *ret)
{
	static const char *const names[] = {[TOOL_GNU] = "GNU", [TOOL_LLVM] = "LLVM", [TOOL_JSON] = "JSON"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(value, names[i]) == 0) {
			*ret = (enum tool_style)i;
			return true;
		}
	return false;
}

/* Sets what the option says. False: not supported. */
static bool set_option(struct tool_options *options, int key, const char *value)
{
	switch (key) {
	case 'C':
		options->no_demangle = !is_on(value);
		return true;
	case KEY_NO_DEMANGLE:
		options->no_demangle = true;
		return true;
	case 'i':
		options->inlines = is_on(value);
		return true;
	case KEY_NO_INLINES:
		options->inlines = false;
		return true;
	case 'f':
		options->functions = !value || strcmp(value, "none") != 0;
		options->own_names = value && strcmp(value, "short") == 0;
		return !options->functions || options->own_names || !value || strcmp(value, "linkage") == 0;
	case KEY_ADJUST:
		return tool_request_integer(value, strlen(value), &options->adjustment);
	case KEY_STYLE:
		return parse_style(value, &options->style);
	case 'a':
		options->addresses = true;
		return true;
	case 'p':
		options->pretty = true;
		return true;
	case 's':
		options->basenames = true;
		return true;
	case KEY_IGNORED:
		return true;
	default:
		return false;
	}
}

/* "PATH:x86_64" names an architecture, unless there is a file of the whole name: cuts it off. */
static size_t path_size(const char *path)
{
	struct stat found;
	const char *colon = strrchr(path, ':');
	bool is_architecture = colon && colon[1] && !strchr(colon, '/');

	return is_architecture && stat(path, &found) != 0 ? (size_t)(colon - path) : strlen(path);
}

static void answer_request(struct tool *tool, const struct tool_request *request, const char *object)
{
	char path[MODULE_PATH_MAX + 1];
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	struct tool_module module = {.text = object};

	if (request->module) {
		if (request->module_size > MODULE_PATH_MAX) {
			tool_answer_nothing(tool);
			return;
		}
		memcpy(path, request->module, request->module_size);
		path[request->module_size] = '\0';
		module.text = path;
	}

	/* A module is named by its build-id or by its path, which may have an architecture behind it. */
	if (request->is_build_id) {
		const struct locus_string digits = {path, strlen(path)};
		module.name.build_id = (struct locus_string){(const char *)build_id, build_id_parse(digits, build_id)};
		if (!module.name.build_id.size) {
			tool_answer_nothing(tool);
			return;
		}
	} else {
		module.name.path = (struct locus_string){module.text, path_size(module.text)};
		if (request->module)
			path[module.name.path.size] = '\0';
	}

	if (request->symbol)
		tool_answer_symbol(tool, &module, (struct locus_string){request->symbol, request->symbol_size},
				   request->address);
	else if (request->kind == TOOL_CODE)
		tool_answer_code(tool, &module, request->address);
	else if (request->kind == TOOL_DATA)
		tool_answer_data(tool, &module, request->address);
	else
		tool_answer_frame(tool, &module, request->address);
}

static void answer_line(struct tool *tool, const char *line, size_t size, const char *object)
{
	struct tool_request request;

	if (tool_request_parse(line, size, object != NULL, &request))
		answer_request(tool, &request, object);
	else
		tool_answer_nothing(tool);
}

/* Answers the requests on standard input. Returns the exit code. */
static int answer_lines(struct tool *tool, const char *object)
{
	static struct input_lines lines;
	const char *line;
	size_t size;

	input_lines_init(&lines, STDIN_FILENO, tool->out);
	while (!tool->out->error && input_lines_next(&lines, &line, &size))
		answer_line(tool, line, size, object);
	return input_lines_end(&lines);
}

static int run(int argc, char **argv)
{
	static struct out out;
	static struct tool tool;
	struct tool_options options = {.style = TOOL_LLVM, .functions = true, .inlines = true};
	static const char letters[] = ":e:afiCsphv";
	const char *object = NULL;
	int key;

	if (!tool_arguments_expand("LLVM_SYMBOLIZER_OPTS", &argc, &argv))
		return EXIT_USAGE;
	opterr = 0;
	while ((key = getopt_long_only(argc, argv, letters, options_table, NULL)) != -1) {
		if (key == 'e') {
			object = optarg;
		} else if (key == 'h') {
			fputs(help, stdout);
			return EXIT_OK;
		} else if (key == 'v') {
			puts("locus " LOCUS_VERSION ", as llvm-symbolizer");
			return EXIT_OK;
		} else if (!set_option(&options, key, optarg)) {
			tool_report_option("llvm-symbolizer", "LLVM's llvm-symbolizer", key, letters, argv);
			return EXIT_USAGE;
		}
	}

	/* Requests that are arguments are answered as one list; without any, they come from standard input. */
	out_init(&out, STDOUT_FILENO);
	tool_init(&tool, &options, &out);
	const struct tool_module module = {.name = {.path = {object, object ? path_size(object) : 0}}, .text = object};
	int code = !object || tool_is_program(&tool, &module) ? EXIT_OK : EXIT_FAILED;
	if (code == EXIT_OK && optind == argc) {
		code = answer_lines(&tool, object);
	} else if (code == EXIT_OK) {
		tool_list_begin(&tool);
		for (int i = optind; i < argc && !out.error; i++)
			answer_line(&tool, argv[i], strlen(argv[i]), object);
		tool_list_end(&tool);
	} else if (options.style == TOOL_JSON) {
		tool_answer_code(&tool, &module, 0); /* the error, as LLVM writes it before it has read a request */
	}
	out_flush(&out);
	return report_finish(&out, tool_done(&tool, code));
}

const struct subcommand subcommand_llvm_symbolizer = {"llvm-symbolizer", run, "answer as llvm-symbolizer does"};
