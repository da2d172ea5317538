/* What one row covers between two functions of its table, and what it costs to find that. */
#include "convert/cross_check/padding.h"

#include "base/steps_test.h"
#include "base/toolkit_test.h"

enum { TABLE = 0x80, OTHER_TABLE = 0x90, PARTS_MAX = 4, SYMBOL = 30 };

/* A function's part: of which table its unit is. */
struct part {
	uint64_t start, end;
	uint64_t table;
};

struct padding_case {
	const char *name;
	struct part parts[PARTS_MAX]; /* by start */
	struct range run;             /* of the row that holds the address, between rows of other lines */
	uint64_t addr;
	bool expected;
	uint64_t steps; /* one for each part that is looked at */
};

/* The symbol is at [30, 60); the sequence, at [0, 90). */
static const struct padding_case cases[] = {
	{"between two", {{10, 30, TABLE}, {50, 70, TABLE}}, {20, 60}, 40, true, 2},
	{"at the end of one", {{10, 30, TABLE}, {50, 70, TABLE}}, {20, 60}, 30, true, 2},
	{"before the other", {{10, 30, TABLE}, {50, 70, TABLE}}, {20, 60}, 49, true, 2},
	{"the row ends where the other starts", {{10, 30, TABLE}, {50, 70, TABLE}}, {20, 50}, 40, true, 2},
	{"the row ends before", {{10, 30, TABLE}, {50, 70, TABLE}}, {20, 49}, 40, false, 1},
	{"the row starts where the first ends", {{10, 30, TABLE}, {50, 70, TABLE}}, {30, 60}, 40, false, 1},
	{"the row starts before", {{10, 30, TABLE}, {50, 70, TABLE}}, {29, 60}, 40, true, 2},
	{"nothing before", {{50, 70, TABLE}}, {20, 60}, 40, false, 1},
	{"a row behind", {{10, 30, TABLE}}, {20, 60}, 40, true, 1},
	{"a row of the symbol behind", {{10, 30, TABLE}}, {20, 59}, 40, false, 1},
	{"a row behind the symbol", {{10, 30, TABLE}}, {20, 61}, 40, false, 1},
	{"nothing behind", {{10, 30, TABLE}}, {20, 90}, 40, false, 1},
	{"another table's before", {{10, 30, OTHER_TABLE}, {50, 70, TABLE}}, {20, 60}, 40, false, 2},
	{"another table's behind", {{10, 30, TABLE}, {50, 70, OTHER_TABLE}}, {20, 60}, 40, false, 2},
	{"another table's between, before",
	 {{10, 30, TABLE}, {32, 36, OTHER_TABLE}, {50, 70, TABLE}},
	 {20, 60},
	 40,
	 true,
	 3},
	{"another table's between, behind",
	 {{10, 30, TABLE}, {45, 47, OTHER_TABLE}, {50, 70, TABLE}},
	 {20, 60},
	 40,
	 false,
	 3},
	{"one ends after the address", {{10, 30, TABLE}, {12, 45, TABLE}, {50, 70, TABLE}}, {20, 60}, 40, true, 3},
	{"of two the one that ends last", {{10, 30, TABLE}, {12, 29, TABLE}, {50, 70, TABLE}}, {20, 60}, 40, true, 3},
	{"the symbol starts before", {{10, 31, TABLE}, {50, 70, TABLE}}, {20, 60}, 40, false, 2},
	{"the symbol ends before", {{10, 30, TABLE}, {61, 70, TABLE}}, {20, 80}, 40, false, 2},
	{"the symbol ends there", {{10, 30, TABLE}, {60, 70, TABLE}}, {20, 80}, 40, true, 2},
	{"below one that reaches on", {{5, 45, TABLE}, {10, 30, TABLE}, {50, 70, TABLE}}, {30, 60}, 40, false, 3},
	{"another table's at the address",
	 {{10, 30, TABLE}, {40, 45, OTHER_TABLE}, {50, 70, TABLE}},
	 {20, 60},
	 40,
	 true,
	 3},
	{"the end of the sequence", {{10, 30, TABLE}, {90, 95, TABLE}}, {20, 90}, 40, false, 2},
};

