/* How `locus find` shows where code is: a line of text or a JSON object for each range. */
#ifndef LOCUS_RANGE_OUTPUT_H
#define LOCUS_RANGE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/common/json.h"
#include "cmd/common/out.h"
#include "cmd/show/function_labels.h"
#include "cmd/show/path_labels.h"
#include "reader/locus.h"

struct range_output {
	struct out *out;
	struct json json;
	bool as_json;
	bool with_source;                    /* a line was searched for: JSON says which */
	struct locus_segment_info *segments; /* those that have bytes in the ELF file, by address */
	size_t segment_count;
	struct function_labels *names;
	struct path_labels paths;
	size_t count; /* ranges shown so far */
};

/* Ranges of an open file. `out` is borrowed until range_output_done. */
void range_output_init(struct range_output *output, struct out *out, bool as_json, bool demangle,
		       const struct locus *locus, const struct locus_info *info);
void range_output_done(struct range_output *output);

/* The name that is shown for a frame's function; stays until the next name is asked for. */
struct name range_output_name(struct range_output *output, const struct locus_frame *frame);

/* Shows [start, end) with the frame of that number in the answer for its start, and the one it was inlined into. */
void range_output_frame(struct range_output *output, uint64_t start, uint64_t end, const struct locus_result *result,
			size_t frame);

/* Shows an alternate up to `end`, by its name and that of the function that answers there, of size 0 if none does. */
void range_output_alternate(struct range_output *output, const struct locus_alternate_info *alternate, uint64_t end,
			    struct name name, struct name primary);

#endif
