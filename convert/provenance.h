/* The files that a conversion reads, told so that one can say later whether it was these. */
#ifndef LOCUS_PROVENANCE_H
#define LOCUS_PROVENANCE_H

#include "convert/elf/elf.h"
#include "convert/unit/read_units.h"
#include "writer/locus_writer.h"

/* Zeroed before the first; freed by provenance_done. */
struct provenance {
	struct locus_input *inputs;
	uint32_t count, room;
	bool digests_all; /* set by the caller: also files with a build-id are digested whole */
};

/* Adds one file, whose name and build-id are borrowed. False: out of memory. */
bool provenance_add(struct provenance *provenance, enum locus_input_role role, const struct elf_file *file);

/* Adds the .dwo and .dwp files that were read. False: out of memory. */
bool provenance_add_split_files(struct provenance *provenance, const struct units *units);

/* Puts them in an order that does not depend on the one in which they were opened; equal ones become one. */
void provenance_sort(struct provenance *provenance);
void provenance_done(struct provenance *provenance);

#endif
