/* What is known of line tables once all units are read (RULES A7, B14). */
#include "convert/schedule/table_references.h"

#include "base/toolkit_test.h"

enum { TABLES_MAX = 4, UNITS_MAX = 8, NOT_READ = 0 };

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
		.offset = 0x100 * unit_index,
		.stmt_list = noted->place.start,
		.comp_dir = noted->comp_dir,
		.str_offsets_base = noted->str_offsets_base,
		/* What is not read may still be there from another unit. */
		.lines = {.version = noted->place.end == NOT_READ ? 0 : 5,
			  .offset = noted->place.start,
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

/* RULES A7. Tables are of 10 bytes; `most` is how many may be read. */
static void units_read_more_than_may_be(void **state)
{
	static const struct noted a = {{0, 10}, "/src", 0}, b = {{10, 20}, "/src", 0}, away = {{0, 10}, "/other", 0};
	static const struct noted none = {{0, NOT_READ}, NULL, 0};
	enum { NEVER = UINT32_MAX };
	static const struct {
		const char *name;
		const struct noted *noted[UNITS_MAX]; /* by unit */
		uint64_t most;
		uint32_t for_unit_only; /* bits of units whose programs define files */
		uint32_t beyond;        /* the unit that is found */
	} cases[] = {
		{"no unit", {NULL}, 0, 0, NEVER},
		{"a table of one unit each", {&a, &b}, 20, 0, NEVER},
		{"more than may be", {&a, &b}, 19, 0, 1},
		{"one table, which is read once", {&a, &a, &a, &a}, 10, 0, NEVER},
		{"one after the other", {&a, &a, &b, &b}, 20, 0, NEVER},
		{"in turn", {&a, &b, &a, &b}, 39, 0, 3},
		{"in turn, just enough", {&a, &b, &a, &b}, 40, 0, NEVER},
		{"the first that is beyond", {&a, &b, &a, &b, &a}, 20, 0, 2},
		{"from two directories", {&a, &away, &a, &away}, 29, 0, 2},
		{"units without code between them", {&a, &none, &a, &none, &a}, 10, 0, NEVER},
		{"a program that defines files", {&a, &a, &a}, 29, 7, 2},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		/* Threads note units in any order. */
		for (uint32_t first = 0; first < UNITS_MAX; first++) {
			struct bench bench = {0};
			for (uint32_t k = 0; k < UNITS_MAX; k++) {
				const uint32_t unit = (first + 3 * k) % UNITS_MAX;
				if (!cases[i].noted[unit])
					continue;
				note(&bench, cases[i].noted[unit], unit);
				bench.references.references[bench.references.count - 1].is_for_unit_only =
					cases[i].for_unit_only >> unit & 1;
			}
			const struct table_reference *beyond =
				table_references_beyond(&bench.references, cases[i].most);
			const uint32_t unit = beyond ? beyond->unit_index : NEVER;
			if (unit != cases[i].beyond || (beyond && beyond->unit_offset != 0x100 * unit))
				fail_msg("%s, from unit %u on: unit %u", cases[i].name, first, unit);
			bench_done(&bench);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_fill_a_section),       cmocka_unit_test(units_share_a_table),
		cmocka_unit_test(threads_note_tables),         cmocka_unit_test(tables_before_the_last_may_be_read),
		cmocka_unit_test(units_read_more_than_may_be),
	};
	return cmocka_run_group_tests_name("table_references", tests, NULL, NULL);
}
