/* Orphans: code that rows cover and no function of their unit does (RULES B14). Pure: arrays in, arrays out. */
#ifndef LOCUS_ORPHANS_H
#define LOCUS_ORPHANS_H

#include "convert/dwarf/ranges.h"
#include "convert/unit/sequences.h"

/*
 * Appends to `ret` what is left of the sequences once the functions, whose addresses are `covered`, are taken out:
 * sorted, disjoint. Sorts `covered`. False: out of memory.
 */
bool orphans_find(const struct sequences *sequences, struct range_list *covered, struct range_list *ret);

#endif
