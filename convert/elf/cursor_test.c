/* The cursor against literal bytes, in both byte orders; its first error sticks. */
#include "convert/elf/cursor.h"

#include "base/toolkit_test.h"

static const bool host_is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

static struct cursor at(const void *data, size_t size)
{
	return (struct cursor){.p = data, .end = (const uint8_t *)data + size};
}

/* ---- Numbers of fixed size ---- */

static void fixed_sizes(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8};
	static const struct {
		unsigned size;
		uint64_t little;
		uint64_t big;
	} cases[] = {
		{1, 0x81, 0x81},
		{2, 0x9281, 0x8192},
		{3, 0xa39281, 0x8192a3},
		{4, 0xb4a39281, 0x8192a3b4},
		{8, UINT64_C(0xf8e7d6c5b4a39281), UINT64_C(0x8192a3b4c5d6e7f8)},
	};
	for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
		bool big = i % 2;
		unsigned size = cases[i / 2].size;
		struct cursor c = at(bytes, size);
		c.swap = big != host_is_big;
		assert_int_equal(cursor_unsigned(&c, size), big ? cases[i / 2].big : cases[i / 2].little);
		assert_false(c.bad);
		assert_int_equal(cursor_left(&c), 0);
	}
}

static void unknown_sizes(void **state)
{
	(void)state;
	static const uint8_t bytes[16];
	for (unsigned size = 0; size <= 16; size++) {
		struct cursor c = at(bytes, sizeof(bytes));
		cursor_unsigned(&c, size);
		assert_int_equal(c.bad, !(size == 1 || size == 2 || size == 3 || size == 4 || size == 8));
	}
}

/* ---- LEB128, DWARF 5, 7.6 ---- */

struct leb_case {
	const char *bytes;
	size_t size;
	uint64_t value;
};

#define BYTES(literal) literal, sizeof(literal) - 1

static const struct leb_case unsigned_cases[] = {
	{BYTES("\x00"), 0},
	{BYTES("\x01"), 1},
	{BYTES("\x3f"), 63},
	{BYTES("\x40"), 64},
	{BYTES("\x7e"), 126},
	{BYTES("\x7f"), 127},
	{BYTES("\x80\x01"), 128},
	{BYTES("\x81\x01"), 129},
	{BYTES("\xff\x01"), 255},
	{BYTES("\x80\x02"), 256},
	{BYTES("\xff\x7f"), 16383},
	{BYTES("\x80\x80\x01"), 16384},
	{BYTES("\xff\xff\x03"), 65535},
	{BYTES("\x80\x80\x04"), 65536},
	{BYTES("\xff\xff\x7f"), 0x1fffff},
	{BYTES("\x80\x80\x80\x01"), 0x200000},
	{BYTES("\xff\xff\xff\x7f"), 0xfffffff},
	{BYTES("\x80\x80\x80\x80\x01"), 0x10000000},
	{BYTES("\xff\xff\xff\xff\x0f"), 0xffffffff},
	{BYTES("\x80\x80\x80\x80\x10"), UINT64_C(0x100000000)},
	{BYTES("\xff\xff\xff\xff\x7f"), UINT64_C(0x7ffffffff)},
	{BYTES("\x80\x80\x80\x80\x80\x01"), UINT64_C(0x800000000)},
	{BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), UINT64_C(0x7fffffffffffffff)},
	{BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), UINT64_C(0x8000000000000000)},
	{BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), UINT64_MAX},
	/* longer than need be */
	{BYTES("\x80\x00"), 0},
	{BYTES("\x81\x80\x80\x00"), 1},
	{BYTES("\xff\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), 127},
	/* bits above the 64th are lost */
	{BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), UINT64_MAX},
	{BYTES("\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f"), 1},
};

static const struct leb_case signed_cases[] = {
	{BYTES("\x00"), 0},
	{BYTES("\x01"), 1},
	{BYTES("\x3f"), 63},
	{BYTES("\xc0\x00"), 64},
	{BYTES("\x7f"), (uint64_t)-1},
	{BYTES("\x7e"), (uint64_t)-2},
	{BYTES("\x41"), (uint64_t)-63},
	{BYTES("\x40"), (uint64_t)-64},
	{BYTES("\xbf\x7f"), (uint64_t)-65},
	{BYTES("\xff\x00"), 127},
	{BYTES("\x80\x01"), 128},
	{BYTES("\x81\x7f"), (uint64_t)-127},
	{BYTES("\x80\x7f"), (uint64_t)-128},
	{BYTES("\xff\x7e"), (uint64_t)-129},
	{BYTES("\xff\x3f"), 8191},
	{BYTES("\x80\xc0\x00"), 8192},
	{BYTES("\x80\x40"), (uint64_t)-8192},
	{BYTES("\xff\xbf\x7f"), (uint64_t)-8193},
	{BYTES("\xff\xff\xff\xff\x07"), INT32_MAX},
	{BYTES("\x80\x80\x80\x80\x78"), (uint64_t)INT32_MIN},
	{BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00"), INT64_MAX},
	{BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f"), (uint64_t)INT64_MIN},
	{BYTES("\xff\x80\x00"), 127},
	{BYTES("\xff\xff\xff\x7f"), (uint64_t)-1},
	{BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), (uint64_t)-1},
};

static void check_leb(const struct leb_case *c, bool is_signed)
{
	for (size_t size = 0; size <= c->size; size++) {
		uint8_t *exact = exact_copy(c->bytes, size);
		struct cursor cursor = at(exact, size);
		uint64_t value = is_signed ? (uint64_t)cursor_sleb(&cursor) : cursor_uleb(&cursor);
		if (cursor.bad != (size < c->size))
			fail_msg("%s LEB128 of 0x%llx, %zu of %zu bytes", is_signed ? "signed" : "unsigned",
				 (unsigned long long)c->value, size, c->size);
		if (!cursor.bad && (value != c->value || cursor_left(&cursor)))
			fail_msg("%s LEB128: 0x%llx, expected 0x%llx", is_signed ? "signed" : "unsigned",
				 (unsigned long long)value, (unsigned long long)c->value);
		free(exact);
	}
}

static void leb(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(unsigned_cases); i++)
		check_leb(&unsigned_cases[i], false);
	for (size_t i = 0; i < COUNT_OF(signed_cases); i++)
		check_leb(&signed_cases[i], true);
}

