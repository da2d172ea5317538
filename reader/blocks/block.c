/* Reads one block, checks it, and decompresses its columns (FORMAT.md 5). */
#include "reader/blocks/block.h"

#include <stdlib.h>

#include <xxhash.h>

#include "base/fail.h"

static const uint8_t column_counts[LOCUS_SECTION_ID_END] = {
#define X(id, value, name, flags, columns) [value] = (columns),
	LOCUS_SECTIONS(X)
#undef X
};

/* The block's header: where each column's bytes are, and how many they become. */
struct layout {
	struct {
		const uint8_t *data;
		size_t size;
		size_t raw_size;
		bool is_compressed;
	} column[LOCUS_COLUMNS_MAX];
	size_t raw_size;
};

enum locus_status locus_block_fail(const struct locus_columns *columns, const char *rule, struct locus_error *error)
{
	return locus_fail_at(error, LOCUS_ERR_CORRUPT, columns->offset, "not well-formed: %s", rule);
}

enum locus_status locus_block_check_done(const struct locus_columns *columns, bool is_whole, struct locus_error *error)
{
	for (unsigned i = 0; i < columns->count; i++)
		if (is_whole ? !locus_scan_is_done(&columns->column[i]) : columns->column[i].failed)
			return locus_block_fail(columns, "a column is too short or too long", error);
	return LOCUS_OK;
}

static bool read_sizes(struct locus_scan *scan, unsigned count, struct layout *layout)
{
	for (unsigned i = 0; i < count; i++) {
		uint64_t head = locus_scan_varint(scan);
		uint64_t raw_size = head >> 1;
		bool is_compressed = head & 1;
		uint64_t size = is_compressed ? locus_scan_varint(scan) : raw_size;
		if (raw_size > LOCUS_BLOCK_RAW_MAX - layout->raw_size || (is_compressed && size >= raw_size))
			return false;
		layout->column[i].raw_size = (size_t)raw_size;
		layout->column[i].size = (size_t)size;
		layout->column[i].is_compressed = is_compressed;
		layout->raw_size += (size_t)raw_size;
	}
	for (unsigned i = 0; i < count; i++)
		layout->column[i].data = locus_scan_bytes(scan, layout->column[i].size);
	return locus_scan_is_done(scan);
}

/*
 * Whether a frame, which is whole, asks for no larger window than every decoder takes (FORMAT.md 5.2; RFC 8878
 * 3.1.1.1.2). libzstd would take more, as it needs none here. Without a window of its own it has the content's size.
 */
static bool has_usual_window(const uint8_t *frame)
{
	const uint8_t is_single_segment = 1 << 5;
	return frame[4] & is_single_segment || frame[5] <= LOCUS_ZSTD_WINDOW_MAX;
}

static bool decompress(struct locus_scratch *scratch, uint8_t *raw, const struct layout *layout, unsigned i)
{
	/*
	 * A column is one frame. ZSTD_decompressDCtx alone would accept several, skippable ones, and those of old
	 * versions.
	 */
	if (layout->column[i].size < 4 || memcmp(layout->column[i].data, "\x28\xB5\x2F\xFD", 4) != 0)
		return false;
	if (ZSTD_findFrameCompressedSize(layout->column[i].data, layout->column[i].size) != layout->column[i].size)
		return false;
	if (!has_usual_window(layout->column[i].data))
		return false;
	size_t size = ZSTD_decompressDCtx(scratch->context, raw, layout->column[i].raw_size, layout->column[i].data,
					  layout->column[i].size);
	return size == layout->column[i].raw_size;
}

static enum locus_status unpack(struct locus_scratch *scratch, const struct layout *layout,
				struct locus_columns *columns, struct locus_error *error)
{
	enum locus_status status = locus_room_grow(scratch->allowance, &scratch->raw, layout->raw_size + 1, error);
	if (status != LOCUS_OK)
		return status;

	/* Columns that are stored stay where they are; the others are inflated one behind the other. */
	uint8_t *raw = scratch->raw.data;
	for (unsigned i = 0; i < columns->count; i++) {
		size_t size = layout->column[i].raw_size;
		if (!layout->column[i].is_compressed) {
			columns->column[i] = locus_scan_of(layout->column[i].data, size);
			continue;
		}
		if (!decompress(scratch, raw, layout, i))
			return locus_block_fail(columns, "a column does not decompress to its size", error);
		columns->column[i] = locus_scan_of(raw, size);
		raw += size;
	}
	return LOCUS_OK;
}

/* Reads the block's bytes into scratch->stored and holds them against their checksum. */
static enum locus_status read_stored(const struct locus_block_ref *ref, size_t size, struct locus_error *error)
{
	const struct locus_section_in *section = ref->section;
	struct locus_scratch *scratch = ref->scratch;
	uint64_t offset = section->offsets[ref->index];
	enum locus_status status = locus_room_grow(scratch->allowance, &scratch->stored, size, error);
	if (status == LOCUS_OK)
		status = locus_source_read(&ref->locus->source, offset, scratch->stored.data, size, error);
	if (status == LOCUS_OK && XXH3_64bits(scratch->stored.data, size) != section->checksums[ref->index])
		status = locus_fail_at(error, LOCUS_ERR_CHECKSUM, offset,
				       "block %u of section %u does not match its checksum", ref->index, section->id);
	return status;
}

enum locus_status locus_block_read(const struct locus_block_ref *ref, struct locus_columns *ret,
				   struct locus_error *error)
{
	const struct locus_section_in *section = ref->section;
	struct layout layout = {.raw_size = 0};
	uint64_t offset = section->offsets[ref->index];
	size_t size = (size_t)(section->offsets[ref->index + 1] - offset);
	enum locus_status status = read_stored(ref, size, error);
	if (status != LOCUS_OK)
		return status;

	struct locus_scan scan = locus_scan_of(ref->scratch->stored.data, size);
	struct locus_columns columns = {.count = locus_scan_byte(&scan), .offset = offset};
	bool is_known = section->id < LOCUS_SECTION_ID_END;
	if (columns.count > LOCUS_COLUMNS_MAX || (is_known && columns.count != column_counts[section->id]))
		return locus_block_fail(&columns, "a block has another number of columns than its section", error);
	if (!read_sizes(&scan, columns.count, &layout) || layout.raw_size > section->raw_size)
		return locus_block_fail(&columns, "the columns do not fill their block", error);
	if (layout.raw_size > (uint64_t)size * LOCUS_BLOCK_RAW_RATIO)
		return locus_block_fail(&columns, "the columns unfold to more than their block may", error);
	columns.raw_size = layout.raw_size;
	status = unpack(ref->scratch, &layout, &columns, error);
	if (status == LOCUS_OK)
		*ret = columns;
	return status;
}
