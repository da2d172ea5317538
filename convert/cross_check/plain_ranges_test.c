/* Lists of ranges by hand: each kind of entry, at each size of addresses and at their ends. DWARF 5, 2.17.3; RULES A4.
 */
#include "convert/cross_check/plain_ranges.h"

#include <dwarf.h>

#include "base/toolkit_test.h"

enum { PAD = 3, LOW_PC = 0x100 };

/* A unit of a list in both sections, behind a pad, from memory that ends where the list does. */
struct bench {
	struct bytes list, addresses;
	uint8_t *exact_list, *exact_addresses;
	struct unit_ranges unit;
};

static void bench_init(struct bench *bench, unsigned version, uint8_t addr_size, bool big)
{
	*bench = (struct bench){.list.big = big, .addresses.big = big};
	bench->unit = (struct unit_ranges){
		.version = version,
		.addr_size = addr_size,
		.offset_size = 4,
		.low_pc = LOW_PC,
		.swap = big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__),
	};
	put_bytes(&bench->list, "pad", PAD);
	put_number(&bench->addresses, 0x10, addr_size);
	put_number(&bench->addresses, 0x20, addr_size);
	put_number(&bench->addresses, 0x30, addr_size);
}

static void put_address(struct bench *bench, uint64_t addr)
{
	put_number(&bench->list, addr, bench->unit.addr_size);
}

static void put_entry(struct bench *bench, uint8_t kind, const char *operands, uint64_t a, uint64_t b)
{
	put_u8(&bench->list, kind);
	for (uint64_t value = a; *operands; value = b, operands++)
		if (*operands == 'a')
			put_address(bench, value);
		else
			put_uleb(&bench->list, value);
}

/* The list as text: "110-120 30-40 ". */
static void show(struct bench *bench, char *text, size_t size)
{
	struct bytes attribute = {.big = bench->list.big};
	struct plain_ranges list;
	uint64_t start, end;
	size_t at = 0;
	bench->exact_list = exact_copy(bench->list.data, bench->list.size);
	bench->exact_addresses = exact_copy(bench->addresses.data, bench->addresses.size);
	bench->unit.lists = (struct section_bytes){bench->exact_list, bench->list.size};
	bench->unit.addresses = (struct section_bytes){bench->exact_addresses, bench->addresses.size};
	put_number(&attribute, PAD, 4);
	bench->unit.info = (struct section_bytes){attribute.data, attribute.size};
	text[0] = 0;
	assert_true(plain_ranges_begin(&list, &bench->unit,
				       &(Dwarf_Attribute){.form = DW_FORM_sec_offset, .valp = attribute.data}));
	while (plain_ranges_next(&list, &start, &end))
		at += (size_t)snprintf(text + at, size - at, "%llx-%llx ", (unsigned long long)start,
				       (unsigned long long)end);
	bytes_done(&attribute);
	bytes_done(&bench->list);
	bytes_done(&bench->addresses);
	free(bench->exact_list);
	free(bench->exact_addresses);
}

static void expect(struct bench *bench, const char *what, const char *expected)
{
	char text[512];
	unsigned size = bench->unit.addr_size;
	show(bench, text, sizeof(text));
	if (strcmp(text, expected) != 0)
		fail_msg("%s, %u bytes: %s, not %s", what, size, text, expected);
}

static const uint8_t sizes[] = {2, 4, 8};

static uint64_t highest_of(uint8_t size)
{
	return size < 8 ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX;
}

static void pairs(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * COUNT_OF(sizes); i++) {
		struct bench bench;
		uint8_t size = sizes[i / 2];
		bench_init(&bench, 2 + i % 3, size, i % 2);
		uint64_t numbers[] = {0x10, 0x20, 0, 5, 7, 0, highest_of(size), 0x1000, 1, 2, highest_of(size),
				      0,    3,    4};
		for (size_t k = 0; k < COUNT_OF(numbers); k++)
			put_address(&bench, numbers[k]);
		put_address(&bench, 0), put_address(&bench, 0);
		put_address(&bench, 8), put_address(&bench, 9);
		expect(&bench, "pairs", "110-120 100-105 107-100 1001-1002 3-4 ");
	}
}

static void entries(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * COUNT_OF(sizes); i++) {
		struct bench bench;
		bench_init(&bench, 5, sizes[i / 2], i % 2);
		put_entry(&bench, DW_RLE_offset_pair, "uu", 1, 0x81);
		put_entry(&bench, DW_RLE_start_end, "aa", 1, 2);
		put_entry(&bench, DW_RLE_start_length, "au", 0x40, 2);
		put_entry(&bench, DW_RLE_startx_endx, "uu", 0, 2);
		put_entry(&bench, DW_RLE_startx_length, "uu", 1, 3);
		put_entry(&bench, DW_RLE_base_address, "a", 0x1000, 0);
		put_entry(&bench, DW_RLE_offset_pair, "uu", 1, 2);
		put_entry(&bench, DW_RLE_start_end, "aa", 1, 2);
		put_entry(&bench, DW_RLE_base_addressx, "u", 2, 0);
		put_entry(&bench, DW_RLE_offset_pair, "uu", 1, 2);
		put_entry(&bench, DW_RLE_end_of_list, "", 0, 0);
		put_entry(&bench, DW_RLE_start_end, "aa", 1, 2);
		expect(&bench, "entries", "101-181 1-2 40-42 10-30 20-23 1001-1002 1-2 31-32 ");
	}
}

/* What is dead, or leaves the addresses there are, is empty; what is behind it is read. */
static void at_the_ends_of_addresses(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct bench bench;
		uint8_t size = sizes[i];
		uint64_t highest = highest_of(size);
		char expected[512];
		bench_init(&bench, 5, size, false);
		put_entry(&bench, DW_RLE_start_length, "au", highest - 9, 9);
		put_entry(&bench, DW_RLE_start_length, "au", highest - 9, 10);
		put_entry(&bench, DW_RLE_start_end, "aa", highest - 2, highest);
		put_entry(&bench, DW_RLE_start_end, "aa", highest, highest);
		put_entry(&bench, DW_RLE_base_address, "a", highest - 9, 0);
		put_entry(&bench, DW_RLE_offset_pair, "uu", 1, 9);
		put_entry(&bench, DW_RLE_offset_pair, "uu", 1, 10);
		put_entry(&bench, DW_RLE_base_address, "a", highest, 0);
		put_entry(&bench, DW_RLE_offset_pair, "uu", 0, 0);
		put_entry(&bench, DW_RLE_startx_length, "uu", 3, 1);
		put_entry(&bench, DW_RLE_startx_length, "uu", UINT64_MAX / 8, 1);
		put_entry(&bench, DW_RLE_start_end, "aa", 1, 2);
		unsigned long long h = highest;
		snprintf(expected, sizeof(expected), "%llx-%llx 0-0 %llx-%llx 0-0 %llx-%llx 0-0 0-0 0-0 0-0 1-2 ",
			 h - 9, h, h - 2, h, h - 8, h);
		expect(&bench, "at the ends", expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs),
		cmocka_unit_test(entries),
		cmocka_unit_test(at_the_ends_of_addresses),
	};
	return cmocka_run_group_tests_name("plain_ranges", tests, NULL, NULL);
}
