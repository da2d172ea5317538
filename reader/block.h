/* One block's bytes: read, held against its checksum, and taken apart into columns (FORMAT.md 5). */
#ifndef LOCUS_BLOCK_H
#define LOCUS_BLOCK_H

#include "reader/handle.h"
#include "reader/scan.h"

struct locus_columns {
	struct locus_scan column[LOCUS_COLUMNS_MAX];
	unsigned count;
	uint64_t raw_size;
	uint64_t offset; /* of the block in the file, for errors */
};

/*
 * Reads block `index` of `section` into the scratch; the columns point there until its next block is read.
 * Sections this reader does not know may have any number of columns up to LOCUS_COLUMNS_MAX.
 */
enum locus_status locus_block_read(struct locus *locus, struct locus_scratch *scratch,
				   const struct locus_section_in *section, uint32_t index, struct locus_columns *ret,
				   struct locus_error *error);

/* LOCUS_ERR_CORRUPT, at the block, with the rule that is broken. */
enum locus_status locus_block_fail(const struct locus_columns *columns, const char *rule, struct locus_error *error);

/* What was read of the columns was there and valid; of a whole block, every byte was read. */
enum locus_status locus_block_check_done(const struct locus_columns *columns, bool is_whole, struct locus_error *error);

#endif
