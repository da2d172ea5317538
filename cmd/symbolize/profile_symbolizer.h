/* A profile in, the same profile out, with the functions and lines of its addresses. */
#ifndef LOCUS_PROFILE_SYMBOLIZER_H
#define LOCUS_PROFILE_SYMBOLIZER_H

#include "cmd/common/display.h"
#include "cmd/symbolize/symbol_sources.h"

/* Files as they are open, and what messages call the input. */
struct profile_files {
	int input, output;
	const char *name;
};

/*
 * Rewrites a profile in pprof's format. `text` is what the labels of the sources write to: it is emptied again and
 * again, and has no file. Returns an exit code; what went wrong was reported.
 */
int symbolize_profile(struct symbol_sources *sources, const struct display *display, struct out *text,
		      const struct profile_files *files);

#endif
