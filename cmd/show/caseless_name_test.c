/* Names of debug information, and what people call them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/toolkit_test.h"
#include "cmd/common/language.h"
#include "cmd/show/caseless_name.h"

struct name_case {
	const char *name, *written;
};

static const struct name_case of_ada[] = {
	{"pkg__proc", "pkg.proc"},
	{"pkg__inner__twice", "pkg.inner.twice"},
	{"pkg__proc__2", "pkg.proc"},
	{"pkg__proc__12", "pkg.proc"},
	{"pkg__proc_2", "pkg.proc_2"},
	{"pkg__proc2", "pkg.proc2"},
	{"_ada_prog", "prog"},
	{"_ada_", "_ada_"},
	{"pkg__Oadd", "pkg.oadd"},
	{"pkg__Oadd__2", "pkg.oadd"},
	{"proc__B_1__nested", "proc.b_1.nested"},
	{"my_pkg__do_it", "my_pkg.do_it"},
	{"pkg__workerTKB", "pkg.worker"},
	{"pkg__workerTB", "pkg.worker"},
	{"pkg__counter__valueN", "pkg.counter.value"},
	{"pkg__counter__value2P", "pkg.counter.value2"},
	{"pkg__counter__wait_for_E30s", "pkg.counter.wait_for"},
	{"pkg__counter__wait_for_B31s", "pkg.counter.wait_for"},
	{"pkg__e30s", "pkg.e30s"},
	{"_E3s", "_e3s"},
	{"pkg__counterTVDF", "pkg.countertvdf"},
	{"main", "main"},
	{"__main", "__main"},
	{"a__", "a__"},
	{"__2", "__2"},
	{"N", "n"},
	{"_", "_"},
	{"12", "12"},
	{"", ""},
};

static const struct name_case of_fortran[] = {
	{"area", "area"},
	{"__geometry_MOD_area", "geometry::area"},
	{"__geometry_MOD___copy_geometry_Square", "geometry::__copy_geometry_square"},
	{"__MOD_area", "__mod_area"},
	{"__", "__"},
	{"_QMgeometryParea", "geometry::area"},
	{"_QMgeometrySplanePinner_area", "geometry::plane::inner_area"},
	{"_QFPhelper", "helper"},
	{"_QQmain", "_qqmain"},
	{"_Q", "_q"},
	{"MAIN__", "main__"},
	{"", ""},
};

static const struct name_case of_pascal[] = {{"Create", "create"}, {"FAIL", "fail"}, {"", ""}};

static const struct name_case written_ada[] = {
	{"Pkg.Proc", "pkg.proc"},
	{"\"+\"", "oadd"},
	{"Pkg.\"**\"", "pkg.oexpon"},
	{"Pkg.\"Mod\"", "pkg.omod"},
	{"\"<\"", "olt"},
	{"\"no operator\"", "\"no operator\""},
	{"\"\"", "\"\""},
	{"\"", "\""},
	{"", ""},
};

typedef size_t writer(const char *name, size_t size, uint32_t language, char *ret);

static void check(const struct name_case *cases, size_t count, writer *write, uint32_t language)
{
	for (size_t i = 0; i < count; i++) {
		char ret[CASELESS_ROOM];
		size_t size = write(cases[i].name, strlen(cases[i].name), language, ret);
		if (size != strlen(cases[i].written) || memcmp(ret, cases[i].written, size) != 0)
			fail_msg("'%s' is '%.*s'", cases[i].name, (int)size, ret);
	}
}

static void names_as_people_write_them(void **state)
{
	(void)state;
	check(of_ada, COUNT_OF(of_ada), caseless_name, LANG_ADA95);
	check(of_fortran, COUNT_OF(of_fortran), caseless_name, LANG_FORTRAN95);
	check(of_pascal, COUNT_OF(of_pascal), caseless_name, LANG_PASCAL83);
	check(written_ada, COUNT_OF(written_ada), caseless_text, LANG_ADA95);
	check(of_pascal, COUNT_OF(of_pascal), caseless_text, LANG_PASCAL83);
}

/* Each letter of a name may become two. */
static void the_longest_name(void **state)
{
	static char name[CASELESS_SIZE_MAX], ret[CASELESS_ROOM];

	(void)state;
	memset(name, 'P', sizeof(name));
	memcpy(name, "_QMa", 4);
	assert_int_equal(caseless_name(name, sizeof(name), LANG_FORTRAN95, ret), 1 + 2 * (sizeof(name) - 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_as_people_write_them),
		cmocka_unit_test(the_longest_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
