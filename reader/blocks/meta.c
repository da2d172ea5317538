/* Decodes the meta data: tagged fields (FORMAT.md 6.1) into a struct locus_info. */
#include "reader/blocks/meta.h"

#include <string.h>

#include "base/fail.h"
#include "reader/blocks/block.h"

/* One allocation: the arrays stand behind it, and then a copy of the fields, into which the strings point. */
struct locus_meta_in {
	struct locus_info info;
	struct locus_counter_info *coverage;
	struct locus_counter_info *dropped;
	struct locus_base_info *bases;
	struct locus_input_info *inputs;
	struct locus_segment_info *segments;
	uint8_t *bytes;
};

void locus_meta_free(struct locus *locus, struct locus_meta_in *meta)
{
	locus_allowance_free(&locus->allowance, meta);
}

const struct locus_info *locus_meta_info(const struct locus_meta_in *meta)
{
	return &meta->info;
}

static struct locus_string rest(struct locus_scan *field)
{
	struct locus_string text = {(const char *)field->at, locus_scan_left(field)};
	field->at = field->end;
	return text;
}

/* A number that must not exceed `max`. */
static uint64_t read_number(struct locus_scan *field, uint64_t max)
{
	uint64_t value = locus_scan_varint(field);
	return value > max ? locus_scan_fail(field) : value;
}

/* A counter takes at least two bytes, so a field has at most half as many counters as bytes. */
static size_t read_counters(struct locus_scan *field, struct locus_counter_info *ret)
{
	size_t count = 0;
	while (locus_scan_left(field) >= 2) {
		ret[count].id = locus_scan_varint32(field);
		ret[count++].value = locus_scan_varint(field);
	}
	return count;
}

/* `size` bytes of the field, which has that many left or fails: then nothing that was read is used. */
static struct locus_string read_bytes(struct locus_scan *field, uint64_t size)
{
	return (struct locus_string){(const char *)locus_scan_bytes(field, size), (size_t)size};
}

static void read_base(struct locus_scan *field, struct locus_base_info *ret)
{
	ret->base = locus_scan_varint(field);
	ret->size = locus_scan_varint(field);
	ret->name = rest(field);
}

static void read_input(struct locus_scan *field, struct locus_input_info *ret)
{
	ret->role = locus_scan_varint32(field);
	ret->size = locus_scan_varint(field);
	ret->digest_kind = locus_scan_varint32(field);
	ret->digest = read_bytes(field, ret->digest_kind ? LOCUS_DIGEST_SIZE : 0);
	ret->build_id = read_bytes(field, locus_scan_varint(field));
	ret->name = rest(field);
}

static void read_segment(struct locus_scan *field, struct locus_segment_info *ret)
{
	ret->address = locus_scan_varint(field);
	ret->offset = locus_scan_varint(field);
	ret->file_size = locus_scan_varint(field);
	ret->memory_size = locus_scan_varint(field);
	ret->flags = locus_scan_varint32(field);
}

static void read_field(struct locus_meta_in *meta, uint64_t id, struct locus_scan *field)
{
	struct locus_info *info = &meta->info;
	switch (id) {
	case LOCUS_META_BUILD_ID:
		info->build_id = rest(field);
		return;
	case LOCUS_META_ELF:
		info->elf_machine = (uint16_t)read_number(field, UINT16_MAX);
		info->elf_type = (uint16_t)read_number(field, UINT16_MAX);
		info->elf_class = (uint8_t)read_number(field, UINT8_MAX);
		info->elf_data = (uint8_t)read_number(field, UINT8_MAX);
		return;
	case LOCUS_META_TOOL:
		info->tool = rest(field);
		return;
	case LOCUS_META_RULES_EPOCH:
		info->rules_epoch = (uint32_t)read_number(field, UINT32_MAX);
		return;
	case LOCUS_META_OPTIONS:
		info->options = rest(field);
		return;
	case LOCUS_META_COVERAGE:
		info->coverage_count = read_counters(field, meta->coverage);
		return;
	case LOCUS_META_DROPPED:
		info->dropped_count = read_counters(field, meta->dropped);
		return;
	case LOCUS_META_BASE:
		read_base(field, &meta->bases[info->base_count++]);
		return;
	case LOCUS_META_INPUT:
		read_input(field, &meta->inputs[info->input_count++]);
		return;
	case LOCUS_META_SEGMENT:
		read_segment(field, &meta->segments[info->segment_count++]);
		return;
	default:
		rest(field);
	}
}

/* The next field's id and content; false with scan->failed where the bytes do not hold it. */
static bool next_field(struct locus_scan *scan, uint64_t *ret_id, struct locus_scan *ret)
{
	*ret_id = locus_scan_varint(scan);
	uint64_t size = locus_scan_varint(scan);
	const uint8_t *data = locus_scan_bytes(scan, size);
	*ret = locus_scan_of(data, data ? (size_t)size : 0);
	return data;
}

