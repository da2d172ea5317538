/* The bytes of one block: read, compared with their checksum, and divided into columns (FORMAT.md 5). */
#ifndef LOCUS_BLOCK_H
#define LOCUS_BLOCK_H

#include "reader/handle/handle.h"
#include "reader/handle/scan.h"

struct locus_columns {
	struct locus_scan column[LOCUS_COLUMNS_MAX];
	unsigned count;
	uint64_t raw_size;
	uint64_t offset; /* of the block in the file, for errors */
};

/* A block of a file, and the scratch with which it is read: all of them borrowed. */
struct locus_block_ref {
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_section_in *section; /* of the file */
	uint32_t index;                   /* of the block in the section, below section->block_count */
};

/* How many entries the block has: intervals, functions, files, ... */
static inline uint32_t locus_block_entry_count(const struct locus_block_ref *ref)
{
	return ref->section->firsts[ref->index + 1] - ref->section->firsts[ref->index];
}

/*
 * Reads a block into the scratch; the columns point there until the scratch reads another block. A section that this
 * reader does not know may have any number of columns up to LOCUS_COLUMNS_MAX.
 */
enum locus_status locus_block_read(const struct locus_block_ref *ref, struct locus_columns *ret,
				   struct locus_error *error);

/* Fails with LOCUS_ERR_CORRUPT at the block, for the rule that it breaks. */
enum locus_status locus_block_fail(const struct locus_columns *columns, const char *rule, struct locus_error *error);

/* Checks that no read of a column failed and, if all of the block was decoded, that no byte is left over. */
enum locus_status locus_block_check_done(const struct locus_columns *columns, bool is_whole, struct locus_error *error);

#endif
