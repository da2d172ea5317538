/* The order of records: by name, each function once, in good time whatever the names are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "writer/name_order.h"

enum { COUNT = 20000, NAME_MAX_SIZE = 200 };

static struct locus_function functions[COUNT];
static char text[COUNT][NAME_MAX_SIZE];

/* What the functions' names are made of; each gives the i-th name at least 48 bytes. */
static int make_alike(char *ret, uint32_t i)
{
	return sprintf(ret, "%060u%0*u", 7u, (int)(i * 7919u % 100u), i * 2654435761u % 500u);
}

static int make_equal(char *ret, uint32_t i)
{
	(void)i;
	return sprintf(ret, "%0100u", 1u);
}

static int make_prefixes(char *ret, uint32_t i)
{
	memset(ret, 'x', i % NAME_MAX_SIZE);
	return (int)(i % NAME_MAX_SIZE);
}

static int make_ascending(char *ret, uint32_t i)
{
	return sprintf(ret, "%0100u", i);
}

static int make_high_bytes(char *ret, uint32_t i)
{
	uint32_t random = i * 2654435761u;
	for (int k = 0; k < 64; k++)
		ret[k] = (char)(1 + (k < 40 ? 0xF0 + (i & 1) : random >> (k % 24)) % 255);
	return 64;
}

/* What ends is in order before what goes on, even with the lowest byte that a name can have. */
static int make_low_bytes(char *ret, uint32_t i)
{
	memset(ret, 1, i % NAME_MAX_SIZE);
	return (int)(i % NAME_MAX_SIZE);
}

static int compare(uint32_t a, uint32_t b)
{
	struct locus_bytes x = functions[a].linkage, y = functions[b].linkage;
	size_t size = x.size < y.size ? x.size : y.size;
	int order = size ? memcmp(x.data, y.data, size) : 0;
	if (order)
		return order;
	if (x.size != y.size)
		return x.size < y.size ? -1 : 1;
	return a < b ? -1 : 1;
}

static void check(int (*make)(char *, uint32_t), unsigned thread_count)
{
	static uint8_t is_there[COUNT];
	struct locus_tables tables = {.functions = functions, .function_count = COUNT};
	uint32_t *order;
	memset(is_there, 0, sizeof(is_there));
	for (uint32_t i = 0; i < COUNT; i++) {
		int size = make(text[i], i);
		assert_in_range(size, 0, NAME_MAX_SIZE);
		functions[i] = (struct locus_function){.linkage = {text[i], (size_t)size}};
	}
	assert_int_equal(locus_order_choose(&tables, thread_count, &order, NULL), LOCUS_OK);
	assert_non_null(order);
	for (uint32_t i = 0; i < COUNT; i++) {
		assert_in_range(order[i], 0, COUNT - 1);
		assert_false(is_there[order[i]]);
		is_there[order[i]] = 1;
		if (i && compare(order[i - 1], order[i]) >= 0)
			fail_msg("record %u: %u stands before %u", i, order[i - 1], order[i]);
	}
	free(order);
}

static void test_sorted(void **state)
{
	(void)state;
	for (unsigned thread_count = 1; thread_count <= 3; thread_count++) {
		check(make_alike, thread_count);
		check(make_equal, thread_count);
		check(make_prefixes, thread_count);
		check(make_ascending, thread_count);
		check(make_high_bytes, thread_count);
		check(make_low_bytes, thread_count);
	}
}

/* The first name counts, where there are two. */
static void test_first_name(void **state)
{
	struct locus_tables tables = {.functions = functions, .function_count = COUNT};
	uint32_t *order;
	(void)state;
	for (uint32_t i = 0; i < COUNT; i++) {
		struct locus_bytes up = {text[i], (size_t)make_ascending(text[i], i)};
		struct locus_bytes down = {text[COUNT - 1 - i], up.size};
		functions[i] = (struct locus_function){.name = down, .linkage = up};
	}
	assert_int_equal(locus_order_choose(&tables, 1, &order, NULL), LOCUS_OK);
	assert_non_null(order);
	for (uint32_t i = 0; i < COUNT; i++)
		assert_int_equal(order[i], COUNT - 1 - i);
	free(order);
}

static void test_short_names_stay(void **state)
{
	struct locus_function some[] = {{.name = {"zebra", 5}}, {.name = {"ape", 3}}};
	struct locus_tables tables = {.functions = some, .function_count = 2};
	uint32_t *order;
	(void)state;
	assert_int_equal(locus_order_choose(&tables, 1, &order, NULL), LOCUS_OK);
	assert_null(order);
	tables.function_count = 0;
	assert_int_equal(locus_order_choose(&tables, 1, &order, NULL), LOCUS_OK);
	assert_null(order);
}

/* Whether records of so many functions are sorted, whose names take so many bytes in all. */
static bool is_sorted_of(uint32_t count, size_t size)
{
	struct locus_function *many = calloc(count, sizeof(*many));
	char *name = malloc(size);
	struct locus_tables tables = {.functions = many, .function_count = count};
	uint32_t *order;
	memset(name, 'x', size);
	for (uint32_t i = 0; i < count; i++, size -= many[i - 1].name.size + many[i - 1].linkage.size) {
		size_t part = size / (count - i);
		many[i] = (struct locus_function){.name = {name, part - part / 3}, .linkage = {name, part / 3}};
	}
	assert_int_equal(locus_order_choose(&tables, 1, &order, NULL), LOCUS_OK);
	bool is_sorted = order;
	free(order);
	free(many);
	free(name);
	return is_sorted;
}

/* From 256 KiB on, if a function has 48 bytes on average. */
static void test_many_long_names_are_sorted(void **state)
{
	(void)state;
	assert_true(is_sorted_of(1000, 256 << 10));
	assert_false(is_sorted_of(1000, (256 << 10) - 1));
	assert_true(is_sorted_of(8000, 8000 * 48));
	assert_false(is_sorted_of(8000, 8000 * 48 - 1));
}

/* Few names that are alike for millions of bytes take no deep calls. */
static void test_few_long_names(void **state)
{
	(void)state;
	assert_true(is_sorted_of(2, 48 << 20));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sorted),           cmocka_unit_test(test_first_name),
		cmocka_unit_test(test_short_names_stay), cmocka_unit_test(test_many_long_names_are_sorted),
		cmocka_unit_test(test_few_long_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
