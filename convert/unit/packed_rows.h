/*
 * Packs the rows of a large line table in a quarter of their memory: a stream of bytes in which each is given by its
 * difference from the one before. Reading can begin at every 64th row.
 */
#ifndef LOCUS_PACKED_ROWS_H
#define LOCUS_PACKED_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "convert/dwarf/rows.h"

/* 64 rows. */
struct row_chunk {
	struct split_row first;
	const uint8_t *bytes;
};

/* Zeroed before the first use; freed by packed_rows_done. */
struct packed_rows {
	struct row_chunk *chunks;
	uint32_t chunk_count, chunk_room;
	uint32_t count;            /* number of rows */
	struct split_row *pending; /* rows that are not packed in a chunk yet */
	struct arena arena;        /* the chunks' bytes */
};

/* Adds rows behind those that are there. False: out of memory, or more than 2^32 - 1 rows. */
bool packed_rows_add(struct packed_rows *packed, const struct split_row *rows, uint32_t count);

/* To be called once after the last row. False: out of memory. */
bool packed_rows_end(struct packed_rows *packed);

/* Rows that were unpacked. Zeroed before the first use, freed by the caller. */
struct row_buffer {
	struct split_row *rows;
	uint32_t count, room;
};

/*
 * Where the last packed_rows_get ended, for the next, which mostly goes on there: it need not search, nor unpack rows
 * twice. Zeroed before the first use with other rows.
 */
struct row_cursor {
	uint32_t chunk, at;   /* row `at` of the chunk; 0: nothing is known of the chunk's rows */
	struct split_row row; /* that row */
};

/*
 * Appends the rows that answer for [start, end) among rows [first, first + count), whose addresses ascend: the last at
 * or below `start` (if none is, the first of them), and those up to `end`. Safe from many threads, each with its own
 * `cursor` and `ret`. False: out of memory.
 */
bool packed_rows_get(const struct packed_rows *packed, uint32_t first, uint32_t count, uint64_t start, uint64_t end,
		     struct row_cursor *cursor, struct row_buffer *ret);

void packed_rows_done(struct packed_rows *packed);

#endif
