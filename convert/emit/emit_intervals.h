/* Emission: the merged pieces, then symbols, then gaps, as one stream of intervals over all executable addresses. */
#ifndef LOCUS_EMIT_INTERVALS_H
#define LOCUS_EMIT_INTERVALS_H

#include "convert/elf/symbols.h"
#include "convert/emit/blocks.h"
#include "convert/emit/overlaps.h"
#include "spec/counters.h"

struct emission {
	const struct elf_file *linked;
	const struct exec_range *windows; /* the executable addresses that answers are emitted for: sorted, disjoint */
	size_t window_count;
	const struct symbols *symbols;
	const struct piece *pieces; /* as merge_pieces sorted them */
	uint32_t piece_count;
	const struct merged *merged;
	struct numbering *numbering;
	struct blocks *blocks;
	/* Out: bytes, drops, and the functions that are not the primary answer. The array is freed by the caller. */
	uint64_t coverage[LOCUS_COVERAGE_COUNT];
	uint64_t dropped[LOCUS_DROPPED_COUNT];
	struct locus_alternate *alternates;
	uint32_t alternate_count, alternate_room;
};

enum locus_status emit(struct emission *emission, struct locus_error *error);

#endif
