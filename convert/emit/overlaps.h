/* Merging: which unit's piece answers at each address. Pure: arrays in, arrays out, the order of arrival without
 * effect. */
#ifndef LOCUS_OVERLAPS_H
#define LOCUS_OVERLAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/unit/piece.h"

/* Addresses [start, end) are answered by pieces[piece]. */
struct slice {
	uint64_t start;
	uint64_t end;
	uint32_t piece;
};

#define NOT_BEATEN UINT32_MAX

struct merged {
	struct slice *slices; /* sorted, disjoint */
	uint32_t slice_count;
	uint32_t *beaten_by; /* by piece: which one took addresses from it first; NOT_BEATEN: none did */
};

/* Whether `a` is preferred to `b` wherever both answer: a total order (RULES A6, C7, C8). */
bool piece_before(const struct piece *a, const struct piece *b);

/*
 * Sorts `pieces` by address and resolves where they overlap. Indices in `ret` are into the sorted array. Freed by
 * merged_done. False: out of memory.
 */
bool merge_pieces(struct piece *pieces, uint32_t piece_count, struct merged *ret);
void merged_done(struct merged *merged);

#endif
