/* Each number, and each character at each place, against the C library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/common/digits.h"

static void expect_number(unsigned put(char *ret, uint32_t value), const char *format, uint32_t value)
{
	char got[DIGITS_PUT_SIZE], expected[DIGITS_PUT_SIZE + 1];
	int size = snprintf(expected, sizeof(expected), format, value);

	if (put(got, value) != (unsigned)size || memcmp(got, expected, (size_t)size) != 0)
		fail_msg("%s: got '%.*s'", expected, size, got);
}

static void puts_decimal(void **state)
{
	(void)state;
	for (uint32_t value = 0; value < DIGITS_DECIMAL_END; value++)
		expect_number(digits_put_decimal, "%u", value);
}

/* Each pair of neighbouring digits, at each place. */
static void puts_hex(void **state)
{
	(void)state;
	for (unsigned shift = 0; shift <= 24; shift += 4)
		for (uint32_t pair = 0; pair < 0x100; pair++) {
			expect_number(digits_put_hex, "%x", pair << shift);
			expect_number(digits_put_hex, "%x", UINT32_MAX ^ pair << shift);
		}
}

static void parses_hex(void **state)
{
	static const char *const texts[] = {"0000000000000000", "0123456789abcdef", "FEDCBA9876543210",
					    "ffffffffffffffff"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		uint64_t value = 0;
		assert_true(digits_parse_hex(texts[i], &value));
		assert_int_equal(value, strtoull(texts[i], NULL, 16));
	}
}

/* Beside the character that is tried all are digits. */
static void parses_each_character(void **state)
{
	(void)state;
	for (int byte = 0; byte < 256; byte++)
		for (size_t at = 0; at < 16; at++) {
			char text[] = "7f0A9a3F18bC4d5E";
			bool is_digit = byte && strchr("0123456789abcdefABCDEF", byte);
			uint64_t value = 0;
			text[at] = (char)byte;
			if (digits_parse_hex(text, &value) != is_digit ||
			    (is_digit && value != strtoull(text, NULL, 16)))
				fail_msg("byte %#x at %zu", (unsigned)byte, at);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(puts_decimal),
		cmocka_unit_test(puts_hex),
		cmocka_unit_test(parses_hex),
		cmocka_unit_test(parses_each_character),
	};

	return cmocka_run_group_tests_name("digits", tests, NULL, NULL);
}
