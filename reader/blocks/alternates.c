/* One block of alternates (FORMAT.md 6.5). */
#include <stdlib.h>

#include "base/fail.h"
#include "reader/blocks/decode.h"

static enum locus_status read_alternates(struct locus_columns *columns, uint64_t start, uint64_t start_max,
					 uint32_t count, uint32_t function_count, struct locus_alternates *block,
					 struct locus_error *error)
{
	struct locus_scan *column = columns->column;
	uint64_t reach = locus_scan_varint(&column[LOCUS_ALTERNATE_START]);
	uint32_t function = 0;
	if (reach > start)
		return locus_block_fail(columns, "a block's reach is out of range", error);

	block->reach = start - reach;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t distance = i ? locus_scan_varint(&column[LOCUS_ALTERNATE_START]) : 0;
		uint64_t size = locus_scan_varint(&column[LOCUS_ALTERNATE_SIZE]);
		uint8_t kind = locus_scan_byte(&column[LOCUS_ALTERNATE_KIND]);
		function += locus_unzigzag(locus_scan_varint32(&column[LOCUS_ALTERNATE_FUNCTION]));
		if (distance > start_max - start || kind > LOCUS_ALTERNATE_OVERLAP)
			return locus_block_fail(columns, "an alternate's start or kind is out of range", error);
		if (!function || function > function_count)
			return locus_block_fail(columns, "an alternate's function is out of range", error);
		start += distance;
		block->alternate[i] = (struct locus_alternate_info){start, size, function, kind};
	}
	return locus_block_check_done(columns, true, error);
}

enum locus_status locus_alternates_decode(struct locus *locus, struct locus_scratch *scratch,
					  const struct locus_section_in *section, uint32_t index,
					  struct locus_columns *columns, struct locus_want want,
					  struct locus_decoded **ret, struct locus_error *error)
{
	uint32_t count = section->firsts[index + 1] - section->firsts[index];
	size_t size = sizeof(struct locus_alternates) + count * sizeof(struct locus_alternate_info);
	struct locus_alternates *block;
	enum locus_status status = locus_decoded_allocate(locus, size, want, false, &block, error);
	if (status != LOCUS_OK)
		return status;

	block->head = (struct locus_decoded){(uint32_t)size, count};
	uint64_t start_max = index + 1 < section->block_count ? section->keys[index + 1] : UINT64_MAX;
	status = read_alternates(columns, section->keys[index], start_max, count, locus_function_count(locus), block,
				 error);
	if (status == LOCUS_OK)
		*ret = &block->head;
	else
		locus_allowance_free(scratch->allowance, block);
	return status;
}
