/* locus addr2line: GNU addr2line's options and answers, for perf, sanitizers, pprof and other programs that run it. */
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/input_lines.h"
#include "cmd/common/report.h"
#include "cmd/subcommand.h"
#include "cmd/tools/tool_answer.h"
#include "cmd/tools/tool_arguments.h"
#include "cmd/tools/tool_options.h"

enum { TEXT_MAX = 4096 }; /* bytes of a line that count */

#define BLANKS " \t"

static const char help[] = "Usage: addr2line [-e FILE] [-j SECTION] [-afipsC] [ADDRESS...]\n"
			   "Say which function, file and line each address is, as GNU addr2line says it,\n"
			   "from .locus files, stores, or the debug information itself. Addresses are\n"
			   "hexadecimal, or FUNCTION+OFFSET; without any, they are read from standard\n"
			   "input.\n\n"
			   "  -e, --exe=FILE        the program or library (default: a.out)\n"
			   "  -j, --section=NAME    addresses count from the start of this section\n"
			   "  -a, --addresses       the address before its answer\n"
			   "  -f, --functions       names of functions too\n"
			   "  -i, --inlines         inlined functions too\n"
			   "  -C, --demangle        names as their programmers know them\n"
			   "  -s, --basenames       files without directories\n"
			   "  -p, --pretty-print    one line for each function\n"
			   "  -b, --target=NAME     accepted, and not needed: a file tells its format\n"
			   "  -h, --help  -v, --version\n"
			   "  @FILE                 the arguments in FILE, in its place\n\n"
			   "LOCUS_SYMBOLS in the environment names .locus files and stores to ask, with\n"
			   "':' between them.\n";

static const struct option long_options[] = {
	{"exe", required_argument, NULL, 'e'},
	{"section", required_argument, NULL, 'j'},
	{"addresses", no_argument, NULL, 'a'},
	{"functions", no_argument, NULL, 'f'},
	{"inlines", no_argument, NULL, 'i'},
	{"demangle", optional_argument, NULL, 'C'},
	{"basenames", no_argument, NULL, 's'},
	{"pretty-print", no_argument, NULL, 'p'},
	/* Accepted, as they change no answer for an ELF file here. */
	{"target", required_argument, NULL, 'b'},
	{"no-recurse-limit", no_argument, NULL, 'r'},
	{"recurse-limit", no_argument, NULL, 'r'},
	{"no-recursion-limit", no_argument, NULL, 'r'},
	{"recursion-limit", no_argument, NULL, 'r'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'v'},
	{0},
};

/*
 * Reads an address as bfd_scan_vma does: the hexadecimal digits at the start, after 0x or not. "," is 0, as perf
 * expects.
 */
static uint64_t scan_address(const char *text)
{
	return strtoull(text, NULL, 16);
}

/*
 * Whether a function is named there, with or without an offset. What begins like a hexadecimal number is an address, as
 * to GNU's addr2line, unless an offset follows.
 */
static bool scan_function(const char *text, struct function_offset *ret)
{
	const char *start = text + strspn(text, BLANKS), *plus = strchr(start, '+');
	size_t size = strcspn(start, BLANKS "+");
	bool is_name = isalpha((unsigned char)*start) || (*start && strchr("_.$", *start));

	if (!is_name || (isxdigit((unsigned char)*start) && !plus))
		return false;
	*ret = (struct function_offset){.name = {start, size}, .delta = plus ? strtoull(plus + 1, NULL, 0) : 0};
	return true;
}

static void answer(struct tool *tool, const struct tool_module *module, const char *text)
{
	struct function_offset place;

	if (scan_function(text, &place))
		tool_answer_place(tool, module, &place);
	else
		tool_answer_code(tool, module, scan_address(text));
}

/* Answers the addresses on standard input. Returns the exit code. */
static int answer_lines(struct tool *tool, const struct tool_module *module)
{
	static struct input_lines lines;
	const char *line;
	size_t size;

	input_lines_init(&lines, STDIN_FILENO, tool->out);
	while (!tool->out->error && input_lines_next(&lines, &line, &size)) {
		char text[TEXT_MAX];
		size = size < sizeof(text) ? size : sizeof(text) - 1;
		memcpy(text, line, size);
		text[size] = '\0';
		answer(tool, module, text);
	}
	return input_lines_end(&lines);
}

static int run(int argc, char **argv)
{
	static struct out out;
	static struct tool tool;
	struct tool_options options = {.style = TOOL_GNU, .is_gnu = true, .no_demangle = true};
	static const char letters[] = ":b:e:j:afiCsphHvVrR";
	const char *file = "a.out";
	int key;

	if (!tool_arguments_expand(NULL, &argc, &argv))
		return EXIT_USAGE;
	opterr = 0;
	while ((key = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
		switch (key) {
		case 'e':
			file = optarg;
			break;
		case 'j':
			options.section = optarg;
			break;
		case 'a':
			options.addresses = true;
			break;
		case 'f':
			options.functions = true;
			break;
		case 'i':
			options.inlines = true;
			break;
		case 'C':
			options.no_demangle = false;
			break;
		case 's':
			options.basenames = true;
			break;
		case 'p':
			options.pretty = true;
			break;
		case 'b': /* accepted: a file tells its format itself */
		case 'r': /* accepted: demangling is bounded in time, however deep a name is */
		case 'R':
			break;
		case 'h':
		case 'H':
			fputs(help, stdout);
			return EXIT_OK;
		case 'v':
		case 'V':
			puts("locus " LOCUS_VERSION ", as GNU addr2line");
			return EXIT_OK;
		default:
			tool_report_option("addr2line", "GNU addr2line of binutils", key, letters, argv);
			return EXIT_USAGE;
		}
	}

	/* Addresses that are arguments have their answers at once; without any, they come from standard input. */
	const struct tool_module module = {.name = {.path = {file, strlen(file)}}, .text = file};
	out_init(&out, STDOUT_FILENO);
	tool_init(&tool, &options, &out);
	int code = tool_is_program(&tool, &module) && tool_has_section(&tool, &module) ? EXIT_OK : EXIT_FAILED;
	for (int i = optind; i < argc && code == EXIT_OK && !out.error; i++)
		answer(&tool, &module, argv[i]);
	if (optind == argc && code == EXIT_OK)
		code = answer_lines(&tool, &module);
	out_flush(&out);
	return report_finish(&out, tool_done(&tool, code));
}

const struct subcommand subcommand_addr2line = {"addr2line", run, "answer as GNU addr2line does"};
