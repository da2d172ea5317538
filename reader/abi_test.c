/* What programs built elsewhere rely on: the numbers of statuses and counters, their texts, the version. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "reader/locus.h"

struct pinned {
	int value;
	int number;
	const char *text;
};

static void statuses(void **state)
{
	static const struct pinned cases[] = {
		{LOCUS_OK, 0, "ok"},
		{LOCUS_ERR_IO, 1, "cannot be read"},
		{LOCUS_ERR_MEMORY, 2, "out of memory"},
		{LOCUS_ERR_USAGE, 3, "argument out of range"},
		{LOCUS_ERR_NOT_LOCUS, 4, "not a .locus file"},
		{LOCUS_ERR_VERSION, 5, "another format version"},
		{LOCUS_ERR_TRUNCATED, 6, "truncated"},
		{LOCUS_ERR_CHECKSUM, 7, "checksum mismatch"},
		{LOCUS_ERR_CORRUPT, 8, "not well-formed"},
		{LOCUS_ERR_UNSUPPORTED, 9, "not supported"},
		{LOCUS_ERR_NOT_ELF, 10, "not an ELF file"},
		{LOCUS_ERR_BAD_ELF, 11, "damaged ELF file"},
		{LOCUS_ERR_BAD_DWARF, 12, "damaged debug information"},
		{LOCUS_ERR_NO_DEBUG, 13, "no debug information"},
		{LOCUS_ERR_COMPANION, 14, "missing or mismatching companion file"},
		{LOCUS_ERR_LIMIT, 15, "more memory than is allowed"},
		{LOCUS_ERR_OUTPUT, 16, "the output cannot be written"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(cases[i].value, cases[i].number);
		assert_string_equal(locus_status_text((enum locus_status)cases[i].value), cases[i].text);
	}
	assert_string_equal(locus_status_text((enum locus_status)1000), "unknown status");
}

static void answers(void **state)
{
	static const struct pinned cases[] = {
		{LOCUS_ANSWER_NONE, 0, "none"},
		{LOCUS_ANSWER_SYMBOL, 1, "symbol"},
		{LOCUS_ANSWER_NO_LINE, 2, "no-line"},
		{LOCUS_ANSWER_OK, 3, "ok"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(cases[i].value, cases[i].number);
		assert_string_equal(locus_answer_name((enum locus_answer)cases[i].value), cases[i].text);
	}
	assert_string_equal(locus_answer_name((enum locus_answer)1000), "unknown");
}

static void counters(void **state)
{
	(void)state;
	assert_string_equal(locus_coverage_name(LOCUS_COVERAGE_LINE), "line");
	assert_string_equal(locus_coverage_name(5), "none");
	assert_string_equal(locus_coverage_text(5), "nothing known");
	assert_string_equal(locus_dropped_name(LOCUS_DROPPED_TOMBSTONE), "tombstone");
	assert_string_equal(locus_dropped_name(11), "bad-reference");
	assert_string_equal(locus_dropped_text(3), "ranges clipped to the end of an executable section");
	for (uint32_t id = 0; id < 1000; id++) {
		assert_int_equal(locus_coverage_name(id) != NULL, id < LOCUS_COVERAGE_COUNT);
		assert_int_equal(locus_coverage_text(id) != NULL, id < LOCUS_COVERAGE_COUNT);
		assert_int_equal(locus_dropped_name(id) != NULL, id < LOCUS_DROPPED_COUNT);
		assert_int_equal(locus_dropped_text(id) != NULL, id < LOCUS_DROPPED_COUNT);
	}
}

static void version(void **state)
{
	char text[32];
	unsigned number = locus_version();
	(void)state;
	assert_int_equal(number, LOCUS_VERSION_NUMBER);
	snprintf(text, sizeof(text), "%u.%u.%u", number / 1000000, number / 1000 % 1000, number % 1000);
	assert_string_equal(locus_version_text(), text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statuses),
		cmocka_unit_test(answers),
		cmocka_unit_test(counters),
		cmocka_unit_test(version),
	};
	return cmocka_run_group_tests_name("abi", tests, NULL, NULL);
}
