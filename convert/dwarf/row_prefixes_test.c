/* The bytes before the opcodes of rows, found one by one and all at once. */
#include "convert/dwarf/row_prefixes.h"

#include "base/toolkit_test.h"

/* How many bytes an opcode takes that may be of these, at most; 0: another one stands there. */
static size_t one_opcode(const uint8_t *p, uint8_t opcode)
{
	if (p[0] != opcode)
		return 0;
	switch (opcode) {
	case 0:
		return p[1] == 2 && p[2] == 4 ? 4 : 0;
	case 3:
		return p[1] < 0x80 ? 2 : p[2] < 0x80 ? 3 : 0;
	case 4:
	case 5:
		return p[1] < 0x80 ? 2 : 0;
	default:
		return 1;
	}
}

static uint8_t expected(const uint8_t *p)
{
	static const uint8_t order[] = {4, 5, 0, 6};
	size_t before = 0;
	for (size_t i = 0; i < COUNT_OF(order); i++)
		before += one_opcode(p + before, order[i]);
	size_t last = one_opcode(p + before, 3);
	if (!last)
		last = one_opcode(p + before, 8);
	return (uint8_t)(before << 4 | (before + last));
}

typedef void find(struct row_prefixes *ret, const uint8_t *p, const uint8_t *end);

/* By what this processor has, and by what all have. */
static find *const both[] = {row_prefixes_find, row_prefixes_find_plain};

static void by_hand(void **state)
{
	static const struct {
		const char *name;
		uint8_t bytes[PREFIX_BYTES_MIN];
		uint8_t before, size;
	} cases[] = {
		{"nothing", {0x20}, 0, 0},
		{"all, with advance_line", {4, 2, 5, 9, 0, 2, 4, 1, 6, 3, 0x81, 1, 1}, 9, 12},
		{"all, with const_add_pc", {4, 2, 5, 9, 0, 2, 4, 1, 6, 8, 0x20}, 9, 10},
		{"advance_line by one byte", {3, 0x7f, 1}, 0, 2},
		{"advance_line by three bytes", {3, 0x80, 0x80, 1, 1}, 0, 0},
		{"a file of two bytes", {4, 0x80, 1, 1}, 0, 0},
		{"a column of two bytes behind a file", {4, 3, 5, 0x80, 1, 1}, 2, 2},
		{"a discriminator of two bytes", {0, 3, 4, 0x80, 1, 1}, 0, 0},
		{"another extended opcode", {0, 2, 0x80, 1, 1}, 0, 0},
		{"another order", {6, 5, 2, 1}, 1, 1},
		{"the same twice", {5, 2, 5, 2, 1}, 2, 2},
		{"operands that look like opcodes", {4, 5, 5, 4, 3, 3, 8}, 4, 6},
	};
	(void)state;
	for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
		const size_t at = i / 2;
		struct row_prefixes prefixes;
		both[i % 2](&prefixes, cases[at].bytes, cases[at].bytes + PREFIX_BYTES_MIN);
		assert_ptr_equal(prefixes.start, cases[at].bytes);
		assert_int_equal(prefixes.size, PREFIX_LANES);
		if (prefixes.sizes[0] != (cases[at].before << 4 | cases[at].size))
			fail_msg("%s: %#x", cases[at].name, prefixes.sizes[0]);
	}
}

/* At the end, what does not fit into the bytes that are looked at may be missing, but nothing else may be there. */
static void at_every_byte(void **state)
{
	static const uint8_t common[] = {0, 1, 2, 3, 4, 5, 6, 8, 0x7f, 0x80};
	enum { LONGEST = 12, REST = 4 };
	(void)state;
	for (uint64_t seed = 1; seed <= 600; seed++) {
		uint64_t random = seed;
		size_t count = PREFIX_BYTES_MIN + random_below(&random, seed / 2 % 10 ? 200 : 2000);
		uint8_t *bytes = malloc(count); /* not a byte more, so that reading beyond it is found */
		assert_non_null(bytes);
		for (size_t i = 0; i < count; i++)
			bytes[i] = common[random_below(&random, COUNT_OF(common))];
		struct row_prefixes prefixes;
		both[seed % 2](&prefixes, bytes, bytes + count);
		assert_in_range(prefixes.size, PREFIX_LANES, PREFIX_BYTES_MAX);
		assert_true(prefixes.size == PREFIX_BYTES_MAX || count - prefixes.size < 2 * PREFIX_LANES);
		for (size_t i = 0; i < prefixes.size; i++) {
			size_t size = prefixes.sizes[i] & 15;
			uint8_t exact = expected(bytes + i);
			bool near_end = i + LONGEST >= prefixes.size && prefixes.sizes[i] < exact;
			if (prefixes.sizes[i] != exact && !near_end)
				fail_msg("seed %llu, byte %zu: %#x, expected %#x", (unsigned long long)seed, i,
					 prefixes.sizes[i], exact);
			assert_true(i + size + REST <= count);
		}
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(at_every_byte),
	};
	return cmocka_run_group_tests_name("row prefixes", tests, NULL, NULL);
}
