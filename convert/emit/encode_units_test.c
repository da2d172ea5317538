/*
 * What is written of pieces made by hand: each interval, the names beside them, coverage, and what was dropped; with
 * blocks of any size, and several threads.
 */
#include "convert/emit/encode_units.h"

#include "base/parallel.h"
#include "base/toolkit_test.h"
#include "convert/unit/packed_intervals.h"
#include "reader/locus.h"

/* ---- What cases are made of ---- */

enum { FILE_NONE, FILE_A, FILE_B, FILES };
static const char *const file_names[FILES] = {[FILE_A] = "a", [FILE_B] = "b"};

enum { F, G, H, F_AGAIN, F_OF_B, F_OF_NONE, MAIN, BOTH, BOTH_IN_NAME, VARIANT, UNNAMED, FUNCTIONS };
static char f_again[] = "f"; /* equal to the name of F, and elsewhere in memory */
static const struct {
	const char *linkage, *name;
	unsigned decl_file, decl_line;
} functions[FUNCTIONS] = {
	[F] = {NULL, "f", FILE_A, 5},
	[G] = {"_Z1gv", NULL, FILE_NONE, 0},
	[H] = {"h_link", "h", FILE_NONE, 0},
	[F_AGAIN] = {NULL, f_again, FILE_A, 5},
	[F_OF_B] = {NULL, "f", FILE_B, 5},
	[MAIN] = {NULL, "main", FILE_NONE, 0},
	[F_OF_NONE] = {NULL, "f", FILE_NONE, 5},
	[BOTH_IN_NAME] = {NULL, "both", FILE_NONE, 0},
	[BOTH] = {"both", "both", FILE_NONE, 0},
	[VARIANT] = {"_ZN1SC2Ev", NULL, FILE_NONE, 0},
};

/* What a function's contexts are: itself, then inlinees, of which a caller stands before its callees. */
enum { DEPTH_MAX = 6, INTERVALS_MAX = 8, PIECES_MAX = 4, SYMBOLS_MAX = 6, RANGES_MAX = 3 };
struct made_context {
	unsigned function, caller, call_file, call_line, call_column;
};

/* An interval with a line or without ends where the next one begins; one that starts at 0 behind the first: none. */
struct made_piece {
	uint64_t start, end;
	unsigned unit;
	bool is_rows, is_cold, is_padding, at_symbol, symbol_is_name, is_misplaced, has_one_name;
	uint32_t context_count; /* 0: 1 */
	struct made_context contexts[DEPTH_MAX];
	struct interval intervals[INTERVALS_MAX];
};

struct write_case {
	const char *name;
	struct made_piece pieces[PIECES_MAX];
	struct symbol symbols[SYMBOLS_MAX];
	struct exec_range exec[RANGES_MAX];  /* none: [0, 100) */
	struct exec_range asked[RANGES_MAX]; /* none: all */
	/*
	 * "START NAME@PART+KIND FILE:LINE < CALLER FILE:LINE, ...; alternates: NAME START+SIZE KIND; coverage; dropped"
	 */
	const char *expected;
	bool keeps_columns;
};

#define ONE_CONTEXT(function) .contexts = {{function, NO_CONTEXT, 0, 0, 0}}
#define G_IN_F                .context_count = 2, .contexts = {{F, NO_CONTEXT, 0, 0, 0}, {G, 0, FILE_A, 9, 3}}

