/* The text of depfiles, and what none can say. That make and ninja read it as it is meant is tested by the command. */
#include "cmd/batch/depfile.h"

#include <sys/stat.h>

#include "cmd/folder_test.h"

static void rules_are_quoted(void **state)
{
	static const struct {
		const char *output, *paths, *expected;
		size_t paths_size;
	} cases[] = {
		{"o", "a\0", "o: a\n", 2},
		{"o", "a\0b\0c\0", "o: a \\\n  b \\\n  c\nb:\nc:\n", 6},
		{"a b", "c\td\0", "a\\ b: c\\\td\n", 4},
		{"o:p", "#a\0", "o\\:p: \\#a\n", 3},
		{"o|p", "a|\0b|\0", "o|p: a\\| \\\n  b\\|\nb|:\n", 6},
		{"o*", "a?\0*\0[b]\0", "o\\*: a\\? \\\n  \\* \\\n  [b]\n\\*:\n[b]:\n", 9},
		{"o%", "a\0b%\0c\td\0e\0", "o%: a \\\n  b% \\\n  c\\\td \\\n  e\ne:\n", 11},
		{"$o", "$$\0", "$$o: $$$$\n", 3},
		{"o", "a\\b\0", "o: a\\b\n", 4},
		{"o", "a\\ b\0", "o: a\\\\\\ b\n", 5},
		{"o", "a\\\\ b\0", "o: a\\\\\\\\\\ b\n", 6},
		{"o", "a\\b c\0", "o: a\\b\\ c\n", 6},
		{"o~", "a/~\0", "o~: a/~\n", 4},
		{"o", "=a\0+=b\0", "o: $  ./=a \\\n  ./+=b\n", 7},
		{"o", "a=b\0c=d\0e\0", "o: $  a=b \\\n  c=d \\\n  e\ne:\n", 10},
		{"o&", "a&\0b&\0", "o& : a& \\\n  b&\nb& :\n", 6},
		{"o", "a(b)\0", "o: a(b)\na(b):\n", 5},
		{"o", "(b)\0", "o: (b)\n", 4},
		{"o", "a\0c=d\0", "o: a \\\n  c=d\n", 6},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct depfile depfile = {.path = "/absent/d"};
		depfile_add(&depfile, cases[i].output, cases[i].paths, cases[i].paths_size);
		if (depfile.problem[0] || depfile.rules.size != strlen(cases[i].expected) ||
		    memcmp(depfile.rules.bytes, cases[i].expected, depfile.rules.size) != 0)
			fail_msg("case %zu: '%.*s', not '%s'", i, (int)depfile.rules.size, depfile.rules.bytes,
				 cases[i].expected);
		depfile_done(&depfile);
	}
}

static void names_that_no_rule_can_say(void **state)
{
	static const struct {
		const char *name;
		bool can_be_said, as_output;
	} cases[] = {
		{"a\nb", false, false}, {"a\rb", false, false},  {"a;b", false, false},     {"a\\", false, false},
		{"\\", false, false},   {"a\\b", true, true},    {"", true, true},          {"a ", false, false},
		{" a", true, true},     {"a\t", false, false},   {"a\tb", true, false},     {"a*:", false, false},
		{"#?", false, false},   {"a\\|b", false, false}, {"a*?|", true, true},      {"a:#\\b", true, true},
		{"~", false, false},    {"~a/b", false, false},  {".//./~a", false, false}, {"./a~", true, true},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (int as_output = 0; as_output < 2; as_output++) {
			struct depfile depfile = {.path = "/absent/d"};
			const char *output = as_output ? cases[i].name : "o", *path = as_output ? "a" : cases[i].name;
			depfile_add(&depfile, output, path, strlen(path) + 1);
			if ((depfile.problem[0] == 0) != (as_output ? cases[i].as_output : cases[i].can_be_said))
				fail_msg("'%s': %s", cases[i].name, depfile.problem);
			depfile_done(&depfile);
		}
}

static void a_name_is_told_that_is_as_long_as_most(void **state)
{
	char name[301], expected[512];
	struct depfile depfile = {.path = "/absent/d"};
	(void)state;
	memset(name, 'n', sizeof(name));
	name[0] = '~';
	name[sizeof(name) - 1] = '\0';
	depfile_add(&depfile, "o", name, sizeof(name));
	snprintf(expected, sizeof(expected), "make has no way to quote the name '%s': see --depfile in locus(1)", name);
	assert_string_equal(depfile.problem, expected);
	depfile_done(&depfile);
}

static void rules_are_written_after_each_other_but_over_no_input(void **state)
{
	char path[] = "/tmp/locus-depfile-XXXXXX";
	struct depfile depfile = {.path = path};
	(void)state;
	int fd = mkstemp(path);
	assert_int_equal(write(fd, "kept", 4), 4);
	close(fd);
	assert_true(depfile_write(&depfile)); /* which has no rule */
	expect_file(path, "kept");
	depfile_add(&depfile, "o", "/proc/self/exe", sizeof("/proc/self/exe"));
	depfile_add(&depfile, "p", "a", sizeof("a"));
	assert_string_equal(depfile.problem, "");
	assert_true(depfile_write(&depfile));
	expect_file(path, "o: /proc/self/exe\np: a\n");
	depfile_add(&depfile, "q", path, sizeof(path));
	assert_string_equal(depfile.problem, "would overwrite an input");
	depfile.problem[0] = 0;
	depfile_add(&depfile, path, "a", sizeof("a"));
	assert_string_equal(depfile.problem, "would overwrite an output");
	depfile_done(&depfile);
	unlink(path);

	struct depfile none = {.path = NULL};
	depfile_add(&none, "o", "a", sizeof("a"));
	assert_null(none.rules.bytes);
	assert_true(depfile_write(&none));
}

static void every_output_that_was_made_goes_with_the_depfile_and_no_other(void **state)
{
	char folder[] = "/tmp/locus-depfile-XXXXXX", depfile_path[64], output[3][64];
	struct depfile depfile = {.path = depfile_path}, none = {.path = NULL};
	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(depfile_path, sizeof(depfile_path), "%s/absent/d", folder);
	for (int i = 0; i < 3; i++) {
		snprintf(output[i], sizeof(output[i]), "%s/output-%d", folder, i);
		close(open(output[i], O_WRONLY | O_CREAT, 0666));
		depfile_add(&depfile, output[i], "a", sizeof("a"));
	}
	depfile_add_made(&depfile, output[0]);
	depfile_add_made(&none, output[1]);
	depfile_add_made(&depfile, output[2]);
	assert_null(none.made.bytes);
	assert_false(depfile_write(&depfile));
	for (int i = 0; i < 3; i++)
		assert_int_equal(access(output[i], F_OK), i == 1 ? 0 : -1);
	depfile_done(&depfile);
	assert_int_equal(remove_folder(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_quoted),
		cmocka_unit_test(names_that_no_rule_can_say),
		cmocka_unit_test(a_name_is_told_that_is_as_long_as_most),
		cmocka_unit_test(rules_are_written_after_each_other_but_over_no_input),
		cmocka_unit_test(every_output_that_was_made_goes_with_the_depfile_and_no_other),
	};
	return cmocka_run_group_tests_name("depfile", tests, NULL, NULL);
}
