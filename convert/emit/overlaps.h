/*
 * Where pieces of code overlap: which one answers at each address. Arrays in, arrays out; the order in which pieces
 * arrive has no effect.
 */
#ifndef LOCUS_OVERLAPS_H
#define LOCUS_OVERLAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/unit/piece.h"

/* Addresses that are answered by pieces[piece]: all of it, or a part. */
struct slice {
	uint64_t start;
	uint32_t size;
	uint32_t piece;
};

static inline uint64_t slice_end(const struct slice *slice)
{
	return slice->start + slice->size;
}

#define NOT_DISPLACED UINT32_MAX

struct overlaps {
	struct slice *slices; /* sorted, disjoint */
	uint32_t slice_count;
	uint32_t *displaced_by; /* by piece: which one took addresses from it first; NOT_DISPLACED: none did */
};

/* Whether `a` is preferred to `b` wherever both answer: a total order (RULES A6, C7, C8). */
bool piece_is_preferred(const struct piece *a, const struct piece *b);

/*
 * Sorts `pieces`, none of which is empty, by address and resolves where they overlap. Indices in `ret` are into the
 * sorted array. Freed by overlaps_done. False: out of memory.
 */
bool overlaps_resolve(struct piece *pieces, uint32_t piece_count, struct overlaps *ret);
void overlaps_done(struct overlaps *overlaps);

#endif
