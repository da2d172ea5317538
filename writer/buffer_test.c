/* The primitive encodings against literal bytes, around every power of two, written and read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "reader/handle/scan.h"
#include "writer/buffer.h"

static const struct {
	uint64_t value;
	unsigned size;
	uint8_t bytes[10];
} literals[] = {
	{0, 1, {0x00}},
	{1, 1, {0x01}},
	{127, 1, {0x7F}},
	{128, 2, {0x80, 0x01}},
	{129, 2, {0x81, 0x01}},
	{16383, 2, {0xFF, 0x7F}},
	{16384, 3, {0x80, 0x80, 0x01}},
	{2097151, 3, {0xFF, 0xFF, 0x7F}},
	{2097152, 4, {0x80, 0x80, 0x80, 0x01}},
	{UINT32_MAX, 5, {0xFF, 0xFF, 0xFF, 0xFF, 0x0F}},
	{(uint64_t)UINT32_MAX + 1, 5, {0x80, 0x80, 0x80, 0x80, 0x10}},
	{INT64_MAX, 9, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}},
	{UINT64_MAX, 10, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}},
};

static const struct {
	const char *name;
	unsigned size;
	uint8_t bytes[11];
} invalid[] = {
	{"nothing", 0, {0}},
	{"no last byte", 1, {0x80}},
	{"no last byte, long", 9, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
	{"needless zero", 2, {0x80, 0x00}},
	{"needless zero, longer", 3, {0xFF, 0x80, 0x00}},
	{"needless zero, longest", 10, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00}},
	{"above 64 bits", 10, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02}},
	{"eleven bytes", 11, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x81, 0x01}},
};

static void test_literal_varints(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(literals) / sizeof(literals[0]); i++) {
		struct locus_buffer buffer = {0};
		locus_buffer_put_varint(&buffer, literals[i].value);
		assert_int_equal(buffer.size, literals[i].size);
		assert_memory_equal(buffer.data, literals[i].bytes, literals[i].size);
		locus_buffer_done(&buffer);
		struct locus_scan scan = locus_scan_of(literals[i].bytes, literals[i].size);
		assert_int_equal(locus_scan_varint(&scan), literals[i].value);
		assert_true(locus_scan_is_done(&scan));
	}
}

static void test_invalid_varints(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		struct locus_scan scan = locus_scan_of(invalid[i].bytes, invalid[i].size);
		uint64_t value = locus_scan_varint(&scan);
		if (!scan.failed || value || locus_scan_byte(&scan) || locus_scan_varint(&scan))
			fail_msg("%s: not refused", invalid[i].name);
	}
}

static void test_varints_around_powers_of_two(void **state)
{
	(void)state;
	for (unsigned shift = 0; shift < 64; shift++)
		for (unsigned k = 0; k < 3; k++) {
			uint64_t value = ((uint64_t)1 << shift) + k - 1;
			struct locus_buffer buffer = {0};
			locus_buffer_put_varint(&buffer, value);
			unsigned bits = 0;
			while (bits < 64 && value >> bits)
				bits++;
			assert_int_equal(buffer.size, bits ? (bits + 6) / 7 : 1);
			struct locus_scan scan = locus_scan_of(buffer.data, buffer.size);
			assert_int_equal(locus_scan_varint(&scan), value);
			assert_true(locus_scan_is_done(&scan));
			locus_buffer_done(&buffer);
		}
}

static void test_zigzag(void **state)
{
	static const struct {
		uint32_t value, code;
	} pairs[] = {{0, 0},
		     {UINT32_MAX, 1},
		     {1, 2},
		     {UINT32_MAX - 1, 3},
		     {63, 126},
		     {0x7FFFFFFF, 0xFFFFFFFE},
		     {0x80000000, 0xFFFFFFFF}};
	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		assert_int_equal(locus_zigzag(pairs[i].value), pairs[i].code);
		assert_int_equal(locus_unzigzag(pairs[i].code), pairs[i].value);
	}
}

static void test_fixed_numbers(void **state)
{
	static const uint8_t expected[] = {0x34, 0x12, 0x78, 0x56, 0x34, 0x12, 8, 7, 6, 5, 4, 3, 2, 1};
	struct locus_buffer buffer = {0};
	(void)state;
	locus_buffer_put_u16(&buffer, 0x1234);
	locus_buffer_put_u32(&buffer, 0x12345678);
	locus_buffer_put_u64(&buffer, 0x0102030405060708);
	assert_int_equal(buffer.size, sizeof(expected));
	assert_memory_equal(buffer.data, expected, sizeof(expected));
	struct locus_scan scan = locus_scan_of(buffer.data, buffer.size);
	assert_int_equal(locus_scan_little(&scan, 2), 0x1234);
	assert_int_equal(locus_scan_little(&scan, 4), 0x12345678);
	assert_int_equal(locus_scan_little(&scan, 8), 0x0102030405060708);
	assert_int_equal(locus_scan_little(&scan, 1), 0);
	assert_true(scan.failed);
	locus_buffer_done(&buffer);
}

/* What was reserved is filled in place, and nothing more was taken; what is put behind it still gets room. */
static void test_reserved_room(void **state)
{
	struct locus_buffer buffer = {0};
	(void)state;
	assert_true(locus_buffer_reserve(&buffer, 9));
	assert_int_equal(buffer.capacity, 9);
	const uint8_t *data = buffer.data;
	locus_buffer_put_byte(&buffer, 1);
	locus_buffer_put_zeros(&buffer, 8);
	assert_ptr_equal(buffer.data, data);
	assert_int_equal(buffer.capacity, 9);
	locus_buffer_put_byte(&buffer, 2);
	assert_int_equal(buffer.size, 10);
	assert_int_equal(buffer.data[0] + buffer.data[9], 3);
	locus_buffer_done(&buffer);
}

