/* File offsets and runtime addresses become addresses, or are refused; at each bound of a small program. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reader/open_sample_test.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/*
 * Behind the segments stand counters. Who reads on sees one more segment: at address 1, of 0x300000 bytes, with bytes
 * 0x7000 and 0x7001 of the file.
 */
static const struct locus_counter counters[] = {{1, 0x7000}, {2, 0x300000}, {5, 1}};

static struct locus *open_with_segments(const struct locus_segment *segments, size_t count)
{
	struct locus_sample sample = {
		.tables.meta = {.segments = segments,
				.segment_count = count,
				.coverage = counters,
				.coverage_count = COUNT_OF(counters)},
	};
	return open_sample(&sample);
}

/* ---- Offsets and runtime addresses ---- */

/* The first page of the code is loaded as data too, before it; then bytes that are only in memory. */
static const struct locus_segment segments[] = {
	{0x201800, 0x1800, 0x400, 0x400, 4},
	{0x401800, 0x1800, 0x200, 0x200, 5},
	{0x405000, 0x3000, 0x100, 0x1000, 6},
};

static void offsets_are_found_in_segments(void **state)
{
	static const struct {
		uint64_t offset, address; /* address 0: no segment holds the offset */
	} cases[] = {
		{0x17ff, 0},        {0x1800, 0x401800}, {0x19ff, 0x4019ff}, {0x1a00, 0x201a00},
		{0x1bff, 0x201bff}, {0x1c00, 0},        {0x2fff, 0},        {0x3000, 0x405000},
		{0x30ff, 0x4050ff}, {0x3100, 0},        {0x7000, 0},        {UINT64_MAX, 0},
	};
	struct locus *locus = open_with_segments(segments, COUNT_OF(segments));
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t address = 1;
		struct locus_error error = {.text = ""};
		enum locus_status status = locus_address_of_offset(locus, cases[i].offset, &address, &error);
		assert_int_equal(status, cases[i].address ? LOCUS_OK : LOCUS_ERR_USAGE);
		assert_int_equal(address, cases[i].address ? cases[i].address : 1);
		assert_string_equal(error.text,
				    cases[i].address ? "" : "no segment of the program holds this file offset");
	}
	locus_close(locus);
}

static void code_is_meant_whichever_segment_comes_first(void **state)
{
	static const struct locus_segment reversed[] = {{0x401800, 0x1800, 0x200, 0x200, 5},
							{0x201800, 0x1800, 0x400, 0x400, 4}};
	struct locus *locus = open_with_segments(reversed, COUNT_OF(reversed));
	uint64_t address;
	(void)state;
	assert_int_equal(locus_address_of_offset(locus, 0x1900, &address, NULL), LOCUS_OK);
	assert_int_equal(address, 0x401900);
	locus_close(locus);
}

static void a_debug_file_does_not_say_where_code_is_in_the_program(void **state)
{
	static const struct locus_segment of_debug_file[] = {{0, 0, 0x39c, 0x7c8, 4}, {0x1000, 0, 0, 0x199, 5}};
	struct locus *locus = open_with_segments(of_debug_file, COUNT_OF(of_debug_file));
	struct locus_error error = {.text = ""};
	uint64_t address;
	(void)state;
	assert_int_equal(locus_address_of_offset(locus, 0x1010, &address, &error), LOCUS_ERR_USAGE);
	assert_string_equal(error.text,
			    "the file was made of a debug file alone, which does not say what is loaded from "
			    "this file offset");
	locus_close(locus);
}

static void runtime_addresses_are_held_against_segments(void **state)
{
	enum { BASE = 0x10000000 };
	static const struct {
		uint64_t runtime, address; /* address 0: it is outside */
	} cases[] = {
		{BASE - 1, 0},
		{BASE, 0}, /* the page of the lowest segment begins before it */
		{BASE + 0x7ff, 0},
		{BASE + 0x800, 0x201800},
		{BASE + 0xbff, 0x201bff},
		{BASE + 0xc00, 0},
		{BASE + 0x2007ff, 0},
		{BASE + 0x200800, 0x401800},
		{BASE + 0x204000, 0x405000},
		{BASE + 0x204fff, 0x405fff}, /* only in memory */
		{BASE + 0x205000, 0},
		{0, 0},
	};
	struct locus *locus = open_with_segments(segments, COUNT_OF(segments));
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t address = 1;
		struct locus_error error = {.text = ""};
		enum locus_status status = locus_address_of_runtime(locus, BASE, cases[i].runtime, &address, &error);
		if (status != (cases[i].address ? LOCUS_OK : LOCUS_ERR_USAGE))
			fail_msg("%#llx: %s", (unsigned long long)cases[i].runtime, error.text);
		assert_int_equal(address, cases[i].address ? cases[i].address : 1);
		assert_string_equal(error.text,
				    cases[i].address ? "" : "with this base the address is outside the program");
	}
	locus_close(locus);
}

static void without_segments_any_address_above_the_base_is_taken(void **state)
{
	struct locus *locus = open_with_segments(NULL, 0);
	struct locus_error error = {.text = ""};
	uint64_t address;
	(void)state;
	assert_int_equal(locus_address_of_runtime(locus, 0x5000, 0x5000, &address, &error), LOCUS_OK);
	assert_int_equal(address, 0);
	assert_int_equal(locus_address_of_runtime(locus, 0x5000, 0x7123, &address, &error), LOCUS_OK);
	assert_int_equal(address, 0x2123);
	assert_int_equal(locus_address_of_runtime(locus, 0x5000, 0x4fff, &address, &error), LOCUS_ERR_USAGE);
	assert_int_equal(locus_address_of_offset(locus, 0x10, &address, &error), LOCUS_ERR_USAGE);
	assert_string_equal(error.text, "the program's segments are not known: file offsets mean nothing");
	locus_close(locus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_are_found_in_segments),
		cmocka_unit_test(code_is_meant_whichever_segment_comes_first),
		cmocka_unit_test(a_debug_file_does_not_say_where_code_is_in_the_program),
		cmocka_unit_test(runtime_addresses_are_held_against_segments),
		cmocka_unit_test(without_segments_any_address_above_the_base_is_taken),
	};
	return cmocka_run_group_tests_name("locate", tests, NULL, NULL);
}