/* How much there is of what may come again. */
struct meta_counts {
	size_t bases, inputs, segments, coverage, dropped;
};

static struct meta_counts count_fields(struct locus_scan scan)
{
	struct meta_counts counts = {.coverage = 0};
	struct locus_scan field;
	for (uint64_t id; locus_scan_left(&scan) && next_field(&scan, &id, &field);) {
		counts.bases += id == LOCUS_META_BASE;
		counts.inputs += id == LOCUS_META_INPUT;
		counts.segments += id == LOCUS_META_SEGMENT;
		counts.coverage += id == LOCUS_META_COVERAGE ? locus_scan_left(&field) / 2 : 0;
		counts.dropped += id == LOCUS_META_DROPPED ? locus_scan_left(&field) / 2 : 0;
	}
	return counts;
}

/*
 * A scan of the column is what room is measured by; then the column is copied. A block can unfold to millions of
 * things, each of which readers look at again and again: so there is a most (FORMAT.md 11).
 */
static enum locus_status allocate(struct locus *locus, const struct locus_scan *column, struct locus_meta_in **ret,
				  struct locus_error *error)
{
	size_t size = locus_scan_left(column);
	struct meta_counts counts = count_fields(*column);
	struct locus_meta_in *meta;
	size_t listed = counts.bases + counts.inputs + counts.segments + counts.coverage + counts.dropped;
	if (listed > LOCUS_META_LISTED_SPARE + locus->known[LOCUS_SECTION_META]->data_size)
		return locus_fail(error, LOCUS_ERR_LIMIT,
				  "its meta data list %zu things, more than their block of %llu bytes may", listed,
				  (unsigned long long)locus->known[LOCUS_SECTION_META]->data_size);
	size_t arrays = counts.bases * sizeof(*meta->bases) + counts.inputs * sizeof(*meta->inputs) +
			counts.segments * sizeof(*meta->segments) + counts.coverage * sizeof(*meta->coverage) +
			counts.dropped * sizeof(*meta->dropped);
	enum locus_status status =
		locus_allowance_allocate(&locus->allowance, sizeof(*meta) + arrays + size, &meta, error);
	if (status != LOCUS_OK)
		return status;

	memset(meta, 0, sizeof(*meta) + arrays);
	meta->bases = (struct locus_base_info *)(void *)(meta + 1);
	meta->inputs = (struct locus_input_info *)(void *)(meta->bases + counts.bases);
	meta->segments = (struct locus_segment_info *)(void *)(meta->inputs + counts.inputs);
	meta->coverage = (struct locus_counter_info *)(void *)(meta->segments + counts.segments);
	meta->dropped = meta->coverage + counts.coverage;
	meta->bytes = (uint8_t *)(void *)(meta->dropped + counts.dropped);
	if (size)
		memcpy(meta->bytes, column->at, size);
	*ret = meta;
	return LOCUS_OK;
}

static enum locus_status read_fields(struct locus_columns *columns, struct locus_meta_in *meta,
				     struct locus_error *error)
{
	struct locus_scan scan = locus_scan_of(meta->bytes, locus_scan_left(&columns->column[0]));
	uint64_t before = 0;
	while (locus_scan_left(&scan)) {
		struct locus_scan field;
		uint64_t id;
		if (!next_field(&scan, &id, &field))
			return locus_block_fail(columns, "a meta field exceeds its block", error);
		if (id > UINT32_MAX)
			return locus_block_fail(columns, "a meta field's id is out of range", error);
		if (id < before || (id == before && id < LOCUS_META_BASE))
			return locus_block_fail(columns, "meta fields are out of order", error);
		read_field(meta, id, &field);
		if (!locus_scan_is_done(&field))
			return locus_block_fail(columns, "a meta field has another size than its content", error);
		before = id;
	}

	meta->info.coverage = meta->coverage;
	meta->info.dropped = meta->dropped;
	meta->info.bases = meta->bases;
	meta->info.inputs = meta->inputs;
	meta->info.segments = meta->segments;
	return LOCUS_OK;
}

enum locus_status locus_meta_read(struct locus *locus, struct locus_scratch *scratch, struct locus_meta_in **ret,
				  struct locus_error *error)
{
	struct locus_columns columns;
	struct locus_section_in *section = locus->known[LOCUS_SECTION_META];
	enum locus_status status =
		locus_block_read(&(struct locus_block_ref){locus, scratch, section, 0}, &columns, error);
	if (status != LOCUS_OK)
		return status;
	struct locus_meta_in *meta = NULL;
	status = allocate(locus, &columns.column[0], &meta, error);
	if (status != LOCUS_OK)
		return status;

	status = read_fields(&columns, meta, error);
	if (status == LOCUS_OK)
		*ret = meta;
	else
		locus_meta_free(locus, meta);
	return status;
}
