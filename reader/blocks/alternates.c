/* One block of alternates (FORMAT.md 6.5). */
#include <stdlib.h>

#include "reader/blocks/decode.h"

/* Reads the alternates of a block, for which there is room behind its head. */
static enum locus_status read_alternates(const struct locus_block_ref *ref, struct locus_columns *columns,
					 struct locus_alternates *block, struct locus_error *error)
{
	const struct locus_section_in *section = ref->section;
	uint64_t start = section->keys[ref->index];
	uint64_t start_max = ref->index + 1 < section->block_count ? section->keys[ref->index + 1] : UINT64_MAX;
	uint32_t count = block->head.count, function_count = locus_function_count(ref->locus);
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
		uint64_t last = locus_alternate_last(&block->alternate[i]);
		uint64_t *group_last = &block->group_last[i / LOCUS_ALTERNATE_GROUP];
		if (i % LOCUS_ALTERNATE_GROUP == 0 || last > *group_last)
			*group_last = last;
	}
	return locus_block_check_done(columns, true, error);
}

enum locus_status locus_alternates_decode(const struct locus_block_ref *ref, struct locus_columns *columns,
					  struct locus_want want, struct locus_decoded **ret, struct locus_error *error)
{
	uint32_t count = locus_block_entry_count(ref);
	size_t group_count = (count + LOCUS_ALTERNATE_GROUP - 1) / LOCUS_ALTERNATE_GROUP;
	size_t size = sizeof(struct locus_alternates) + count * sizeof(struct locus_alternate_info) +
		      group_count * sizeof(uint64_t);
	struct locus_alternates *block;
	enum locus_status status = locus_decoded_allocate(ref->locus, size, want, false, &block, error);
	if (status != LOCUS_OK)
		return status;

	block->head = (struct locus_decoded){(uint32_t)size, count};
	block->group_last = (uint64_t *)(void *)(block->alternate + count);
	status = read_alternates(ref, columns, block, error);
	if (status == LOCUS_OK)
		*ret = &block->head;
	else
		locus_allowance_free(ref->scratch->allowance, block);
	return status;
}
