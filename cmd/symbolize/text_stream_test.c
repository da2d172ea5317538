/* Text comes out whole and in order however it comes in, and lines that may name an address come one by one. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/symbolize/text_stream.h"

static struct text_stream stream;

/* What a candidate says of the line before it, which is the last of the text given so far. */
static void check_before(const struct text_piece *piece, const char *text, size_t size)
{
	enum { KEPT = 500 /* bytes of a line that is known whole, however much was read since */ };

	if (!size) {
		assert_null(piece->before);
		return;
	}
	const char *newline = memrchr(text, '\n', size - 1), *line = newline ? newline + 1 : text;
	size_t line_size = (size_t)(text + size - 1 - line);
	if (line_size > KEPT)
		return;
	assert_non_null(piece->before);
	assert_int_equal(piece->before_size, line_size);
	assert_memory_equal(piece->before, line, line_size);
}

/* Writes the text to a pipe in pieces of `step` bytes, each read before the next is written. */
static size_t run(const char *text, size_t size, size_t step, char *ret, size_t *ret_candidates)
{
	int ends[2];
	size_t used = 0, written = 0;

	assert_int_equal(pipe(ends), 0);
	assert_true(fcntl(ends[1], F_SETPIPE_SZ, STREAM_BUFFER_SIZE) >= STREAM_BUFFER_SIZE); /* room for a step */
	text_stream_init(&stream, ends[0]);
	assert_false(stream.is_file);
	*ret_candidates = 0;
	for (;;) {
		struct text_piece piece;
		if (text_stream_next(&stream, &piece)) {
			if (piece.is_candidate)
				check_before(&piece, ret, used);
			memcpy(ret + used, piece.data, piece.size);
			used += piece.size;
			if (!piece.is_candidate)
				continue;
			++*ret_candidates;
			assert_null(memchr(piece.data, '\n', piece.size));
			strcpy(ret + used, piece.line_end);
			used += strlen(piece.line_end);
			continue;
		}
		if (stream.ended)
			break;
		if (written < size) {
			size_t part = size - written < step ? size - written : step;
			assert_int_equal(write(ends[1], text + written, part), part);
			written += part;
		} else {
			close(ends[1]);
		}
		text_stream_read(&stream);
	}
	close(ends[0]);
	return used;
}

static void any_cut_gives_the_same(void **state)
{
	static const char text[] = "plain\nat 0x10\r\n\n  #00 pc 00001139  /a\nx{{{y\n0\nx\n0x\nr-xp\n 1 r-xp 2\n"
				   "0123456789abcdef /a\n123 /a\nlast 0x1";
	static char ret[sizeof(text)];
	size_t candidates;

	(void)state;
	for (size_t step = 1; step < sizeof(text); step++) {
		assert_int_equal(run(text, strlen(text), step, ret, &candidates), strlen(text));
		assert_memory_equal(ret, text, strlen(text));
		assert_int_equal(candidates, 7);
	}
}

static bool is_build_id_and_path(const char *at)
{
	return strspn(at, "0123456789abcdef") >= 16 && strncmp(at + 16, " /", 2) == 0;
}

/* Whether a line may name an address: each of these is looked for at each place. */
static bool may_name_an_address(const char *line, size_t size)
{
	static const char *const marks[] = {
		"0x",           "{{{",
		" pc ",         "  $",
		" (/",          " ([",
		" (inlined)",   "_RECORD_FORK(",
		"_COMM exec: ", " r--p ",
		" r-xp ",       "with build-id ",
		", build-id=",  "<signal handler ",
		") at ",        "traps: ",
	};
	char text[1024];

	assert_true(size < sizeof(text));
	memcpy(text, line, size);
	text[size] = '\0';
	for (const char *at = text; *at; at++) {
		if (is_build_id_and_path(at))
			return true;
		for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
			if (strncmp(at, marks[i], strlen(marks[i])) == 0)
				return true;
	}
	return false;
}

