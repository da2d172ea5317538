/*
 * 64 rows are a chunk: its first row in full, and for each other how its address, line and file differ from those of
 * the row before. A field takes as many bytes in all rows of a chunk as its largest difference needs, so that where a
 * row stands does not depend on what was read before. Rows of several sequences may share a chunk.
 */
#include "convert/unit/packed_rows.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "convert/unit/fold.h"

enum {
	CHUNK_ROWS = 64,
	PADDING = 8, /* bytes behind the last field, because fields are read eight bytes at a time */
};

/* How a row differs from the one before. */
struct difference {
	uint64_t addr; /* modulo 2^64 */
	uint32_t line, file;
};

/* How many bytes each field of a chunk takes; it stands in front of them. */
struct field_sizes {
	uint8_t addr, line, file;
};

enum { BYTES_MAX = sizeof(struct field_sizes) + CHUNK_ROWS * (8 + 2 * 4) + PADDING };

void packed_rows_done(struct packed_rows *packed)
{
	free(packed->chunks);
	free(packed->pending);
	arena_done(&packed->arena);
	*packed = (struct packed_rows){0};
}

/* The bytes that numbers take whose bits are all in `bits`. */
static uint8_t size_of(uint64_t bits)
{
	if (bits > UINT32_MAX)
		return 8;
	return bits > 0xffff ? 4 : bits > 0xff ? 2 : bits > 0;
}

