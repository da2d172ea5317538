/* The line-number program (DWARF 5, 6.2): a table's sequences of rows. */
#ifndef LOCUS_LINE_PROGRAM_H
#define LOCUS_LINE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/dwarf/line_header.h"
#include "convert/dwarf/rows.h"
#include "spec/status.h"

/*
 * A sequence of rows (RULES B1). Rows ascend strictly, lie in [start, end), and the first is at `start`. A row's file
 * is an index as the table counts (UINT32_MAX: beyond 32 bits); its line is 0 if it is unknown.
 */
struct sequence {
	uint64_t start;
	uint64_t end;
	uint64_t offset;    /* offset of its first opcode in .debug_line: gives the order, and is what
			       DW_AT_LLVM_stmt_sequence refers to */
	uint32_t row_first; /* index of its first row in the table */
	uint32_t row_count;
	/* The file and line that it begins with: those of its first row, before others at the same address replaced it.
	 */
	uint32_t first_file, first_line;
	uint32_t last_file, last_line; /* those of its last row, also if that is at its end */
};

/* Takes the rows of a large table while it is read, so that they need not all be in memory. */
struct row_sink {
	/* Gives the next `count` rows of the table, which it may change. False: out of memory. */
	bool (*take)(void *argument, struct split_row *rows, uint32_t count);
	void *argument;
};

/* What an opcode without operands does (DWARF 5, 6.2.5.1). */
struct line_step {
	uint32_t bytes; /* by which the address advances if instructions have one operation */
	int32_t line;   /* INT32_MIN: it makes no row */
};

struct line_table {
	struct split_row *rows;     /* the rows that no sink has taken */
	uint32_t *columns;          /* by row, if keeps_columns: 0 is unknown, as where the line is */
	struct sequence *sequences; /* in the order of the section */
	bool keeps_columns;         /* set by the caller before the first table; there may be no sink then */
	uint32_t row_count, row_room, column_room;
	uint32_t row_base; /* number of rows that a sink has taken: they were before rows[0] */
	uint32_t sequence_count, sequence_room;
	uint64_t tombstone_count; /* sequences dropped by RULES A2 and B5 */
	uint64_t empty_count;     /* sequences dropped by RULES B4 */
	uint64_t backward_count;  /* rows dropped by RULES B5 */
	uint64_t long_line_count; /* lines above 32 bits, kept as unknown */
	bool left_open;           /* the last sequence has no end, and is dropped */
	bool has_nonsense; /* an opcode has no bytes within a sequence, or an address of no size; it is passed over */
	int8_t line_base;  /* this and the next three are those that `steps` was made for */
	uint8_t line_range;
	uint8_t opcode_base;
	uint8_t min_inst_length;
	struct line_step steps[256]; /* by opcode */
	uint8_t operations[256];     /* by opcode: by which the address advances if instructions have several */
};

/*
 * Runs the program that `header` describes. Rows that follow each other with the same file and line, and column if
 * these are kept, become one row. `table` is emptied first, its memory reused; freed by line_table_done. Files that the
 * program defines are added to `header`. LOCUS_ERR_BAD_DWARF: the program ends inside an opcode.
 */
enum locus_status line_table_read(struct line_table *table, struct line_header *header, const uint8_t *section,
				  bool swap, struct locus_error *error);

/* Like line_table_read, but all rows go to `sink`, also those of sequences that are dropped in the end. */
enum locus_status line_table_read_into(struct line_table *table, struct line_header *header, const uint8_t *section,
				       bool swap, const struct row_sink *sink, struct locus_error *error);
void line_table_done(struct line_table *table);

#endif
