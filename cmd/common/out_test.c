/* What reaches a terminal or a JSON reader: numbers, escapes, invalid UTF-8, full buffers, failing writes. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/common/json.h"

static struct out out;

struct escape_case {
	const char *name;
	const char *input;
	const char *text; /* escaped for a terminal */
	const char *quoted;
	const char *json;
};

static const struct escape_case escape_cases[] = {
	{"plain", "main", "main", "\"main\"", "\"main\""},
	{"empty", "", "", "\"\"", "\"\""},
	{"escape sequence (RULES D7)", "a\033[31mb", "a\\x1b[31mb", "\"a\\x1b[31mb\"", "\"a\\u001b[31mb\""},
	{"newline", "a\nb", "a\\x0ab", "\"a\\x0ab\"", "\"a\\u000ab\""},
	{"delete", "a\177", "a\\x7f", "\"a\\x7f\"", "\"a\\u007f\""},
	{"quote", "a\"b", "a\"b", "\"a\\\"b\"", "\"a\\\"b\""},
	{"backslash", "C:\\a", "C:\\a", "\"C:\\\\a\"", "\"C:\\\\a\""},
	{"two bytes", "\xc3\xa9", "\xc3\xa9", "\"\xc3\xa9\"", "\"\xc3\xa9\""},
	{"three bytes", "\xe2\x82\xac", "\xe2\x82\xac", "\"\xe2\x82\xac\"", "\"\xe2\x82\xac\""},
	{"four bytes", "\xf0\x9f\x90\x9b", "\xf0\x9f\x90\x9b", "\"\xf0\x9f\x90\x9b\"", "\"\xf0\x9f\x90\x9b\""},
	{"C1 control", "\xc2\x9b", "\\xc2\\x9b", "\"\\xc2\\x9b\"", "\"\\u009b\""},
	{"override of direction", "\xe2\x80\xae", "\\xe2\\x80\\xae", "\"\\xe2\\x80\\xae\"", "\"\\u202e\""},
	{"isolate", "\xe2\x81\xa6", "\\xe2\\x81\\xa6", "\"\\xe2\\x81\\xa6\"", "\"\\u2066\""},
	{"lone continuation", "a\x80", "a\\x80", "\"a\\x80\"", "\"a\\ufffd\""},
	{"cut short", "\xe2\x82", "\\xe2\\x82", "\"\\xe2\\x82\"", "\"\\ufffd\\ufffd\""},
	{"overlong", "\xc0\x80", "\\xc0\\x80", "\"\\xc0\\x80\"", "\"\\ufffd\\ufffd\""},
	{"surrogate", "\xed\xa0\x80", "\\xed\\xa0\\x80", "\"\\xed\\xa0\\x80\"", "\"\\ufffd\\ufffd\\ufffd\""},
	{"above U+10FFFF", "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\"\\xf4\\x90\\x80\\x80\"",
	 "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
};

/* Every character that changes how a terminal shows what comes behind it is escaped, and no neighbour of these is. */
static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static size_t put_utf8(char *ret, uint32_t c)
{
	if (c < 0x80) {
		ret[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		ret[0] = (char)(0xc0 | c >> 6);
		ret[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	ret[0] = (char)(0xe0 | c >> 12);
	ret[1] = (char)(0x80 | (c >> 6 & 0x3f));
	ret[2] = (char)(0x80 | (c & 0x3f));
	return 3;
}

static void control_characters(void **state)
{
	(void)state;
	out_init(&out, -1);
	for (uint32_t c = 0; c < 0x10000; c++) {
		char text[3];
		size_t size = put_utf8(text, c);
		if (c >= 0xd800 && c < 0xe000)
			continue;
		out.used = 0;
		out_escaped(&out, text, size);
		bool escaped = out.used != size || memcmp(out.buffer, text, size) != 0;
		if (escaped != is_control(c))
			fail_msg("U+%04X is %s", c, escaped ? "escaped" : "not escaped");
	}
}

/* The length of a character as Unicode's table 3-6 has it: of the shortest form, no surrogate, not above U+10FFFF. */
static size_t length_by_value(const unsigned char *s, size_t size)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
	uint32_t value = length > 1 ? s[0] & (0x7fu >> length) : 0;

	if (length > size)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		value = value << 6 | (s[i] & 0x3fu);
	}
	return value >= least[length] && value <= 0x10ffff && value >> 11 != 27 ? length : 0;
}

static void bytes_that_are_no_character(void **state)
{
	static const unsigned char rest[] = {0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff};

	(void)state;
	for (unsigned pair = 0; pair < 0x10000; pair++) {
		for (size_t i = 0; i < sizeof(rest) * sizeof(rest); i++) {
			unsigned char text[4] = {(unsigned char)(pair >> 8), (unsigned char)pair,
						 rest[i % sizeof(rest)], rest[i / sizeof(rest)]};
			for (size_t size = 1; size <= sizeof(text); size++)
				if (utf8_length((const char *)text, size) != length_by_value(text, size))
					fail_msg("%zu bytes, %02x %02x %02x %02x", size, text[0], text[1], text[2],
						 text[3]);
		}
	}
}

static void expect_buffer(const char *name, const char *expected)
{
	if (out.used != strlen(expected) || memcmp(out.buffer, expected, out.used) != 0)
		fail_msg("%s: got '%.*s', not '%s'", name, (int)out.used, out.buffer, expected);
	out.used = 0;
}

static void escapes(void **state)
{
	struct json json;

	(void)state;
	out_init(&out, -1);
	for (size_t i = 0; i < sizeof(escape_cases) / sizeof(escape_cases[0]); i++) {
		const struct escape_case *c = &escape_cases[i];
		out_escaped(&out, c->input, strlen(c->input));
		expect_buffer(c->name, c->text);
		out_quoted(&out, c->input, strlen(c->input));
		expect_buffer(c->name, c->quoted);
		json_init(&json, &out);
		json_begin_string(&json);
		json_piece(&json, c->input, strlen(c->input));
		json_end_string(&json);
		expect_buffer(c->name, c->json);
	}
}

static void plain_copies_one(int byte, size_t at, size_t size)
{
	bool plain = byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
	char *text = malloc(size), *copy = malloc(size); /* so that a byte beyond is found */

	assert_true(text && copy);
	memset(text, 'x', size);
	text[at] = (char)byte;
	size_t length = plain_copy(copy, text, size);
	if (length != (plain ? size : at) || memcmp(copy, text, length) != 0)
		fail_msg("byte %#x at %zu of %zu", byte, at, size);
	free(text);
	free(copy);
}

/* Every byte value at every place of a word, of a vector and beyond it. */
static void plain_copies(void **state)
{
	(void)state;
	for (int byte = 0; byte < 256; byte++)
		for (size_t size = 1; size <= 20; size++)
			for (size_t at = 0; at < size; at++)
				plain_copies_one(byte, at, size);
}

static void numbers(void **state)
{
	static const struct {
		uint64_t value;
		const char *decimal, *hex;
	} cases[] = {
		{0, "0", "0x0"},
		{9, "9", "0x9"},
		{10, "10", "0xa"},
		{9999, "9999", "0x270f"},
		{10000, "10000", "0x2710"},
		{UINT32_MAX, "4294967295", "0xffffffff"},
		{4294967296, "4294967296", "0x100000000"},
		{UINT64_MAX, "18446744073709551615", "0xffffffffffffffff"},
	};

	(void)state;
	out_init(&out, -1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		out_u64(&out, cases[i].value);
		expect_buffer(cases[i].decimal, cases[i].decimal);
		out_hex(&out, cases[i].value);
		expect_buffer(cases[i].hex, cases[i].hex);
	}
}

/* A number at the end of the buffer, where it no longer fits. */
static void number_at_the_end(void **state)
{
	(void)state;
	for (size_t left = 0; left <= 20; left++) {
		out_init(&out, open("/dev/null", O_WRONLY));
		out.used = sizeof(out.buffer) - left;
		out_u64(&out, 1234);
		assert_true(out.used >= 4);
		assert_memory_equal(out.buffer + out.used - 4, "1234", 4);
		out.used = sizeof(out.buffer) - left;
		out_hex(&out, 0xabcdef12);
		assert_true(out.used >= 8);
		assert_memory_equal(out.buffer + out.used - 8, "abcdef12", 8);
		close(out.fd);
	}
}

static void json_commas(void **state)
{
	struct json json;

	(void)state;
	out_init(&out, -1);
	json_init(&json, &out);
	json_open(&json, '{');
	json_key(&json, "a");
	json_open(&json, '[');
	json_close(&json, ']');
	json_key_u64(&json, "b", 1);
	json_key(&json, "c");
	json_open(&json, '[');
	json_open(&json, '{');
	json_key_hex(&json, "d", 16);
	json_key_bool(&json, "e", true);
	json_close(&json, '}');
	json_open(&json, '{');
	json_close(&json, '}');
	json_close(&json, ']');
	json_close(&json, '}');
	json_end_line(&json);
	expect_buffer("nested", "{\"a\":[],\"b\":1,\"c\":[{\"d\":\"0x10\",\"e\":true},{}]}\n");
}

/* Sizes around the buffer's own, one write or many: the same bytes come out. */
static void long_output(void **state)
{
	static const size_t sizes[] = {sizeof(out.buffer) - 1, sizeof(out.buffer), sizeof(out.buffer) + 1,
				       3 * sizeof(out.buffer)};
	static char text[3 * sizeof(out.buffer)], back[3 * sizeof(out.buffer) + 2];

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char path[] = "/tmp/locus-out-test-XXXXXX";
		int fd = mkstemp(path);
		assert_true(fd >= 0);
		unlink(path);
		out_init(&out, fd);
		out_char(&out, '<');
		out_bytes(&out, text, sizes[i]);
		out_char(&out, '>');
		out_flush(&out);
		assert_int_equal(out.error, 0);
		assert_int_equal(pread(fd, back, sizeof(back), 0), sizes[i] + 2);
		assert_int_equal(back[0], '<');
		assert_memory_equal(back + 1, text, sizes[i]);
		assert_int_equal(back[sizes[i] + 1], '>');
		close(fd);
	}
}

/* What is held is not written while the buffer is full, by none of the ways to write, and can be taken back. */
static void held_output(void **state)
{
	static const char plain[] = "plain\033plain, and more than has room";
	int ends[2];
	char back[8];

	(void)state;
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	out_init(&out, ends[1]);
	out_text(&out, "ab");
	out_hold(&out);
	size_t start = out.used;
	out_text(&out, "cd");
	assert_false(out.is_full);
	assert_true(out_make_room(&out, OUT_HELD_MAX - 2));
	assert_false(out_make_room(&out, sizeof(out.buffer) - 3));
	while (out_make_room(&out, 4))
		out_text(&out, "text");
	uint64_t total = out_total(&out);
	out_spaces(&out, 40);
	out_escaped(&out, plain, sizeof(plain) - 1);
	out_quoted(&out, "\"", 1);
	out_hex(&out, UINT64_MAX);
	assert_true(out.is_full);
	assert_true(out_total(&out) > total + 40);
	assert_int_equal(read(ends[0], back, sizeof(back)), -1);
	out_release(&out);
	out.used = start;
	out_text(&out, "ef");
	out_flush(&out);
	assert_int_equal(read(ends[0], back, sizeof(back)), 4);
	assert_memory_equal(back, "abef", 4);

	/* There is room however much was in the buffer. */
	out.used = sizeof(out.buffer) - 1;
	out_hold(&out);
	assert_true(out_make_room(&out, OUT_HELD_MAX));
	out_release(&out);
	close(ends[0]);
	close(ends[1]);
}

static void failed_write_is_remembered(void **state)
{
	int fd = open("/dev/full", O_WRONLY);

	(void)state;
	assert_true(fd >= 0);
	out_init(&out, fd);
	out_text(&out, "lost");
	out_flush(&out);
	assert_int_equal(out.error, ENOSPC);
	out_text(&out, "lost too");
	out_flush(&out);
	assert_int_equal(out.error, ENOSPC);
	close(fd);
}

static void spaces(void **state)
{
	char expected[100];

	(void)state;
	out_init(&out, -1);
	memset(expected, ' ', sizeof(expected));
	for (size_t count = 0; count <= sizeof(expected); count++) {
		out.used = 0;
		out_spaces(&out, count);
		if (out.used != count || memcmp(out.buffer, expected, count) != 0)
			fail_msg("%zu spaces: got '%.*s'", count, (int)out.used, out.buffer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes),
		cmocka_unit_test(control_characters),
		cmocka_unit_test(plain_copies),
		cmocka_unit_test(spaces),
		cmocka_unit_test(numbers),
		cmocka_unit_test(number_at_the_end),
		cmocka_unit_test(json_commas),
		cmocka_unit_test(long_output),
		cmocka_unit_test(held_output),
		cmocka_unit_test(failed_write_is_remembered),
		cmocka_unit_test(bytes_that_are_no_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
