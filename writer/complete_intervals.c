/*
 * Completes encoded blocks of intervals with the ids of the functions in them (FORMAT.md 6.3, column 0).
 *
 * A function's id is the number of its record. Records may be sorted by name, and so are not numbered before the last
 * block is there. Therefore blocks are encoded as they come, with functions numbered within the block, and get this
 * column in the end.
 */
#include "writer/complete_intervals.h"

#include <stdlib.h>

#include "base/fail.h"

void locus_encoded_columns_free(struct locus_encoded_columns *columns)
{
	if (!columns)
		return;
	locus_packing_done(&columns->packing);
	free(columns->source_columns.data);
	free(columns);
}

void locus_encoded_free(struct locus_encoded *encoded)
{
	locus_encoded_columns_free(encoded->columns);
	*encoded = (struct locus_encoded){0};
}

/* Writes the functions' ids. False: an id is higher than the table has functions. */
static bool put_ids(const struct locus_completion *completion, const struct locus_encoded_columns *columns,
		    struct locus_buffer *ret)
{
	uint32_t before = 0, highest = 0;
	for (uint32_t i = 0; i < columns->function_count; i++) {
		uint32_t id = columns->functions[i];
		if (id > completion->function_count)
			return false;
		if (completion->record_of)
			id = completion->record_of[id - 1] + 1;
		if (id == highest + 1)
			locus_buffer_put_byte(ret, 0);
		else
			locus_buffer_put_varint(ret, 1 + (uint64_t)locus_zigzag(id - before - 1));
		before = id;
		highest = id > highest ? id : highest;
	}
	return true;
}

static enum locus_status complete(const void *argument, uint32_t index, struct locus_block_room *room,
				  struct locus_packed *ret, struct locus_error *error)
{
	const struct locus_completion *completion = argument;
	const struct locus_encoded *block = &completion->blocks[index];
	struct locus_packing parts[2] = {{0}};
	struct locus_buffer *ids = &room->columns[LOCUS_INTERVAL_FUNCTION_ID];
	if (!put_ids(completion, block->columns, ids))
		return locus_fail(error, LOCUS_ERR_USAGE, "intervals use more functions than the %u of the table",
				  completion->function_count);
	parts[1] = block->columns->packing;
	block->columns->packing = (struct locus_packing){0};
	enum locus_status status = locus_packer_add(&room->packer, &parts[0], ids, LOCUS_PACK_PLAIN, error);
	if (status == LOCUS_OK)
		status = locus_packing_close(parts, 2, ret, error);

	/* Both are in the block's bytes now. Their memory takes those of the next block. */
	for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		locus_packing_done(&parts[i]);
	ret->key = block->start;
	ret->entry_count = block->interval_count;
	return status;
}

enum locus_status locus_intervals_complete(const struct locus_completion *completion, struct locus_other_work other,
					   struct locus_effort effort, struct locus_section_out *ret,
					   struct locus_error *error)
{
	struct locus_block_work work = {complete, completion, 1};
	return locus_blocks_encode(work, completion->block_count, other, effort, ret, error);
}
