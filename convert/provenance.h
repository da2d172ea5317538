/* Records the files that a conversion reads, so that later one can tell whether they have changed. */
#ifndef LOCUS_PROVENANCE_H
#define LOCUS_PROVENANCE_H

#include "convert/elf/elf.h"
#include "convert/input_files.h"
#include "convert/locus_convert.h"
#include "convert/schedule/read_units.h"

/* Zeroed before the first use; freed by provenance_done. */
struct provenance {
	struct locus_convert_input *inputs;
	uint32_t count, room;
	const char **paths; /* the paths on disk, in the order in which the files were found */
	uint32_t path_count, path_room;
	enum locus_convert_digests digests; /* set by the caller */
};

/*
 * Adds the program with its companions, and the .dwo and .dwp files that `units` has opened. Their names and build-ids
 * are borrowed. False: out of memory.
 */
bool provenance_gather(struct provenance *provenance, const struct input_files *files, const struct units *units);

/*
 * The paths of the files, each ended by a NUL: the program's first, then the others by name, each once. Malloc'd; NULL:
 * out of memory.
 */
char *provenance_paths(const struct provenance *provenance, size_t *ret_size);
void provenance_done(struct provenance *provenance);

#endif
