/*
 * All line tables of a program, for whoever asks which row holds an address. Each is read when it is asked for and kept
 * until a number of others were asked for since.
 */
#ifndef LOCUS_LINE_TABLES_H
#define LOCUS_LINE_TABLES_H

#include "convert/cross_check/libdw_tree.h"
#include "convert/cross_check/plain_rows.h"

enum { LINE_TABLES_KEPT = 16 };

/* Where a table is, and which files its numbers stand for. */
struct table_place {
	uint64_t offset; /* in .debug_line */
	uint32_t unit;   /* the first of the tree that refers to it; UINT32_MAX: none does */
	struct plain_files files;
	bool has_files;    /* they were asked for */
	uint64_t asked_at; /* the number of the last question about an address that it was asked for */
};

/* A table whose rows are in memory. */
struct kept_table {
	struct plain_rows rows;
	struct span_index sequences; /* by index of the sequence */
	uint32_t table;              /* its index; UINT32_MAX: none is kept here */
	uint64_t used;               /* the number of the last question for it */
};

/* Zeroed before line_tables_read; freed by line_tables_done. One thread uses it. */
struct line_tables {
	const struct dwarf_sections *sections;
	const struct elf_file *program; /* whose executable code counts (RULES A1) */
	struct line_bytes bytes;
	struct table_place *tables; /* by offset */
	uint32_t count, room;
	struct span_index sequences; /* by index of the table: those that begin in executable code */
	struct kept_table kept[LINE_TABLES_KEPT];
	uint64_t question_count;
};

/* A row, and where it stands: by the index of its table, and of its sequence and itself in kept_table.rows. */
struct table_row {
	struct plain_row row;
	uint32_t table;
	uint32_t sequence;
	uint32_t index;
};

/* Rows that hold one address. Zeroed before the first is added, freed by table_rows_done. */
struct table_rows {
	struct table_row *rows;
	uint32_t count, room;
};

void table_rows_done(struct table_rows *rows);

/* Finds the tables, and the sequences of each. False: out of memory. `sections` and `program` are borrowed. */
bool line_tables_read(struct line_tables *tables, const struct dwarf_sections *sections, const struct tree *tree,
		      const struct elf_file *program);
void line_tables_done(struct line_tables *tables);

/* The index of the table at an offset of .debug_line; UINT32_MAX: there is none. */
uint32_t line_tables_find(const struct line_tables *tables, uint64_t offset);

/* A table with its rows, which are kept while fewer than LINE_TABLES_KEPT others are asked for. NULL: out of memory. */
const struct kept_table *line_tables_get(struct line_tables *tables, uint32_t table);

/* The directories and files of a table, read when they are first asked for. NULL: out of memory. */
const struct plain_files *line_tables_files(struct line_tables *tables, uint32_t table);

/*
 * Adds the rows that hold an address, those of one table or of all: one of each sequence there. Where a linker folded
 * equal functions into one, these may be thousands. False: out of memory, or beyond the budget (base/budget.h).
 */
bool line_tables_rows_of(struct line_tables *tables, uint32_t table, uint64_t addr, struct table_rows *rows);
bool line_tables_rows_at(struct line_tables *tables, uint64_t addr, struct table_rows *rows);

#endif
