/* The split half of a unit, as libdw finds it: in the .dwo that the skeleton names. */
#ifndef LOCUS_SKELETON_H
#define LOCUS_SKELETON_H

#include <elfutils/libdw.h>

#include "spec/status.h"

/*
 * Gives the DIE of the split half of the unit `cu`, whose DIE is `skeleton`. `path`: of the file with the skeleton.
 * LOCUS_ERR_COMPANION: libdw does not find it, or would open what is no file. LOCUS_ERR_MEMORY: also where the files
 * that are open are beyond the budget (base/budget.h).
 */
enum locus_status skeleton_open_split(Dwarf_CU *cu, Dwarf_Die *skeleton, const char *path, Dwarf_Die *ret,
				      struct locus_error *error);

#endif