/* What a case is asked of. Freed by bench_done. */
struct bench {
	struct evidence evidence;
	struct exec_range exec[2];
	struct elf_file program;
	struct tree_unit units[2];
	struct tree_function functions[2];
	struct table_place place;
	struct plain_row rows[4]; /* the last is of another sequence */
	struct plain_sequence sequence;
	struct symbol symbol;
	struct table_row row;
};

static void bench_init(struct bench *bench, const struct padding_case *c)
{
	*bench = (struct bench){
		.units = {{.line_offset = TABLE}, {.line_offset = OTHER_TABLE}},
		.functions = {{.unit = 0}, {.unit = 1}},
		.place = {.offset = TABLE},
		.rows = {{.line = 1}, {.addr = c->run.start, .line = 2}, {.addr = c->run.end, .line = 3}, {.line = 2}},
		.sequence = {.end = 90, .count = 3},
		.symbol = {.addr = SYMBOL, .size = 30, .name = "symbol"},
		.row = {.row = {.addr = c->run.start, .line = 2}, .index = 1},
		.exec = {{0, 90}, {90, 100}},
		.program = {.exec = bench->exec, .exec_count = COUNT_OF(bench->exec)},
	};
	struct evidence *evidence = &bench->evidence;
	evidence->program = &bench->program;
	evidence->tree.units = bench->units;
	evidence->tree.functions = bench->functions;
	evidence->lines.tables = &bench->place;
	evidence->lines.kept[0].rows.rows = bench->rows;
	evidence->lines.kept[0].rows.sequences = &bench->sequence;
	evidence->symbols.symbols = &bench->symbol;
	assert_true(span_index_add(&evidence->symbol_ranges, SYMBOL, SYMBOL + bench->symbol.size, 0));
	span_index_sort(&evidence->symbol_ranges);
	for (const struct part *part = c->parts; part < c->parts + PARTS_MAX; part++)
		assert_true(span_index_add(&evidence->tree.parts, part->start, part->end, part->table != TABLE));
	span_index_sort(&evidence->tree.parts);
}

static void bench_done(struct bench *bench)
{
	span_index_done(&bench->evidence.tree.parts);
	span_index_done(&bench->evidence.symbol_ranges);
}

static bool check(struct bench *bench, uint64_t addr, bool has_columns)
{
	const struct locus_claim claim = {.address = addr, .has_columns = has_columns};
	bool is_padding = true;
	assert_true(padding_check(&bench->evidence, &bench->row, &bench->symbol, &claim, &is_padding));
	return is_padding;
}

static void between_functions(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench bench;
		bench_init(&bench, &cases[i]);
		if (check(&bench, cases[i].addr, false) != cases[i].expected)
			fail_msg("%s: it is said to be %s", cases[i].name, cases[i].expected ? "none" : "padding");
		if (bench.evidence.tree.uncounted != cases[i].steps)
			fail_msg("%s: %llu steps", cases[i].name, (unsigned long long)bench.evidence.tree.uncounted);
		bench_done(&bench);
	}
}

/* RULES A1: what is behind that code is of another, and no row of the sequence pads up to it. */
static void a_sequence_ends_with_the_code_that_it_begins_in(void **state)
{
	static const struct padding_case ends[] = {
		{"a row behind", {{10, 30, TABLE}}, {20, 80}, 40, false, 1},
		{"a function behind", {{10, 30, TABLE}, {60, 70, TABLE}}, {20, 80}, 40, false, 2},
		{"a function before", {{10, 30, TABLE}, {50, 55, TABLE}}, {20, 80}, 40, true, 2},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		struct bench bench;
		bench_init(&bench, &ends[i]);
		bench.exec[0].end = bench.exec[1].start = 60;
		if (check(&bench, ends[i].addr, false) != ends[i].expected)
			fail_msg("%s: it is said to be %s", ends[i].name, ends[i].expected ? "none" : "padding");
		bench_done(&bench);
	}
}

