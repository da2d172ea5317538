/* locus: the table of subcommands. */
#include <argp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/report.h"
#include "cmd/common/stack_limit.h"
#include "cmd/common/standard_files.h"
#include "cmd/conversion/sandbox.h"
#include "cmd/subcommand.h"
#include "spec/version.h"

static const struct subcommand *const subcommands[] = {
	&subcommand_convert, &subcommand_lookup,    &subcommand_symbolize,
	&subcommand_find,    &subcommand_check,     &subcommand_info,
	&subcommand_dump,    &subcommand_addr2line, &subcommand_llvm_symbolizer,
};

enum { SUBCOMMAND_COUNT = sizeof(subcommands) / sizeof(subcommands[0]) };

static void print_help(FILE *to)
{
	fputs("Usage: locus COMMAND [ARGUMENT...]\n\n", to);
	for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
		fprintf(to, "  %-15s %s\n", subcommands[i]->name, subcommands[i]->summary);
	fputs("\n'locus help COMMAND' lists the options of a command. The manual, locus(1), explains them.\n"
	      "Two ways to begin:\n"
	      "\n"
	      "    locus symbolize crash.txt     completes the addresses in what a crashed program printed\n"
	      "    locus lookup PROGRAM 0x1149   says what is at one address of a program\n"
	      "\n"
	      "Exit status:\n"
	      "  0  all well\n"
	      "  1  some input failed or is damaged, or the output could not be written\n"
	      "  2  the arguments make no sense\n"
	      "  3  an input has no debug information\n"
	      "  4  a file is stale, or below what --require asks\n",
	      to);
}

/* Whether the reader of standard output has closed the pipe: it has seen enough. */
static bool reader_is_gone(void)
{
	struct pollfd polled = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return poll(&polled, 1, 0) > 0 && (polled.revents & POLLERR);
}

/* Checks that what argp and print_help wrote to stdout has arrived. */
static void check_stdout(void)
{
	bool failed = fflush(stdout) != 0 || ferror(stdout);

	if (failed && !reader_is_gone()) {
		report(NULL, "standard output could not be written");
		_exit(EXIT_FAILED);
	}
}

/* Each file at work takes two descriptors, and the usual limit is meant for programs that use select(2). */
static void allow_many_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int run_subcommand(const struct subcommand *subcommand, int argc, char **argv)
{
	char name[32];

	snprintf(name, sizeof(name), "locus %s", subcommand->name);
	argv[0] = name;
	return subcommand->run(argc, argv);
}

static const struct subcommand *find_subcommand(const char *name)
{
	for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
		if (strcmp(name, subcommands[i]->name) == 0)
			return subcommands[i];
	return NULL;
}

static int report_unknown(const char *name)
{
	report(NULL, "'%s' is no command or option; see 'locus --help'", name);
	return EXIT_USAGE;
}

static bool asks_for_help(const char *option)
{
	return strcmp(option, "--help") == 0 || strcmp(option, "-?") == 0;
}

/* `locus help` is `locus --help`, and `locus help COMMAND` is `locus COMMAND --help`. */
static int help(int argc, char **argv)
{
	char option[] = "--help";

	if (argc == 2 || asks_for_help(argv[2])) {
		print_help(stdout);
		return EXIT_OK;
	}
	const struct subcommand *subcommand = find_subcommand(argv[2]);
	char *arguments[] = {argv[2], option, NULL};
	return subcommand ? run_subcommand(subcommand, 2, arguments) : report_unknown(argv[2]);
}

/*
 * The subcommand for the name by which the program was run, such as a link named addr2line; NULL: none. Sanitizers run
 * any program whose name begins with llvm-symbolizer. Whoever runs llvm-addr2line understands GNU's answers, too.
 */
static const struct subcommand *named_by_program(const char *program)
{
	const char *slash = strrchr(program, '/');
	const char *name = slash ? slash + 1 : program;
	static const struct {
		const char *name;
		const struct subcommand *subcommand;
	} tools[] = {
		{"addr2line", &subcommand_addr2line},
		{"llvm-addr2line", &subcommand_addr2line},
		{"llvm-symbolizer", &subcommand_llvm_symbolizer},
	};

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (strncmp(name, tools[i].name, strlen(tools[i].name)) == 0)
			return tools[i].subcommand;
	return NULL;
}

int main(int argc, char **argv)
{
	standard_files_prepare();
	if (!stack_limit_suffices()) {
		report(NULL, "the stack may not be as large as locus needs: allow %d KiB (ulimit -s %d)", STACK_KIB_MIN,
		       STACK_KIB_MIN);
		return EXIT_FAILED;
	}
	allow_many_files();
	atexit(check_stdout);
	argp_program_version = "locus " LOCUS_VERSION;
	argp_err_exit_status = EXIT_USAGE;

	/* The name of a link may be a tool's; otherwise the first argument is an option or a subcommand. */
	const struct subcommand *tool = argc ? named_by_program(argv[0]) : NULL;
	if (tool)
		return run_subcommand(tool, argc, argv);
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (asks_for_help(argv[1])) {
		print_help(stdout);
		return EXIT_OK;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		puts(argp_program_version);
		if (argc > 2 && strcmp(argv[2], "--verbose") == 0)
			sandbox_describe(stdout);
		return EXIT_OK;
	}
	if (strcmp(argv[1], "help") == 0)
		return help(argc, argv);
	const struct subcommand *subcommand = find_subcommand(argv[1]);
	return subcommand ? run_subcommand(subcommand, argc - 1, argv + 1) : report_unknown(argv[1]);
}
