/* Text comes out whole and in order however it comes in, and lines that may name an address come one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/symbolize/text_stream.h"

static struct text_stream stream;

/* Writes the text to a pipe in pieces of `step` bytes, each read before the next is written. */
static size_t run(const char *text, size_t size, size_t step, char *ret, size_t *ret_candidates)
{
	int ends[2];
	size_t used = 0, written = 0;

	assert_int_equal(pipe(ends), 0);
	text_stream_init(&stream, ends[0]);
	assert_false(stream.is_file);
	*ret_candidates = 0;
	for (;;) {
		struct text_piece piece;
		if (text_stream_next(&stream, &piece)) {
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
	static const char text[] = "plain\nat 0x10\n\n  #00 pc 00001139  /a\nx{{{y\n0\nx\n0x\nr-xp\n 1 r-xp 2\n"
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
	assert_false(piece.follows);
	assert_int_equal(piece.before_size, 6);
	assert_memory_equal(piece.before, "second", 6);
	assert_true(text_stream_next(&stream, &piece));
	assert_true(piece.follows);
	assert_memory_equal(piece.before, "0x1", 3);
	assert_false(text_stream_next(&stream, &piece));
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_cut_gives_the_same),
		cmocka_unit_test(long_lines_pass),
		cmocka_unit_test(line_before_a_candidate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
