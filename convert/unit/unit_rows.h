/* The rows of a unit, ready to be laid over its functions: files numbered, live sequences by address. */
#ifndef LOCUS_UNIT_ROWS_H
#define LOCUS_UNIT_ROWS_H

#include "convert/dwarf/line_program.h"
#include "convert/unit/packed_rows.h"
#include "convert/unit/sequences.h"
#include "convert/unit/source_paths.h"

/* Zeroed before the first unit, reused from unit to unit, freed by unit_rows_done. */
struct unit_rows {
	struct line_table table; /* of a large one, only the sequences are there */
	bool is_packed;
	struct packed_rows packed; /* its rows, with their files' ids */
	uint32_t *bad_rows;        /* those of them that have no file, ascending (RULES B11) */
	uint32_t bad_row_count, bad_row_room;
	struct sequences sequences;
};

/*
 * Reads the line table of `unit`, which may have none. Files are numbered in `files`; sequences that start outside the
 * executable set of `linked` are left out (RULES A1). What is dropped is counted in `dropped`, by LOCUS_DROPPED_.
 * LOCUS_ERR_BAD_DWARF where the program is cut off, or too many units share line tables (RULES A7).
 */
enum locus_status unit_rows_read(struct unit_rows *rows, struct unit *unit, const struct elf_file *linked,
				 struct files *files, uint64_t dropped[LOCUS_DROPPED_COUNT], struct locus_error *error);
void unit_rows_done(struct unit_rows *rows);

/* The rows that answer for a piece of code. Zeroed before the first use, reused, freed by chosen_rows_done. */
struct chosen_rows {
	struct chosen_spans chosen;
	const struct split_row *rows; /* what the spans are of */
	const uint32_t *columns;      /* by row; NULL: none are kept */
	struct row_buffer unpacked;
};

/* As sequences_choose. Safe from many threads, each with its own `ret`. */
bool unit_rows_choose(const struct unit_rows *rows, uint64_t start, uint64_t end, const struct preference *prefer,
		      struct chosen_rows *ret);
void chosen_rows_done(struct chosen_rows *chosen);

#endif
