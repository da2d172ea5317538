/* Encoded blocks of intervals, to which the ids of their functions are added in the end (FORMAT.md 6.3). */
#ifndef LOCUS_COMPLETE_INTERVALS_H
#define LOCUS_COMPLETE_INTERVALS_H

#include "writer/encode_blocks.h"
#include "writer/locus_writer.h"
#include "writer/section_blocks.h"

/*
 * What locus_encoder_block makes: all columns but the functions' ids, compressed, and the functions whose ids are
 * missing.
 */
struct locus_encoded_columns {
	struct locus_packing packing;
	struct locus_packed source_columns; /* the block of section 6 that belongs to this one; data NULL: none */
	uint32_t function_count;
	uint32_t functions[]; /* ids as the encoder was given them, in the order of first use in the block */
};

void locus_encoded_columns_free(struct locus_encoded_columns *columns);

/* Blocks, and what the ids of their functions become. All borrowed, but for the blocks' packings: see below. */
struct locus_completion {
	const struct locus_encoded *blocks;
	uint32_t block_count;
	uint32_t function_count;
	/*
	 * By a function's id - 1, the number of its record, from 0: in the file, the id is that number + 1. NULL: ids
	 * stay as they are.
	 */
	const uint32_t *record_of;
};

/*
 * Completes the blocks with their functions' ids, and fills the section. The packing of a block is freed and emptied
 * once it is in the section, so that not all bytes are there twice. Other work is done with it. LOCUS_ERR_USAGE: a
 * block has a function above `function_count`.
 */
enum locus_status locus_intervals_complete(const struct locus_completion *completion, struct locus_other_work other,
					   struct locus_effort effort, struct locus_section_out *ret,
					   struct locus_error *error);

#endif
