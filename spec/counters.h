/* Ids of the counters a file carries: coverage in bytes, and what each rule dropped. */
#ifndef LOCUS_COUNTERS_H
#define LOCUS_COUNTERS_H

/* Executable bytes by what is known of them. Ids are permanent; new ones go at the end. */
#define LOCUS_COVERAGE(X)                                                           \
	X(LINE, 0, "line", "function, file and line, no inlinee")                   \
	X(INLINE, 1, "inline", "as line, inside at least one inlinee")              \
	X(LINE_ZERO, 2, "line-zero", "function and file; the compiler gave line 0") \
	X(FUNCTION, 3, "function", "a DWARF function, no row")                      \
	X(SYMBOL, 4, "symbol", "a symbol, no DWARF function")                       \
	X(NONE, 5, "none", "nothing known")

/* What was dropped, by the rule that drops it. */
#define LOCUS_DROPPED(X)                                                                                  \
	X(TOMBSTONE, 0, "tombstone", "A2", "ranges and sequences at a dead address")                      \
	X(NOT_EXECUTABLE, 1, "not-executable", "A1", "ranges and sequences outside executable sections")  \
	X(BAD_RANGE, 2, "bad-range", "A3", "ranges that are backward, overflow or cannot be read")        \
	X(CLIPPED, 3, "clipped", "A1", "ranges clipped to the end of an executable section")              \
	X(EMPTY_SEQUENCE, 4, "empty-sequence", "B4", "sequences that end where they start")               \
	X(BACKWARD_ROW, 5, "backward-row", "B5", "rows below the one before them")                        \
	X(BAD_FILE, 6, "bad-file", "B11", "rows and calls whose file index is out of range")              \
	X(OUTSIDE_PARENT, 7, "outside-parent", "C3", "inlinee ranges outside the function they are in")   \
	X(TOO_DEEP, 8, "too-deep", "C9", "inlinees nested too deep")                                      \
	X(DUPLICATE, 9, "duplicate", "C7", "functions that several units describe at one address")        \
	X(OVERLAP, 10, "overlap", "C8", "functions that overlap another in part")                         \
	X(BAD_REFERENCE, 11, "bad-reference", "D1", "origins and names that lead nowhere, or in circles") \
	X(DAMAGED_LINES, 12, "damaged-lines", "-",                                                        \
	  "line tables of an unknown version, without an end, or with nonsense")                          \
	X(LONG_LINE, 13, "long-line", "-", "line numbers above 4294967294, kept as unknown")

enum locus_coverage {
#define X(id, value, name, text) LOCUS_COVERAGE_##id = value,
	LOCUS_COVERAGE(X)
#undef X
		LOCUS_COVERAGE_COUNT
};

enum locus_dropped {
#define X(id, value, name, rule, text) LOCUS_DROPPED_##id = value,
	LOCUS_DROPPED(X)
#undef X
		LOCUS_DROPPED_COUNT
};

#endif