/* ---- The rest ---- */

static void strings(void **state)
{
	(void)state;
	uint8_t *exact = exact_copy("ab\0\0cd", 6);
	struct cursor c = at(exact, 6);
	assert_string_equal(cursor_string(&c), "ab");
	assert_string_equal(cursor_string(&c), "");
	assert_null(cursor_string(&c));
	assert_true(c.bad);
	free(exact);
}

static void initial_lengths(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		const char *bytes;
		size_t size;
		bool bad;
		uint64_t length;
		uint8_t offset_size;
	} cases[] = {
		{"0", BYTES("\0\0\0\0"), false, 0, 4},
		{"the highest of 32 bits", BYTES("\xef\xff\xff\xff"), false, 0xffffffef, 4},
		{"the first reserved", BYTES("\xf0\xff\xff\xff"), true, 0, 0},
		{"the last reserved", BYTES("\xfe\xff\xff\xff"), true, 0, 0},
		{"64 bits", BYTES("\xff\xff\xff\xff\1\2\3\4\5\6\7\x08"), false, UINT64_C(0x0807060504030201), 8},
		{"64 bits cut off", BYTES("\xff\xff\xff\xff\1\2\3\4\5\6\7"), true, 0, 0},
		{"cut off", BYTES("\1\1\1"), true, 0, 0},
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint8_t *exact = exact_copy(cases[i].bytes, cases[i].size), offset_size;
		struct cursor c = at(exact, cases[i].size);
		c.swap = host_is_big;
		uint64_t length = cursor_initial_length(&c, &offset_size);
		if (c.bad != cases[i].bad)
			fail_msg("%s: bad is %d", cases[i].name, c.bad);
		if (!c.bad && (length != cases[i].length || offset_size != cases[i].offset_size))
			fail_msg("%s: 0x%llx", cases[i].name, (unsigned long long)length);
		free(exact);
	}
}

/* After the first failure every read gives 0 and nothing more is taken, though some bytes were left then. */
static void failure_sticks(void **state)
{
	(void)state;
	uint8_t bytes[7];
	memset(bytes, 1, sizeof(bytes));
	for (int first = 0; first < 8; first++) {
		struct cursor c = at(bytes, sizeof(bytes));
		uint8_t offset_size;
		if (first == 0)
			assert_int_equal(cursor_u64(&c), 0);
		else if (first == 1)
			cursor_skip(&c, 8);
		else if (first == 2)
			cursor_skip(&c, UINT64_MAX);
		else if (first == 3)
			assert_null(cursor_string(&c));
		else if (first == 4)
			assert_int_equal(cursor_unsigned(&c, 5), 0);
		else if (first == 5)
			cursor_fail(&c);
		else if (first == 6)
			cursor_skip(&c, 6), assert_int_equal(cursor_u16(&c), 0);
		else
			cursor_skip(&c, 4), assert_int_equal(cursor_u32(&c), 0);
		assert_true(c.bad);
		assert_int_equal(cursor_left(&c), 0);
		assert_int_equal(cursor_u8(&c), 0);
		assert_int_equal(cursor_u16(&c), 0);
		assert_int_equal(cursor_u24(&c), 0);
		assert_int_equal(cursor_u32(&c), 0);
		assert_int_equal(cursor_u64(&c), 0);
		assert_int_equal(cursor_uleb(&c), 0);
		assert_int_equal(cursor_sleb(&c), 0);
		assert_null(cursor_string(&c));
		assert_int_equal(cursor_initial_length(&c, &offset_size), 0);
		cursor_skip(&c, 0);
		assert_true(c.bad);
		assert_ptr_equal(c.p, bytes + sizeof(bytes));
	}
}

static void skipping(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {1, 2, 3};
	struct cursor c = at(bytes, sizeof(bytes));
	cursor_skip(&c, 2);
	assert_int_equal(cursor_u8(&c), 3);
	cursor_skip(&c, 0);
	assert_false(c.bad);
	cursor_skip(&c, 1);
	assert_true(c.bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_sizes), cmocka_unit_test(unknown_sizes),   cmocka_unit_test(leb),
		cmocka_unit_test(strings),     cmocka_unit_test(initial_lengths), cmocka_unit_test(failure_sticks),
		cmocka_unit_test(skipping),
	};
	return cmocka_run_group_tests_name("cursor", tests, NULL, NULL);
}
