/* Encodes what is left of all units as one .locus file. */
#ifndef LOCUS_ENCODE_UNITS_H
#define LOCUS_ENCODE_UNITS_H

#include "convert/emit/phases.h"
#include "convert/locus_convert.h"
#include "convert/schedule/unit_results.h"
#include "writer/locus_writer.h"

/* What is to be encoded. */
struct units_output {
	const struct unit_results *results;
	struct shared *shared;
	const struct locus_meta *meta; /* complete but for the counters */
	const struct locus_convert_options *options;
	const char *path;               /* where the file is made; NULL: in memory */
	const struct exec_range *asked; /* as in struct emission */
	size_t asked_count;
	struct phases *phases;
};

/*
 * *ret becomes a writer that needs nothing more than locus_writer_finish to make the file; freed by locus_writer_free.
 * Fills of `result` what is known then: counts, coverage and what was dropped.
 */
enum locus_status encode_units(const struct units_output *output, struct locus_convert_result *result,
			       struct locus_writer **ret, struct locus_error *error);

#endif