static uint64_t mask_of(uint8_t size)
{
	return size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

/* The differences between `count` rows, of which there are one less. */
static struct field_sizes find_differences(const struct split_row *rows, uint32_t count, struct difference *ret)
{
	struct difference bits = {0};
	for (uint32_t i = 1; i < count; i++) {
		struct difference difference = {
			rows[i].addr - rows[i - 1].addr,
			fold_difference(rows[i].line - rows[i - 1].line),
			fold_difference(rows[i].file - rows[i - 1].file),
		};
		bits.addr |= difference.addr;
		bits.line |= difference.line;
		bits.file |= difference.file;
		*ret++ = difference;
	}
	return (struct field_sizes){size_of(bits.addr), size_of(bits.line), size_of(bits.file)};
}

/* Writes eight bytes; those that are too many are written over by the next field. */
static inline uint8_t *put_field(uint8_t *out, uint64_t number, uint8_t size)
{
	uint64_t bytes = htole64(number);
	memcpy(out, &bytes, sizeof(bytes));
	return out + size;
}

static inline uint64_t get_field(const uint8_t *in, uint64_t mask)
{
	uint64_t number;
	memcpy(&number, in, sizeof(number));
	return le64toh(number) & mask;
}

/* Packs `rows` as a chunk. */
static bool add_chunk(struct packed_rows *packed, const struct split_row *rows, uint32_t count)
{
	struct difference differences[CHUNK_ROWS];
	uint8_t bytes[BYTES_MAX], *out = bytes;
	const struct field_sizes sizes = find_differences(rows, count, differences);
	memcpy(out, &sizes, sizeof(sizes));
	out += sizeof(sizes);
	for (uint32_t i = 0; i < count - 1; i++) {
		out = put_field(out, differences[i].addr, sizes.addr);
		out = put_field(out, differences[i].line, sizes.line);
		out = put_field(out, differences[i].file, sizes.file);
	}

	memset(out, 0, PADDING);
	if (!array_reserve(&packed->chunks, &packed->chunk_room, packed->chunk_count + UINT64_C(1),
			   sizeof(*packed->chunks)))
		return false;

	struct row_chunk *chunk = &packed->chunks[packed->chunk_count];
	chunk->first = rows[0];
	chunk->bytes = arena_copy_packed(&packed->arena, bytes, (size_t)(out + PADDING - bytes));
	packed->chunk_count += chunk->bytes != NULL;
	return chunk->bytes != NULL;
}

bool packed_rows_add(struct packed_rows *packed, const struct split_row *rows, uint32_t count)
{
	if (count > UINT32_MAX - packed->count)
		return false;
	if (!packed->pending && !(packed->pending = malloc(CHUNK_ROWS * sizeof(*packed->pending))))
		return false;
	for (uint32_t taken; count; rows += taken, count -= taken) {
		uint32_t pending = packed->count % CHUNK_ROWS, room = CHUNK_ROWS - pending;
		const struct split_row *chunk = rows;
		taken = count < room ? count : room;
		/* Most chunks are packed from where their rows stand; others come together among the pending ones. */
		if (taken < CHUNK_ROWS) {
			memcpy(packed->pending + pending, rows, taken * sizeof(*rows));
			chunk = packed->pending;
		}
		packed->count += taken;
		if (taken == room && !add_chunk(packed, chunk, CHUNK_ROWS))
			return false;
	}
	return true;
}

bool packed_rows_end(struct packed_rows *packed)
{
	uint32_t pending = packed->count % CHUNK_ROWS;
	return !pending || add_chunk(packed, packed->pending, pending);
}

/*
 * The chunk to begin at: of those that begin behind row `first`, the last at or below `addr`; if none is, the chunk of
 * `first`. It is looked for near chunk `hint` before it is looked for everywhere.
 */
static uint32_t find_chunk(const struct packed_rows *packed, uint32_t first, uint32_t count, uint64_t addr,
			   uint32_t hint)
{
	enum { NEAR = 4 };
	const struct row_chunk *chunks = packed->chunks;
	uint32_t begin = first / CHUNK_ROWS, end = (first + count - 1) / CHUNK_ROWS + 1, above;
	if (hint > begin && hint < end && chunks[hint].first.addr <= addr)
		begin = hint;
	if (end - begin > NEAR && chunks[begin + NEAR].first.addr > addr)
		end = begin + NEAR;
	SEARCH_FIRST(above, begin + 1, end, chunks[above].first.addr > addr);
	return above - 1;
}

/*
 * Unpacks the rows of a chunk from `cursor` on, up to the first behind `first` that is at or above `end`, and below
 * `count`. Returns the number of rows; the cursor is at the last of them.
 */
static uint32_t unpack(const struct row_chunk *chunk, uint32_t first, uint32_t count, uint64_t end,
		       struct row_cursor *cursor, struct split_row *ret)
{
	struct field_sizes sizes;
	memcpy(&sizes, chunk->bytes, sizeof(sizes));
	const uint64_t addr_mask = mask_of(sizes.addr), line_mask = mask_of(sizes.line),
		       file_mask = mask_of(sizes.file);
	const size_t line_at = sizes.addr, file_at = line_at + sizes.line, size = file_at + sizes.file;
	const uint8_t *in = chunk->bytes + sizeof(sizes) + cursor->at * size;
	struct split_row row = ret[0] = cursor->at ? cursor->row : chunk->first;
	const uint32_t begin = cursor->at;
	uint32_t i = begin + 1;
	for (; i < count; i++, in += size) {
		row.addr += get_field(in, addr_mask);
		row.line += unfold_difference((uint32_t)get_field(in + line_at, line_mask));
		row.file += unfold_difference((uint32_t)get_field(in + file_at, file_mask));
		if (row.addr >= end && i > first)
			break;
		ret[i - begin] = row;
	}
	cursor->at = i - 1;
	cursor->row = ret[i - 1 - begin];
	return i - begin;
}

bool packed_rows_get(const struct packed_rows *packed, uint32_t first, uint32_t count, uint64_t start, uint64_t end,
		     struct row_cursor *cursor, struct row_buffer *ret)
{
	uint32_t before = ret->count;
	for (uint32_t i = find_chunk(packed, first, count, start, cursor->chunk); i * CHUNK_ROWS < first + count; i++) {
		const struct row_chunk *chunk = &packed->chunks[i];
		bool is_first = ret->count == before;
		if (!is_first && chunk->first.addr >= end)
			break;
		if (!array_reserve(&ret->rows, &ret->room, ret->count + UINT64_C(1) * CHUNK_ROWS, sizeof(*ret->rows)))
			return false;

		/* Of the first chunk, rows before the one that answers for `start` are left out. */
		struct split_row *rows = ret->rows + ret->count;
		uint32_t base = i * CHUNK_ROWS, from = is_first && first > base ? first - base : 0;
		uint32_t left = first + count - base;
		bool goes_on = is_first && cursor->chunk == i && cursor->at >= from && cursor->at < left &&
			       cursor->row.addr <= start;
		if (!goes_on)
			*cursor = (struct row_cursor){.chunk = i};
		from = cursor->at > from ? 0 : from - cursor->at;
		uint32_t to =
			unpack(chunk, from + cursor->at, left < CHUNK_ROWS ? left : CHUNK_ROWS, end, cursor, rows);
		if (is_first) {
			uint32_t above;
			SEARCH_FIRST(above, from + 1, to, rows[above].addr > start);
			from = above - 1;
			memmove(rows, rows + from, (to - from) * sizeof(*rows));
		}
		ret->count += to - from;
	}
	return true;
}
