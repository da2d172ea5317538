/*
 * Pieces that several threads have made, in one list by their starts: all threads sort at once, and then the
 * list of each is merged into that of those before. overlaps_resolve decides between those of one start.
 */
#ifndef LOCUS_MERGE_PIECES_H
#define LOCUS_MERGE_PIECES_H

#include <stdint.h>

#include "convert/unit/piece.h"

/* Sorts pieces by their starts. */
void pieces_sort(struct piece *pieces, uint32_t count);

/*
 * Merges `from_count` sorted pieces into the sorted ones at `pieces`, behind which there is room for them. Pages of
 * `from` are given back meanwhile, so that not all pieces are held twice: what is in it is lost.
 */
void pieces_merge(struct piece *pieces, uint32_t count, struct piece *from, uint32_t from_count);

#endif
