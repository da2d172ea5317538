/*
 * Emission: the pieces that answer, then symbols, then gaps, as one stream of intervals over all executable addresses.
 */
#ifndef LOCUS_EMIT_INTERVALS_H
#define LOCUS_EMIT_INTERVALS_H

#include "convert/emit/emission.h"

/* Hands all intervals to emission->blocks, which is left to be finished, and counts the coverage. */
enum locus_status emit_intervals(struct emission *emission, struct locus_error *error);

#endif
