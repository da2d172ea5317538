/* The blocks of one section as the writer collects them, their index and their part of the digest (FORMAT.md 4, 5). */
#ifndef LOCUS_SECTION_BLOCKS_H
#define LOCUS_SECTION_BLOCKS_H

#include "writer/pack.h"

struct locus_section_out {
	struct locus_packed *blocks;
	uint32_t count;
	uint32_t capacity;
};

void locus_section_out_done(struct locus_section_out *section);

/* Makes room for `count` more blocks. */
enum locus_status locus_section_out_reserve(struct locus_section_out *section, uint32_t count,
					    struct locus_error *error);

/* Takes over the block's bytes, also on failure; *block becomes zero. */
enum locus_status locus_section_out_add(struct locus_section_out *section, struct locus_packed *block,
					struct locus_error *error);

/* Appends the section's index to `index`, and its directory entry to `directory`. */
void locus_section_out_index(const struct locus_section_out *section, enum locus_section id, struct locus_buffer *index,
			     struct locus_buffer *directory);

/* Appends the section's input of the content digest. */
void locus_section_out_digest(const struct locus_section_out *section, enum locus_section id,
			      struct locus_buffer *digest);

#endif
