/* What is left of all units, merged and written. */
#ifndef LOCUS_FINISH_H
#define LOCUS_FINISH_H

#include "convert/locus_convert.h"
#include "convert/unit/read_units.h"
#include "writer/locus_writer.h"

/*
 * Writes options->output. `meta` is complete but for the counters. Fills of `result` what is known then: bytes, counts,
 * coverage and what was dropped.
 */
enum locus_status write_units(struct units *units, const struct locus_meta *meta,
			      const struct locus_convert_options *options, struct locus_convert_result *result,
			      struct locus_error *error);

#endif
