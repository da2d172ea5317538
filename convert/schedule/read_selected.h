/* Reads only the units that decide the answers for the asked addresses. */
#ifndef LOCUS_READ_SELECTED_H
#define LOCUS_READ_SELECTED_H

#include "convert/schedule/read_units.h"
#include "convert/schedule/unit_selection.h"

/* Adds to shared->symbols those that decide near some addresses, which are sorted (NULL: everywhere). */
struct symbol_source {
	void *context;
	enum locus_status (*need)(void *context, const struct range_list *of_interest, struct locus_error *error);
};

/*
 * Reads the units that decide the answers for the asked addresses; these are then the same as if every unit were read.
 * dwarf_prepare_some was called for the file, and no symbol was read before. If selection->prefers_all is set, the
 * result is useless: every unit is to be read instead.
 */
enum locus_status units_read_selected(struct units *units, struct unit_selection *selection,
				      const struct symbol_source *symbols, struct locus_error *error);

#endif
