/* Rows of line tables, as they are read from DWARF and then split into intervals. */
#ifndef LOCUS_ROWS_H
#define LOCUS_ROWS_H

#include <stdint.h>

/*
 * A row of a line table. It holds from `addr` on, until the next row or the end of the sequence. Columns are seldom
 * kept, and so stand in an array of their own.
 */
struct split_row {
	uint64_t addr;
	uint32_t file;
	uint32_t line;
};

#endif
