/* Split units: the half of a unit that is in a .dwo file or a .dwp package (DWARF 5, 7.3.5). */
#ifndef LOCUS_SPLIT_UNIT_H
#define LOCUS_SPLIT_UNIT_H

#include "convert/dwarf/unit.h"

/* Prepares the sections that split_unit_find reads, where nothing else will be read. */
enum locus_status split_unit_prepare(struct dwarf *dwarf, struct locus_error *error);

/*
 * Whether a .dwo or .dwp has the unit with `id` (DW_UT_split_compile, or GNU's). LOCUS_ERR_COMPANION: it has not. Safe
 * from many threads.
 */
enum locus_status split_unit_find(struct dwarf *dwarf, uint64_t id, struct locus_error *error);

/*
 * Finds the skeleton with `id` in a file whose .debug_info is in memory. False: it is not there. Safe from many
 * threads.
 */
bool split_unit_find_skeleton(struct dwarf *dwarf, uint64_t id, uint64_t *ret_offset);

/* Opens the unit that split_unit_find finds, for `skeleton`. */
enum locus_status split_unit_open(struct dwarf *dwarf, uint64_t id, const struct unit *skeleton, struct unit *ret,
				  struct locus_error *error);

/* Frees what split_unit_find keeps with the file. */
void split_index_done(struct dwarf *dwarf);

#endif
