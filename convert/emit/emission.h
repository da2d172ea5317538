/* What goes into the file's intervals and alternates, and what the walks over it count and find. */
#ifndef LOCUS_EMISSION_H
#define LOCUS_EMISSION_H

#include "convert/emit/aliases.h"
#include "convert/emit/blocks.h"
#include "convert/emit/overlaps.h"
#include "convert/emit/symbol_spans.h"
#include "spec/counters.h"

struct emission {
	const struct exec_range *asked; /* the executable addresses that answers are emitted for: sorted, disjoint */
	size_t asked_count;
	const struct symbols *symbols;
	struct symbol_spans symbol_spans;
	const struct piece *pieces; /* as overlaps_resolve sorted them */
	uint32_t piece_count;
	const struct overlaps *overlaps;
	struct output_ids *ids;
	struct blocks *blocks;
	struct aliases aliases; /* found once blocks_end_side_work was called */

	/* Results: bytes of code by kind of answer, what was dropped, and the names beside the answers (malloc'd). */
	uint64_t coverage[LOCUS_COVERAGE_COUNT];
	uint64_t dropped[LOCUS_DROPPED_COUNT];
	struct locus_alternate *alternates;
	uint32_t alternate_count, alternate_room;
};

#endif
