/*
 * A column is compressed as one zstd frame, and stored as it is if that would not be smaller. Where all columns of a
 * block together would be smaller than the format allows, a frame gets empty blocks: columns need not be compressed
 * again.
 */
#include "writer/pack.h"

#include <stdlib.h>

#include <xxhash.h>

#include "base/fail.h"

enum {
	COMPRESS_MIN = 24, /* bytes: in a smaller column, the frame's own bytes take what compression saves */
	LEVEL_WEIGHED = 11,
	SIZES_MAX = 10, /* bytes of the two numbers of a column, which have 33 bits at most */
	/* Magic, descriptor and window, of a frame that tells no size of its content (RFC 8878, 3.1.1). */
	FRAME_HEADER = 6,
	EMPTY_BLOCK = 3, /* zeros: the header of a raw block of no bytes, which is not the last (RFC 8878, 3.1.1.2) */
};

enum locus_status locus_packer_init(struct locus_packer *packer, int level, struct locus_error *error)
{
	*packer = (struct locus_packer){.level = level};
	if (level == 0)
		return LOCUS_OK;
	packer->context = ZSTD_createCCtx();
	if (!packer->context)
		return locus_fail_memory(error);
	if (ZSTD_isError(ZSTD_CCtx_setParameter(packer->context, ZSTD_c_compressionLevel, level)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(packer->context, ZSTD_c_contentSizeFlag, 0)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(packer->context, ZSTD_c_dictIDFlag, 0)))
		return locus_fail(error, LOCUS_ERR_USAGE, "zstd refuses level %d", level);
	return LOCUS_OK;
}

void locus_packer_done(struct locus_packer *packer)
{
	ZSTD_freeCCtx(packer->context);
	locus_buffer_done(&packer->frame);
	*packer = (struct locus_packer){0};
}

/* Sets how zstd searches in a column: its level, and how many bytes a match has at least (0: as the level says). */
static bool set_kind(struct locus_packer *packer, enum locus_pack_kind kind)
{
	static const struct {
		bool is_quickest; /* level 1, whatever the packer's is */
		int closer;       /* levels above the packer's */
		int match_min;
	} searches[] = {
		[LOCUS_PACK_PLAIN] = {false, 0, 0}, [LOCUS_PACK_CODES] = {false, 1, 0},
		[LOCUS_PACK_OPS] = {false, 0, 6},   [LOCUS_PACK_DISTANCES] = {true, 0, 6},
		[LOCUS_PACK_LINES] = {true, 0, 7},
	};
	int level = packer->level, match_min = 0;
	if (level < LEVEL_WEIGHED) {
		level = searches[kind].is_quickest ? 1 : level + searches[kind].closer;
		match_min = searches[kind].match_min;
	}
	return !ZSTD_isError(ZSTD_CCtx_setParameter(packer->context, ZSTD_c_compressionLevel, level)) &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(packer->context, ZSTD_c_minMatch, match_min));
}

void locus_packing_done(struct locus_packing *packing)
{
	locus_buffer_done(&packing->data);
	locus_buffer_done(&packing->hashes);
	*packing = (struct locus_packing){0};
}

/*
 * Appends a column's size and hash: with the size, no byte can move from one column to the next unseen (FORMAT.md 5.3).
 */
static void put_hash(struct locus_buffer *hashes, const struct locus_buffer *column)
{
	XXH128_hash_t hash = XXH3_128bits(column->size ? column->data : (const void *)"", column->size);
	locus_buffer_put_u64(hashes, column->size);
	locus_buffer_put_u64(hashes, hash.low64);
	locus_buffer_put_u64(hashes, hash.high64);
}

/*
 * Compresses a column into packer->frame. *ret is its size there, or the size of the column if compression does not
 * pay.
 */
static enum locus_status compress(struct locus_packer *packer, const struct locus_buffer *column,
				  enum locus_pack_kind kind, size_t *ret, struct locus_error *error)
{
	*ret = column->size;
	if (!packer->level || column->size < COMPRESS_MIN)
		return LOCUS_OK;
	size_t bound = ZSTD_compressBound(column->size);
	locus_buffer_clear(&packer->frame);
	if (!locus_buffer_grow(&packer->frame, bound) || !set_kind(packer, kind))
		return locus_fail_memory(error);
	size_t size = ZSTD_compress2(packer->context, packer->frame.data, bound, column->data, column->size);
	if (ZSTD_isError(size))
		return locus_fail(error, LOCUS_ERR_MEMORY, "zstd: %s", ZSTD_getErrorName(size));
	*ret = size < column->size ? size : column->size;
	return LOCUS_OK;
}

enum locus_status locus_packer_add(struct locus_packer *packer, struct locus_packing *packing,
				   const struct locus_buffer *column, enum locus_pack_kind kind,
				   struct locus_error *error)
{
	size_t size;
	if (column->failed)
		return locus_fail_memory(error);
	enum locus_status status = compress(packer, column, kind, &size, error);
	if (status != LOCUS_OK)
		return status;
	locus_buffer_put(&packing->data, size < column->size ? packer->frame.data : column->data, size);
	put_hash(&packing->hashes, column);
	packing->columns[packing->count++] = (struct locus_packed_column){(uint32_t)column->size, (uint32_t)size};
	packing->raw_size += column->size;
	return LOCUS_OK;
}

enum locus_status locus_packer_add_all(struct locus_packer *packer, struct locus_packing *packing,
				       const struct locus_buffer *columns, unsigned count,
				       const enum locus_pack_kind *kinds, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	for (unsigned i = 0; i < count && status == LOCUS_OK; i++)
		status = locus_packer_add(packer, packing, &columns[i], kinds[i], error);
	return status;
}

