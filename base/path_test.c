/* Paths as text: joined, normalised, taken apart. RULES F1 to F3. */
#include "base/path.h"

#include "base/toolkit_test.h"

static const struct {
	const char *name;
	const char *parts[3];
	const char *expected;
} join_cases[] = {
	{"one part", {"a/b.c"}, "a/b.c"},
	{"a directory and a name", {"/src", "b.c"}, "/src/b.c"},
	{"a directory that ends in a slash", {"/src/", "b.c"}, "/src/b.c"},
	{"three relative parts", {"a", "b", "c"}, "a/b/c"},
	{"an absolute part begins anew", {"/build", "/usr/include", "stdio.h"}, "/usr/include/stdio.h"},
	{"the last absolute part counts", {"/a", "/b", "/c.c"}, "/c.c"},
	{"parts that are absent or empty", {NULL, "", "c.c"}, "c.c"},
	{"a part that is absent in the middle", {"/a", NULL, "c.c"}, "/a/c.c"},
	{"nothing", {NULL, NULL, NULL}, ""},
	{"dots are dropped", {"/a/./b", ".", "./c.c"}, "/a/b/c.c"},
	{"a dot alone", {"."}, ""},
	{"names that only begin with a dot stay", {"/a", ".b", "c."}, "/a/.b/c."},
	{"two dots stay", {"/a", "..", "c.c"}, "/a/../c.c"},
	{"doubled slashes", {"//a//b", "c//d"}, "/a/b/c/d"},
	{"a slash at the end", {"/a", "b/"}, "/a/b"},
	{"the root", {"/"}, "/"},
	{"a name under the root", {"/", "c.c"}, "/c.c"},
	{"a Windows directory", {"C:\\src", "b.c"}, "C:\\src\\b.c"},
	{"a Windows directory that ends in its separator", {"C:\\src\\", "b.c"}, "C:\\src\\b.c"},
	{"a Windows directory with slashes", {"c:/src/", "./b.c"}, "c:/src/./b.c"},
	{"a Windows path begins anew", {"/build", "D:\\x", "y.c"}, "D:\\x\\y.c"},
	{"a share", {"/build", "\\\\host\\share", "y.c"}, "\\\\host\\share\\y.c"},
	{"an absolute path of Unix after one of Windows", {"C:\\src", "/usr/./include"}, "/usr/include"},
};

static void join(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(join_cases); i++) {
		char *path = path_join(join_cases[i].parts, 3);
		if (strcmp(path, join_cases[i].expected) != 0)
			fail_msg("%s: %s, expected %s", join_cases[i].name, path, join_cases[i].expected);
		free(path);
	}
	char *none = path_join(NULL, 0);
	assert_string_equal(none, "");
	free(none);
}

static void windows_roots(void **state)
{
	static const struct {
		const char *path;
		bool is_windows;
	} cases[] = {
		{"C:\\a", true},  {"z:/a", true}, {"\\\\host", true}, {"C:", false}, {"C:a", false}, {"1:\\a", false},
		{"C;\\a", false}, {"\\a", false}, {"a\\\\", false},   {"/a", false}, {"", false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		if (path_is_windows(cases[i].path) != cases[i].is_windows)
			fail_msg("%s", cases[i].path);
}

static void directories(void **state)
{
	static const struct {
		const char *path, *expected;
	} cases[] = {{"a.c", ""},      {"/a.c", "/"}, {"src/a.c", "src/"}, {"/usr/src/a.c", "/usr/src/"},
		     {"src/", "src/"}, {"", ""}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char *directory = path_directory(cases[i].path);
		assert_string_equal(directory, cases[i].expected);
		free(directory);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(join),
		cmocka_unit_test(windows_roots),
		cmocka_unit_test(directories),
	};
	return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
