/* Columns to the bytes of one block (FORMAT.md 5): each compressed where that makes it smaller. */
#ifndef LOCUS_PACK_H
#define LOCUS_PACK_H

#include <stdbool.h>

#include <zstd.h>

#include "spec/status.h"
#include "writer/buffer.h"

/* One thread's means to compress: a context, reused. */
struct locus_packer {
	int level; /* 0: store */
	ZSTD_CCtx *context;
	struct locus_buffer frame;
};

/* The bytes of a block, and what its index entry says of it. `data` is freed with free(). */
struct locus_packed {
	uint8_t *data;
	size_t size;
	uint64_t checksum;
	uint64_t digest[2];
	uint64_t raw_size;
	uint64_t key;
	uint32_t entry_count;
};

enum locus_status locus_packer_init(struct locus_packer *packer, int level, struct locus_error *error);
void locus_packer_done(struct locus_packer *packer);

/*
 * What a column holds, as far as it is worth another way to search for matches than the level's. Measured on C and C++:
 * where lines and distances seem to repeat they do so by chance, and short matches cost more than the bytes they
 * replace; codes, of which columns are short, are worth a closer look than text. From level 11 on zstd weighs that
 * itself.
 */
enum locus_pack_kind {
	LOCUS_PACK_PLAIN = 0,
	LOCUS_PACK_CODES,
	LOCUS_PACK_NUMBERS,
};

/*
 * Some neighbouring columns of a block, compressed: the block's columns may be packed at different times. All zero is
 * none.
 */
struct locus_packing {
	unsigned count;
	bool is_bounded; /* a column with which it would unfold more than a block may is stored */
	uint64_t raw_size;
	struct locus_buffer sizes; /* as they stand at the block's beginning */
	struct locus_buffer data;
	struct locus_buffer hashes; /* what the digest is taken over */
};

void locus_packing_done(struct locus_packing *packing);

/* Compresses one more column. */
enum locus_status locus_packer_add(struct locus_packer *packer, struct locus_packing *packing,
				   const struct locus_buffer *column, enum locus_pack_kind kind,
				   struct locus_error *error);

/*
 * Compresses neighbouring columns, the packing's first ones. `kinds`, by column, may be NULL: all plain. Together they
 * unfold no more than a block may.
 */
enum locus_status locus_packer_add_all(struct locus_packer *packer, struct locus_packing *packing,
				       const struct locus_buffer *columns, unsigned count,
				       const enum locus_pack_kind *kinds, struct locus_error *error);

/* Whether the columns of some parts, as a block, would unfold more than it may (FORMAT.md 5.1). */
bool locus_packing_unfolds_too_much(const struct locus_packing *parts, unsigned part_count);

/* Makes a block of the columns of all parts, in order. ret->key and ret->entry_count are left 0. */
enum locus_status locus_packing_close(const struct locus_packing *parts, unsigned part_count, struct locus_packed *ret,
				      struct locus_error *error);

/* All of a block at once. `kinds`, by column, may be NULL: all plain. ret->key and ret->entry_count are left 0. */
enum locus_status locus_packer_pack(struct locus_packer *packer, const struct locus_buffer *columns, unsigned count,
				    const enum locus_pack_kind *kinds, struct locus_packed *ret,
				    struct locus_error *error);

#endif
