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

/*
 * Reads block `index` of `section` into the scratch; the columns point there until the scratch reads another block. A
 * section that this reader does not know may have any number of columns up to LOCUS_COLUMNS_MAX.
 */
enum locus_status locus_block_read(struct locus *locus, struct locus_scratch *scratch,
				   const struct locus_section_in *section, uint32_t index, struct locus_columns *ret,
				   struct locus_error *error);

/* Fails with LOCUS_ERR_CORRUPT at the block, for the rule that it breaks. */
enum locus_status locus_block_fail(const struct locus_columns *columns, const char *rule, struct locus_error *error);

/* Checks that no read of a column failed and, if all of the block was decoded, that no byte is left over. */
enum locus_status locus_block_check_done(const struct locus_columns *columns, bool is_whole, struct locus_error *error);

#endif
