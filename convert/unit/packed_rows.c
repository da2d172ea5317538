/*
 * A row is packed as a control byte, which says how many bytes each field takes, and the fields: how its address, line
 * and file differ from those of the row before. Rows of several sequences may share a chunk, so differences of
 * addresses may be negative.
 */
#include "convert/unit/packed_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"

enum {
	CHUNK_ROWS = 64,
	BYTES_MAX = 1 + 8 + 2 * 4, /* bytes of one row, at most */
	PADDING = 8,               /* bytes behind the last one, because fields are read eight bytes at a time */
};

/* By the two bits for a field in the control byte: its size, and a mask for its bytes. */
static const uint8_t field_sizes[] = {1, 2, 4, 8};
static const uint64_t field_masks[] = {0xff, 0xffff, UINT32_MAX, UINT64_MAX};

void packed_rows_done(struct packed_rows *packed)
{
	free(packed->chunks);
	free(packed->pending);
	arena_done(&packed->arena);
	*packed = (struct packed_rows){0};
}

static inline uint8_t *put_field(uint8_t *out, uint8_t *control, unsigned index, uint64_t difference)
{
	uint64_t number = difference << 1 ^ (0 - (difference >> 63));
	unsigned size = (number > 0xff) + (number > 0xffff) + (number > UINT32_MAX);
	memcpy(out, &number, sizeof(number));
	*control |= (uint8_t)(size << 2 * index);
	return out + field_sizes[size];
}

static inline uint64_t get_field(const uint8_t **in, uint8_t control, unsigned index)
{
	unsigned size = control >> 2 * index & 3;
	uint64_t number;
	memcpy(&number, *in, sizeof(number));
	*in += field_sizes[size];
	number &= field_masks[size];
	return number >> 1 ^ (0 - (number & 1));
}

/* Packs the pending rows as a chunk. */
static bool add_chunk(struct packed_rows *packed, uint32_t count)
{
	uint8_t bytes[CHUNK_ROWS * BYTES_MAX + PADDING], *out = bytes;
	struct split_row last = {.addr = packed->pending[0].addr};
	for (uint32_t i = 0; i < count; i++) {
		const struct split_row *row = &packed->pending[i];
		uint8_t *control = out++;
		*control = 0;
		out = put_field(out, control, 0, row->addr - last.addr);
		out = put_field(out, control, 1, (uint64_t)row->line - last.line);
		out = put_field(out, control, 2, (uint64_t)row->file - last.file);
		last = *row;
	}

	memset(out, 0, PADDING);
	if (!array_reserve(&packed->chunks, &packed->chunk_room, packed->chunk_count + UINT64_C(1),
			   sizeof(*packed->chunks)))
		return false;

	struct row_chunk *chunk = &packed->chunks[packed->chunk_count];
	chunk->addr = packed->pending[0].addr;
	chunk->bytes = arena_copy_packed(&packed->arena, bytes, (size_t)(out + PADDING - bytes));
	packed->chunk_count += chunk->bytes != NULL;
	return chunk->bytes != NULL;
}

bool packed_rows_add(struct packed_rows *packed, struct split_row row)
{
	if (!packed->pending && !(packed->pending = malloc(CHUNK_ROWS * sizeof(*packed->pending))))
		return false;
	packed->pending[packed->count++ % CHUNK_ROWS] = row;
	return packed->count % CHUNK_ROWS || add_chunk(packed, CHUNK_ROWS);
}

bool packed_rows_end(struct packed_rows *packed)
{
	uint32_t pending = packed->count % CHUNK_ROWS;
	return !pending || add_chunk(packed, pending);
}

/*
 * The chunk to begin at: of those that begin behind row `first`, the last at or below `addr`; if none is, the chunk of
 * `first`.
 */
static uint32_t find_chunk(const struct packed_rows *packed, uint32_t first, uint32_t count, uint64_t addr)
{
	uint32_t begin = first / CHUNK_ROWS, end = (first + count - 1) / CHUNK_ROWS + 1, above;
	SEARCH_FIRST(above, begin + 1, end, packed->chunks[above].addr > addr);
	return above - 1;
}

bool packed_rows_get(const struct packed_rows *packed, uint32_t first, uint32_t count, uint64_t start, uint64_t end,
		     struct row_buffer *ret)
{
	uint32_t chunk = find_chunk(packed, first, count, start), begin = ret->count;
	uint32_t index = chunk * CHUNK_ROWS;
	struct split_row row = {0};
	const uint8_t *in = NULL;
	for (; index < first + count; index++) {
		/* Each chunk begins with its own address. */
		if (index % CHUNK_ROWS == 0) {
			in = packed->chunks[index / CHUNK_ROWS].bytes;
			row = (struct split_row){.addr = packed->chunks[index / CHUNK_ROWS].addr};
		}
		uint8_t control = *in++;
		row.addr += get_field(&in, control, 0);
		row.line += (uint32_t)get_field(&in, control, 1);
		row.file += (uint32_t)get_field(&in, control, 2);
		if (index < first)
			continue;
		if (row.addr >= end && ret->count > begin)
			break;

		/* Until the address is reached, each row replaces the one before. */
		if (row.addr <= start)
			ret->count = begin;
		if (!array_reserve(&ret->rows, &ret->room, ret->count + UINT64_C(1), sizeof(*ret->rows)))
			return false;
		ret->rows[ret->count++] = row;
	}
	return true;
}
