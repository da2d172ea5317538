/* What is an address, and what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/lookup/query.h"

static const struct {
	const char *text;
	enum query_kind kind;
	uint64_t value;
	const char *name;
} good[] = {
	{"0x0", QUERY_ADDRESS, 0, NULL},
	{"0x1149", QUERY_ADDRESS, 0x1149, NULL},
	{"0XaBcD", QUERY_ADDRESS, 0xabcd, NULL},
	{"0xffffffffffffffff", QUERY_ADDRESS, UINT64_MAX, NULL},
	{"0x000000000000000000001", QUERY_ADDRESS, 1, NULL},
	{"#0", QUERY_LOCID, 0, NULL},
	{"#4294967295", QUERY_LOCID, UINT32_MAX, NULL},
	{".text+0x10", QUERY_NAME, 0x10, ".text"},
	{"operator+(A, B)+0x0", QUERY_NAME, 0, "operator+(A, B)"},
	{".text.a+b+0x10", QUERY_NAME, 0x10, ".text.a+b"},
};

static const char *const bad[] = {
	"",        "0x", "x1149", "1149",        "deadbeef", "-0x1",  "+0x1",   "0x1149g",  "0x10000000000000000",
	"0x1 0x2", "#",  "#-1",   "#4294967296", "#0x1",     ".text", ".text+", ".text+16", ".text+0x",
	"main",
};

static void accepts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct query query;
		const char *reason;
		if (!query_parse(good[i].text, strlen(good[i].text), false, &query, &reason))
			fail_msg("%s: refused: %s", good[i].text, reason);
		if (query.kind != good[i].kind || query.value != good[i].value)
			fail_msg("%s: kind %d, value %llx", good[i].text, query.kind, (unsigned long long)query.value);
		if (good[i].name &&
		    (query.name_size != strlen(good[i].name) || memcmp(query.name, good[i].name, query.name_size) != 0))
			fail_msg("%s: name %.*s", good[i].text, (int)query.name_size, query.name);
	}
}

static void refuses(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct query query;
		const char *reason = NULL;
		if (query_parse(bad[i], strlen(bad[i]), false, &query, &reason))
			fail_msg("'%s': accepted", bad[i]);
		assert_non_null(reason);
	}
}

static void takes_bare_numbers_where_they_are_meant(void **state)
{
	struct query query;
	const char *reason;
	(void)state;
	assert_true(query_parse("dead1149", 8, true, &query, &reason));
	assert_int_equal(query.kind, QUERY_ADDRESS);
	assert_int_equal(query.value, 0xdead1149);
	assert_true(query_parse("0x10", 4, true, &query, &reason));
	assert_int_equal(query.value, 0x10);
	assert_false(query_parse("main", 4, true, &query, &reason));
	assert_true(query_parse("0123456789abcdef", 16, true, &query, &reason));
	assert_int_equal(query.value, 0x123456789abcdef);
	assert_false(query_parse("12345678901234567", 17, true, &query, &reason));
	assert_false(query_parse("00000000000001149", 17, true, &query, &reason)); /* too long for an address */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts),
		cmocka_unit_test(refuses),
		cmocka_unit_test(takes_bare_numbers_where_they_are_meant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
