/* The live sequences of a unit by address, and which of them answer for a piece of code if they overlap. */
#ifndef LOCUS_SEQUENCES_H
#define LOCUS_SEQUENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/dwarf/line_program.h"
#include "convert/elf/elf.h"
#include "convert/unit/split.h"
#include "spec/counters.h"

/* A sequence as it is laid over functions. */
struct sequence_span {
	struct row_span span;
	uint64_t offset;     /* in .debug_line */
	uint64_t reach;      /* the highest end of this one and all before it */
	uint32_t first_file; /* as in struct sequence, but numbered like the files of rows once these are */
	uint32_t first_line;
	uint32_t last_file, last_line; /* the same */
};

/*
 * The first or the last row of a sequence of a group: of more sequences than are compared one by one, each of which
 * overlaps another, while none outside overlaps one of them.
 */
struct outer_row {
	uint64_t start; /* of the sequence */
	uint32_t file, line;
	uint32_t span; /* the index of the sequence */
};

struct sequences {
	struct sequence_span *spans; /* by start, then offset */
	uint32_t count, room;
	uint32_t *group_ends; /* indexes of the spans behind each group, ascending */
	uint32_t group_count, group_room;
	struct outer_row *outer_rows; /* of all groups, ascending by each field in turn */
	uint32_t outer_row_count, outer_row_room;
};

/* The result of sequences_choose: sorted, disjoint. Zeroed before the first use; freed by chosen_spans_done. */
struct chosen_spans {
	struct row_span *spans;
	uint32_t count, room;
};

void sequences_done(struct sequences *sequences);

/* Takes the sequences that start in executable code of `linked` (RULES A1). False: out of memory. */
bool sequences_gather(struct sequences *sequences, const struct line_table *lines, const struct elf_file *linked,
		      uint64_t dropped[LOCUS_DROPPED_COUNT]);

/*
 * Makes them ready to be chosen from, once the file and line of each one's first and last row are set. False: out of
 * memory.
 */
bool sequences_index(struct sequences *sequences);

/* What decides which of several sequences is preferred if they overlap (RULES B10). */
struct preference {
	uint64_t stmt_sequence; /* UINT64_MAX: not given */
	uint32_t decl_file;     /* numbered like the files of rows */
	uint32_t decl_line;
	uint64_t start; /* start of the part */
	uint64_t end;   /* 0: where the part ends prefers none */
};

/*
 * Chooses the rows that answer for [start, end). If more than 64 sequences overlap at one place, the best of those that
 * begin at prefer->start is found, and what it leaves is filled by the best of the first 64 by address, of which those
 * at 0 or 1 come last. False: out of memory, or beyond the budget (base/budget.h).
 */
bool sequences_choose(const struct sequences *sequences, uint64_t start, uint64_t end, const struct preference *prefer,
		      struct chosen_spans *ret);
void chosen_spans_done(struct chosen_spans *chosen);

/*
 * Whether a sequence that holds `addr` ends at `end`. If more than 64 may, only the first 64 by address are compared.
 */
bool sequences_end_at(const struct sequences *sequences, uint64_t addr, uint64_t end);

#endif
