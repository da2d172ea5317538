/* Counters as a person and a program read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/common/counter_names.h"

enum { UNKNOWN_ID = 99 };

static const struct locus_counter_info counters[] = {
	{.id = LOCUS_COVERAGE_LINE, .value = 60},
	{.id = LOCUS_COVERAGE_INLINE, .value = 20},
	{.id = LOCUS_COVERAGE_NONE, .value = 0},
	{.id = UNKNOWN_ID, .value = 20},
};
enum { COUNT = sizeof(counters) / sizeof(counters[0]) };

/* What `show` writes. */
static const char *shown(void (*show)(struct out *out))
{
	static char text[2048];
	static struct out out;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	out_init(&out, ends[1]);
	show(&out);
	out_flush(&out);
	close(ends[1]);
	ssize_t size = read(ends[0], text, sizeof(text) - 1);
	close(ends[0]);
	text[size > 0 ? size : 0] = '\0';
	return text;
}

static void shares_of_lines(void **state)
{
	static const struct locus_counter_info none[] = {{.id = LOCUS_COVERAGE_NONE, .value = 5}};

	(void)state;
	assert_true(coverage_line_percent(counters, COUNT) == 80);
	assert_true(coverage_line_percent(counters, 1) == 100);
	assert_true(coverage_line_percent(none, 1) == 0);
	assert_true(coverage_line_percent(counters, 0) == 0);
}

static void coverage_as_text(struct out *out)
{
	text_coverage(out, counters, COUNT);
}

static void dropped_as_text(struct out *out)
{
	static const struct locus_counter_info dropped[] = {
		{.id = 0, .value = 0}, {.id = 1, .value = 7}, {UNKNOWN_ID, 3}, {.id = 2, .value = 9}};

	text_dropped(out, dropped, 3); /* the last is not asked for */
}

static void nothing_dropped(struct out *out)
{
	static const struct locus_counter_info dropped[] = {{.id = 0, .value = 0}, {.id = 1, .value = 0}};

	text_dropped(out, dropped, 2);
}

/* As its name and its text, what is 0 left out, and what only a newer version counts by no name. */
static void tables(void **state)
{
	char line[256];

	(void)state;
	const char *text = shown(coverage_as_text);
	assert_non_null(strstr(text, "100 bytes of code\n"));
	snprintf(line, sizeof(line), "  %-13s             60  60.00 %%  %s\n", locus_coverage_name(LOCUS_COVERAGE_LINE),
		 locus_coverage_text(LOCUS_COVERAGE_LINE));
	assert_non_null(strstr(text, line));
	assert_non_null(strstr(text, "  ?                         20  20.00 %  counted by a newer version\n"));
	assert_null(strstr(text, locus_coverage_text(LOCUS_COVERAGE_NONE)));

	text = shown(dropped_as_text);
	snprintf(line, sizeof(line), "\ndropped\n  %-15s            7  %s\n", locus_dropped_name(1),
		 locus_dropped_text(1));
	assert_memory_equal(text, line, strlen(line));
	assert_string_equal(text + strlen(line), "  ?                          3  counted by a newer version\n");
	assert_string_equal(shown(nothing_dropped), "");
}

static void as_json(struct out *out)
{
	static const struct locus_counter_info dropped[] = {
		{.id = 0, .value = 0}, {.id = 1, .value = 7}, {UNKNOWN_ID, 3}, {.id = 2, .value = 9}};
	static struct json json;

	json_init(&json, out);
	json_open(&json, '{');
	json_coverage(&json, counters, COUNT);
	json_dropped(&json, dropped, 3);
	json_close(&json, '}');
}

static void objects(void **state)
{
	char expected[256];

	(void)state;
	snprintf(expected, sizeof(expected),
		 "{\"coverage\":{\"%s\":60,\"%s\":20,\"%s\":0,\"99\":20},\"dropped\":{\"%s\":7,\"99\":3}}",
		 locus_coverage_name(LOCUS_COVERAGE_LINE), locus_coverage_name(LOCUS_COVERAGE_INLINE),
		 locus_coverage_name(LOCUS_COVERAGE_NONE), locus_dropped_name(1));
	assert_string_equal(shown(as_json), expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_of_lines),
		cmocka_unit_test(tables),
		cmocka_unit_test(objects),
	};

	return cmocka_run_group_tests_name("counter_names", tests, NULL, NULL);
}
