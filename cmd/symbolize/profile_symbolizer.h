/* Adds functions and lines to the addresses of a profile. */
#ifndef LOCUS_PROFILE_SYMBOLIZER_H
#define LOCUS_PROFILE_SYMBOLIZER_H

#include "cmd/modules/symbol_sources.h"
#include "cmd/show/display.h"

/* The open files, and their names for messages. */
struct profile_files {
	int input, output;
	const char *input_name, *output_name;
};

/*
 * Rewrites a profile in pprof's format. `text` is the output that the labels of the sources write to; it has no file,
 * and is emptied again and again. Returns an exit code; failures were reported.
 */
int symbolize_profile(struct symbol_sources *sources, const struct display *display, struct out *text,
		      const struct profile_files *files);

#endif
