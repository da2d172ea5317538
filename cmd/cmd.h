/* What the subcommands share: their table, their exit codes, and the one form of message. */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spec/status.h"

enum exit_code {
	EXIT_OK = 0,       /* all well */
	EXIT_FAILED = 1,   /* some input failed or is damaged, or the output could not be written */
	EXIT_USAGE = 2,    /* the arguments make no sense */
	EXIT_NO_DEBUG = 3, /* an input has no debug information */
	EXIT_STALE = 4,    /* a file is below what --require asks */
};

struct subcommand {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is "locus NAME"; returns an exit code */
	const char *summary;
};

int convert_run(int argc, char **argv);
int lookup_run(int argc, char **argv);
int check_run(int argc, char **argv);
int info_run(int argc, char **argv);
int dump_run(int argc, char **argv);

/* The exit code of a batch, one of whose parts gave `a` and the rest `b`: a failure over all else. */
int exit_worst(int a, int b);

/* The exit code that a status stands for. */
int exit_of(enum locus_status status);

/* Writes `locus: FILE: TEXT` to standard error as one line, with control characters escaped. `file` may be NULL. */
void report(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What went wrong, in words: the record's, or the status's where that has none. */
const char *error_text(enum locus_status status, const struct locus_error *error);

/* The same for a status and its error record, with the place. */
void report_error(const char *file, enum locus_status status, const struct locus_error *error);

/* An error record with no text and no place. */
void error_clear(struct locus_error *error);

/* argp_parse with the options that every subcommand has, and the rest of the arguments in order. */
void parse_arguments(const struct argp *argp, int argc, char **argv, void *input);

/* Ends the program with a usage message, exit code 2. */
void usage_error(const struct argp_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* A decimal number of an option within its bounds; a usage error otherwise. */
uint64_t option_number(const struct argp_state *state, const char *option, const char *text, uint64_t min,
		       uint64_t max);

#endif
