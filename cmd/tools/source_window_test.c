/* Which lines a window has, and that what is no file of lines takes neither long nor much memory. */
#include "cmd/tools/source_window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/folder_test.h"

static char folder[] = "/tmp/locus-source-XXXXXX";

static void write_source(const char *text, size_t size)
{
	FILE *file = fopen("source", "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

/* Reads a window, and joins its lines as "1:a|2:b|". */
static void join(const char *path, uint32_t line, uint32_t count, char ret[256])
{
	struct source_window window;
	struct locus_string text;
	uint64_t number;
	size_t used = 0;

	ret[0] = '\0';
	source_window_read(&window, path, line, count);
	while (source_window_next(&window, &text, &number))
		used += (size_t)snprintf(ret + used, 256 - used, "%llu:%.*s|", (unsigned long long)number,
					 (int)text.size, text.data);
	source_window_done(&window);
}

static void lines_around_one(void **state)
{
	static const struct {
		const char *text;
		uint32_t line, count;
		const char *lines;
	} cases[] = {
		{"a\nb\nc\nd\ne\n", 3, 1, "3:c|"},
		{"a\nb\nc\nd\ne\n", 3, 2, "2:b|3:c|"},
		{"a\nb\nc\nd\ne\n", 3, 3, "2:b|3:c|4:d|"},
		{"a\nb\nc\nd\ne\n", 3, 4, "1:a|2:b|3:c|4:d|"},
		{"a\nb\nc\nd\ne\n", 1, 3, "1:a|2:b|3:c|"},
		{"a\nb\nc\nd\ne\n", 0, 2, "1:a|2:b|"},
		{"a\nb\nc\nd\ne\n", 5, 3, "4:d|5:e|"},
		{"a\nb\nc\nd\ne\n", 6, 3, "5:e|"},
		{"a\nb\nc\nd\ne\n", 7, 3, ""},
		{"a\nb\nc\nd\ne\n", UINT32_MAX, INT32_MAX, ""},
		{"a\nb\nc\nd\ne\n", 3, INT32_MAX, "1:a|2:b|3:c|4:d|5:e|"},
		{"a\nb", 2, 1, "2:b|"},
		{"a\r\n\r\nb\rc\r", 2, 3, "1:a|2:|3:b\rc|"},
		{"a\n\n\n", 2, 3, "1:a|2:|3:|"},
		{"\n", 1, 1, "1:|"},
		{"", 1, 1, ""},
	};
	char lines[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		write_source(cases[i].text, strlen(cases[i].text));
		join("source", cases[i].line, cases[i].count, lines);
		if (strcmp(lines, cases[i].lines) != 0)
			fail_msg("%u lines around %u of '%s': %s", cases[i].count, cases[i].line, cases[i].text, lines);
	}
}

static void columns_of_a_number(void **state)
{
	static const struct {
		uint64_t last;
		int width;
	} cases[] = {{1, 0}, {2, 1}, {10, 1}, {11, 2}, {100, 2}, {101, 3}, {UINT32_MAX, 10}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(source_window_width(&(struct source_window){.last = cases[i].last}), cases[i].width);
}

/* Lines that are longer than what is read at once. */
static void long_lines(void **state)
{
	enum { LONG = 300000 };
	static char text[2 * LONG + 8];
	struct source_window window;
	struct locus_string line;
	uint64_t number;

	(void)state;
	memset(text, 'x', LONG);
	memcpy(text + LONG, "\nmiddle\n", 8);
	memset(text + LONG + 8, 'y', LONG);
	write_source(text, sizeof(text));
	source_window_read(&window, "source", 2, 3);
	assert_true(source_window_next(&window, &line, &number));
	assert_int_equal(line.size, LONG);
	assert_true(source_window_next(&window, &line, &number));
	assert_int_equal(line.size, 6);
	assert_memory_equal(line.data, "middle", 6);
	assert_true(source_window_next(&window, &line, &number));
	assert_int_equal(line.size, LONG);
	assert_int_equal(number, 3);
	assert_false(source_window_next(&window, &line, &number));
	source_window_done(&window);
}

/* A file of a terabyte, which has no lines, and is all holes. */
static void a_file_that_is_too_large(void **state)
{
	struct source_window window;

	(void)state;
	write_source("a\n", 2);
	assert_int_equal(truncate("source", (off_t)1 << 40), 0);
	source_window_read(&window, "source", 2, 3);
	assert_int_equal(window.size, SOURCE_TEXT_MAX);
	source_window_done(&window);
	source_window_read(&window, "source", 3, 1);
	assert_int_equal(window.size, 0);
	source_window_done(&window);
}

static void what_is_no_file(void **state)
{
	static const char *const paths[] = {"absent", ".", "pipe", "/dev/zero", "/dev/tty", "", "loop"};
	char lines[256];

	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(symlink("loop", "loop"), 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		join(paths[i], 1, 3, lines);
		assert_string_equal(lines, "");
	}
}

static int set_up(void **state)
{
	(void)state;
	return !mkdtemp(folder) || chdir(folder) != 0;
}

static int tear_down(void **state)
{
	(void)state;
	return remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_around_one), cmocka_unit_test(columns_of_a_number),
		cmocka_unit_test(long_lines),       cmocka_unit_test(a_file_that_is_too_large),
		cmocka_unit_test(what_is_no_file),
	};

	return cmocka_run_group_tests_name("source window", tests, set_up, tear_down);
}
