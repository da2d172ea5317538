/* The split half of a unit, as libdw finds it: in the .dwo that the skeleton names. */
#ifndef LOCUS_SKELETON_H
#define LOCUS_SKELETON_H

#include <elfutils/libdw.h>
#include <sys/types.h>

#include "base/hash_slots.h"
#include "spec/status.h"

/*
 * The .dwo files that were opened so far, each of which the budget admits once. Zeroed before the first use, freed by
 * admitted_files_done.
 */
struct admitted_files {
	struct admitted_file {
		dev_t device;
		ino_t inode;
	} * files;
	uint32_t count, room;
	struct hash_slots slots;
};

/*
 * Gives the DIE of the split half of the unit `cu`, whose DIE is `skeleton`. `path`: of the file with the skeleton.
 * LOCUS_ERR_COMPANION: libdw does not find it, or would open what is no file. LOCUS_ERR_UNSUPPORTED: as for
 * libdw_file_open. LOCUS_ERR_MEMORY: also beyond the budget (base/budget.h), which grows by each file once.
 */
enum locus_status skeleton_open_split(struct admitted_files *files, Dwarf_CU *cu, Dwarf_Die *skeleton, const char *path,
				      Dwarf_Die *ret, struct locus_error *error);

void admitted_files_done(struct admitted_files *files);

#endif
