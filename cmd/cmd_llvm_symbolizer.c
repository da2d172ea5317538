/* locus llvm-symbolizer: the options, requests and answers of llvm-symbolizer that sanitizers and pprof use. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/input_lines.h"
#include "cmd/common/memory.h"
#include "cmd/common/report.h"
#include "cmd/conversion/fetch.h"
#include "cmd/subcommand.h"
#include "cmd/symbolize/symbolizer.h"
#include "cmd/tools/tool_answer.h"
#include "cmd/tools/tool_arguments.h"
#include "cmd/tools/tool_options.h"
#include "cmd/tools/tool_request.h"

static const char help[] = "Usage: llvm-symbolizer [OPTION...] [ADDRESS...]\n"
			   "Answer requests as llvm-symbolizer does, from .locus files, stores, or the debug\n"
			   "information itself. A request is [CODE|DATA|FRAME] MODULE ADDRESS, or with --obj\n"
			   "an ADDRESS, which may be SYMBOL+OFFSET; without any, they are read from standard\n"
			   "input.\n\n"
			   "  -e, --obj=FILE         the program or library of all addresses\n"
			   "  --build-id=ID          the same, by its build-id\n"
			   "  -C, --demangle, --no-demangle\n"
			   "                         names as their programmers know them (default), or as\n"
			   "                         linkers do\n"
			   "  -f, --functions=[linkage|short|none]\n"
			   "                         names of functions (default), without what they are in,\n"
			   "                         or none\n"
			   "  -i, --inlines, --no-inlines\n"
			   "                         inlined functions too (default), or not\n"
			   "  --output-style=[LLVM|GNU|JSON]\n"
			   "  --adjust-vma=OFFSET    addresses are so much larger than those of the file\n"
			   "  --print-source-context-lines=N\n"
			   "                         N lines of the source around each place, where its file\n"
			   "                         is here\n"
			   "  --filter-markup        complete the text on standard input, as 'locus\n"
			   "                         symbolize' does\n"
			   "  --debug-file-directory=DIR\n"
			   "                         further symbols are here; may be given several times\n"
			   "  --fallback-debug-path=DIR\n"
			   "                         separate debug files are here, as in /usr/lib/debug\n"
			   "  --dwp=FILE             the package of split DWARF\n"
			   "  --no-debuginfod        do not ask the servers in DEBUGINFOD_URLS\n"
			   "  -a, --addresses  -p, --pretty-print  -s, --basenames  --verbose\n"
			   "  -h, --help  -v, --version\n"
			   "  @FILE                  the arguments in FILE, in its place\n\n"
			   "LLVM_SYMBOLIZER_OPTS in the environment has further options. LOCUS_SYMBOLS there\n"
			   "names .locus files and stores to ask, with ':' between them.\n";

enum {
	KEY_NO_DEMANGLE = 0x100,
	KEY_NO_INLINES,
	KEY_STYLE,
	KEY_VERBOSE,
	KEY_FILTER,
	KEY_ADJUST,
	KEY_SOURCE,
	KEY_BUILD_ID,
	KEY_DEBUG_DIRECTORY,
	KEY_FALLBACK,
	KEY_DWP,
	KEY_NO_DEBUGINFOD,
	KEY_IGNORED,
};

/* Options may begin with one dash or two, and have a value behind '=': pprof passes -demangle=false. */
static const struct option options_table[] = {
	{"e", required_argument, NULL, 'e'},
	{"obj", required_argument, NULL, 'e'},
	{"exe", required_argument, NULL, 'e'},
	{"demangle", optional_argument, NULL, 'C'},
	{"no-demangle", no_argument, NULL, KEY_NO_DEMANGLE},
	{"inlines", optional_argument, NULL, 'i'},
	{"inlining", optional_argument, NULL, 'i'},
	{"no-inlines", no_argument, NULL, KEY_NO_INLINES},
	{"f", optional_argument, NULL, 'f'},
	{"functions", optional_argument, NULL, 'f'},
	{"output-style", required_argument, NULL, KEY_STYLE},
	{"addresses", no_argument, NULL, 'a'},
	{"print-address", no_argument, NULL, 'a'},
	{"pretty-print", no_argument, NULL, 'p'},
	{"basenames", no_argument, NULL, 's'},
	{"verbose", no_argument, NULL, KEY_VERBOSE},
	{"filter-markup", no_argument, NULL, KEY_FILTER},
	{"adjust-vma", required_argument, NULL, KEY_ADJUST},
	{"print-source-context-lines", required_argument, NULL, KEY_SOURCE},
	{"build-id", required_argument, NULL, KEY_BUILD_ID},
	{"debug-file-directory", required_argument, NULL, KEY_DEBUG_DIRECTORY},
	{"fallback-debug-path", required_argument, NULL, KEY_FALLBACK},
	{"dwp", required_argument, NULL, KEY_DWP},
	{"no-debuginfod", no_argument, NULL, KEY_NO_DEBUGINFOD},
	/* Accepted, as they change no answer for an ELF file here. */
	{"debuginfod", no_argument, NULL, KEY_IGNORED},
	{"relative-address", no_argument, NULL, KEY_IGNORED}, /* all addresses are */
	{"untag-addresses", no_argument, NULL, KEY_IGNORED},
	{"no-untag-addresses", no_argument, NULL, KEY_IGNORED},
	{"use-symbol-table", optional_argument, NULL, KEY_IGNORED},
	{"cache-size", required_argument, NULL, KEY_IGNORED},
	{"color", optional_argument, NULL, KEY_IGNORED}, /* what --filter-markup shows has colours on a terminal */
	/* No GSYM file is read. */
	{"disable-gsym", no_argument, NULL, KEY_IGNORED},
	{"gsym-file-directory", required_argument, NULL, KEY_IGNORED},
	/* Paths stay whole, as they do in LLVM where the compiler was given whole ones. */
	{"relativenames", no_argument, NULL, KEY_IGNORED},
	/* These are for the files of other systems. */
	{"default-arch", required_argument, NULL, KEY_IGNORED},
	{"dsym-hint", required_argument, NULL, KEY_IGNORED},
	{"dia", no_argument, NULL, KEY_IGNORED},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'v'},
	{0},
};

