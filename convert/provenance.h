/* Records the files that a conversion reads, so that later one can tell whether they have changed. */
#ifndef LOCUS_PROVENANCE_H
#define LOCUS_PROVENANCE_H

#include "convert/dwarf/split_files.h"
#include "convert/elf/elf.h"
#include "convert/input_files.h"
#include "convert/locus_convert.h"

/* Zeroed before the first use; freed by provenance_done. */
struct provenance {
	struct locus_convert_input *inputs;
	uint32_t count, room;
	const char **paths; /* the paths on disk, in the order in which the files were found */
	uint32_t path_count, path_room;
	enum locus_convert_digests digests; /* set by the caller */
	uint8_t program_digest[LOCUS_DIGEST_SIZE];
	bool has_program_digest; /* it was computed before the program is added */
};

/*
 * Computes what takes longest, a digest of all bytes of the program, if one is going to be recorded: for a thread that
 * has nothing else to do. No other thread may use `provenance` or the program's ELF handle meanwhile.
 */
void provenance_go_ahead(struct provenance *provenance, const struct elf_file *program);

/*
 * Adds the program with its companions, and the .dwo and .dwp files that were opened. Their names and build-ids are
 * borrowed. False: out of memory.
 */
bool provenance_gather(struct provenance *provenance, const struct input_files *files,
		       const struct split_files *split_files);

/*
 * The paths of the files, each ended by a NUL: the program's first, then the others by name, each once. Malloc'd; NULL:
 * out of memory.
 */
char *provenance_paths(const struct provenance *provenance, size_t *ret_size);
void provenance_done(struct provenance *provenance);

#endif
