/* Orphans: code that rows cover but no function of their unit (RULES B14). Arrays in, arrays out. */
#ifndef LOCUS_ORPHANS_H
#define LOCUS_ORPHANS_H

#include "convert/dwarf/ranges.h"
#include "convert/unit/sequences.h"

/*
 * Appends to `ret` the addresses of the sequences without those of the functions, which are `covered`: sorted,
 * disjoint. Sorts `covered`. False: out of memory.
 */
bool orphans_find(const struct sequences *sequences, struct range_list *covered, struct range_list *ret);

#endif