/* The letters of options; those of several may stand in one argument. '-': other arguments are returned as 1. */
static const char letters[] = "-:e:afiCsphv";

/* Whether an argument names an option of the table in full. A letter alone does so only with a value behind '='. */
static bool has_name(const char *argument)
{
	const char *name = argument + strspn(argument, "-");
	size_t size = strcspn(name, "=");

	for (const struct option *option = options_table; option->name; option++)
		if (strlen(option->name) == size && memcmp(option->name, name, size) == 0)
			return size > 1 || name[size] == '=';
	return false;
}

/* getopt_long_only would take "-fi" for the beginning of --filter-markup, where it is two letters. */
static int next_option(int argc, char **argv)
{
	bool is_long = optind < argc && argv[optind][0] == '-' && has_name(argv[optind]);

	return (is_long ? getopt_long_only : getopt_long)(argc, argv, letters, options_table, NULL);
}

/* Reads the optional value of an option that is on or off. */
static bool is_on(const char *value)
{
	return !value || (strcmp(value, "false") != 0 && strcmp(value, "0") != 0);
}

/* LLVM has its own style for each value that it does not know. */
static enum tool_style parse_style(const char *value)
{
	return strcmp(value, "GNU") == 0 ? TOOL_GNU : strcmp(value, "JSON") == 0 ? TOOL_JSON : TOOL_LLVM;
}

static bool parse_count(const char *value, uint32_t *ret)
{
	uint64_t count;
	bool is_count = tool_request_integer(value, strlen(value), &count) && count <= INT32_MAX;

	if (is_count)
		*ret = (uint32_t)count;
	return is_count;
}

/* What the options say. */
struct settings {
	struct tool_options options;
	size_t directory_room;      /* of options.symbols */
	const char *debug_paths[2]; /* as in options.conversion */
	const char *object, *build_id;
	bool is_filter; /* standard input is a text to be completed, and has no requests */
};

/* What is not there is no failure to LLVM, whose callers may give the system's to every run. False: it was reported. */
static bool is_there(const char *path)
{
	bool found = access(path, F_OK) == 0;

	if (!found)
		report(path, "%s", strerror(errno));
	return found;
}

static void add_debug_directory(struct settings *settings, const char *directory)
{
	struct tool_options *options = &settings->options;

	if (!is_there(directory))
		return;
	memory_reserve(&options->symbols, &settings->directory_room, options->symbol_count + 1,
		       sizeof(*options->symbols));
	options->symbols[options->symbol_count++] = directory;
}

/*
 * Debug files are looked for in this directory, as LLVM looks for them by debug link, and then in the system's folder,
 * which has the other companions of programs.
 */
static void set_fallback(struct settings *settings, const char *directory)
{
	struct symbol_conversion *conversion = &settings->options.conversion;

	if (!is_there(directory))
		return;
	settings->debug_paths[0] = directory;
	settings->debug_paths[1] = "/usr/lib/debug";
	conversion->debug_dirs = settings->debug_paths;
	conversion->debug_dir_count = sizeof(settings->debug_paths) / sizeof(settings->debug_paths[0]);
}

