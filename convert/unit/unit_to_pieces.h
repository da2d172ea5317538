/* Reads a unit: makes pieces of its rows, scopes and names. The unit is not needed afterwards. */
#ifndef LOCUS_UNIT_TO_PIECES_H
#define LOCUS_UNIT_TO_PIECES_H

#include "base/arena.h"
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

/* What all units of a conversion share. */
struct shared {
	struct elf_file *linked; /* says what is executable */
	struct symbols *symbols;
	bool keeps_columns; /* columns of rows and calls are kept */
	struct string_set strings;
	struct source_paths files;
	struct intern_set functions; /* of struct function_key */
};

/* What is the same for all threads that read functions of one unit. Borrowed. */
struct unit_view {
	const struct unit *unit;
	uint32_t index;                   /* its index among all units */
	const struct unit_rows *rows;     /* of the unit, or of its skeleton (RULES B13) */
	const struct scopes *name_scopes; /* of the whole unit */
};

/* The results of a unit beside its pieces. Freed by unit_sum_done. */
struct unit_sum {
	struct range_list covered;  /* the addresses of its functions */
	uint64_t bytes, line_bytes; /* as in struct unit_result */
	struct complaints complaints;
	bool has_dropped; /* the linker dropped one of its functions, and left it at 0 (RULES A2) */
};

/* Moves the results of `from` here. False: out of memory. */
bool unit_sum_join(struct unit_sum *sum, struct unit_sum *from);
void unit_sum_done(struct unit_sum *sum);

/* The state of one thread, reused from unit to unit: what the stages of reading a unit hand to each other. */
struct unit_reader {
	struct shared *shared;
	struct path_finder paths;

	/* Of the whole unit, or of the part that is being read: */
	struct unit_rows rows;
	struct scopes scopes;
	struct function_names names;
	uint64_t large_unit; /* the number of the large unit that `names` are for; 0: it is another unit */
	struct symbol_names symbol_names;

	/* Of the current function: */
	struct function_scopes functions;
	struct splitter splitter;
	struct contexts contexts;

	/* Of the current piece: */
	struct chosen_rows chosen;
	struct interval_list intervals;
	struct interval_packer packer;

	/* Of the unit, or of the parts of it that this thread has read: */
	struct unit_sum sum;
	bool leaves_rows; /* set by the caller: no pieces are made of rows that no function of the unit covers */

	/* The results of all units: */
	struct arena arena;              /* has the results, and what the pieces point to */
	struct unit_result *last_result; /* of the last unit; NULL: none */
	struct piece *pieces;
	uint32_t piece_count, piece_room;
	uint64_t dropped[LOCUS_DROPPED_COUNT];
};

void unit_reader_init(struct unit_reader *reader, struct shared *shared);
void unit_reader_done(struct unit_reader *reader);

/*
 * Reads a whole unit. `rows` is the unit whose line table has the rows: itself, or the skeleton of a split one (RULES
 * B13). What is dropped is counted in reader->dropped. Unreadable data is LOCUS_ERR_BAD_DWARF, because a symbol file
 * with silent holes is worse than none. The result is reader->last_result, in reader->arena, and its pieces are among
 * reader->pieces; all of them may be moved away before unit_reader_done.
 */
enum locus_status unit_reader_read(struct unit_reader *reader, const struct unit *unit, struct unit *rows,
				   uint32_t unit_index, struct locus_error *error);

/*
 * Makes pieces of the functions in reader->scopes, and adds their results to reader->sum. function_names_begin was
 * called for the unit. False: out of memory.
 */
bool unit_reader_functions(struct unit_reader *reader, const struct unit_view *view);

/* Makes pieces of rows that no function covers (RULES B14). False: out of memory. */
bool unit_reader_orphans(struct unit_reader *reader, const struct unit_view *view, const struct range *orphans,
			 uint32_t count);

/*
 * Finishes a unit of whose pieces the results are in `sum`, which becomes empty: makes the unit's result. `name` is the
 * unit's; NULL: none. False: out of memory.
 */
bool unit_reader_finish(struct unit_reader *reader, struct unit_sum *sum, const char *name, uint32_t unit_index);

/*
 * Reads a line table that no unit refers to (RULES B14): pieces of rows without functions. `rows` has only its lines
 * set.
 */
enum locus_status unit_reader_read_lines(struct unit_reader *reader, struct unit *rows, uint32_t unit_index,
					 struct locus_error *error);

#endif
