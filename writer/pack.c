/* A column is compressed as one zstd frame, and stored as it is if that would not be smaller. */
#include "writer/pack.h"

#include <stdlib.h>

#include <xxhash.h>

#include "base/fail.h"

enum {
	COMPRESS_MIN = 24, /* bytes: in a smaller column, the frame's own bytes take what compression saves */
	LEVEL_WEIGHED = 11,
	NUMBERS_MATCH_MIN = 7, /* bytes */
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

static bool set_kind(struct locus_packer *packer, enum locus_pack_kind kind)
{
	int level = packer->level, match_min = 0;
	if (level < LEVEL_WEIGHED && kind == LOCUS_PACK_CODES)
		level++;
	if (level < LEVEL_WEIGHED && kind == LOCUS_PACK_NUMBERS) {
		level = 1;
		match_min = NUMBERS_MATCH_MIN;
	}
	return !ZSTD_isError(ZSTD_CCtx_setParameter(packer->context, ZSTD_c_compressionLevel, level)) &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(packer->context, ZSTD_c_minMatch, match_min));
}

void locus_packing_done(struct locus_packing *packing)
{
	locus_buffer_done(&packing->sizes);
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

static bool unfolds_too_much(uint64_t raw_size, uint64_t size)
{
	return raw_size > size * LOCUS_BLOCK_RAW_RATIO;
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
	bool is_smaller = size < column->size &&
			  !(packing->is_bounded && unfolds_too_much(packing->raw_size + column->size,
								    packing->sizes.size + packing->data.size + size));
	locus_buffer_put_varint(&packing->sizes, (uint64_t)column->size * 2 + is_smaller);
	if (is_smaller)
		locus_buffer_put_varint(&packing->sizes, size);
	locus_buffer_put(&packing->data, is_smaller ? packer->frame.data : column->data,
			 is_smaller ? size : column->size);
	put_hash(&packing->hashes, column);
	packing->raw_size += column->size;
	packing->count++;
	return LOCUS_OK;
}

bool locus_packing_unfolds_too_much(const struct locus_packing *parts, unsigned part_count)
{
	uint64_t raw_size = 0, size = 1; /* 1 for the byte with the number of columns */
	for (unsigned i = 0; i < part_count; i++) {
		raw_size += parts[i].raw_size;
		size += parts[i].sizes.size + parts[i].data.size;
	}
	return unfolds_too_much(raw_size, size);
}

enum locus_status locus_packer_add_all(struct locus_packer *packer, struct locus_packing *packing,
				       const struct locus_buffer *columns, unsigned count,
				       const enum locus_pack_kind *kinds, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	for (unsigned i = 0; i < count && status == LOCUS_OK; i++)
		status = locus_packer_add(packer, packing, &columns[i], kinds ? kinds[i] : LOCUS_PACK_PLAIN, error);
	if (status != LOCUS_OK || packing->is_bounded || !locus_packing_unfolds_too_much(packing, 1))
		return status;
	locus_packing_done(packing);
	packing->is_bounded = true;
	return locus_packer_add_all(packer, packing, columns, count, kinds, error);
}

enum locus_status locus_packing_close(const struct locus_packing *parts, unsigned part_count, struct locus_packed *ret,
				      struct locus_error *error)
{
	struct locus_buffer block = {0}, hashes = {0};
	uint64_t raw_size = 0;
	unsigned count = 0;
	for (unsigned i = 0; i < part_count; i++) {
		count += parts[i].count;
		raw_size += parts[i].raw_size;
		block.failed |= parts[i].sizes.failed || parts[i].data.failed || parts[i].hashes.failed;
	}

	/* The block has all sizes first, then all columns (FORMAT.md 5.1). */
	locus_buffer_put_byte(&block, (uint8_t)count);
	for (unsigned i = 0; i < part_count; i++)
		locus_buffer_put(&block, parts[i].sizes.data, parts[i].sizes.size);
	for (unsigned i = 0; i < part_count; i++)
		locus_buffer_put(&block, parts[i].data.data, parts[i].data.size);
	for (unsigned i = 0; i < part_count; i++)
		locus_buffer_put(&hashes, parts[i].hashes.data, parts[i].hashes.size);

	enum locus_status status = block.failed || hashes.failed ? locus_fail_memory(error) : LOCUS_OK;
	if (status == LOCUS_OK && raw_size > LOCUS_BLOCK_RAW_MAX)
		status = locus_fail(error, LOCUS_ERR_USAGE, "a block of %llu bytes is above the format's limit",
				    (unsigned long long)raw_size);
	if (status == LOCUS_OK) {
		XXH128_hash_t digest = XXH3_128bits(hashes.data, hashes.size);
		*ret = (struct locus_packed){
			.data = block.data,
			.size = block.size,
			.checksum = XXH3_64bits(block.data, block.size),
			.digest = {digest.low64, digest.high64},
			.raw_size = raw_size,
		};
	} else {
		locus_buffer_done(&block);
	}
	locus_buffer_done(&hashes);
	return status;
}

enum locus_status locus_packer_pack(struct locus_packer *packer, const struct locus_buffer *columns, unsigned count,
				    const enum locus_pack_kind *kinds, struct locus_packed *ret,
				    struct locus_error *error)
{
	struct locus_packing packing = {0};
	enum locus_status status = locus_packer_add_all(packer, &packing, columns, count, kinds, error);
	if (status == LOCUS_OK)
		status = locus_packing_close(&packing, 1, ret, error);
	locus_packing_done(&packing);
	return status;
}
