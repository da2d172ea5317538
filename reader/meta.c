/* The meta data (FORMAT.md 6.1): tagged fields to struct locus_info. */
#include <stdlib.h>

#include "base/fail.h"
#include "reader/block.h"
#include "reader/meta.h"

struct locus_meta_in {
	struct locus_info info;
	struct locus_counter_info *coverage;
	struct locus_counter_info *dropped;
	struct locus_base_info *bases;
	struct locus_input_info *inputs;
	struct locus_segment_info *segments;
	uint8_t *bytes; /* a copy of the fields; strings point into it */
};

void locus_meta_free(struct locus_meta_in *meta)
{
	if (!meta)
		return;
	free(meta->coverage);
	free(meta->dropped);
	free(meta->bases);
	free(meta->inputs);
	free(meta->segments);
	free(meta->bytes);
	free(meta);
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

/* Two bytes a counter at least, so the field's size bounds the allocation. */
static bool read_counters(struct locus_scan *field, struct locus_counter_info **ret, size_t *ret_count)
{
	struct locus_counter_info *counters = malloc((locus_scan_left(field) / 2 + 1) * sizeof(*counters));
	size_t count = 0;
	*ret = counters;
	if (!counters)
		return false;
	while (locus_scan_left(field) >= 2) {
		counters[count].id = locus_scan_varint32(field);
		counters[count++].value = locus_scan_varint(field);
	}
	*ret_count = count;
	return true;
}

/* `size` bytes of the field, which has that many left or fails. */
static struct locus_string read_bytes(struct locus_scan *field, uint64_t size)
{
	const uint8_t *data = locus_scan_bytes(field, size);
	return (struct locus_string){(const char *)data, data ? (size_t)size : 0};
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

/* False: out of memory. */
static bool read_field(struct locus_meta_in *meta, uint64_t id, struct locus_scan *field)
{
	struct locus_info *info = &meta->info;
	switch (id) {
	case LOCUS_META_BUILD_ID:
		info->build_id = rest(field);
		return true;
	case LOCUS_META_ELF:
		info->elf_machine = (uint16_t)read_number(field, UINT16_MAX);
		info->elf_type = (uint16_t)read_number(field, UINT16_MAX);
		info->elf_class = (uint8_t)read_number(field, UINT8_MAX);
		info->elf_data = (uint8_t)read_number(field, UINT8_MAX);
		return true;
	case LOCUS_META_TOOL:
		info->tool = rest(field);
		return true;
	case LOCUS_META_RULES_EPOCH:
		info->rules_epoch = (uint32_t)read_number(field, UINT32_MAX);
		return true;
	case LOCUS_META_OPTIONS:
		info->options = rest(field);
		return true;
	case LOCUS_META_COVERAGE:
		return read_counters(field, &meta->coverage, &info->coverage_count);
	case LOCUS_META_DROPPED:
		return read_counters(field, &meta->dropped, &info->dropped_count);
	case LOCUS_META_BASE:
		read_base(field, &meta->bases[info->base_count++]);
		return true;
	case LOCUS_META_INPUT:
		read_input(field, &meta->inputs[info->input_count++]);
		return true;
	case LOCUS_META_SEGMENT:
		read_segment(field, &meta->segments[info->segment_count++]);
		return true;
	default:
		rest(field);
		return true;
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

/* Makes room for the fields that may come again, of which there are as many as a look at the ids says. */
static bool make_room(struct locus_meta_in *meta, struct locus_scan scan)
{
	size_t counts[LOCUS_META_SEGMENT + 1] = {0};
	struct locus_scan field;
	for (uint64_t id; locus_scan_left(&scan) && next_field(&scan, &id, &field);)
		if (id <= LOCUS_META_SEGMENT)
			counts[id]++;
	meta->bases = calloc(counts[LOCUS_META_BASE] + 1, sizeof(*meta->bases));
	meta->inputs = calloc(counts[LOCUS_META_INPUT] + 1, sizeof(*meta->inputs));
	meta->segments = calloc(counts[LOCUS_META_SEGMENT] + 1, sizeof(*meta->segments));
	return meta->bases && meta->inputs && meta->segments;
}

static enum locus_status read_fields(struct locus_columns *columns, struct locus_meta_in *meta,
				     struct locus_error *error)
{
	struct locus_scan scan = locus_scan_of(meta->bytes, locus_scan_left(&columns->column[0]));
	uint64_t before = 0;
	if (!make_room(meta, scan))
		return locus_fail_memory(error);
	while (locus_scan_left(&scan)) {
		struct locus_scan field;
		uint64_t id;
		if (!next_field(&scan, &id, &field))
			return locus_block_fail(columns, "a meta field exceeds its block", error);
		if (id < before || (id == before && id < LOCUS_META_BASE))
			return locus_block_fail(columns, "meta fields are out of order", error);
		if (!read_field(meta, id, &field))
			return locus_fail_memory(error);
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
	const struct locus_section_in *section = locus->known[LOCUS_SECTION_META];
	if (section->block_count != 1 || section->entry_count != 1)
		return locus_fail_at(error, LOCUS_ERR_CORRUPT, LOCUS_HEADER_SIZE, "the meta data are not one block");
	enum locus_status status = locus_block_read(locus, scratch, section, 0, &columns, error);
	if (status != LOCUS_OK)
		return status;
	size_t size = locus_scan_left(&columns.column[0]);
	struct locus_meta_in *meta = calloc(1, sizeof(*meta));
	if (!meta || !(meta->bytes = malloc(size + 1))) {
		locus_meta_free(meta);
		return locus_fail_memory(error);
	}
	memcpy(meta->bytes, columns.column[0].at, size);
	status = read_fields(&columns, meta, error);
	if (status == LOCUS_OK)
		*ret = meta;
	else
		locus_meta_free(meta);
	return status;
}
