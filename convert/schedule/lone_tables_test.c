/* Whether the line tables that units refer to are all that there are (RULES B14). */
#include "convert/schedule/lone_tables.h"

#include "base/toolkit_test.h"

enum { TABLES_MAX = 4, NOT_READ = 0 };

/* A unit's table, in the order in which units are read. */
struct noted {
	uint64_t start;
	uint64_t end; /* NOT_READ: the unit has no code, so it did not read the table's header */
};

static void tables_fill_a_section(void **state)
{
	static const struct {
		const char *name;
		struct noted noted[TABLES_MAX];
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
		{"no unit with the table has code", {{0, 10}, {10, NOT_READ}}, 2, 20, false},
		{"a table begins within another", {{0, 10}, {5, 20}}, 2, 20, false},
		{"tables of nothing but their length", {{0, 4}, {4, 8}}, 2, 8, true},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct referred_tables tables;
		referred_tables_init(&tables);
		for (uint32_t k = 0; k < cases[i].count; k++) {
			const struct noted *noted = &cases[i].noted[k];
			const struct unit unit = {
				.stmt_list = noted->start,
				/* What is not read may still be there from another unit. */
				.lines = {.version = noted->end == NOT_READ ? 0 : 5,
					  .end = noted->end == NOT_READ ? cases[i].size : noted->end},
			};
			assert_true(referred_tables_note(&tables, &unit));
		}
		if (referred_tables_fill(&tables, cases[i].size) != cases[i].expected)
			fail_msg("%s: not %s", cases[i].name, cases[i].expected ? "true" : "false");
		referred_tables_done(&tables);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_fill_a_section),
	};
	return cmocka_run_group_tests_name("lone_tables", tests, NULL, NULL);
}
