/*
 * Pieces of code with their intervals, and the contexts that these refer to: all that is kept of a unit once it is
 * read.
 */
#ifndef LOCUS_PIECE_H
#define LOCUS_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in the inline tree. */
struct context {
	uint32_t function;  /* intern id; UINT32_MAX: unknown */
	uint32_t caller;    /* index among the function's contexts; NO_CONTEXT: the function itself */
	uint32_t call_file; /* intern id; 0: unknown */
	uint32_t call_line; /* 0: unknown */
};

#define NO_CONTEXT UINT32_MAX

/* What all pieces of a function share, or all pieces of a unit's rows that no function covers. */
struct unit_function {
	uint64_t die; /* offset of its DIE: decides between pieces that are otherwise equal; UINT64_MAX: it has none */
	uint32_t unit_index;
	uint32_t context_count; /* they stand behind this: see piece_contexts */
};

/*
 * One contiguous part of one function, or rows that no function of their unit covers. A function may have a million
 * parts, so a piece holds only what is its own.
 */
struct piece {
	uint64_t start;
	union { /* its intervals: see piece_intervals */
		const uint8_t *large;
		/* Without INTERVALS_PADDING: the bytes of the next fields are read instead, whatever they are. */
		uint8_t small[8];
	};
	const struct unit_function *function;
	uint32_t size;
	bool is_small : 1;    /* its intervals are few bytes, in `small` */
	bool is_function : 1; /* false: rows without a function (RULES B14) */
	bool is_padding : 1; /* without a function: its first row began before it, and other code follows (RULES B14) */
	bool is_entry : 1;   /* the part with the entry, not a .cold one (RULES C2) */
	bool has_inlinees : 1;     /* some of its inlinees answer (RULES C7) */
	bool has_rows : 1;         /* some of its rows have a line (RULES C7) */
	bool has_columns : 1;      /* its intervals and calls are kept with columns */
	bool has_linkage : 1;      /* its function has a linkage name in DWARF */
	bool is_misplaced : 1;     /* the symbol table has another function there, and this one elsewhere (RULES A6) */
	bool at_others_symbol : 1; /* the symbol table has another function there, wherever this one is (RULES C7) */
	bool at_symbol : 1;        /* a symbol starts exactly at its start (RULES C8) */
	bool symbol_is_name : 1;   /* a symbol at its function's entry is the function's own name (RULES D3) */
	bool is_displaced : 1;     /* another piece has some of its addresses: see overlaps_resolve */
	bool has_one_name : 1; /* the only symbol at its start is a name of the function: none is another (RULES D6) */
};

static inline uint64_t piece_end(const struct piece *piece)
{
	return piece->start + piece->size;
}

/* Its intervals as intervals_pack made them. Those that stand in the piece itself are nearly always a single one. */
static inline const uint8_t *piece_intervals(const struct piece *piece)
{
	return piece->is_small ? (const uint8_t *)piece + offsetof(struct piece, small) : piece->large;
}

/* The contexts of the piece's function; its own is the first. */
static inline const struct context *piece_contexts(const struct piece *piece)
{
	return (const struct context *)(piece->function + 1);
}

/* The column of each context's call, 0 if it is unknown; they stand behind the contexts. NULL: columns are not kept. */
static inline const uint32_t *piece_call_columns(const struct piece *piece)
{
	const struct context *end = piece_contexts(piece) + piece->function->context_count;
	return piece->has_columns ? (const uint32_t *)end : NULL;
}

struct unit_result {
	struct unit_result *before; /* the unit that the same thread read before it; NULL: none */
	const char *name;           /* for messages; NULL: none */
	uint64_t bytes;             /* bytes of its functions */
	uint64_t line_bytes;        /* of these, bytes with a line */
	uint32_t unit_index;
	bool has_dropped; /* as in struct unit_sum */
};

#endif
