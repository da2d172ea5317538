/* What is known of line tables once all units are read (RULES B14). */
#include "convert/schedule/table_references.h"

#include "base/toolkit_test.h"

enum { TABLES_MAX = 4, NOT_READ = 0 };

struct place {
	uint64_t start;
	uint64_t end; /* NOT_READ: the unit has no code, so it did not read the table's header */
};

/* A unit's table, in the order in which units are read. */
struct noted {
	struct place place;
	const char *comp_dir;
	uint64_t str_offsets_base;
};

struct bench {
	struct table_references references;
	struct arena arena;
};

static void bench_done(struct bench *bench)
{
	table_references_done(&bench->references);
	arena_done(&bench->arena);
}

/* Notes the table as that of unit `unit_index`. */
static void note(struct bench *bench, const struct noted *noted, uint32_t unit_index)
{
	const struct unit unit = {
		.stmt_list = noted->place.start,
		.comp_dir = noted->comp_dir,
		.str_offsets_base = noted->str_offsets_base,
		/* What is not read may still be there from another unit. */
		.lines = {.version = noted->place.end == NOT_READ ? 0 : 5,
			  .end = noted->place.end == NOT_READ ? UINT64_MAX : noted->place.end},
	};
	assert_true(table_references_add(&bench->references, &unit, unit_index, false, &bench->arena));
}

static void tables_fill_a_section(void **state)
{
	static const struct {
		const char *name;
		struct place noted[TABLES_MAX];
		uint32_t count;
		uint64_t size;
		bool expected;
	} cases[] = {
		{"no table, in no section", {{0}}, 0, 0, true},
		{"no table, in a section that has one", {{0}}, 0, 10, false},
		{"one table", {{0, 10}}, 1, 10, true},
		{"one table, and padding", {{0, 10}}, 1, 12, false},
		{"as threads have read them", {{20, 30}, {0, 10}, {10, 20}}, 3, 30, true},
		{"one between them is lone", {{20, 30}, {0, 10}}, 2, 30, false},
		{"the first is lone", {{10, 20}, {20, 30}}, 2, 30, false},
		{"the last is lone", {{0, 10}, {10, 20}}, 2, 30, false},
		{"two units have one table", {{0, 10}, {10, 20}, {0, 10}}, 3, 20, true},
		{"of two units with one table, one has no code", {{0, NOT_READ}, {0, 10}, {10, 20}}, 3, 20, true},
		{"the same, noted the other way round", {{0, 10}, {0, NOT_READ}, {10, 20}}, 3, 20, true},
		{"no unit with the table has code", {{0, 10}, {10, NOT_READ}}, 2, 20, false},
		{"a table begins within another", {{0, 10}, {5, 20}}, 2, 20, false},
		{"tables of nothing but their length", {{0, 4}, {4, 8}}, 2, 8, true},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench bench = {0};
		for (uint32_t k = 0; k < cases[i].count; k++)
			note(&bench, &(struct noted){.place = cases[i].noted[k]}, k);
		table_references_sort(&bench.references);
		if (table_references_fill(&bench.references, cases[i].size) != cases[i].expected)
			fail_msg("%s: not %s", cases[i].name, cases[i].expected ? "true" : "false");
		bench_done(&bench);
	}
}

static void units_share_a_table(void **state)
{
	static const struct {
		const char *name;
		struct noted a, b;
		bool expected;
	} cases[] = {
		{"two tables", {{0, 10}, "/src", 8}, {{10, 20}, "/src", 8}, false},
		{"one table", {{0, 10}, "/src", 8}, {{0, 10}, "/src", 8}, true},
		{"one table, without a directory", {{0, 10}, NULL, 8}, {{0, 10}, NULL, 8}, true},
		{"an empty directory is none", {{0, 10}, NULL, 8}, {{0, 10}, "", 8}, true},
		{"from two directories", {{0, 10}, "/src", 8}, {{0, 10}, "/src2", 8}, false},
		{"one has a directory", {{0, 10}, "/src", 8}, {{0, 10}, NULL, 8}, false},
		{"names by two tables of offsets", {{0, 10}, "/src", 8}, {{0, 10}, "/src", 16}, false},
		{"one unit has no code", {{0, 10}, NULL, 0}, {{0, NOT_READ}, NULL, 0}, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		/* Another unit between them, so that the directory of the one before is not always theirs. */
		static const struct noted other = {{0, 10}, "/elsewhere", 8};
		struct bench bench = {0};
		struct table_references *references = &bench.references;
		note(&bench, &cases[i].a, 0);
		note(&bench, &other, 1);
		note(&bench, &cases[i].b, 2);
		if (table_references_same(&references->references[0], &references->references[2]) != cases[i].expected)
			fail_msg("%s: not %s", cases[i].name, cases[i].expected ? "true" : "false");
		bench_done(&bench);
	}
}

static void threads_note_tables(void **state)
{
	static const struct noted first[] = {{{0, 10}, "/a", 0}, {{20, 30}, "/b", 0}};
	static const struct noted second[] = {{{10, NOT_READ}, NULL, 0}, {{0, 10}, "/a", 0}};
	struct bench a = {0}, b = {0};
	(void)state;
	note(&a, &first[0], 1);
	note(&a, &first[1], 2);
	note(&b, &second[0], 3);
	note(&b, &second[1], 0);
	assert_true(table_references_join(&a.references, &b.references));
	table_references_sort(&a.references);

	/* By table and unit, whichever thread was the first. */
	static const uint64_t offsets[] = {0, 0, 10, 20};
	static const uint32_t units[] = {0, 1, 0, 2};
	assert_int_equal(a.references.count, COUNT_OF(offsets));
	for (size_t i = 0; i < COUNT_OF(offsets); i++) {
		assert_int_equal(a.references.references[i].offset, offsets[i]);
		assert_int_equal(a.references.references[i].unit_index, units[i]);
	}
	assert_true(table_references_same(&a.references.references[0], &a.references.references[1]));
	bench_done(&a);
	bench_done(&b);
}

static void tables_before_the_last_may_be_read(void **state)
{
	static const struct noted noted[] = {{{10, 20}, "/a", 0}, {{30, NOT_READ}, NULL, 0}, {{0, 10}, "/a", 0}};
	struct bench bench = {0};
	(void)state;
	assert_false(table_references_may_have(&bench.references, 0));
	for (uint32_t i = 0; i < COUNT_OF(noted); i++)
		note(&bench, &noted[i], i);
	assert_true(table_references_may_have(&bench.references, 0));
	assert_true(table_references_may_have(&bench.references, 10));
	assert_false(table_references_may_have(&bench.references, 20));
	assert_false(table_references_may_have(&bench.references, 30));
	bench_done(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_fill_a_section),
		cmocka_unit_test(units_share_a_table),
		cmocka_unit_test(threads_note_tables),
		cmocka_unit_test(tables_before_the_last_may_be_read),
	};
	return cmocka_run_group_tests_name("table_references", tests, NULL, NULL);
}
