/* Neighbours that differ in one thing alone are no repetition (FORMAT.md 6.3.6): a file that has them is whole. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reader/open_sample_test.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static struct locus_block_context contexts[] = {
	{.caller = LOCUS_NO_CONTEXT, .function = 1, .start = 0x1000, .decl_line = 2},
	{.caller = 0, .function = 2, .call_line = 5, .call_file = 1, .call_column = 3},
	{.caller = 0, .function = 2, .call_line = 5, .call_file = 1, .call_column = 4},
	{.caller = 0, .function = 2, .call_line = 6, .call_file = 1, .call_column = 4},
	{.caller = 0, .function = 2, .call_line = 6, .call_file = 2, .call_column = 4},
	{.caller = 0, .function = 3, .call_line = 6, .call_file = 2, .call_column = 4},
	{.caller = 5, .function = 3, .call_line = 6, .call_file = 2, .call_column = 4},
	{.caller = LOCUS_NO_CONTEXT, .function = 1, .start = 0x1080, .decl_line = 2},
	{.caller = LOCUS_NO_CONTEXT, .function = 1, .start = 0x1090, .decl_line = 2, .kind = LOCUS_PART_OTHER},
	{.caller = 7, .function = 2, .call_line = 0, .call_file = 1},
	{.caller = 7, .function = 2, .call_line = 2, .call_file = 1},
};

/* Intervals: of each, what one of the rows beside it has, too, but for one thing. */
static const struct {
	uint32_t context, file, line, column;
} intervals[] = {
	{0, 1, 7, 1}, {1, 1, 7, 1},  {2, 1, 7, 1}, /* the column of the call */
	{3, 1, 7, 1},                              /* its line */
	{4, 1, 7, 1},                              /* its file */
	{5, 1, 7, 1},                              /* the function */
	{6, 1, 7, 1},                              /* how deep it is */
	{0, 1, 7, 1}, {7, 1, 7, 1},                /* the part */
	{8, 1, 7, 1}, {8, 1, 7, 2},                /* the column */
	{8, 1, 8, 2},                              /* the line */
	{8, 2, 8, 2},                              /* the file */
	{9, 1, 8, 1}, {10, 1, 8, 1}, /* whether the call's line is known, which is that of the caller's declaration */
};

enum { INTERVAL_COUNT = COUNT_OF(intervals) + 1 };

static void neighbours_may_differ_in_one_thing(void **state)
{
	static uint64_t starts[INTERVAL_COUNT];
	static uint32_t at[INTERVAL_COUNT], files[INTERVAL_COUNT], lines[INTERVAL_COUNT], columns[INTERVAL_COUNT];
	static const struct locus_function functions[] = {
		{.name = {"f", 1}, .decl_line = 2}, {.name = {"g", 1}}, {.name = {"h", 1}}};
	static const struct locus_file file_table[] = {{.name = {"a.c", 3}}, {.name = {"b.c", 3}}};
	struct locus_sample sample = {
		.interval_count = INTERVAL_COUNT,
		.starts = starts,
		.contexts = at,
		.files = files,
		.lines = lines,
		.columns = columns,
		.has_columns = true,
		.context_count = COUNT_OF(contexts),
		.context = contexts,
		.tables = {.functions = functions,
			   .function_count = COUNT_OF(functions),
			   .files = file_table,
			   .file_count = COUNT_OF(file_table)},
	};
	struct locus_error error = {.text = ""};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(intervals); i++) {
		starts[i] = 0x1000 + 0x10 * i;
		at[i] = intervals[i].context;
		files[i] = intervals[i].file;
		lines[i] = intervals[i].line;
		columns[i] = intervals[i].column;
	}
	starts[COUNT_OF(intervals)] = 0x1000 + 0x10 * COUNT_OF(intervals);
	at[COUNT_OF(intervals)] = LOCUS_NO_CONTEXT;
	struct locus *locus = open_sample(&sample);
	if (locus_verify(locus, LOCUS_VERIFY_FULL, &error) != LOCUS_OK)
		fail_msg("%s", error.text);
	locus_close(locus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_may_differ_in_one_thing),
	};
	return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
