/* Lines as they come through a pipe: in pieces, without an end, too long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/common/input_lines.h"

static struct input_lines lines;
static struct out answers; /* to a pipe, of which answered[0] is the end to read */
static int answered[2];

static void expect_line(const char *expected)
{
	const char *text;
	size_t size;

	assert_true(input_lines_next(&lines, &text, &size));
	if (size != strlen(expected) || memcmp(text, expected, size) != 0)
		fail_msg("got '%.*s', not '%s'", (int)size, text, expected);
}

static void expect_end(void)
{
	const char *text;
	size_t size;

	assert_false(input_lines_next(&lines, &text, &size));
	assert_int_equal(lines.error, 0);
}

static void start(int fds[2])
{
	assert_int_equal(pipe(fds), 0);
	input_lines_init(&lines, fds[0], &answers);
}

static void send(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void splits_and_trims(void **state)
{
	int fds[2];

	(void)state;
	start(fds);
	send(fds[1], "0x1\n\n  0x2\t\r\n0x3");
	close(fds[1]);
	expect_line("0x1");
	expect_line("");
	expect_line("0x2");
	expect_line("0x3");
	assert_int_equal(lines.number, 4);
	expect_end();
	close(fds[0]);
}

static void says_when_it_would_wait(void **state)
{
	int fds[2];

	(void)state;
	start(fds);
	assert_true(input_lines_must_read(&lines));
	send(fds[1], "0x1\n0x2\n0x");
	expect_line("0x1");
	assert_false(input_lines_must_read(&lines));
	expect_line("0x2");
	assert_true(input_lines_must_read(&lines));
	send(fds[1], "3\n");
	expect_line("0x3");
	send(fds[1], "0x4\n0x5");
	close(fds[1]);
	assert_false(input_lines_ended(&lines));
	expect_line("0x4");
	expect_line("0x5");
	assert_true(input_lines_ended(&lines));
	expect_end();
	close(fds[0]);
}

/* The bytes that have been flushed of the answers. */
static int flushed(void)
{
	int size;

	assert_int_equal(ioctl(answered[0], FIONREAD, &size), 0);
	return size;
}

static void flushes_answers_before_it_waits(void **state)
{
	int fds[2];

	(void)state;
	start(fds);
	send(fds[1], "0x1\n0x2\n");
	expect_line("0x1");
	out_text(&answers, "a");
	expect_line("0x2"); /* which was read with the first: others may be, too */
	out_text(&answers, "bc");
	assert_int_equal(flushed(), 0);
	send(fds[1], "0x3\n");
	expect_line("0x3");
	assert_int_equal(flushed(), 3);
	close(fds[1]);
	out_text(&answers, "d");
	expect_end();
	assert_int_equal(flushed(), 4);
	close(fds[0]);
}

static void long_line_is_cut(void **state)
{
	char path[] = "/tmp/locus-lines-test-XXXXXX";
	int fd = mkstemp(path);
	static char text[2 * sizeof(lines.buffer) + 1];
	const char *got;
	size_t size;

	(void)state;
	assert_true(fd >= 0);
	unlink(path);
	memset(text, 'x', sizeof(text));
	assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
	send(fd, "\n0x1\n");
	assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
	lseek(fd, 0, SEEK_SET);
	input_lines_init(&lines, fd, &answers);
	assert_true(input_lines_next(&lines, &got, &size));
	assert_int_equal(size, sizeof(lines.buffer));
	expect_line("0x1");
	assert_int_equal(lines.number, 2);
	assert_true(input_lines_next(&lines, &got, &size));
	assert_int_equal(size, sizeof(lines.buffer));
	expect_end();
	close(fd);
}

static void failed_read_is_not_the_end(void **state)
{
	const char *text;
	size_t size;

	(void)state;
	input_lines_init(&lines, -1, &answers);
	assert_false(input_lines_next(&lines, &text, &size));
	assert_int_not_equal(lines.error, 0);
}

static int set_up(void **state)
{
	(void)state;
	if (pipe(answered) != 0)
		return -1;
	out_init(&answers, answered[1]);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_and_trims),
		cmocka_unit_test(says_when_it_would_wait),
		cmocka_unit_test(flushes_answers_before_it_waits),
		cmocka_unit_test(long_line_is_cut),
		cmocka_unit_test(failed_read_is_not_the_end),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
