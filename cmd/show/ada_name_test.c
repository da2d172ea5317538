/* Names of GNAT's debug information, and what people call them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/show/ada_name.h"

static const struct {
	const char *name, *written;
} cases[] = {
	{"pkg__proc", "pkg.proc"},
	{"pkg__inner__twice", "pkg.inner.twice"},
	{"pkg__proc__2", "pkg.proc"},
	{"pkg__proc__12", "pkg.proc"},
	{"pkg__proc_2", "pkg.proc_2"},
	{"pkg__proc2", "pkg.proc2"},
	{"_ada_prog", "prog"},
	{"_ada_", "_ada_"},
	{"pkg__Oadd", "pkg.Oadd"},
	{"proc__B_1__nested", "proc.B_1.nested"},
	{"my_pkg__do_it", "my_pkg.do_it"},
	{"main", "main"},
	{"__main", "__main"},
	{"a__", "a__"},
	{"__2", "__2"},
	{"_", "_"},
	{"12", "12"},
	{"", ""},
};

static void names_are_written_with_dots(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char ret[64];
		size_t size = ada_name(cases[i].name, strlen(cases[i].name), ret);
		if (size != strlen(cases[i].written) || memcmp(ret, cases[i].written, size) != 0)
			fail_msg("'%s' is '%.*s'", cases[i].name, (int)size, ret);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_written_with_dots)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
