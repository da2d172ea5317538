/* One block of source columns (FORMAT.md 6.6). */
#include <stdlib.h>

#include "reader/blocks/decode.h"

static void read_numbers(struct locus_scan *column, uint32_t count, uint32_t *ret)
{
	for (uint32_t i = 0; i < count; i++)
		ret[i] = locus_scan_varint32(column);
}

enum locus_status locus_source_columns_decode(const struct locus_block_ref *ref, struct locus_columns *columns,
					      struct locus_want want, struct locus_decoded **ret,
					      struct locus_error *error)
{
	uint32_t count = locus_block_entry_count(ref);
	uint64_t call_count = locus_scan_count_varints(&columns->column[LOCUS_SOURCE_COLUMN_CALL]);
	if (call_count > LOCUS_BLOCK_CONTEXTS_MAX)
		return locus_block_fail(columns, "a block has too many contexts", error);

	size_t size = sizeof(struct locus_source_columns) + (count + (size_t)call_count) * sizeof(uint32_t);
	struct locus_source_columns *block;
	enum locus_status status = locus_decoded_allocate(ref->locus, size, want, false, &block, error);
	if (status != LOCUS_OK)
		return status;

	block->head = (struct locus_decoded){(uint32_t)size, count};
	block->call_count = (uint32_t)call_count;
	read_numbers(&columns->column[LOCUS_SOURCE_COLUMN_INTERVAL], count, block->column);
	read_numbers(&columns->column[LOCUS_SOURCE_COLUMN_CALL], block->call_count, block->column + count);
	status = locus_block_check_done(columns, true, error);
	if (status == LOCUS_OK)
		*ret = &block->head;
	else
		locus_allowance_free(ref->scratch->allowance, block);
	return status;
}
