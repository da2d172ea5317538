/* Adler-32 in parts is what isa-l computes of the whole, however the bytes are cut and in whatever order. */
#include "convert/elf/adler_parts.h"

#include <isa-l/igzip_lib.h>

#include "base/toolkit_test.h"

enum { SIZE = 300000, PARTS_MAX = 64 };

static void any_parts_in_any_order(void **state)
{
	uint8_t *bytes = malloc(SIZE);
	(void)state;
	assert_non_null(bytes);
	for (uint64_t random = 1; random <= 200; random++) {
		uint64_t r = random;
		size_t size = random_below(&r, SIZE), cuts[PARTS_MAX + 1] = {0},
		       count = 1 + random_below(&r, PARTS_MAX);
		for (size_t i = 0; i < size; i++)
			bytes[i] = random % 3 ? (uint8_t)random_below(&r, 256) : 0xff;
		for (size_t i = 1; i < count; i++)
			cuts[i] = cuts[i - 1] + random_below(&r, size - cuts[i - 1] + 1);
		cuts[count] = size;

		struct adler_parts parts = {0};
		size_t first = random_below(&r, count);
		for (size_t i = 0; i < count; i++) {
			size_t at = (first + i) % count, part = cuts[at + 1] - cuts[at];
			adler_parts_add(&parts, adler_of_part(bytes + cuts[at], part), part, size - cuts[at + 1]);
		}
		assert_int_equal(adler_parts_value(&parts), isal_adler32(1, bytes, size));
	}
	free(bytes);
}

/* RFC 1950 gives the sum of nothing; the other is well known. */
static void known_values(void **state)
{
	struct adler_parts parts = {0};
	(void)state;
	assert_int_equal(adler_parts_value(&parts), 1);
	adler_parts_add(&parts, adler_of_part((const uint8_t *)"Wikipedia", 9), 9, 0);
	assert_int_equal(adler_parts_value(&parts), 0x11e60398);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_parts_in_any_order),
		cmocka_unit_test(known_values),
	};
	return cmocka_run_group_tests_name("adler_parts", tests, NULL, NULL);
}
