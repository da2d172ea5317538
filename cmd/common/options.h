/* The parts of argument parsing that subcommands share. */
#ifndef LOCUS_OPTIONS_H
#define LOCUS_OPTIONS_H

#include <argp.h>
#include <stdint.h>

/* Parses arguments by argp, with the options of every subcommand; other arguments are in order. */
void parse_arguments(const struct argp *argp, int argc, char **argv, void *input);

/* Ends the program with a usage message, exit code 2. */
void usage_error(const struct argp_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/*
 * Appends to the values of an option that may be given more than once; *array is malloc'd or NULL. Out of memory ends
 * the program.
 */
void option_append(const char ***array, size_t *count, const char *text);

/*
 * The path that an option has; ends with a usage message if it is empty, as a variable that is not set: as a directory,
 * an empty one would be the root.
 */
const char *option_path(const struct argp_state *state, const char *option, const char *text);

/*
 * The decimal number that an option has, within its bounds; otherwise ends with a usage message. `max` is below
 * UINT64_MAX.
 */
uint64_t option_number(const struct argp_state *state, const char *option, const char *text, uint64_t min,
		       uint64_t max);

#endif
