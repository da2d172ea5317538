/* What words arguments become that are written in files and in a variable. */
#include "cmd/tools/tool_arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/folder_test.h"

static char folder[] = "/tmp/locus-arguments-XXXXXX";

#define VARIABLE "LOCUS_TEST_ARGUMENTS"

static void write_file(const char *name, const char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

/* Expands "program" and an argument, in the folder, and joins what that becomes with '|' behind each word. */
static void expect(const char *argument, const char *joined)
{
	char program[] = "program", given[64], got[256] = "";
	char *list[] = {program, given, NULL}, **argv = list;
	int argc = 2;

	snprintf(given, sizeof(given), "%s", argument);
	assert_int_equal(chdir(folder), 0);
	assert_true(tool_arguments_expand(VARIABLE, &argc, &argv));
	for (int i = 0; i < argc; i++) {
		strcat(got, argv[i]);
		strcat(got, "|");
	}
	assert_null(argv[argc]);
	assert_string_equal(got, joined);
}

static void words_of_a_file(void **state)
{
	static const struct {
		const char *text, *words;
	} files[] = {
		{"", ""},
		{" \n\t ", ""},
		{"a", "a|"},
		{" a\r\n\tb\vc\f ", "a|b|c|"},
		{"'a b'\"c d\"e f", "a bc de|f|"},
		{"'a \"b' \"c 'd\"", "a \"b|c 'd|"},
		{"a\\ b '\\'' \"\\\"\\\\\"", "a b|'|\"\\|"},
		{"'' \"\" a", "||a|"},
		{"'a b", "a b|"},
		{"a\\", "a\\|"},
		{"a b\\\nc", "a|b\nc|"},
	};
	char expected[256];

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		write_file("words", files[i].text, strlen(files[i].text));
		snprintf(expected, sizeof(expected), "program|%s", files[i].words);
		expect("@words", expected);
	}
	write_file("words", "a b\0c", 5);
	expect("@words", "program|a|b|");
}

static void files_in_files_and_those_that_cannot_be_read(void **state)
{
	(void)state;
	write_file("inner", "b c", 3);
	write_file("outer", "a @inner '@inner' @absent @. d@inner", 36);
	expect("@outer", "program|a|b|c|b|c|@absent|@.|d@inner|");
	expect("@", "program|@|");
	expect("", "program||");
}

static void a_variable_comes_first(void **state)
{
	(void)state;
	assert_int_equal(setenv(VARIABLE, "-a '-b c' @inner", 1), 0);
	expect("d", "program|-a|-b c|b|c|d|");
	assert_int_equal(setenv(VARIABLE, "", 1), 0);
	expect("d", "program|d|");
	assert_int_equal(unsetenv(VARIABLE), 0);
	expect("d", "program|d|");
}

static void a_file_that_names_itself(void **state)
{
	char program[] = "program", given[] = "@again";
	char *list[] = {program, given, NULL}, **argv = list;
	int argc = 2;

	(void)state;
	write_file("again", "a @again", 8);
	assert_false(tool_arguments_expand(NULL, &argc, &argv));
}

static int set_up(void **state)
{
	(void)state;
	return !mkdtemp(folder);
}

static int tear_down(void **state)
{
	(void)state;
	return remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_a_file),
		cmocka_unit_test(files_in_files_and_those_that_cannot_be_read),
		cmocka_unit_test(a_variable_comes_first),
		cmocka_unit_test(a_file_that_names_itself),
	};

	return cmocka_run_group_tests_name("tool arguments", tests, set_up, tear_down);
}