/* Neighbouring rows that say the same are one: with another file they do not, nor with another column, if that is
 * asked. */
static void rows_that_say_the_same(void **state)
{
	static const struct {
		const char *name;
		struct plain_row before, behind;
		bool has_columns, expected;
		uint64_t steps; /* one for each row that is joined, and one each time for the symbol */
	} same[] = {
		{"all three", {.line = 2}, {.addr = 44, .line = 2}, false, true, 4},
		{"another line before", {.line = 1}, {.addr = 44, .line = 2}, false, false, 2},
		{"another line behind", {.line = 2}, {.addr = 44, .line = 3}, false, false, 4},
		{"another file before", {.line = 2, .file = 1}, {.addr = 44, .line = 2}, false, false, 2},
		{"columns that do not count", {.line = 2, .column = 1}, {.addr = 44, .line = 2}, false, true, 4},
		{"columns that are the same", {.line = 2}, {.addr = 44, .line = 2}, true, true, 4},
		{"another column before", {.line = 2, .column = 1}, {.addr = 44, .line = 2}, true, false, 2},
		{"another column behind", {.line = 2}, {.addr = 44, .line = 2, .column = 1}, true, false, 4},
	};
	const struct padding_case c = {"", {{10, 30, TABLE}, {50, 70, TABLE}}, {32, 44}, 40, true, 2};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(same); i++) {
		struct bench bench;
		struct budget budget;
		bench_init(&bench, &c);
		bench.rows[0] = same[i].before;
		bench.rows[2] = same[i].behind;
		budget_of_steps(&budget, same[i].steps);
		if (check(&bench, c.addr, same[i].has_columns) != same[i].expected)
			fail_msg("%s", same[i].name);
		assert_int_equal(budget_steps_left(&budget), 0);
		budget_use(NULL);
		bench_done(&bench);
	}
}

/* Up to a function that begins where the row's sequence ends, the row is of code of its own. */
static void what_ends_with_its_sequence_is_no_padding(void **state)
{
	const struct padding_case c = {"", {{10, 30, TABLE}, {50, 70, TABLE}}, {20, 50}, 40, true, 2};
	(void)state;
	for (int ends = 0; ends < 2; ends++) {
		struct bench bench;
		bench_init(&bench, &c);
		if (ends)
			bench.sequence = (struct plain_sequence){.end = 50, .count = 2};
		assert_int_equal(check(&bench, c.addr, false), !ends);
		bench_done(&bench);
	}
}

/* Thunks for three kinds of this-pointers have no row of their own. */
static void thunks_are_not_in_padding(void **state)
{
	static const struct {
		const char *name;
		bool expected;
	} names[] = {
		{"_ZThn8_1f", false}, {"_ZTv0_n24_1f", false}, {"_ZTchn8_1f", false}, {"_ZTV1A", true}, {"_ZT", true},
		{"ZThn8_1f", true},   {"_DTi16_1f", false},    {"_DThn16_1f", false}, {"_D1fZv", true},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct bench bench;
		bench_init(&bench, &cases[0]);
		bench.symbol.name = names[i].name;
		if (check(&bench, cases[0].addr, false) != names[i].expected)
			fail_msg("%s", names[i].name);
		bench_done(&bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(between_functions),
		cmocka_unit_test(a_sequence_ends_with_the_code_that_it_begins_in),
		cmocka_unit_test(rows_that_say_the_same),
		cmocka_unit_test(what_ends_with_its_sequence_is_no_padding),
		cmocka_unit_test(thunks_are_not_in_padding),
	};
	return cmocka_run_group_tests_name("padding", tests, NULL, NULL);
}