/* More than there can be is refused, and stays so: it must not become a little by overflow. */
static void test_sizes_beyond_memory(void **state)
{
	static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 5, SIZE_MAX / 2 + 1, SIZE_MAX / 3 * 2,
				       SIZE_MAX / 3 * 2 + 100};
	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct locus_buffer buffer = {0};
		locus_buffer_put_u64(&buffer, 1);
		assert_false(locus_buffer_grow(&buffer, sizes[i]));
		assert_true(buffer.failed);
		assert_int_equal(buffer.size, 0);
		locus_buffer_put_byte(&buffer, 1);
		locus_buffer_put(&buffer, "a", 1);
		locus_buffer_put_zeros(&buffer, 1);
		assert_int_equal(buffer.size, 0);
		locus_buffer_done(&buffer);
		assert_false(buffer.failed);
	}
}

/* What is put stands behind what was put before, and room that was had is used to its end. */
static void test_growing(void **state)
{
	struct locus_buffer buffer = {0};
	uint8_t bytes[300];
	(void)state;
	memset(bytes, 0x5a, sizeof(bytes));
	for (size_t size = 0; size < sizeof(bytes); size++) {
		size_t before = buffer.size;
		locus_buffer_put(&buffer, bytes, size);
		locus_buffer_put_zeros(&buffer, size % 7);
		locus_buffer_put_byte(&buffer, 0xa5);
		assert_int_equal(buffer.size, before + size + size % 7 + 1);
		assert_memory_equal(buffer.data + before, bytes, size);
		for (size_t i = 0; i < size % 7; i++)
			assert_int_equal(buffer.data[before + size + i], 0);
		assert_int_equal(buffer.data[buffer.size - 1], 0xa5);
	}
	const uint8_t *data = buffer.data;
	assert_true(locus_buffer_grow(&buffer, buffer.capacity - buffer.size));
	assert_ptr_equal(buffer.data, data);
	size_t size = buffer.size;
	locus_buffer_clear(&buffer);
	assert_int_equal(buffer.size, 0);
	assert_true(locus_buffer_grow(&buffer, size));
	assert_ptr_equal(buffer.data, data);
	locus_buffer_done(&buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_literal_varints),
		cmocka_unit_test(test_invalid_varints),
		cmocka_unit_test(test_varints_around_powers_of_two),
		cmocka_unit_test(test_zigzag),
		cmocka_unit_test(test_fixed_numbers),
		cmocka_unit_test(test_reserved_room),
		cmocka_unit_test(test_sizes_beyond_memory),
		cmocka_unit_test(test_growing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