/* The columns of all parts of a block, one behind the other. */
struct block {
	unsigned count;
	uint64_t raw_size, size; /* of all columns; `size` without the numbers at the block's start */
	uint64_t size_min;       /* of the block, beside what the format asks of any */
	struct locus_packed_column columns[LOCUS_COLUMNS_MAX];
	const uint8_t *data[LOCUS_COLUMNS_MAX];
	unsigned largest; /* the column of the largest size before compression */
	uint32_t padding; /* bytes that are put into its frame */
};

static void block_add(struct block *block, const struct locus_packing *packing)
{
	/* C does not define even NULL + 0. */
	const uint8_t *data = packing->data.data ? packing->data.data : (const uint8_t *)"";
	for (unsigned i = 0; i < packing->count; i++) {
		unsigned number = block->count++;
		block->columns[number] = packing->columns[i];
		block->data[number] = data;
		data += packing->columns[i].size;
		block->size += packing->columns[i].size;
		if (packing->columns[i].raw_size > block->columns[block->largest].raw_size)
			block->largest = number;
	}
	block->raw_size += packing->raw_size;
	block->size_min += packing->size_min;
}

/*
 * A block that compresses better than the format allows is made larger: readers count on it that a file costs them no
 * more than its size allows. The largest of at most 16 columns has a sixteenth of all bytes. It is compressed, as the
 * whole block has less than a 64th of them, and stays smaller than its content when it is padded to that. The same is
 * true of the only column of a block that is to have a larger size, which is below its content's.
 */
static void block_pad(struct block *block)
{
	uint64_t needed = (block->raw_size + LOCUS_BLOCK_RAW_RATIO - 1) / LOCUS_BLOCK_RAW_RATIO;
	uint64_t size = 1 + block->count + block->size; /* or more: a column's size takes a byte or more */
	needed = needed < block->size_min ? block->size_min : needed;
	if (size < needed)
		block->padding = (uint32_t)((needed - size + EMPTY_BLOCK - 1) / EMPTY_BLOCK * EMPTY_BLOCK);
}

/* All sizes come first, then all columns (FORMAT.md 5.1). */
static void block_write(const struct block *block, struct locus_buffer *ret)
{
	if (!locus_buffer_reserve(ret, 1 + block->count * SIZES_MAX + block->size + block->padding))
		return;
	locus_buffer_put_byte(ret, (uint8_t)block->count);
	for (unsigned i = 0; i < block->count; i++) {
		uint32_t raw_size = block->columns[i].raw_size, size = block->columns[i].size;
		locus_buffer_put_varint(ret, (uint64_t)raw_size * 2 + (size < raw_size));
		if (size < raw_size)
			locus_buffer_put_varint(ret, size + (i == block->largest ? block->padding : 0));
	}
	for (unsigned i = 0; i < block->count; i++) {
		uint32_t header = i == block->largest && block->padding ? FRAME_HEADER : 0;
		locus_buffer_put(ret, block->data[i], header);
		if (header)
			locus_buffer_put_zeros(ret, block->padding);
		locus_buffer_put(ret, block->data[i] + header, block->columns[i].size - header);
	}
}

enum locus_status locus_packing_close(const struct locus_packing *parts, unsigned part_count, struct locus_packed *ret,
				      struct locus_error *error)
{
	struct block block = {0};
	struct locus_buffer bytes = {0}, hashes = {0};
	for (unsigned i = 0; i < part_count; i++) {
		if (parts[i].data.failed || parts[i].hashes.failed)
			return locus_fail_memory(error);
		block_add(&block, &parts[i]);
	}
	if (block.raw_size > LOCUS_BLOCK_RAW_MAX)
		return locus_fail(error, LOCUS_ERR_USAGE, "a block of %llu bytes is above the format's limit",
				  (unsigned long long)block.raw_size);
	block_pad(&block);
	block_write(&block, &bytes);

	for (unsigned i = 0; i < part_count; i++)
		locus_buffer_put(&hashes, parts[i].hashes.data, parts[i].hashes.size);
	enum locus_status status = bytes.failed || hashes.failed ? locus_fail_memory(error) : LOCUS_OK;
	if (status == LOCUS_OK) {
		XXH128_hash_t digest = XXH3_128bits(hashes.data, hashes.size);
		*ret = (struct locus_packed){
			.data = bytes.data,
			.size = bytes.size,
			.checksum = XXH3_64bits(bytes.data, bytes.size),
			.digest = {digest.low64, digest.high64},
			.raw_size = block.raw_size,
		};
	} else {
		locus_buffer_done(&bytes);
	}
	locus_buffer_done(&hashes);
	return status;
}

enum locus_status locus_packer_pack(struct locus_packer *packer, const struct locus_buffer *columns, unsigned count,
				    struct locus_packed *ret, struct locus_error *error)
{
	return locus_packer_pack_at_least(packer, 0, columns, count, LOCUS_PACK_PLAIN, ret, error);
}

enum locus_status locus_packer_pack_at_least(struct locus_packer *packer, uint64_t size_min,
					     const struct locus_buffer *columns, unsigned count,
					     enum locus_pack_kind kind, struct locus_packed *ret,
					     struct locus_error *error)
{
	struct locus_packing packing = {.size_min = size_min};
	enum locus_status status = LOCUS_OK;
	for (unsigned i = 0; i < count && status == LOCUS_OK; i++)
		status = locus_packer_add(packer, &packing, &columns[i], kind, error);
	if (status == LOCUS_OK)
		status = locus_packing_close(&packing, 1, ret, error);
	locus_packing_done(&packing);
	return status;
}