/* clang-format off */
static const struct write_case cases[] = {
	{"nothing", .expected = ";; none 100;"},
	{"a function", {{10, 20, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}, {4, 0, FILE_A, 2, 0}}}},
	 .expected = "10 f@10+entry a:1, 14 f@10+entry a:2, 20 -;; line 10 none 90;"},
	{"a part of it", {{10, 20, .is_cold = true, ONE_CONTEXT(H), .intervals = {{0, 0, FILE_B, 1, 0}}}},
	 .expected = "10 h=h_link@10+other b:1, 20 -;; line 10 none 90;"},
	{"all that is executable", {{0, 100, ONE_CONTEXT(G), .intervals = {{0, 0, FILE_B, 1, 0}}}},
	 .expected = "0 _Z1gv@0+entry b:1, 100 -;; line 100;"},
	{"what has no line", {{10, 20, G_IN_F, .intervals =
	  {{0, 0, 0, 0, 0}, {3, 0, FILE_A, 0, 0}, {5, 1, FILE_A, 0, 0}, {9, 1, 0, 0, 0}}}},
	 .expected = "10 f@10+entry ?:0, 13 f@10+entry a:0, 15 _Z1gv a:0 < f@10+entry a:9, 19 _Z1gv ?:0 < f@10+entry a:9, "
		     "20 -;; line-zero 6 function 4 none 90;"},
	{"inlinees", {{10, 30, .context_count = 4, .contexts =
	  {{F, NO_CONTEXT, 0, 0, 0}, {G, 0, FILE_A, 9, 0}, {H, 1, FILE_B, 8, 0}, {G, 0, 0, 0, 0}},
	  .intervals = {{0, 0, FILE_A, 1, 0}, {2, 2, FILE_B, 3, 0}, {5, 1, FILE_B, 3, 0}, {7, 2, FILE_B, 3, 0}, {9, 3, FILE_A, 4, 0}}}},
	 .expected = "10 f@10+entry a:1, 12 h=h_link b:3 < _Z1gv b:8 < f@10+entry a:9, 15 _Z1gv b:3 < f@10+entry a:9, "
		     "17 h=h_link b:3 < _Z1gv b:8 < f@10+entry a:9, 19 _Z1gv a:4 < f@10+entry ?:0, 30 -;; "
		     "line 2 inline 18 none 80;"},
	{"a function without a name", {{10, 20, ONE_CONTEXT(UNNAMED), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .expected = "10 ?@10+entry a:1, 20 -;; line 10 none 90;"},
	{"what touches", {{10, 20, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {20, 30, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .expected = "10 f@10+entry a:1, 20 f@20+entry a:1, 30 -;; line 20 none 80;"},
	{"a name that is the linkage name", {{10, 20, ONE_CONTEXT(BOTH), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .expected = "10 both=both@10+entry a:1, 20 -;; line 10 none 90;"},
	{"RULES D3: a symbol makes it so, wherever it stands", {{10, 20, .symbol_is_name = true, ONE_CONTEXT(MAIN),
	  .intervals = {{0, 0, FILE_A, 1, 0}}}, {20, 30, .context_count = 2, .contexts = {{F, NO_CONTEXT, 0, 0, 0}, {MAIN, 0, FILE_A, 9, 0}},
	  .intervals = {{0, 1, FILE_A, 1, 0}}}},
	 .expected = "10 main=main@10+entry a:1, 20 main=main a:1 < f@20+entry a:9, 30 -;; line 10 inline 10 none 80;"},

	{"a copy that was inlined is the same function",
	 {{10, 20, ONE_CONTEXT(BOTH), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {20, 30, .context_count = 2, .contexts = {{G, NO_CONTEXT, 0, 0, 0}, {BOTH_IN_NAME, 0, FILE_A, 9, 0}},
	   .intervals = {{0, 1, FILE_A, 1, 0}}}},
	 .expected = "10 both=both@10+entry a:1, 20 both=both a:1 < _Z1gv@20+entry a:9, 30 -;; line 10 inline 10 none 80;"},
	{"so it is where the function itself is not asked for",
	 {{10, 20, .symbol_is_name = true, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {20, 30, .context_count = 2, .contexts = {{G, NO_CONTEXT, 0, 0, 0}, {F_AGAIN, 0, FILE_A, 9, 0}},
	   .intervals = {{0, 1, FILE_A, 1, 0}}}},
	 .asked = {{20, 21}},
	 .expected = "20 f=f a:1 < _Z1gv@20+entry a:9, 21 -;; inline 1;"},
	{"a function of another file is another",
	 {{10, 20, .symbol_is_name = true, ONE_CONTEXT(F_OF_B), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {20, 30, .context_count = 2, .contexts = {{G, NO_CONTEXT, 0, 0, 0}, {F_OF_NONE, 0, FILE_A, 9, 0}},
	   .intervals = {{0, 1, FILE_A, 1, 0}}}},
	 .asked = {{20, 21}},
	 .expected = "20 f a:1 < _Z1gv@20+entry a:9, 21 -;; inline 1;"},
	{"no function is asked for",
	 {{10, 20, .symbol_is_name = true, ONE_CONTEXT(MAIN), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .asked = {{20, 21}},
	 .expected = ";; none 1;"},

	/* Where pieces overlap. */
	{"RULES C7: two functions in one place", {{10, 20, .unit = 1, ONE_CONTEXT(G), .intervals = {{0, 0, FILE_A, 2, 0}}},
	  {10, 20, ONE_CONTEXT(H), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .expected = "10 h=h_link@10+entry a:1, 20 -; _Z1gv 10+10 folded; line 10 none 90;"},
	{"RULES C7: one function of two units", {{10, 20, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {10, 20, .unit = 1, ONE_CONTEXT(F_AGAIN), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .expected = "10 f@10+entry a:1, 20 -;; line 10 none 90; duplicate 1"},
	{"two of one name and different files", {{10, 20, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {10, 20, .unit = 1, ONE_CONTEXT(F_OF_B), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .expected = "10 f@10+entry a:1, 20 -; f 10+10 folded; line 10 none 90;"},
	{"RULES C8: one in another", {{10, 30, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}, {8, 0, FILE_A, 2, 0}}},
	  {15, 20, ONE_CONTEXT(G), .intervals = {{0, 0, FILE_B, 1, 0}}}},
	 .expected = "10 f@10+entry a:1, 15 _Z1gv@15+entry b:1, 20 f@10+entry a:2, 30 -; f 10+20 overlap; "
		     "line 20 none 80; overlap 1"},
	{"RULES C8: two that cross", {{10, 30, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {20, 35, ONE_CONTEXT(G), .intervals = {{0, 0, FILE_B, 1, 0}}}},
	 .expected = "10 f@10+entry a:1, 20 _Z1gv@20+entry b:1, 35 -; f 10+20 overlap; line 25 none 75; overlap 1"},
	{"the one before is smaller", {{10, 22, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {20, 35, ONE_CONTEXT(G), .intervals = {{0, 0, FILE_B, 1, 0}, {4, 0, FILE_B, 2, 0}}}},
	 .expected = "10 f@10+entry a:1, 22 _Z1gv@20+entry b:1, 24 _Z1gv@20+entry b:2, 35 -; _Z1gv 20+15 overlap; "
		     "line 25 none 75; overlap 1"},
	{"one name of two units",
	 {{10, 20, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {10, 20, .unit = 1, ONE_CONTEXT(G), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {10, 20, .unit = 2, ONE_CONTEXT(G), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .expected = "10 f@10+entry a:1, 20 -; _Z1gv 10+10 folded; line 10 none 90;"},
	{"one name of two sizes",
	 {{10, 15, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {10, 30, .unit = 1, ONE_CONTEXT(G), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {10, 20, .unit = 2, ONE_CONTEXT(G), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .expected = "10 f@10+entry a:1, 15 _Z1gv@10+entry a:1, 30 -; _Z1gv 10+10 overlap, _Z1gv 10+20 overlap; "
		     "line 20 none 80; overlap 2"},
	{"rows lose to a function, and have no name", {{10, 30, .is_rows = true, ONE_CONTEXT(UNNAMED), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {15, 20, ONE_CONTEXT(G), .intervals = {{0, 0, FILE_B, 1, 0}}}},
	 .expected = "10 ?@10+entry a:1, 15 _Z1gv@15+entry b:1, 20 ?@20+entry a:1, 30 -;; line 20 none 80;"},

	/* RULES B9: neighbours with one answer are one. */
	{"one answer of two pieces", {{10, 30, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {10, 20, .unit = 1, ONE_CONTEXT(F_AGAIN), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .expected = "10 f@10+entry a:1, 30 -;; line 20 none 80; duplicate 1"},
	{"another line", {{10, 30, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 2, 0}}},
	  {10, 20, .unit = 1, ONE_CONTEXT(F_AGAIN), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .expected = "10 f@10+entry a:1, 20 f@10+entry a:2, 30 -;; line 20 none 80; duplicate 1"},
	{"another file", {{10, 30, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_B, 1, 0}}},
	  {10, 20, .unit = 1, ONE_CONTEXT(F_AGAIN), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .expected = "10 f@10+entry a:1, 20 f@10+entry b:1, 30 -;; line 20 none 80; duplicate 1"},
	{"another kind of part", {{10, 30, .is_cold = true, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {10, 20, .unit = 1, ONE_CONTEXT(F_AGAIN), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .expected = "10 f@10+entry a:1, 20 f@10+other a:1, 30 -;; line 20 none 80; duplicate 1"},
	{"one chain of two pieces", {{10, 30, G_IN_F, .intervals = {{0, 1, FILE_A, 1, 0}}},
	  {10, 20, .unit = 1, .context_count = 3, .contexts = {{F_AGAIN, NO_CONTEXT, 0, 0, 0}, {H, 0, 0, 0, 0}, {G, 0, FILE_A, 9, 3}},
	  .intervals = {{0, 2, FILE_A, 1, 0}}}},
	 .expected = "10 _Z1gv a:1 < f@10+entry a:9, 30 -;; inline 20 none 80; duplicate 1"},
	{"called from another line", {{10, 30, G_IN_F, .intervals = {{0, 1, FILE_A, 1, 0}}},
	  {10, 20, .unit = 1, .context_count = 2, .contexts = {{F_AGAIN, NO_CONTEXT, 0, 0, 0}, {G, 0, FILE_A, 8, 3}},
	  .intervals = {{0, 1, FILE_A, 1, 0}}}},
	 .expected = "10 _Z1gv a:1 < f@10+entry a:8, 20 _Z1gv a:1 < f@10+entry a:9, 30 -;; inline 20 none 80; duplicate 1"},
	{"from another file", {{10, 30, G_IN_F, .intervals = {{0, 1, FILE_A, 1, 0}}},
	  {10, 20, .unit = 1, .context_count = 2, .contexts = {{F_AGAIN, NO_CONTEXT, 0, 0, 0}, {G, 0, FILE_B, 9, 3}},
	  .intervals = {{0, 1, FILE_A, 1, 0}}}},
	 .expected = "10 _Z1gv a:1 < f@10+entry b:9, 20 _Z1gv a:1 < f@10+entry a:9, 30 -;; inline 20 none 80; duplicate 1"},
	{"another inlinee", {{10, 30, G_IN_F, .intervals = {{0, 1, FILE_A, 1, 0}}},
	  {10, 20, .unit = 1, .context_count = 2, .contexts = {{F_AGAIN, NO_CONTEXT, 0, 0, 0}, {H, 0, FILE_A, 9, 3}},
	  .intervals = {{0, 1, FILE_A, 1, 0}}}},
	 .expected = "10 h=h_link a:1 < f@10+entry a:9, 20 _Z1gv a:1 < f@10+entry a:9, 30 -;; inline 20 none 80; duplicate 1"},
	{"one inlinee more", {{10, 30, G_IN_F, .intervals = {{0, 1, FILE_A, 1, 0}}},
	  {10, 20, .unit = 1, .context_count = 3, .contexts = {{F_AGAIN, NO_CONTEXT, 0, 0, 0}, {G, 0, FILE_A, 9, 3}, {G, 1, FILE_A, 9, 3}},
	  .intervals = {{0, 2, FILE_A, 1, 0}}}},
	 .expected = "10 _Z1gv a:1 < _Z1gv a:9 < f@10+entry a:9, 20 _Z1gv a:1 < f@10+entry a:9, 30 -;; "
		     "inline 20 none 80; duplicate 1"},
	{"in another function", {{10, 30, G_IN_F, .intervals = {{0, 1, FILE_A, 1, 0}}},
	  {10, 20, .unit = 1, .context_count = 2, .contexts = {{F_OF_B, NO_CONTEXT, 0, 0, 0}, {G, 0, FILE_A, 9, 3}},
	  .intervals = {{0, 1, FILE_A, 1, 0}}}},
	 .expected = "10 _Z1gv a:1 < f@10+entry a:9, 20 _Z1gv a:1 < f@10+entry a:9, 30 -; f 10+20 overlap; "
		     "inline 20 none 80; overlap 1"},

	/* Symbols: RULES E2, E3. */
	{"with a size", .symbols = {{10, 5, "one", 0, 0, false}, {15, 2, "_Z3twov", 1, 0, false}, {20, 200, "three", 0, 0, false}},
	 .expected = "10 one=one@10+symbol ?:0, 15 _Z3twov@15+symbol s.c:0, 17 -, 20 three=three@20+symbol ?:0, 100 -;; "
		     "symbol 87 none 13;"},
	{"without", .symbols = {{10, 0, "one", 0, 0, false}, {20, 0, "dynamic", 0, 0, true}, {30, 0, "three", 0, 0, false}},
	 .expected = "10 one=one@10+symbol ?:0, 20 dynamic=dynamic@20+symbol ?:0, 21 -, 30 three=three@30+symbol ?:0, 100 -;; "
		     "symbol 81 none 19;"},
	{"one in another", .symbols = {{10, 20, "one", 0, 0, false}, {15, 5, "two", 0, 0, false}, {18, 2, "three", 0, 0, false}},
	 .expected = "10 one=one@10+symbol ?:0, 15 two=two@15+symbol ?:0, 18 three=three@18+symbol ?:0, "
		     "20 one=one@10+symbol ?:0, 30 -;; symbol 20 none 80;"},
	{"two that cross", .symbols = {{10, 10, "one", 0, 0, false}, {15, 10, "two", 0, 0, false}},
	 .expected = "10 one=one@10+symbol ?:0, 15 two=two@15+symbol ?:0, 25 -;; symbol 15 none 85;"},
	{"RULES D6: several at one address", .symbols = {{10, 10, "one", 0, 0, false}, {10, 4, "two", 0, 1, false}, {10, 0, "_Z5threev", 0, 2, false}},
	 .expected = "10 one=one@10+symbol ?:0, 20 -; two=two 10+0 alias, _Z5threev 10+0 alias; symbol 10 none 90;"},
	{"around a function", {{15, 20, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}}}, .symbols = {{10, 20, "sized", 0, 0, false}},
	 .expected = "10 sized=sized@10+symbol ?:0, 15 f@15+entry a:1, 20 sized=sized@10+symbol ?:0, 30 -;; "
		     "line 5 symbol 15 none 80;"},
	{"a function ends one without a size", {{15, 20, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .symbols = {{10, 0, "unsized", 0, 0, false}, {40, 0, "next", 0, 0, false}},
	 .expected = "10 unsized=unsized@10+symbol ?:0, 15 f@15+entry a:1, 20 -, 40 next=next@40+symbol ?:0, 100 -;; "
		     "line 5 symbol 65 none 30;"},
	{"rows do not end it", {{15, 20, .is_rows = true, ONE_CONTEXT(UNNAMED), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .symbols = {{10, 0, "unsized", 0, 0, false}},
	 .expected = "10 unsized=unsized@10+symbol ?:0, 15 unsized=unsized@10+symbol a:1, 20 unsized=unsized@10+symbol ?:0, 100 -;; "
		     "line 5 symbol 85 none 10;"},
	{"RULES D6: the symbols at a function", {{10, 20, ONE_CONTEXT(H), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .symbols = {{10, 10, "h", 0, 0, false}, {10, 10, "h_lin", 0, 0, false}, {10, 10, "h_link", 0, 0, false}, {10, 9, "other", 0, 0, false}},
	 .expected = "10 h=h_link@10+entry a:1, 20 -; h_lin=h_lin 10+0 alias, other=other 10+0 alias; line 10 none 90;"},
	{"which are not compared again if the only one is its name", {{10, 20, .has_one_name = true, ONE_CONTEXT(H), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .symbols = {{10, 10, "other", 0, 0, false}},
	 .expected = "10 h=h_link@10+entry a:1, 20 -;; line 10 none 90;"},
	{"variants of a constructor are one name", {{10, 20, ONE_CONTEXT(VARIANT), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .symbols = {{10, 10, "_ZN1SC1Ev", 0, 0, false}, {10, 10, "_ZN1TC1Ev", 0, 0, false}},
	 .expected = "10 _ZN1SC2Ev@10+entry a:1, 20 -; _ZN1TC1Ev 10+0 alias; line 10 none 90;"},
	{"a symbol within a function names nothing", {{10, 20, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .symbols = {{12, 2, "inside", 0, 0, false}}, .expected = "10 f@10+entry a:1, 20 -;; line 10 none 90;"},
	{"two at rows name them", {{10, 20, .is_rows = true, ONE_CONTEXT(UNNAMED), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .symbols = {{10, 10, "one", 0, 0, false}, {10, 10, "two", 0, 0, false}},
	 .expected = "10 one=one@10+symbol a:1, 20 -; two=two 10+0 alias; line 10 none 90;"},

	/* RULES B14: rows that no function covers. */
	{"named by symbols", {{10, 30, .is_rows = true, ONE_CONTEXT(UNNAMED), .intervals = {{0, 0, FILE_A, 1, 0}, {12, 0, FILE_A, 2, 0}}}},
	 .symbols = {{8, 4, "one", 1, 0, false}, {15, 5, "_Z3twov", 0, 0, false}, {25, 50, "three", 0, 0, false}},
	 .expected = "8 one=one@8+symbol s.c:0, 10 one=one@8+symbol a:1, 12 ?@12+entry a:1, 15 _Z3twov@15+symbol a:1, "
		     "20 ?@20+entry a:1, 22 ?@20+entry a:2, 25 three=three@25+symbol a:2, 30 three=three@25+symbol ?:0, 75 -;; "
		     "line 20 symbol 47 none 33;"},
	{"padding in front of a symbol", {{10, 30, .is_rows = true, .is_padding = true, ONE_CONTEXT(UNNAMED), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .symbols = {{20, 10, "pfx", 1, 0, false}},
	 .expected = "10 ?@10+entry a:1, 20 pfx=pfx@20+symbol s.c:0, 30 -;; line 10 symbol 10 none 80;"},
	{"in front of a row without a function", {{10, 30, .is_rows = true, .is_padding = true, ONE_CONTEXT(UNNAMED),
	  .intervals = {{0, 0, FILE_A, 1, 0}, {12, 0, FILE_A, 2, 0}}}},
	 .symbols = {{15, 7, "pfx", 0, 0, false}, {22, 8, "asm", 0, 0, false}},
	 .expected = "10 ?@10+entry a:1, 15 pfx=pfx@15+symbol ?:0, 22 asm=asm@22+symbol a:2, 30 -;; line 13 symbol 7 none 80;"},
	{"that has the row, too", {{10, 30, .is_rows = true, .is_padding = true, ONE_CONTEXT(UNNAMED),
	  .intervals = {{0, 0, FILE_A, 1, 0}, {12, 0, FILE_A, 2, 0}}}},
	 .symbols = {{15, 15, "asm", 0, 0, false}},
	 .expected = "10 ?@10+entry a:1, 15 asm=asm@15+symbol a:1, 22 asm=asm@15+symbol a:2, 30 -;; line 20 none 80;"},
	{"that begins with it", {{10, 30, .is_rows = true, .is_padding = true, ONE_CONTEXT(UNNAMED), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .symbols = {{10, 20, "pfx", 0, 0, false}}, .expected = "10 pfx=pfx@10+symbol ?:0, 30 -;; symbol 20 none 80;"},
	{"that began before", {{10, 30, .is_rows = true, .is_padding = true, ONE_CONTEXT(UNNAMED), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .symbols = {{9, 21, "pfx", 0, 0, false}},
	 .expected = "9 pfx=pfx@9+symbol ?:0, 10 pfx=pfx@9+symbol a:1, 30 -;; line 20 symbol 1 none 79;"},
	{"that ends before the padding does", {{10, 30, .is_rows = true, .is_padding = true, ONE_CONTEXT(UNNAMED), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .symbols = {{20, 9, "pfx", 0, 0, false}},
	 .expected = "10 ?@10+entry a:1, 20 pfx=pfx@20+symbol a:1, 29 ?@29+entry a:1, 30 -;; line 20 none 80;"},
	{"that is a thunk", {{10, 30, .is_rows = true, .is_padding = true, ONE_CONTEXT(UNNAMED), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .symbols = {{15, 15, "_ZThn8_1fv", 0, 0, false}},
	 .expected = "10 ?@10+entry a:1, 15 _ZThn8_1fv@15+symbol a:1, 30 -;; line 20 none 80;"},
	{"of the other kinds", {{10, 20, .is_rows = true, .is_padding = true, ONE_CONTEXT(UNNAMED), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {30, 40, .is_rows = true, .is_padding = true, ONE_CONTEXT(UNNAMED), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {50, 60, .is_rows = true, .is_padding = true, ONE_CONTEXT(UNNAMED), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .symbols = {{10, 10, "_ZTv0_n8_1f", 0, 0, false}, {30, 10, "_ZTch0_1f", 0, 0, false}, {50, 10, "_ZTV1f", 0, 0, false}},
	 .expected = "10 _ZTv0_n8_1f@10+symbol a:1, 20 -, 30 _ZTch0_1f@30+symbol a:1, 40 -, 50 _ZTV1f@50+symbol ?:0, 60 -;; "
		     "line 20 symbol 10 none 70;"},
	{"of D", {{10, 20, .is_rows = true, .is_padding = true, ONE_CONTEXT(UNNAMED), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {30, 40, .is_rows = true, .is_padding = true, ONE_CONTEXT(UNNAMED), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .symbols = {{10, 10, "_DTi16_D1f", 0, 0, false}, {30, 10, "_DThn16_1f", 0, 0, false}},
	 .expected = "10 _DTi16_D1f@10+symbol a:1, 20 -, 30 _DThn16_1f@30+symbol a:1, 40 -;; line 20 none 80;"},

	/* Where code is, and what is asked for. */
	{"two ranges of code", {{10, 20, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {50, 60, ONE_CONTEXT(G), .intervals = {{0, 0, FILE_A, 1, 0}}}}, .exec = {{10, 20}, {50, 70}},
	 .expected = "10 f@10+entry a:1, 20 -, 50 _Z1gv@50+entry a:1, 60 -;; line 20 none 10;"},
	{"that touch", {{10, 20, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {20, 30, ONE_CONTEXT(G), .intervals = {{0, 0, FILE_A, 1, 0}}}}, .exec = {{10, 20}, {20, 30}},
	 .expected = "10 f@10+entry a:1, 20 _Z1gv@20+entry a:1, 30 -;; line 20;"},
	{"some addresses", {{10, 20, G_IN_F, .intervals = {{0, 0, FILE_A, 1, 0}, {4, 1, FILE_A, 2, 0}, {6, 0, FILE_A, 3, 0}}}},
	 .symbols = {{8, 50, "around", 0, 0, false}}, .asked = {{13, 14}, {15, 16}, {30, 31}},
	 .expected = "13 f@10+entry a:1, 14 -, 15 _Z1gv a:2 < f@10+entry a:9, 16 -, 30 around=around@8+symbol ?:0, 31 -;; "
		     "line 1 inline 1 symbol 1;"},
	{"rows behind a symbol's end",
	 {{10, 30, .is_rows = true, ONE_CONTEXT(UNNAMED), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .symbols = {{10, 5, "one", 0, 0, false}},
	 .asked = {{15, 16}},
	 .expected = "15 ?@15+entry a:1, 16 -;; line 1;"},
	{"neighbours", {{10, 20, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}, {4, 0, FILE_A, 2, 0}}}}, .asked = {{13, 14}, {14, 15}, {20, 21}},
	 .expected = "13 f@10+entry a:1, 14 f@10+entry a:2, 15 -;; line 2 none 1;"},
	{"names beside what is asked for", {{10, 20, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}}, {10, 20, .unit = 1, ONE_CONTEXT(G), .intervals = {{0, 0, FILE_A, 1, 0}}},
	  {30, 40, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 0}}}, {30, 40, .unit = 1, ONE_CONTEXT(H), .intervals = {{0, 0, FILE_A, 1, 0}}}},
	 .symbols = {{10, 10, "ten", 0, 0, false}, {30, 10, "thirty", 0, 0, false}, {50, 1, "fifty", 0, 0, false}, {50, 1, "also", 0, 0, false}},
	 .asked = {{19, 20}, {30, 31}},
	 .expected = "19 f@10+entry a:1, 20 -, 30 f@30+entry a:1, 31 -; _Z1gv 10+10 folded, h=h_link 30+10 folded, thirty=thirty 30+0 alias; "
		     "line 2;"},
	{"of a symbol that is asked for", .symbols = {{10, 10, "one", 0, 0, false}, {10, 1, "two", 0, 0, false}, {50, 1, "fifty", 0, 0, false}, {50, 1, "also", 0, 0, false}},
	 .asked = {{10, 11}, {49, 50}, {51, 52}},
	 .expected = "10 one=one@10+symbol ?:0, 11 -; two=two 10+0 alias; symbol 1 none 2;"},

	/* Columns, where they are kept. */
	{"columns", {{10, 20, G_IN_F, .intervals = {{0, 0, FILE_A, 1, 4}, {4, 1, FILE_B, 2, 5}, {6, 1, FILE_B, 2, 6}, {8, 1, FILE_B, 2, 0}}}},
	 .keeps_columns = true, .expected = "10 f@10+entry a:1:4, 14 _Z1gv b:2:5 < f@10+entry a:9:3, "
	 "16 _Z1gv b:2:6 < f@10+entry a:9:3, 18 _Z1gv b:2 < f@10+entry a:9:3, 20 -;; line 4 inline 6 none 90;"},
	{"another column of the call", {{10, 30, G_IN_F, .intervals = {{0, 1, FILE_A, 1, 0}}},
	  {10, 20, .unit = 1, .context_count = 2, .contexts = {{F_AGAIN, NO_CONTEXT, 0, 0, 0}, {G, 0, FILE_A, 9, 4}},
	  .intervals = {{0, 1, FILE_A, 1, 0}}}}, .keeps_columns = true,
	 .expected = "10 _Z1gv a:1 < f@10+entry a:9:4, 20 _Z1gv a:1 < f@10+entry a:9:3, 30 -;; inline 20 none 80; duplicate 1"},
	{"the same column", {{10, 30, G_IN_F, .intervals = {{0, 1, FILE_A, 1, 7}}},
	  {10, 20, .unit = 1, .context_count = 2, .contexts = {{F_AGAIN, NO_CONTEXT, 0, 0, 0}, {G, 0, FILE_A, 9, 3}},
	  .intervals = {{0, 1, FILE_A, 1, 7}}}}, .keeps_columns = true,
	 .expected = "10 _Z1gv a:1:7 < f@10+entry a:9:3, 30 -;; inline 20 none 80; duplicate 1"},
	{"columns beside symbols", {{10, 20, ONE_CONTEXT(F), .intervals = {{0, 0, FILE_A, 1, 4}}}}, .symbols = {{20, 5, "one", 0, 0, false}},
	 .keeps_columns = true, .expected = "10 f@10+entry a:1:4, 20 one=one@20+symbol ?:0, 25 -;; line 10 symbol 5 none 85;"},

	/* More contexts than a small block has room for. */
	{"a deep chain", {{10, 30, .context_count = 6, .contexts = {{F, NO_CONTEXT, 0, 0, 0}, {G, 0, FILE_A, 1, 0}, {G, 1, FILE_A, 2, 0},
	  {G, 2, FILE_A, 3, 0}, {G, 3, FILE_A, 4, 0}, {H, 4, FILE_A, 5, 0}},
	  .intervals = {{0, 5, FILE_B, 1, 0}, {2, 0, FILE_B, 1, 0}, {4, 3, FILE_B, 1, 0}, {6, 5, FILE_B, 1, 0}}}},
	 .expected = "10 h=h_link b:1 < _Z1gv a:5 < _Z1gv a:4 < _Z1gv a:3 < _Z1gv a:2 < f@10+entry a:1, 12 f@10+entry b:1, "
	 "14 _Z1gv b:1 < _Z1gv a:3 < _Z1gv a:2 < f@10+entry a:1, "
	 "16 h=h_link b:1 < _Z1gv a:5 < _Z1gv a:4 < _Z1gv a:3 < _Z1gv a:2 < f@10+entry a:1, 30 -;; line 2 inline 18 none 80;"},
};
/* clang-format on */

/* ---- How it is written ---- */

/* All that a conversion has when its units are read. */
struct bench {
	struct shared shared;
	struct unit_results results;
	struct elf_file program;
	struct symbols symbols;
	struct symbol symbol_list[SYMBOLS_MAX];
	struct symbol_file symbol_file;
	struct piece pieces[PIECES_MAX];
	struct {
		struct unit_function function;
		struct context contexts[DEPTH_MAX * 2]; /* with the columns of calls behind them */
	} functions_of[PIECES_MAX];
	struct interval_packer packers[PIECES_MAX];
	uint32_t files[FILES], functions[FUNCTIONS];
};

static void intern_all(struct bench *bench)
{
	struct shared *shared = &bench->shared;
	string_set_init(&shared->strings);
	source_paths_init(&shared->files, &shared->strings, NULL, 0);
	intern_set_init(&shared->functions, sizeof(struct function_key));
	for (unsigned i = FILE_A; i < FILES; i++)
		bench->files[i] = source_paths_named(&shared->files, file_names[i]);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		const struct function_key key = {
			.linkage = functions[i].linkage,
			.name = functions[i].name,
			.decl_file = bench->files[functions[i].decl_file],
			.decl_line = functions[i].decl_line,
		};
		bench->functions[i] = i == UNNAMED ? FUNCTION_UNKNOWN : intern_put(&shared->functions, &key);
	}
	bench->symbol_file = (struct symbol_file){"s.c", source_paths_named(&shared->files, "s.c")};
}

static uint32_t count_intervals(const struct interval *intervals)
{
	uint32_t count = 1;
	while (count < INTERVALS_MAX && intervals[count].start)
		count++;
	return count;
}

static void make_piece(struct bench *bench, uint32_t index, const struct made_piece *made, bool keeps_columns)
{
	struct context *contexts = bench->functions_of[index].contexts;
	uint32_t context_count = made->context_count ? made->context_count : 1;
	uint32_t *columns = (uint32_t *)(contexts + context_count), count = count_intervals(made->intervals);
	struct interval intervals[INTERVALS_MAX];
	for (uint32_t i = 0; i < context_count; i++) {
		const struct made_context *context = &made->contexts[i];
		contexts[i] = (struct context){bench->functions[context->function], context->caller,
					       bench->files[context->call_file], context->call_line};
		columns[i] = context->call_column;
	}
	for (uint32_t i = 0; i < count; i++) {
		intervals[i] = made->intervals[i];
		intervals[i].file = bench->files[intervals[i].file];
	}
	bench->packers[index].keeps_columns = keeps_columns;
	assert_true(intervals_pack(&bench->packers[index], intervals, count));
	bench->functions_of[index].function =
		(struct unit_function){.die = index, .unit_index = made->unit, .context_count = context_count};
	bench->pieces[index] = (struct piece){
		.start = made->start,
		.large = bench->packers[index].bytes,
		.function = &bench->functions_of[index].function,
		.size = (uint32_t)(made->end - made->start),
		.is_function = !made->is_rows,
		.is_padding = made->is_padding,
		.is_entry = !made->is_cold && !made->is_rows,
		.has_columns = keeps_columns,
		.is_misplaced = made->is_misplaced,
		.at_symbol = made->at_symbol,
		.symbol_is_name = made->symbol_is_name,
		.has_one_name = made->has_one_name,
	};
}

static void bench_init(struct bench *bench, const struct write_case *c, bool keeps_columns)
{
	*bench = (struct bench){.results = {.pieces = bench->pieces}};
	intern_all(bench);
	bench->program.exec = (struct exec_range *)c->exec;
	while (bench->program.exec_count < RANGES_MAX && c->exec[bench->program.exec_count].end)
		bench->program.exec_count++;
	memcpy(bench->symbol_list, c->symbols, sizeof(bench->symbol_list));
	bench->symbols = (struct symbols){.symbols = bench->symbol_list, .files = &bench->symbol_file};
	while (bench->symbols.count < SYMBOLS_MAX && c->symbols[bench->symbols.count].name)
		bench->symbols.count++;
	bench->shared.linked = &bench->program;
	bench->shared.symbols = &bench->symbols;
	bench->shared.keeps_columns = keeps_columns;
	while (bench->results.piece_count < PIECES_MAX && c->pieces[bench->results.piece_count].end) {
		make_piece(bench, bench->results.piece_count, &c->pieces[bench->results.piece_count], keeps_columns);
		bench->results.piece_count++;
	}
}

static void bench_done(struct bench *bench)
{
	for (unsigned i = 0; i < PIECES_MAX; i++)
		interval_packer_done(&bench->packers[i]);
	intern_set_done(&bench->shared.functions);
	source_paths_done(&bench->shared.files);
	string_set_done(&bench->shared.strings);
}

/* ---- What a file has, as text ---- */

struct text {
	char bytes[4096];
	size_t size;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	text->size += (size_t)vsnprintf(text->bytes + text->size, sizeof(text->bytes) - text->size, format, arguments);
	va_end(arguments);
	assert_true(text->size < sizeof(text->bytes));
}

static void add_string(struct text *text, const char *before, struct locus_string string)
{
	if (string.size)
		add(text, "%s%.*s", before, (int)string.size, string.data);
}

static void add_names(struct text *text, struct locus_string name, struct locus_string linkage)
{
	add_string(text, "", name);
	add_string(text, name.size ? "=" : "", linkage);
	if (!name.size && !linkage.size)
		add(text, "?");
}

static void add_frame(struct text *text, const struct locus_frame *frame)
{
	static const char *const kinds[] = {
		[LOCUS_PART_ENTRY] = "entry", [LOCUS_PART_OTHER] = "other", [LOCUS_PART_SYMBOL] = "symbol"};
	add_names(text, frame->function, frame->linkage);
	if (!frame->inlined)
		add(text, "@%llu+%s", (unsigned long long)frame->part_start, kinds[frame->part]);
	add(text, " ");
	assert_int_equal(frame->directory.size, 0);
	add_string(text, "", frame->file);
	add(text, "%s:%u", frame->file.size ? "" : "?", frame->has_line ? frame->line : 0);
	if (frame->column)
		add(text, ":%u", frame->column);
}

static void add_intervals(struct text *text, struct locus *locus, struct locus_scratch *scratch)
{
	for (uint32_t i = 0; i < locus_interval_count(locus); i++) {
		struct locus_result result;
		assert_int_equal(locus_frames(locus, scratch, i, &result, NULL), LOCUS_OK);
		add(text, "%s%llu ", i ? ", " : "", (unsigned long long)result.interval.start);
		for (size_t k = 0; k < result.frame_count; k++) {
			add(text, "%s", k ? " < " : "");
			add_frame(text, &result.frames[k]);
		}
		if (!result.frame_count)
			add(text, "-");
	}
}

static void add_alternates(struct text *text, struct locus *locus, struct locus_scratch *scratch)
{
	static const char *const kinds[] = {[LOCUS_ALTERNATE_FOLDED] = "folded",
					    [LOCUS_ALTERNATE_OVERLAP] = "overlap",
					    [LOCUS_ALTERNATE_ALIAS] = "alias"};
	for (uint32_t i = 0; i < locus_alternate_count(locus); i++) {
		struct locus_alternate_info info;
		struct locus_function_info function;
		assert_int_equal(locus_alternate_at(locus, scratch, i, &info, NULL), LOCUS_OK);
		assert_int_equal(locus_function_at(locus, scratch, info.function_id, &function, NULL), LOCUS_OK);
		add(text, "%s", i ? ", " : " ");
		add_names(text, function.name, function.linkage);
		add(text, " %llu+%llu %s", (unsigned long long)info.start, (unsigned long long)info.size,
		    kinds[info.kind]);
	}
}

static void add_counters(struct text *text, const struct locus_counter_info *counters, size_t count,
			 const char *const *names, const uint64_t *result)
{
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(counters[i].id, i);
		assert_int_equal(counters[i].value, result[i]);
		if (counters[i].value)
			add(text, " %s %llu", names[i], (unsigned long long)counters[i].value);
	}
}

static void show(struct text *text, struct locus *locus, const struct locus_convert_result *result)
{
#define NAME(id, value, name, ...) [value] = name,
	static const char *const coverage[] = {LOCUS_COVERAGE(NAME)}, *const dropped[] = {LOCUS_DROPPED(NAME)};
	const struct locus_info *info;
	struct locus_scratch *scratch;
	assert_int_equal(locus_info(locus, &info, NULL), LOCUS_OK);
	assert_int_equal(locus_scratch_new(locus, &scratch, NULL), LOCUS_OK);
	*text = (struct text){.size = 0};
	add_intervals(text, locus, scratch);
	add(text, ";");
	add_alternates(text, locus, scratch);
	add(text, ";");
	assert_int_equal(info->coverage_count, LOCUS_COVERAGE_COUNT);
	add_counters(text, info->coverage, info->coverage_count, coverage, result->coverage);
	add(text, ";");
	assert_int_equal(info->dropped_count, LOCUS_DROPPED_COUNT);
	add_counters(text, info->dropped, info->dropped_count, dropped, result->dropped);
	locus_scratch_free(scratch);
}

/* ---- The tests ---- */

struct way {
	unsigned job_count;
	uint32_t block_size;
};

static uint64_t bytes_of_names(struct locus *locus)
{
	struct locus_scratch *scratch;
	uint64_t size = 0;
	assert_int_equal(locus_scratch_new(locus, &scratch, NULL), LOCUS_OK);
	for (uint32_t id = 1; id <= locus_function_count(locus); id++) {
		struct locus_function_info function;
		assert_int_equal(locus_function_at(locus, scratch, id, &function, NULL), LOCUS_OK);
		size += function.name.size + function.linkage.size;
	}
	locus_scratch_free(scratch);
	return size;
}

/* Writes the case, and reads it back as text. Returns the number of contexts in all blocks. */
static uint64_t write_case(const struct write_case *c, const struct way *way, struct text *text)
{
	static const struct exec_range all = {0, 100};
	static struct bench bench;
	struct write_case whole = *c;
	struct phases phases = {0};
	struct locus_meta meta = {.elf_class = 2, .elf_data = 1};
	struct locus_convert_options options = {
		.job_count = way->job_count, .block_size = way->block_size, .columns = c->keeps_columns};
	struct locus_convert_result result = {0};
	struct locus_error error;
	struct kept_threads threads;
	struct locus_writer *writer;
	struct locus *locus;
	size_t size;
	void *data;
	if (!whole.exec[0].end)
		whole.exec[0] = all;
	bench_init(&bench, &whole, c->keeps_columns);
	struct units_output output = {
		.results = &bench.results,
		.shared = &bench.shared,
		.meta = &meta,
		.options = &options,
		.asked = whole.exec,
		.asked_count = bench.program.exec_count,
		.phases = &phases,
	};
	if (whole.asked[0].end) {
		output.asked = whole.asked;
		for (output.asked_count = 0; output.asked_count < RANGES_MAX && whole.asked[output.asked_count].end;)
			output.asked_count++;
	}
	kept_threads_init(&threads, way->job_count);
	if (encode_units(&output, &result, &writer, &error) != LOCUS_OK)
		fail_msg("%s: %s", c->name, error.text);
	kept_threads_close(&threads);
	kept_threads_done(&threads);
	bench_done(&bench); /* the writer needs nothing of it */
	assert_int_equal(locus_writer_finish(writer, &result.bytes_written, &error), LOCUS_OK);
	locus_writer_take(writer, &data, &size);
	locus_writer_free(writer);
	assert_int_equal(size, result.bytes_written);
	assert_int_equal(locus_open_memory(data, result.bytes_written, NULL, &locus, &error), LOCUS_OK);
	assert_int_equal(locus_verify(locus, LOCUS_VERIFY_FULL, &error), LOCUS_OK);
	assert_int_equal(locus_interval_count(locus), result.interval_count);
	assert_int_equal(locus_function_count(locus), result.function_count);
	assert_int_equal(locus_file_count(locus), result.file_count);
	assert_int_equal(bytes_of_names(locus), result.name_bytes);
	assert_int_equal(phases.current, LOCUS_PHASE_TABLES);
	show(text, locus, &result);
	locus_close(locus);
	free(data);
	return result.context_count;
}

static const struct way ways[] = {{1, 8192}, {1, 1}, {1, 2}, {1, 3}, {1, 8}, {2, 1}, {2, 2}, {3, 1}};

static void each_case(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (size_t k = 0; k < COUNT_OF(ways); k++) {
			struct text text;
			write_case(&cases[i], &ways[k], &text);
			if (strcmp(text.bytes, cases[i].expected) != 0)
				fail_msg("%s, %u threads, blocks of %u:\n%s, not\n%s", cases[i].name, ways[k].job_count,
					 ways[k].block_size, text.bytes, cases[i].expected);
		}
}

/*
 * Each block has the contexts that its intervals need, with all callers. With blocks of less than 8 intervals, each
 * context fills one.
 */
static void contexts_of_blocks(void **state)
{
	static const struct write_case c = {
		.name = "inlinees",
		.pieces = {{10, 30, .context_count = 3,
			    .contexts = {{F, NO_CONTEXT, 0, 0, 0}, {G, 0, FILE_A, 9, 0}, {H, 1, FILE_B, 8, 0}},
			    .intervals = {{0, 0, FILE_A, 1, 0},
					  {2, 2, FILE_B, 3, 0},
					  {5, 1, FILE_B, 3, 0},
					  {7, 2, FILE_B, 3, 0}}}},
	};
	static const struct {
		uint32_t block_size;
		uint64_t contexts;
	} sizes[] = {{8192, 3}, {8, 3}, {7, 1 + 3 + 2 + 3}, {1, 1 + 3 + 2 + 3}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct text text;
		uint64_t contexts = write_case(&c, &(struct way){1, sizes[i].block_size}, &text);
		if (contexts != sizes[i].contexts)
			fail_msg("blocks of %u: %llu contexts", sizes[i].block_size, (unsigned long long)contexts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_case),
		cmocka_unit_test(contexts_of_blocks),
	};
	return cmocka_run_group_tests_name("encode_units", tests, NULL, NULL);
}
