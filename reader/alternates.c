/* One block of alternates (FORMAT.md 6.5), and the dictionary's one block (6.6). */
#include <stdlib.h>

#include "reader/decode.h"
#include "reader/fail.h"

#define TRAINED_MAGIC "\x37\xA4\x30\xEC" /* by which zstd knows a dictionary that is not raw content */

static enum locus_status read_alternates(struct locus_columns *columns, uint64_t start, uint32_t count,
					 uint32_t function_count, struct locus_alternates *block,
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
		uint32_t before = function;
		function += locus_unzigzag(locus_scan_varint32(&column[LOCUS_ALTERNATE_FUNCTION]));
		if (distance > UINT64_MAX - start || kind > LOCUS_ALTERNATE_OVERLAP)
			return locus_block_fail(columns, "an alternate's start or kind is out of range", error);
		if (!function || function > function_count || (i && !distance && function < before))
			return locus_block_fail(columns, "an alternate's function is out of range or order", error);
		start += distance;
		block->alternate[i] = (struct locus_alternate_info){start, size, function, kind};
	}
	return locus_block_check_done(columns, error);
}

enum locus_status locus_alternates_decode(struct locus *locus, struct locus_scratch *scratch,
					  const struct locus_section_in *section, uint32_t index,
					  struct locus_columns *columns, struct locus_want want,
					  struct locus_decoded **ret, struct locus_error *error)
{
	(void)scratch;
	(void)want;
	uint32_t count = section->firsts[index + 1] - section->firsts[index];
	size_t size = sizeof(struct locus_alternates) + count * sizeof(struct locus_alternate_info);
	struct locus_alternates *block = malloc(size);
	if (!block)
		return locus_fail_memory(error);
	block->head = (struct locus_decoded){(uint32_t)size, count};
	enum locus_status status =
		read_alternates(columns, section->keys[index], count, locus_function_count(locus), block, error);
	if (status == LOCUS_OK)
		*ret = &block->head;
	else
		free(block);
	return status;
}

/* Most processes ask for one name and pay for all of the dictionary: where it was decompressed it stays, not copied. */
static struct locus_dictionary *take_dictionary(struct locus_scratch *scratch, const uint8_t *data, size_t size)
{
	struct locus_dictionary *block = NULL;
	if (scratch->raw.data && data == scratch->raw.data + LOCUS_RAW_HEADROOM) {
		block = (struct locus_dictionary *)(void *)scratch->raw.data;
		scratch->raw = (struct locus_room){0};
		return block;
	}
	block = malloc(sizeof(*block) + size);
	if (block)
		memcpy(block->data, data, size);
	return block;
}

enum locus_status locus_dictionary_decode(struct locus *locus, struct locus_scratch *scratch,
					  const struct locus_section_in *section, uint32_t index,
					  struct locus_columns *columns, struct locus_want want,
					  struct locus_decoded **ret, struct locus_error *error)
{
	(void)locus;
	(void)section;
	(void)index;
	(void)want;
	size_t size = locus_scan_left(&columns->column[0]);
	if (!size || size > LOCUS_DICTIONARY_MAX)
		return locus_block_fail(columns, "the dictionary's size is out of range", error);
	if (size >= 4 && !memcmp(columns->column[0].at, TRAINED_MAGIC, 4))
		return locus_block_fail(columns, "the dictionary is a trained one", error);
	struct locus_dictionary *block = take_dictionary(scratch, columns->column[0].at, size);
	if (!block)
		return locus_fail_memory(error);
	block->head = (struct locus_decoded){(uint32_t)(sizeof(*block) + size), 1};
	block->size = size;
	*ret = &block->head;
	return LOCUS_OK;
}
