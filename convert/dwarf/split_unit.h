/* Split units: the one half of a unit that is in a .dwo file or a .dwp package (DWARF 5, 7.3.5). */
#ifndef LOCUS_SPLIT_UNIT_H
#define LOCUS_SPLIT_UNIT_H

#include "convert/dwarf/unit.h"

/* The unit of a .dwo or .dwp with `id` (DW_UT_split_compile, or the GNU one), for `skeleton`. LOCUS_ERR_COMPANION: not
 * in it. */
enum locus_status split_unit_open(struct dwarf *dwarf, uint64_t id, const struct unit *skeleton, struct unit *ret,
				  struct locus_error *error);

/* Frees what split_unit_open keeps with the file. */
void split_index_done(struct dwarf *dwarf);

#endif
