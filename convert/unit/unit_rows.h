/* The rows of a unit as they are laid over its functions: files have ids, live sequences are sorted by address. */
#ifndef LOCUS_UNIT_ROWS_H
#define LOCUS_UNIT_ROWS_H

#include "convert/dwarf/line_program.h"
#include "convert/unit/packed_rows.h"
#include "convert/unit/sequences.h"
#include "convert/unit/source_paths.h"

/* Which table was read last, and what its rows were made of: the next unit that has it need not read it again. */
struct rows_source {
	const struct dwarf *dwarf; /* NULL: none was read, or what it defined itself is known to its unit alone */
	uint64_t offset;
	uint64_t str_offsets_base;
	char *comp_dir; /* "": none */
	size_t comp_dir_room;
	uint32_t sequence_count; /* live sequences of the table */
};

/* Zeroed before the first unit, reused from unit to unit, freed by unit_rows_done. */
struct unit_rows {
	struct rows_source source;
	uint64_t source_dropped[LOCUS_DROPPED_COUNT]; /* counted while it was read */
	uint64_t bytes_read;                          /* of all tables */
	struct line_table table;                      /* for a large table, only its sequences */
	bool is_packed;
	uint64_t reading;          /* a number that no other table read by this process has */
	struct packed_rows packed; /* rows of a large table, with the ids of their files */
	uint32_t *bad_rows;        /* indexes of its rows that have no file, ascending (RULES B11) */
	uint32_t bad_row_count, bad_row_room;
	struct sequences sequences;
};

/* RULES A7: how many bytes of line tables may be read for the units of a program. */
uint64_t unit_rows_bytes_most(const struct dwarf *dwarf);

/* Sets *error to say that reading the table at `offset` of .debug_line exceeds this. Returns LOCUS_ERR_BAD_DWARF. */
enum locus_status unit_rows_fail_endless(uint64_t offset, struct locus_error *error);

/*
 * Reads the line table of `unit`, which may have none, unless it is the one that was read last. Files get ids from
 * `paths`. Sequences that start outside of executable code of `linked` are left out (RULES A1). What is dropped is
 * counted in `dropped`, by LOCUS_DROPPED_. LOCUS_ERR_BAD_DWARF: the program is cut off, or tables were read more often
 * than any compiler writes (RULES A7).
 */
enum locus_status unit_rows_read(struct unit_rows *rows, struct unit *unit, const struct elf_file *linked,
				 struct path_finder *paths, uint64_t dropped[LOCUS_DROPPED_COUNT],
				 struct locus_error *error);
void unit_rows_done(struct unit_rows *rows);

/* The rows that answer for a piece of code. Zeroed before the first use, reused, freed by chosen_rows_done. */
struct chosen_rows {
	struct chosen_spans chosen;
	const struct split_row *rows; /* the rows that the spans refer to */
	const uint32_t *columns;      /* by row; NULL: none are kept */
	struct row_buffer unpacked;
	struct row_cursor cursor; /* in the packed rows that are of the reading `cursor_reading` */
	uint64_t cursor_reading;
};

/* Like sequences_choose. Safe from many threads, each with its own `ret`. */
bool unit_rows_choose(const struct unit_rows *rows, uint64_t start, uint64_t end, const struct preference *prefer,
		      struct chosen_rows *ret);
void chosen_rows_done(struct chosen_rows *chosen);

#endif
