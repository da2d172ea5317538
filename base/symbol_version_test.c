/* Names of symbols lose their versions, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/symbol_version.h"

static void versions_are_left_out(void **state)
{
	static const struct {
		const char *name;
		size_t size;
	} cases[] = {
		{"", 0},        {"puts", 4}, {"memcpy@@GLIBC_2.14", 6}, {"memcpy@GLIBC_2.2.5", 6},
		{"a@", 1},      {"@odd", 4}, {"puts@plt", 8},           {"puts@plts", 4},
		{"puts@pl", 4}, {"@plt", 4}, {"puts@@plt", 9},          {"a@V@plt", 7},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(size_without_version(cases[i].name, strlen(cases[i].name)), cases[i].size);
	assert_int_equal(size_without_version(NULL, 0), 0);
	assert_int_equal(size_without_version("puts@plt", 7), 4); /* only these bytes are the name */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(versions_are_left_out)};
	return cmocka_run_group_tests_name("symbol_version", tests, NULL, NULL);
}
