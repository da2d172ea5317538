/* Rows of line tables, as they are read from DWARF and then split into intervals. */
#ifndef LOCUS_ROWS_H
#define LOCUS_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/range_list.h"

/*
 * A row of a line table. It holds from `addr` on, until the next row or the end of the sequence. Columns are seldom
 * kept, and so stand in an array of their own.
 */
struct split_row {
	uint64_t addr;
	uint32_t file;
	uint32_t line;
};

/* Whether a linker or compiler wrote `addr` for code that is gone: 2^8n-1 or 2^8n-2 for n bytes (RULES A2). */
static inline bool address_is_dead(uint64_t addr, uint8_t address_size)
{
	uint64_t all_ones = address_size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * address_size) - 1;
	return addr == all_ones || addr == all_ones - 1;
}

#endif
