/*
 * Line programs, run by the book: DWARF 5, 6.2, one state and one row at a time. It is a second reading beside the
 * converter's own (convert/dwarf/line_program.c), which it is held against, and slower.
 */
#ifndef LOCUS_PLAIN_ROWS_H
#define LOCUS_PLAIN_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/cross_check/plain_files.h"

struct plain_row {
	uint64_t addr;
	uint64_t file;
	uint64_t line;
	uint32_t column;
};

/* Rows [first, first + count) hold from their address to the next one's, the last to `end`. */
struct plain_sequence {
	uint64_t start;
	uint64_t end;
	uint32_t first;
	uint32_t count;
};

/* One table. Zeroed before the first use, which may be followed by others; freed by plain_rows_done. */
struct plain_rows {
	struct plain_row *rows;
	uint32_t row_count, row_room;
	struct plain_sequence *sequences; /* in the order of the program, whatever code they are of */
	uint32_t sequence_count, sequence_room;
	struct plain_file *defined; /* files that the program adds to those of the header */
	uint32_t defined_count, defined_room;
};

/*
 * Runs the program of the table at `offset`. *ret_next is where the next table is. *ret_known: the table is of a
 * version that has a meaning. False: out of memory. What is cut off ends early.
 */
bool plain_rows_read(struct plain_rows *rows, const struct line_bytes *bytes, uint64_t offset, uint64_t *ret_next,
		     bool *ret_known);
void plain_rows_done(struct plain_rows *rows);

/* The row of the sequence that holds `addr`; NULL: it is outside. */
const struct plain_row *plain_rows_find(const struct plain_rows *rows, const struct plain_sequence *sequence,
					uint64_t addr);

#endif
