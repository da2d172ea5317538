/* Reading only the units that decide of the addresses that are asked for. */
#ifndef LOCUS_READ_WANTED_H
#define LOCUS_READ_WANTED_H

#include "convert/unit/read_units.h"
#include "convert/unit/wanted.h"

/*
 * Reads into `units`, of whose file dwarf_prepare_some was called, what decides of the wanted addresses; the answers
 * are those that reading every unit gives.
 */
enum locus_status units_read_wanted(struct units *units, struct wanted *wanted, struct locus_error *error);

#endif
