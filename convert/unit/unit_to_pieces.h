/* Reading a unit: its rows, scopes and names become pieces, and the unit is forgotten. */
#ifndef LOCUS_UNIT_TO_PIECES_H
#define LOCUS_UNIT_TO_PIECES_H

#include "base/arena.h"
#include "convert/dwarf/die_reference.h"
#include "convert/unit/contexts.h"
#include "convert/unit/function_names.h"
#include "convert/unit/function_scopes.h"
#include "convert/unit/orphans.h"
#include "convert/unit/packed_intervals.h"
#include "convert/unit/piece.h"
#include "convert/unit/scopes.h"
#include "convert/unit/source_paths.h"
#include "convert/unit/split.h"
#include "convert/unit/symbol_names.h"
#include "convert/unit/unit_rows.h"
#include "spec/counters.h"

/* What all units share. */
struct shared {
	struct elf_file *linked; /* says what is executable */
	struct symbols *symbols;
	bool keeps_columns; /* of rows and calls */
	struct string_set strings;
	struct files files;
	struct intern_set functions; /* of struct function_key */
};

/* A unit as its functions are read: the same for all threads that read some of them. Borrowed. */
struct unit_view {
	const struct unit *unit;
	uint32_t index;                   /* among all units */
	const struct unit_rows *rows;     /* of the unit, or of its skeleton (RULES B13) */
	const struct scopes *name_scopes; /* of the whole unit */
};

/* What a unit comes to, beside its pieces. Freed by unit_sum_done. */
struct unit_sum {
	struct range_list covered;  /* addresses of its functions */
	uint64_t bytes, line_bytes; /* as in struct unit_result */
	struct complaints complaints;
};

/* Adds what is in `from`, which becomes empty. False: out of memory. */
bool unit_sum_join(struct unit_sum *sum, struct unit_sum *from);
void unit_sum_done(struct unit_sum *sum);

/* One thread's state, reused from unit to unit: what the stages of reading a unit hand to each other. */
struct unit_reader {
	struct shared *shared;

	/* Of the whole unit, or of the part that is read at a time. */
	struct unit_rows rows;
	struct scopes scopes;
	struct names names;
	uint64_t large_unit; /* the number of the one that `names` are of; 0: of another unit */
	struct symbol_names symbol_names;

	/* Of one function after the other. */
	struct function_scopes functions;
	struct splitter splitter;
	struct contexts contexts;

	/* Of one piece after the other. */
	struct chosen_rows chosen;
	struct interval_list intervals;
	struct interval_packer packer;

	/* Of the unit, or of the parts of it that this thread has read. */
	struct unit_sum sum;
	struct range_list orphans; /* what its rows cover beside its functions */

	/* What is left of all units. */
	struct arena arena; /* holds what the pieces point to, and the results */
	struct piece *pieces;
	uint32_t piece_count, piece_room;
	uint64_t dropped[LOCUS_DROPPED_COUNT];
};

void unit_reader_init(struct unit_reader *reader, struct shared *shared);
void unit_reader_done(struct unit_reader *reader);

/*
 * Reads a whole unit. `rows` is the unit whose line table holds the rows: itself, or the skeleton of a split one
 * (RULES B13). What is dropped is counted in reader->dropped; what cannot be read is LOCUS_ERR_BAD_DWARF, for a symbol
 * file with silent holes is worse than none. The result is in reader->arena, its pieces are among reader->pieces; both
 * may be taken over by others before unit_reader_done.
 */
enum locus_status unit_reader_read(struct unit_reader *reader, const struct unit *unit, struct unit *rows,
				   uint32_t unit_index, struct unit_result **ret, struct locus_error *error);

/*
 * Makes pieces of the functions in reader->scopes, and adds what they come to to reader->sum. names_begin was called
 * for the unit. False: out of memory.
 */
bool unit_reader_functions(struct unit_reader *reader, const struct unit_view *view);

/*
 * The end of a unit all of whose functions are in `sum`, which becomes empty: what its rows cover beside them, and the
 * result. `name` is the unit's; NULL: none.
 */
enum locus_status unit_reader_finish(struct unit_reader *reader, const struct unit_view *view, struct unit_sum *sum,
				     const char *name, struct unit_result **ret, struct locus_error *error);

/* A line table that no unit refers to (RULES B14): pieces of rows without functions. `rows` has only its lines set. */
enum locus_status unit_reader_read_lines(struct unit_reader *reader, struct unit *rows, uint32_t unit_index,
					 struct unit_result **ret, struct locus_error *error);

#endif
