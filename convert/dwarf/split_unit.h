/* Split units: the half of a unit that is in a .dwo file or a .dwp package (DWARF 5, 7.3.5). */
#ifndef LOCUS_SPLIT_UNIT_H
#define LOCUS_SPLIT_UNIT_H

#include "convert/dwarf/unit.h"

/*
 * Opens the unit with `id` in a .dwo or .dwp (DW_UT_split_compile, or GNU's), for `skeleton`. LOCUS_ERR_COMPANION: it
 * is not there.
 */
enum locus_status split_unit_open(struct dwarf *dwarf, uint64_t id, const struct unit *skeleton, struct unit *ret,
				  struct locus_error *error);

/* Frees what split_unit_open keeps with the file. */
void split_index_done(struct dwarf *dwarf);

#endif
