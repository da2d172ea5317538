/* One input of `locus convert`: what is made of it, where it goes, what is said of it. */
#ifndef LOCUS_JOB_H
#define LOCUS_JOB_H

#include <limits.h>

#include "cmd/common/json.h"
#include "convert/locus_convert.h"

struct convert_options {
	struct locus_convert_options library; /* `output` is set for each job */
	char **inputs;
	size_t input_count;
	const char *output;
	const char *output_directory;
	const char **debug_directories; /* what library.debug_dirs points to */
	const char **prefix_maps;       /* what library.prefix_maps points to */
	double require_line_percent;    /* 0: nothing required */
	bool stats;
	bool json;
};

struct batch {
	const struct convert_options *options;
	struct out *out;
	struct json json;
	void *outputs; /* tsearch tree of the output paths so far */
};

/* Converts one input and says what became of it; returns its exit code. */
int job_run(struct batch *batch, const char *input);

#endif
