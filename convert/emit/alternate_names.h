/* The names of code beside the one that answers: functions that lost an address to another, and further symbols. */
#ifndef LOCUS_ALTERNATE_NAMES_H
#define LOCUS_ALTERNATE_NAMES_H

#include "convert/emit/emission.h"

/*
 * Collects emission->alternates, sorted, each once. It is called after emit_intervals: functions that only alternates
 * name get their ids here, behind those of the intervals. emission->aliases must have been found (aliases_find).
 */
enum locus_status alternate_names_find(struct emission *emission, struct locus_error *error);

#endif
