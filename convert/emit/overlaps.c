/*
 * Pieces are swept by address with a heap of those that are open, the preferred one on top. A piece that has ended
 * stays in the heap until it comes to the top. Linear where nothing overlaps, n log n where everything does.
 */
#include "convert/emit/overlaps.h"

#include <stdlib.h>

#include "base/order.h"
#include "base/sort.h"

static bool same_range(const struct piece *a, const struct piece *b)
{
	return a->start == b->start && a->size == b->size;
}

bool piece_is_preferred(const struct piece *a, const struct piece *b)
{
	if (a->is_misplaced != b->is_misplaced) /* RULES A6 */
		return b->is_misplaced;
	if (a->at_others_symbol != b->at_others_symbol) /* RULES C7, C8 */
		return b->at_others_symbol;
	if (a->is_function != b->is_function)
		return a->is_function;
	if (!same_range(a, b)) { /* RULES C8, A6 */
		if (a->at_symbol != b->at_symbol)
			return a->at_symbol;
		if (a->size != b->size)
			return a->size < b->size;
	}
	/*
	 * RULES C7. The number of inlinees and rows decides nothing: of several copies a linker keeps the first, whose
	 * unit comes first, and a copy that was compiled to other code may well have more of them.
	 */
	if (a->has_inlinees != b->has_inlinees)
		return a->has_inlinees;
	if (a->has_rows != b->has_rows)
		return a->has_rows;
	if (a->has_linkage != b->has_linkage)
		return a->has_linkage;
	const struct unit_function *x = a->function, *y = b->function;
	if (x->unit_index != y->unit_index)
		return x->unit_index < y->unit_index;
	return x->die != y->die ? x->die < y->die : a->start < b->start;
}

static int compare_pieces(const void *x, const void *y)
{
	const struct piece *a = x, *b = y;
	if (a->start != b->start)
		return order_of(a->start, b->start);
	return piece_is_preferred(a, b) ? -1 : piece_is_preferred(b, a);
}

/* The pieces that are open, the preferred one first. */
struct heap {
	const struct piece *pieces;
	uint32_t *items;
	uint32_t count;
};

static void heap_push(struct heap *heap, uint32_t piece)
{
	uint32_t at = heap->count++;
	while (at) {
		uint32_t parent = (at - 1) / 2;
		if (!piece_is_preferred(&heap->pieces[piece], &heap->pieces[heap->items[parent]]))
			break;
		heap->items[at] = heap->items[parent];
		at = parent;
	}
	heap->items[at] = piece;
}

static void heap_pop(struct heap *heap)
{
	uint32_t last = heap->items[--heap->count], at = 0;
	for (;;) {
		uint32_t child = 2 * at + 1;
		if (child >= heap->count)
			break;
		if (child + 1 < heap->count &&
		    piece_is_preferred(&heap->pieces[heap->items[child + 1]], &heap->pieces[heap->items[child]]))
			child++;
		if (piece_is_preferred(&heap->pieces[last], &heap->pieces[heap->items[child]]))
			break;
		heap->items[at] = heap->items[child];
		at = child;
	}
	heap->items[at] = last;
}

/* Adds a slice, unless it is a whole piece: then nothing displaces that. */
static void add_slice(struct overlaps *overlaps, const struct slice *slice)
{
	if (slice->size != overlaps->pieces[slice->piece].size)
		overlaps->slices[overlaps->slice_count++] = *slice;
}

/* No piece is empty, so those that are open at `addr` and have not ended answer there. */
static void sweep(struct piece *pieces, uint32_t count, struct heap *heap, struct overlaps *overlaps)
{
	struct slice slice = {0}; /* the last, which may go on; empty: there is none */
	uint64_t addr = 0;
	for (uint32_t next = 0;;) {
		/* Pop ended pieces first, or a new piece would be recorded as displaced by one that is already over. */
		while (heap->count && piece_end(&pieces[heap->items[0]]) <= addr)
			heap_pop(heap);
		if (!heap->count) {
			if (next == count)
				break;
			addr = pieces[next].start;
		}

		/* Open the pieces that start here. Whichever of a new one and the top is not preferred has lost. */
		for (; next < count && pieces[next].start == addr; next++) {
			uint32_t top = heap->count ? heap->items[0] : next;
			pieces[next].is_displaced = false;
			heap_push(heap, next);
			if (top == next)
				continue;
			bool wins = heap->items[0] == next;
			uint32_t loser = wins ? top : next;
			if (!pieces[loser].is_displaced)
				overlaps->displaced_by[loser] = wins ? next : top;
			pieces[loser].is_displaced = true;
		}

		/* The top answers until it ends, or until another piece opens that may be preferred. */
		uint32_t top = heap->items[0];
		uint64_t until = piece_end(&pieces[top]);
		if (next < count && pieces[next].start < until)
			until = pieces[next].start;
		if (slice.size && (slice.piece != top || slice_end(&slice) != addr)) {
			add_slice(overlaps, &slice);
			slice.size = 0;
		}
		if (!slice.size)
			slice = (struct slice){.start = addr, .piece = top};
		slice.size += (uint32_t)(until - addr);
		addr = until;
	}
	if (slice.size)
		add_slice(overlaps, &slice);
}

bool overlaps_resolve(struct piece *pieces, uint32_t piece_count, struct overlaps *ret)
{
	/* Each start and each end opens at most one slice. Memory that is not needed is not touched. */
	struct overlaps overlaps = {
		.pieces = pieces,
		.piece_count = piece_count,
		.slices = malloc((2 * (size_t)piece_count + 1) * sizeof(*overlaps.slices)),
		.displaced_by = malloc(((size_t)piece_count + 1) * sizeof(*overlaps.displaced_by)),
	};
	struct heap heap = {.pieces = pieces, .items = malloc(((size_t)piece_count + 1) * sizeof(*heap.items))};
	bool memory = overlaps.slices && overlaps.displaced_by && heap.items;
	if (memory) {
		sort_by_address(pieces, piece_count, sizeof(*pieces), compare_pieces);
		sweep(pieces, piece_count, &heap, &overlaps);
		*ret = overlaps;
	} else {
		overlaps_done(&overlaps);
	}
	free(heap.items);
	return memory;
}

void overlaps_done(struct overlaps *overlaps)
{
	free(overlaps->slices);
	free(overlaps->displaced_by);
	*overlaps = (struct overlaps){0};
}
