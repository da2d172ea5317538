/* What a search of a file may cost: a small file may unfold to names and stacks that would take minutes. */
#ifndef LOCUS_SEARCH_BOUNDS_H
#define LOCUS_SEARCH_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

#include "cmd/common/out.h"
#include "reader/locus.h"

struct search_bounds {
	const struct locus *locus;
	uint64_t frames_left; /* frames that may still be read, beside the first of each interval */
	uint64_t names_left;  /* bytes of names that may still be walked */
	uint64_t parts_left;  /* parts and copies of functions that may still be kept, or shown */
	uint64_t output_max;  /* bytes that may be written in all */
};

void search_bounds_init(struct search_bounds *bounds, const struct locus *locus);

/* Counts what is read next. LOCUS_ERR_LIMIT: it is more than a file of this size can need, and the error says so. */
enum locus_status search_bounds_frames(struct search_bounds *bounds, size_t count, struct locus_error *error);
enum locus_status search_bounds_name(struct search_bounds *bounds, size_t size, struct locus_error *error);
enum locus_status search_bounds_part(struct search_bounds *bounds, struct locus_error *error);

/* Holds what was written so far against its bound. LOCUS_ERR_LIMIT as above. */
enum locus_status search_bounds_output(const struct search_bounds *bounds, const struct out *out,
				       struct locus_error *error);

#endif
