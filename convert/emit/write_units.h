/* Writes what is left of all units as one .locus file. */
#ifndef LOCUS_WRITE_UNITS_H
#define LOCUS_WRITE_UNITS_H

#include "convert/emit/phases.h"
#include "convert/locus_convert.h"
#include "convert/schedule/unit_results.h"
#include "writer/locus_writer.h"

/* What is to be written. */
struct units_output {
	const struct unit_results *results;
	struct shared *shared;
	const struct locus_meta *meta; /* complete but for the counters */
	const struct locus_convert_options *options;
	const struct exec_range *asked; /* as in struct emission */
	size_t asked_count;
	struct phases *phases;
};

/*
 * Writes options->output; where that is NULL, *ret_memory becomes the file's bytes, to be freed with free. Fills of
 * `result` what is known then: bytes, counts, coverage and what was dropped.
 */
enum locus_status write_units(const struct units_output *output, struct locus_convert_result *result, void **ret_memory,
			      struct locus_error *error);

#endif
