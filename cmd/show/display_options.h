/* The options of commands that show functions and places to people. */
#ifndef LOCUS_DISPLAY_OPTIONS_H
#define LOCUS_DISPLAY_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

struct display_options {
	bool short_names;
	bool no_demangle;
	const char *relative_to; /* NULL: paths are shown whole */
};

/* --short, --relative-to, --demangle and --no-demangle; its input is a struct display_options. */
extern const struct argp display_argp;

#endif
