/* The split halves of units, in the .dwo files that skeletons name. */
#ifndef LOCUS_SPLIT_DWARFS_H
#define LOCUS_SPLIT_DWARFS_H

#include <sys/types.h>

#include "base/hash_slots.h"
#include "convert/cross_check/libdw_file.h"

struct split_half {
	uint64_t id;
	Dwarf_Die die;
};

/* A .dwo, or what stands in its place. */
struct split_dwarf {
	dev_t device;
	ino_t inode;
	struct libdw_file file;
	struct split_half
		*halves; /* by id: after link-time optimisation one file may have those of thousands of units */
	uint32_t half_count, half_room;
	enum locus_status status; /* whether it could be opened, and else why not */
	struct locus_error error;
};

/*
 * The .dwo files that were opened so far, each once. Zeroed before the first use but for `program`, the path of the
 * program, beside which they are looked for; freed by split_dwarfs_done.
 */
struct split_dwarfs {
	const char *program; /* borrowed */
	struct split_dwarf *files;
	uint32_t count, room;
	struct hash_slots slots; /* by device and inode */
};

/*
 * Gives the DIE of the split half of the unit `cu`, whose DIE is `skeleton`, from the first of the places that RULES G1
 * has where there is a unit of its id. Its addresses are the skeleton's: libdw cannot tell them. `file`: the one with
 * the skeleton. LOCUS_ERR_COMPANION: there is none, or what is no file. LOCUS_ERR_UNSUPPORTED: as for libdw_file_open.
 * LOCUS_ERR_MEMORY: also beyond the budget (base/budget.h), which grows by each file once.
 */
enum locus_status split_dwarfs_find(struct split_dwarfs *splits, const struct libdw_file *file, Dwarf_CU *cu,
				    Dwarf_Die *skeleton, Dwarf_Die *ret, struct locus_error *error);

void split_dwarfs_done(struct split_dwarfs *splits);

#endif
