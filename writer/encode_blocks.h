/* Encodes the blocks of a section on several threads. */
#ifndef LOCUS_ENCODE_BLOCKS_H
#define LOCUS_ENCODE_BLOCKS_H

#include "writer/section_blocks.h"

/* The bytes of a block depend on the level alone. */
struct locus_effort {
	int level;             /* as in locus_packer_init */
	unsigned thread_count; /* how many may work at once: 1 or more */
};

/* A thread's working memory, reused from block to block. */
struct locus_block_room {
	struct locus_packer packer;
	struct locus_buffer columns[LOCUS_COLUMNS_MAX];
	void *scratch; /* scratch_size bytes */
};

/* Encodes block `index`; called on any thread, in any order. */
struct locus_block_work {
	enum locus_status (*encode)(const void *argument, uint32_t index, struct locus_block_room *room,
				    struct locus_packed *ret, struct locus_error *error);
	const void *argument;
	size_t scratch_size; /* bytes, 1 or more */
};

/*
 * Parts of other work, which threads do before they take blocks, so that none is idle while one does it. Part `index`
 * is done on any thread, in any order, and may use the thread's packer. All zero: there is none.
 */
struct locus_other_work {
	enum locus_status (*work)(void *argument, uint32_t index, struct locus_packer *packer,
				  struct locus_error *error);
	void *argument;
	uint32_t count; /* of parts */
};

/*
 * Puts blocks 0 to `count` - 1 into the section, which is empty. The bytes do not depend on the number of threads. On
 * failure the error is that of one of the blocks, or of the other work.
 */
enum locus_status locus_blocks_encode(struct locus_block_work work, uint32_t count, struct locus_other_work other,
				      struct locus_effort effort, struct locus_section_out *ret,
				      struct locus_error *error);

#endif
