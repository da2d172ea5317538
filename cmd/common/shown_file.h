/* Commands that print one .locus file: the same argument, the same messages, the same exit codes. */
#ifndef LOCUS_SHOWN_FILE_H
#define LOCUS_SHOWN_FILE_H

#include <argp.h>

#include "cmd/common/out.h"
#include "spec/status.h"

/* Parses the argument FILE, exactly one; its input is a const char **. Alone, or as a child of an argp with options. */
error_t shown_file_parser(int key, char *text, struct argp_state *state);
extern const struct argp shown_file_argp;

/* Prints the file at `path` to `out`. `options` is the command's own. */
typedef enum locus_status show_function(const char *path, const void *options, struct out *out,
					struct locus_error *error);

/* Calls `show` with standard output, and reports its failure. Returns the exit code. */
int show_file(const char *path, show_function *show, const void *options);

#endif
