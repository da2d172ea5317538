/* The names of code beside the one that answers: functions that lost an address to another, and further symbols. */
#ifndef LOCUS_ALTERNATE_NAMES_H
#define LOCUS_ALTERNATE_NAMES_H

#include "convert/emit/emission.h"

/*
 * Collects emission->alternates, sorted, each once. It gives the functions that only stand there their ids, and so
 * comes after emit_intervals, whose functions have the first ones. emission->aliases were found.
 */
enum locus_status alternate_names_find(struct emission *emission, struct locus_error *error);

#endif