/* What lines of a text end with, and what more of them should end with. */
static void ends_of_lines(void **state)
{
	static const struct {
		const char *text, *data, *line_end, *line_break;
	} cases[] = {
		{"0x\n", "0x", "\n", "\n"},   {"0x\r\n", "0x", "\r\n", "\r\n"}, {"0x\r\r\n", "0x\r", "\r\n", "\r\n"},
		{"0x", "0x", "", "\n"},       {"0x\r", "0x\r", "", "\n"},       {"\n0x", "0x", "", "\n"},
		{"\r\n0x", "0x", "", "\r\n"}, {"a\r\n0x\n", "0x", "\n", "\n"},  {"a\n0x\r\n", "0x", "\r\n", "\r\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int ends[2];
		struct text_piece piece;
		size_t size = strlen(cases[i].text);
		assert_int_equal(pipe(ends), 0);
		assert_int_equal(write(ends[1], cases[i].text, size), size);
		close(ends[1]);
		text_stream_init(&stream, ends[0]);
		do {
			while (!text_stream_next(&stream, &piece))
				text_stream_read(&stream);
		} while (!piece.is_candidate);
		assert_int_equal(piece.size, strlen(cases[i].data));
		assert_memory_equal(piece.data, cases[i].data, piece.size);
		assert_string_equal(piece.line_end, cases[i].line_end);
		assert_string_equal(piece.line_break, cases[i].line_break);
		close(ends[0]);
	}
}

/* A text of marks, of what is nearly one, and of letters that move the marks through the bytes compared at a time. */
static size_t random_text(unsigned *seed, char *ret, size_t max)
{
	static const char *const parts[] = {
		"0x",
		"0",
		"x",
		"{{{",
		"{{",
		" pc ",
		" pc",
		"pc ",
		"  $",
		" $",
		"[unknown] (",
		"[unknown] ",
		"_RECORD_FORK(",
		"RECORD_FORK(",
		"_COMM exec: ",
		"_COMM exec:",
		" r--p ",
		" r--p",
		"r--p ",
		" r-xp ",
		"r-xp ",
		" r-xp",
		"with build-id ",
		"with build-i",
		", build-id=",
		" build-id=",
		"<signal handler ",
		"<signal handler",
		"0123456789abcdef /",
		"0123456789abcdef ",
		"0000000009999999 /",
		"aaaaaaaaafffffff /",
		"gabcdef0123456789 /",
		"123456789abcdef /",
		"0123456789abcdeg /",
		"\n",
		"\n",
		"\n",
		"y",
		" ",
		"/",
		"yyyyyyyyyyyyyyy",
		"yyyyyyy",
	};
	size_t size = 0;

	for (int count = rand_r(seed) % 30; count >= 0; count--) {
		const char *part = parts[(unsigned)rand_r(seed) % (sizeof(parts) / sizeof(parts[0]))];
		if (size + strlen(part) > max)
			break;
		memcpy(ret + size, part, strlen(part));
		size += strlen(part);
	}
	return size;
}

static void lines_with_a_mark_are_candidates_and_no_others(void **state)
{
	char text[1000], ret[sizeof(text) + 1];
	unsigned seed = 1;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		size_t size = random_text(&seed, text, sizeof(text)), expected = 0, candidates;
		for (size_t start = 0, end; start < size; start = end + 1) {
			const char *newline = memchr(text + start, '\n', size - start);
			end = newline ? (size_t)(newline - text) : size;
			expected += may_name_an_address(text + start, end - start);
		}
		assert_int_equal(run(text, size, 1 + (size_t)rand_r(&seed) % 100, ret, &candidates), size);
		assert_memory_equal(ret, text, size);
		if (candidates != expected)
			fail_msg("%zu candidates, not %zu, in '%.*s'", candidates, expected, (int)size, text);
	}
}

static void a_stream_begins_anew(void **state)
{
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	memset(&stream, 0xff, sizeof(stream));
	stream.is_file = false;
	text_stream_init(&stream, fileno(file));
	assert_true(stream.is_file);
	text_stream_read(&stream);
	assert_int_equal(stream.error, 0);
	assert_true(stream.ended);
	assert_int_equal(stream.end, 0);
	fclose(file);
}

static void long_lines_pass(void **state)
{
	enum { SIZE = 3 * STREAM_BUFFER_SIZE };
	char *text = malloc(SIZE), *ret = malloc(SIZE + 1);
	size_t candidates;

	(void)state;
	memset(text, 'x', SIZE);
	memcpy(text + 10, " 0x1139 ", 8);
	memcpy(text + SIZE - 20, "\n at 0x10\n", 10);
	assert_int_equal(run(text, SIZE, 60000, ret, &candidates), SIZE);
	assert_memory_equal(ret, text, SIZE);
	assert_int_equal(candidates, 1);
	free(text);
	free(ret);
}

static void line_before_a_candidate(void **state)
{
	static const char text[] = "first\nsecond\n0x1\n0x2\n";
	struct text_piece piece;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
	text_stream_init(&stream, ends[0]);
	text_stream_read(&stream);
	assert_true(text_stream_next(&stream, &piece));
	assert_false(piece.is_candidate);
	assert_true(text_stream_next(&stream, &piece));
	assert_true(piece.is_candidate);
	assert_int_equal(piece.before_size, 6);
	assert_memory_equal(piece.before, "second", 6);
	assert_true(text_stream_next(&stream, &piece));
	assert_memory_equal(piece.before, "0x1", 3);
	assert_false(text_stream_next(&stream, &piece));
	close(ends[0]);
	close(ends[1]);
}

