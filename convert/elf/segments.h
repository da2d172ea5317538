/* Loadable segments: where the bytes of a linked file come to lie in memory. */
#ifndef LOCUS_SEGMENTS_H
#define LOCUS_SEGMENTS_H

#include "convert/elf/elf.h"

/* A PT_LOAD as its program header gives it, unchecked. */
struct elf_segment {
	uint64_t addr;
	uint64_t offset; /* in the file */
	uint64_t file_size;
	uint64_t memory_size;
	uint32_t flags; /* PF_R, PF_W, PF_X and the system's own */
};

/*
 * The PT_LOADs of `file` in the order of its program headers, none for a relocatable file. The array is malloc'd, the
 * caller's to free. A header that cannot be read is LOCUS_ERR_BAD_ELF.
 */
enum locus_status elf_file_segments(const struct elf_file *file, struct elf_segment **ret, uint32_t *ret_count,
				    struct locus_error *error);

#endif
