/* Holds the numbers of fields against those meant. */
#include "cmd/symbolize/field_number.h"

#include "base/toolkit_test.h"

static struct locus_string string_of(const char *text)
{
	return (struct locus_string){text, strlen(text)};
}

static void digits_at_the_start_are_read(void **state)
{
	static const struct {
		const char *text;
		bool found;
		uint64_t value;
	} cases[] = {
		{"", false, 0},
		{"x1", false, 0},
		{"-1", false, 0},
		{"0", true, 0},
		{"9:", true, 9},
		{"1/2", true, 1},
		{"0071 ", true, 71},
		{"999999999999999999", true, 999999999999999999},
		{"999999999999999999x", true, 999999999999999999},
		{"9999999999999999999", false, 0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t value = 0;
		if (parse_decimal(string_of(cases[i].text), &value) != cases[i].found || value != cases[i].value)
			fail_msg("'%s': %llu", cases[i].text, (unsigned long long)value);
	}
}

static void hexadecimal_digits_are_read(void **state)
{
	static const struct {
		const char *text;
		bool found;
		uint64_t value;
	} cases[] = {
		{"0", true, 0},
		{"1149", true, 0x1149},
		{"0x1149", true, 0x1149},
		{"DeadBeef", true, 0xdeadbeef},
		{"ffffffffffffffff", true, UINT64_MAX},
		{"0x0000ffffffffffffffff", true, UINT64_MAX},
		{"10000000000000000", false, 0},
		{"", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value = 7;
		bool found = parse_hex(string_of(cases[i].text), &value);
		if (found != cases[i].found || (found && value != cases[i].value))
			fail_msg("'%s': %llx", cases[i].text, (unsigned long long)value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_at_the_start_are_read),
		cmocka_unit_test(hexadecimal_digits_are_read),
	};
	return cmocka_run_group_tests_name("field_number", tests, NULL, NULL);
}