/* What is known of a line of so many bytes, of which an address is the first, and of the line behind it. */
static void check_line_of(size_t size, bool is_candidate)
{
	static char text[2 * STREAM_RECORD_MAX], ret[sizeof(text)];
	size_t candidates;

	memset(text, 'x', size);
	memcpy(text, "0x1139 ", 7);
	memcpy(text + size, "\n0x2\n", 5);
	for (size_t step = size - 2; step < size + 5; step++) {
		assert_int_equal(run(text, size + 5, step, ret, &candidates), size + 5);
		assert_memory_equal(ret, text, size + 5);
		assert_int_equal(candidates, 1 + is_candidate);
	}
}

static void only_so_long_a_line_is_looked_at(void **state)
{
	(void)state;
	check_line_of(STREAM_RECORD_MAX - 1, true);
	check_line_of(STREAM_RECORD_MAX, true);
	check_line_of(STREAM_RECORD_MAX + 1, false);
	check_line_of(STREAM_RECORD_MAX + 2, false);
}

/* A line that has not ended is waited for while it may still be one to look at. */
static void unfinished_line_waits(void **state)
{
	static char text[STREAM_RECORD_MAX + 1];
	struct text_piece piece;
	int ends[2];

	(void)state;
	memset(text, 'x', sizeof(text));
	assert_int_equal(pipe(ends), 0);
	text_stream_init(&stream, ends[0]);
	assert_int_equal(write(ends[1], "first\n", 6), 6);
	text_stream_read(&stream);
	assert_true(text_stream_next(&stream, &piece));
	for (size_t size = 0; size < STREAM_RECORD_MAX; size += PIPE_BUF) {
		assert_int_equal(write(ends[1], text, PIPE_BUF), PIPE_BUF);
		text_stream_read(&stream);
		assert_false(text_stream_next(&stream, &piece));
	}
	assert_int_equal(write(ends[1], "x", 1), 1);
	text_stream_read(&stream);
	assert_true(text_stream_next(&stream, &piece));
	assert_int_equal(piece.size, STREAM_RECORD_MAX + 1);
	close(ends[0]);
	close(ends[1]);
}

/* The line before is known, however much was read between the two. */
static void line_before_in_another_read(void **state)
{
	static const char *const lines[] = {"0x1", "0x2", "0x3 and more", "0x4"};
	static char filler[600];
	struct text_piece piece;

	(void)state;
	memset(filler, 'x', sizeof(filler));
	for (size_t size = 500; size < 520; size++) {
		int ends[2];
		assert_int_equal(pipe(ends), 0);
		text_stream_init(&stream, ends[0]);
		filler[size - 1] = '\n';
		assert_int_equal(write(ends[1], filler, size), size);
		text_stream_read(&stream);
		assert_true(text_stream_next(&stream, &piece));
		for (size_t i = 0; i < 4; i++) {
			assert_int_equal(write(ends[1], lines[i], strlen(lines[i])), strlen(lines[i]));
			assert_int_equal(write(ends[1], "\n", 1), 1);
			text_stream_read(&stream);
			assert_true(text_stream_next(&stream, &piece));
			assert_true(piece.is_candidate);
			if (i) {
				assert_int_equal(piece.before_size, strlen(lines[i - 1]));
				assert_memory_equal(piece.before, lines[i - 1], piece.before_size);
			}
		}
		filler[size - 1] = 'x';
		close(ends[0]);
		close(ends[1]);
	}
}

static int written_by_a_signal;

static void write_a_line(int signal)
{
	(void)signal;
	if (write(written_by_a_signal, "late\n", 5) != 5)
		abort();
}

static void a_signal_ends_no_text(void **state)
{
	struct sigaction action = {.sa_handler = write_a_line}, before;
	struct text_piece piece;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	written_by_a_signal = ends[1];
	text_stream_init(&stream, ends[0]);
	assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
	ualarm(20000, 0);
	text_stream_read(&stream);
	assert_false(stream.ended);
	assert_true(text_stream_next(&stream, &piece));
	assert_memory_equal(piece.data, "late\n", 5);
	assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
	close(ends[0]);
	close(ends[1]);
}

static void failed_read_is_told(void **state)
{
	(void)state;
	text_stream_init(&stream, -1);
	text_stream_read(&stream);
	assert_true(stream.ended);
	assert_int_equal(stream.error, EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_cut_gives_the_same),
		cmocka_unit_test(ends_of_lines),
		cmocka_unit_test(long_lines_pass),
		cmocka_unit_test(line_before_a_candidate),
		cmocka_unit_test(only_so_long_a_line_is_looked_at),
		cmocka_unit_test(unfinished_line_waits),
		cmocka_unit_test(line_before_in_another_read),
		cmocka_unit_test(a_signal_ends_no_text),
		cmocka_unit_test(failed_read_is_told),
		cmocka_unit_test(a_stream_begins_anew),
		cmocka_unit_test(lines_with_a_mark_are_candidates_and_no_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
