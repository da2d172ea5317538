/* Columns to the bytes of one block (FORMAT.md 5): each compressed where that makes it smaller. */
#include "writer/pack.h"

#include <stdlib.h>

#include <xxhash.h>

#include "base/fail.h"

enum {
	COMPRESS_MIN = 24, /* bytes: below, a frame's own bytes eat what it saves */
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

/* Appends the column to `data` and its sizes to `head`. */
static enum locus_status pack_column(struct locus_packer *packer, const struct locus_buffer *column,
				     enum locus_pack_kind kind, struct locus_buffer *head, struct locus_buffer *data,
				     struct locus_error *error)
{
	uint64_t size = column->size;
	if (packer->level && column->size >= COMPRESS_MIN) {
		size_t bound = ZSTD_compressBound(column->size);
		if (!locus_buffer_grow(data, bound) || !set_kind(packer, kind))
			return locus_fail_memory(error);
		size = ZSTD_compress2(packer->context, data->data + data->size, bound, column->data, column->size);
		if (ZSTD_isError(size))
			return locus_fail(error, LOCUS_ERR_MEMORY, "zstd: %s", ZSTD_getErrorName(size));
	}
	if (size < column->size) {
		locus_buffer_put_varint(head, (uint64_t)column->size * 2 + 1);
		locus_buffer_put_varint(head, size);
		data->size += size;
	} else {
		locus_buffer_put_varint(head, (uint64_t)column->size * 2);
		locus_buffer_put(data, column->data, column->size);
	}
	return LOCUS_OK;
}

/* Over each decoded column's size and hash, so that no byte can move from one column to the next (FORMAT.md 5.3). */
static bool digest_columns(const struct locus_buffer *columns, unsigned count, struct locus_packed *ret)
{
	struct locus_buffer hashes = {0};
	for (unsigned i = 0; i < count; i++) {
		XXH128_hash_t hash =
			XXH3_128bits(columns[i].size ? columns[i].data : (const void *)"", columns[i].size);
		locus_buffer_put_u64(&hashes, columns[i].size);
		locus_buffer_put_u64(&hashes, hash.low64);
		locus_buffer_put_u64(&hashes, hash.high64);
	}
	bool ok = !hashes.failed;
	if (ok) {
		XXH128_hash_t hash = XXH3_128bits(hashes.data, hashes.size);
		ret->digest[0] = hash.low64;
		ret->digest[1] = hash.high64;
	}
	locus_buffer_done(&hashes);
	return ok;
}

enum locus_status locus_packer_pack(struct locus_packer *packer, const struct locus_buffer *columns, unsigned count,
				    const enum locus_pack_kind *kinds, struct locus_packed *ret,
				    struct locus_error *error)
{
	struct locus_packed packed = {0};
	for (unsigned i = 0; i < count; i++) {
		if (columns[i].failed)
			return locus_fail_memory(error);
		packed.raw_size += columns[i].size;
	}
	if (packed.raw_size > LOCUS_BLOCK_RAW_MAX)
		return locus_fail(error, LOCUS_ERR_USAGE, "a block of %llu bytes is above the format's limit",
				  (unsigned long long)packed.raw_size);
	struct locus_buffer head = {0};
	locus_buffer_put_byte(&head, (uint8_t)count);
	locus_buffer_clear(&packer->frame);
	enum locus_status status = LOCUS_OK;
	for (unsigned i = 0; i < count && status == LOCUS_OK; i++)
		status = pack_column(packer, &columns[i], kinds ? kinds[i] : LOCUS_PACK_PLAIN, &head, &packer->frame,
				     error);
	locus_buffer_put(&head, packer->frame.data, packer->frame.size);
	if (status == LOCUS_OK && (head.failed || packer->frame.failed || !digest_columns(columns, count, &packed)))
		status = locus_fail_memory(error);
	if (status != LOCUS_OK) {
		locus_buffer_done(&head);
		return status;
	}
	packed.checksum = XXH3_64bits(head.data, head.size);
	packed.data = head.data;
	packed.size = head.size;
	*ret = packed;
	return LOCUS_OK;
}
