/* What is left of a unit once it is read: pieces of code with their intervals, and the contexts these refer to. */
#ifndef LOCUS_PIECE_H
#define LOCUS_PIECE_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/unit/split.h"

/* A place in the inline tree. */
struct context {
	uint32_t function;  /* intern id; UINT32_MAX: unknown */
	uint32_t caller;    /* index into the unit's contexts; NO_CONTEXT: the function itself */
	uint32_t call_file; /* intern id; 0: unknown */
	uint32_t call_line; /* 0: unknown */
};

#define NO_CONTEXT UINT32_MAX

/* One contiguous part of one function, or rows that no function of their unit covers. */
struct piece {
	uint64_t start;
	uint64_t end;
	uint64_t die; /* offset of the function's DIE: the last word between equals */
	const struct unit_result *unit;
	uint32_t unit_index;
	uint32_t interval_first; /* into the unit's intervals */
	uint32_t interval_count;
	uint32_t context_first; /* the function's contexts among the unit's; the first is the function itself */
	uint32_t context_count;
	uint32_t inlinee_count; /* how rich it is (RULES C7) */
	uint32_t row_count;
	bool is_function; /* false: rows without a function (RULES B14) */
	bool is_entry;    /* the part with the entry, not a .cold one (RULES C2) */
	bool has_linkage;
	bool is_misplaced;   /* the symbol table has another function there (RULES A6) */
	bool at_symbol;      /* a symbol starts exactly where it does (RULES C8) */
	bool symbol_is_name; /* that symbol is the function's own name (RULES D3) */
};

struct unit_result {
	const struct interval *intervals;
	const struct context *contexts;
	const char *name;    /* for messages; NULL: none */
	uint64_t bytes;      /* of functions */
	uint64_t line_bytes; /* of these, with a line */
};

#endif
