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

/* How pieces share the addresses where they overlap. Most pieces overlap nothing, and take no memory here. */
struct overlaps {
	const struct piece *pieces; /* borrowed; sorted by address */
	uint32_t piece_count;
	struct slice *slices; /* of the pieces that are displaced: sorted, disjoint */
	uint32_t slice_count;
	uint32_t *displaced_by; /* by piece, for displaced ones alone: the piece that took addresses from it first */
};

/* A walk over all slices, in the order of addresses. Zeroed but for `overlaps` at first. */
struct slice_walk {
	const struct overlaps *overlaps;
	uint32_t next_piece; /* of the pieces that are not displaced, the first that the walk has not passed */
	uint32_t next_slice; /* the same of overlaps->slices */
};

/* The next slice: a whole piece that is not displaced, or one of those in overlaps->slices. False: there is none. */
static inline bool slice_walk_next(struct slice_walk *walk, struct slice *ret)
{
	const struct overlaps *overlaps = walk->overlaps;
	uint32_t next = walk->next_piece;
	while (next < overlaps->piece_count && overlaps->pieces[next].is_displaced)
		next++;
	walk->next_piece = next;
	const struct piece *piece = next < overlaps->piece_count ? &overlaps->pieces[next] : NULL;
	if (walk->next_slice < overlaps->slice_count &&
	    (!piece || overlaps->slices[walk->next_slice].start < piece->start)) {
		*ret = overlaps->slices[walk->next_slice++];
		return true;
	}
	if (!piece)
		return false;
	*ret = (struct slice){piece->start, piece->size, next};
	walk->next_piece++;
	return true;
}

/* Whether `a` is preferred to `b` wherever both answer: a total order (RULES A6, C7, C8). */
bool piece_is_preferred(const struct piece *a, const struct piece *b);

/*
 * Sorts `pieces`, none of which is empty, by address and resolves where they overlap; sets their is_displaced. They are
 * borrowed by `ret`, which is freed by overlaps_done. False: out of memory.
 */
bool overlaps_resolve(struct piece *pieces, uint32_t piece_count, struct overlaps *ret);
void overlaps_done(struct overlaps *overlaps);

#endif