/* Sets what the option says. False: not supported. */
static bool set_option(struct settings *settings, int key, const char *value)
{
	struct tool_options *options = &settings->options;

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
		return true; /* each other value means whole names to LLVM, too */
	case KEY_ADJUST:
		return tool_request_integer(value, strlen(value), &options->adjustment);
	case KEY_SOURCE:
		return parse_count(value, &options->source_count);
	case KEY_STYLE:
		options->style = parse_style(value);
		return true;
	case 'a':
		options->addresses = true;
		return true;
	case 'p':
		options->pretty = true;
		return true;
	case KEY_FILTER:
		settings->is_filter = true;
		return true;
	case KEY_VERBOSE:
		options->verbose = true;
		return true;
	case 's':
		options->basenames = true;
		return true;
	case 'e':
		settings->object = value;
		return true;
	case KEY_BUILD_ID:
		settings->build_id = value;
		return true;
	case KEY_DEBUG_DIRECTORY:
		add_debug_directory(settings, value);
		return true;
	case KEY_FALLBACK:
		set_fallback(settings, value);
		return true;
	case KEY_DWP:
		options->conversion.dwp_file = is_there(value) ? value : NULL;
		return true;
	case KEY_NO_DEBUGINFOD:
		fetch_forbid();
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

/* A module, and what names it. */
struct named_module {
	struct tool_module module;
	char text[MODULE_PATH_MAX + 1];
	uint8_t build_id[MODULE_BUILD_ID_MAX];
};

/* By its path, which may have an architecture behind it. False: no file has one of this length. */
static bool name_path(struct named_module *named, const char *path, size_t size)
{
	if (size > MODULE_PATH_MAX)
		return false;
	memcpy(named->text, path, size);
	named->text[size] = '\0';
	named->module = (struct tool_module){.name.path = {named->text, path_size(named->text)}, .text = named->text};
	return true;
}

/* By its build-id, which LLVM shows in capitals, with a 0 in front where a digit is missing. False: it is none. */
static bool name_build_id(struct named_module *named, const char *digits, size_t size)
{
	size_t zero_count = size % 2, text_size = zero_count + size;

	if (text_size > MODULE_PATH_MAX)
		return false;
	named->text[0] = '0';
	for (size_t i = 0; i < size; i++)
		named->text[zero_count + i] = (char)toupper((unsigned char)digits[i]);
	named->text[text_size] = '\0';
	size_t id_size = build_id_parse((struct locus_string){named->text, text_size}, named->build_id);
	named->module =
		(struct tool_module){.name.build_id = {(const char *)named->build_id, id_size}, .text = named->text};
	return id_size > 0;
}

static void ask(struct tool *tool, const struct tool_request *request, const struct tool_module *module)
{
	struct locus_string symbol = {request->symbol, request->symbol_size};

	if (request->kind == TOOL_DATA)
		tool_answer_data(tool, module, symbol, request->address);
	else if (request->kind == TOOL_FRAME)
		tool_answer_frame(tool, module, symbol, request->address);
	else if (symbol.data)
		tool_answer_symbol(tool, module, symbol, request->address);
	else
		tool_answer_code(tool, module, request->address);
}

/* Answers a line that is no request, with its module, which LLVM shows only by a path. */
static void answer_none(struct tool *tool, const struct tool_request *request, const struct tool_module *module)
{
	struct locus_string text = {0};

	if (module && !module->name.build_id.size)
		text = (struct locus_string){module->text, strlen(module->text)};
	else if (!module && !request->is_build_id)
		text = (struct locus_string){request->module, request->module_size};
	tool_answer_nothing(tool, text);
}

/* Answers a line. `module`: the one of all lines; NULL: each names its own. */
static void answer_line(struct tool *tool, const char *line, size_t size, const struct tool_module *module)
{
	struct tool_request request;
	struct named_module named;

	if (!tool_request_parse(line, size, module != NULL, &request))
		answer_none(tool, &request, module);
	else if (module)
		ask(tool, &request, module);
	else if (request.is_build_id ? name_build_id(&named, request.module, request.module_size)
				     : name_path(&named, request.module, request.module_size))
		ask(tool, &request, &named.module);
	else
		answer_none(tool, &request, NULL);
}

/* Answers the requests on standard input. Returns the exit code. */
static int answer_lines(struct tool *tool, const struct tool_module *module)
{
	static struct input_lines lines;
	const char *line;
	size_t size;

	input_lines_init(&lines, STDIN_FILENO, tool->out);
	while (!tool->out->error && input_lines_next(&lines, &line, &size))
		answer_line(tool, line, size, module);
	return input_lines_end(&lines);
}

/*
 * Names the module of all requests, if an option does; *ret becomes NULL if none does. False, and it was reported: it
 * cannot be named so.
 */
static bool name_by_option(const struct settings *settings, struct named_module *named, const struct tool_module **ret)
{
	const char *object = settings->object, *build_id = settings->build_id;

	*ret = object || build_id ? &named->module : NULL;
	if (object && build_id)
		report(NULL, "llvm-symbolizer: --obj and --build-id cannot both be given");
	else if (build_id && !name_build_id(named, build_id, strlen(build_id)))
		report(NULL, "llvm-symbolizer: '%s' is no build-id", build_id);
	else if (object && !name_path(named, object, strlen(object)))
		report(NULL, "llvm-symbolizer: %s: %s", object, strerror(ENAMETOOLONG));
	else
		return true;
	return false;
}

/* Completes the text on standard input. Returns the exit code. */
static int filter(const struct tool_options *options, struct out *out)
{
	const struct symbol_options source_options = {
		.given = options->symbols,
		.given_count = options->symbol_count,
		.conversion = options->conversion,
		.labels = {.out = out, .no_demangle = options->no_demangle},
	};
	const struct display display = {.colour = display_wants_colour(out->fd)};
	struct symbol_sources *sources = symbol_sources_new(&source_options);
	struct symbolizer *symbolizer = symbolizer_new(out, sources, &display);
	int code = EXIT_FAILED;

	if (symbolizer && symbolizer_put_file(symbolizer, STDIN_FILENO, "standard input"))
		code = EXIT_OK;
	if (symbolizer)
		symbolizer_free(symbolizer);
	out_flush(out);
	symbol_sources_report_missing(sources);
	code = exit_worst(code, symbol_sources_code(sources));
	symbol_sources_free(sources);
	return report_finish(out, code);
}

static int run(int argc, char **argv)
{
	static struct out out;
	static struct tool tool;
	static struct named_module named;
	static struct settings settings;
	const struct tool_module *module;
	int request_count = 0, key;

	settings.options = (struct tool_options){
		.style = TOOL_LLVM, .functions = true, .inlines = true, .conversion = {.columns = true}};
	if (!tool_arguments_expand("LLVM_SYMBOLIZER_OPTS", &argc, &argv))
		return EXIT_USAGE;
	opterr = 0;
	while ((key = next_option(argc, argv)) != -1) {
		if (key == 1) {
			if (optarg[0]) /* LLVM passes over an empty one */
				argv[++request_count] = optarg;
		} else if (key == 'h') {
			fputs(help, stdout);
			return EXIT_OK;
		} else if (key == 'v') {
			puts("locus " LOCUS_VERSION ", as llvm-symbolizer");
			return EXIT_OK;
		} else if (!set_option(&settings, key, optarg)) {
			if (key == KEY_ADJUST || key == KEY_SOURCE)
				report(NULL, "llvm-symbolizer: '%s' is no number that its option takes", optarg);
			else
				tool_report_option("llvm-symbolizer", "LLVM's llvm-symbolizer", key, letters, argv);
			return EXIT_USAGE;
		}
	}
	for (; optind < argc; optind++) /* behind "--" */
		argv[++request_count] = argv[optind];
	if (!name_by_option(&settings, &named, &module))
		return EXIT_USAGE;

	out_init(&out, STDOUT_FILENO);
	if (settings.is_filter)
		return filter(&settings.options, &out);

	/* Requests that are arguments are answered as one list; without any, they come from standard input. */
	tool_init(&tool, &settings.options, &out);
	int code = !settings.object || tool_is_program(&tool, module) ? EXIT_OK : EXIT_FAILED;
	if (code == EXIT_OK && !request_count) {
		code = answer_lines(&tool, module);
	} else if (code == EXIT_OK) {
		tool_list_begin(&tool);
		for (int i = 1; i <= request_count && !out.error; i++)
			answer_line(&tool, argv[i], strlen(argv[i]), module);
		tool_list_end(&tool);
	} else if (settings.options.style == TOOL_JSON) {
		tool_answer_code(&tool, module, 0); /* the error, as LLVM writes it before it has read a request */
	}
	out_flush(&out);
	return report_finish(&out, tool_done(&tool, code));
}

const struct subcommand subcommand_llvm_symbolizer = {"llvm-symbolizer", run, "answer as llvm-symbolizer does"};
