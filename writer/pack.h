/* Compresses columns into the bytes of one block (FORMAT.md 5): each column only if that makes it smaller. */
#ifndef LOCUS_PACK_H
#define LOCUS_PACK_H

#include <zstd.h>

#include "spec/status.h"
#include "writer/buffer.h"

/* A compression context, which one thread reuses. */
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

/* `level` is zstd's, 0: nothing is compressed. */
enum locus_status locus_packer_init(struct locus_packer *packer, int level, struct locus_error *error);
void locus_packer_done(struct locus_packer *packer);

/*
 * What a column holds, if zstd should search for matches in another way than its level's: as measured for each column,
 * on C and C++. From level 11 on, zstd weighs that itself.
 */
enum locus_pack_kind {
	LOCUS_PACK_PLAIN = 0, /* it gains next to nothing from another way */
	LOCUS_PACK_CODES, /* functions' numbers, and all small tables: a closer search takes little and saves bytes */
	LOCUS_PACK_OPS,   /* they repeat at length, so that looking for short matches only takes time */
	LOCUS_PACK_DISTANCES, /* they repeat mostly by chance: a short match takes more bytes than it replaces */
	LOCUS_PACK_LINES,     /* the same, of even longer matches; what else is relative to a line, and escapes, too */
};

/* A column in locus_packing.data. No block has a column that needs more than 32 bits for its size. */
struct locus_packed_column {
	uint32_t raw_size;
	uint32_t size; /* of its frame; raw_size where it is stored */
};

/*
 * Some neighbouring columns of a block, compressed: columns of one block may be compressed at different times. All
 * zero: none yet.
 */
struct locus_packing {
	unsigned count;
	uint64_t raw_size;
	uint64_t size_min; /* bytes that the block has at least, fewer than raw_size; 0: any number */
	struct locus_packed_column columns[LOCUS_COLUMNS_MAX];
	struct locus_buffer data;
	struct locus_buffer hashes; /* the input of the digest */
};

void locus_packing_done(struct locus_packing *packing);

/* Compresses one more column. */
enum locus_status locus_packer_add(struct locus_packer *packer, struct locus_packing *packing,
				   const struct locus_buffer *column, enum locus_pack_kind kind,
				   struct locus_error *error);

/* Compresses neighbouring columns; `kinds` are by column. */
enum locus_status locus_packer_add_all(struct locus_packer *packer, struct locus_packing *packing,
				       const struct locus_buffer *columns, unsigned count,
				       const enum locus_pack_kind *kinds, struct locus_error *error);

/*
 * Makes a block of the columns of all parts, in order. Columns that would unfold to more than the format allows
 * (FORMAT.md 5.1) make the block larger, as a part's size_min does. ret->key and ret->entry_count are left 0.
 */
enum locus_status locus_packing_close(const struct locus_packing *parts, unsigned part_count, struct locus_packed *ret,
				      struct locus_error *error);

/* Compresses all columns of a block, as plain ones. ret->key and ret->entry_count are left 0. */
enum locus_status locus_packer_pack(struct locus_packer *packer, const struct locus_buffer *columns, unsigned count,
				    struct locus_packed *ret, struct locus_error *error);

/*
 * The same for columns of another kind, and for a block of `size_min` bytes at least: fewer than the columns have, or
 * 0.
 */
enum locus_status locus_packer_pack_at_least(struct locus_packer *packer, uint64_t size_min,
					     const struct locus_buffer *columns, unsigned count,
					     enum locus_pack_kind kind, struct locus_packed *ret,
					     struct locus_error *error);

#endif
