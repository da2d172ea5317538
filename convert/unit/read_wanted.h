/* Reading only the units that decide of the addresses that are asked for. */
#ifndef LOCUS_READ_WANTED_H
#define LOCUS_READ_WANTED_H

#include "convert/unit/read_units.h"
#include "convert/unit/wanted.h"

/*
 * Has shared->symbols hold what decides near some addresses, in order (NULL: everywhere), beside what it holds already.
 */
struct symbol_source {
	void *context;
	enum locus_status (*need)(void *context, const struct range_list *near, struct locus_error *error);
};

/*
 * Reads into `units`, of whose file dwarf_prepare_some was called, what decides of the wanted addresses; the answers
 * are those that reading every unit gives. No symbol was read before. Or, where wanted->prefers_all is set, nothing
 * that is of use: every unit is to be read instead.
 */
enum locus_status units_read_wanted(struct units *units, struct wanted *wanted, const struct symbol_source *symbols,
				    struct locus_error *error);

#endif
