/* Tables of .debug_aranges, byte by byte: sets of units, pairs that are none, and what is not believed. */
#include "convert/dwarf/aranges.h"

#include "base/toolkit_test.h"

/* What a table says, as text: "u7 7:100-180 " for a unit at 7 and its range [0x100, 0x180). */
struct told {
	char text[256];
	unsigned calls;
	unsigned calls_max; /* memory is out at the last of them; 0: never */
};

static bool tell(struct told *told, const char *text)
{
	strcat(told->text, text);
	return ++told->calls != told->calls_max;
}

static bool add_unit(void *argument, uint64_t unit)
{
	char text[64];
	snprintf(text, sizeof(text), "u%llx ", (unsigned long long)unit);
	return tell(argument, text);
}

static bool add_range(void *argument, uint64_t unit, uint64_t start, uint64_t end)
{
	char text[64];
	snprintf(text, sizeof(text), "%llx:%llx-%llx ", (unsigned long long)unit, (unsigned long long)start,
		 (unsigned long long)end);
	return tell(argument, text);
}

struct pair {
	uint64_t start, size;
};

struct set {
	uint64_t unit;
	uint16_t version;
	uint8_t address_size, segment_size;
	struct pair pairs[4];
	unsigned pair_count;
	bool is_wide; /* of 64-bit DWARF */
};

static void put_set(struct bytes *b, const struct set *set)
{
	const size_t start = b->size, length_at = start + (set->is_wide ? 4 : 0), offset_size = set->is_wide ? 8 : 4;
	if (set->is_wide)
		put_number(b, UINT32_MAX, 4);
	put_number(b, 0, offset_size);
	put_number(b, set->version, 2);
	put_number(b, set->unit, offset_size);
	put_u8(b, set->address_size);
	put_u8(b, set->segment_size);
	while ((b->size - start) % (2u * set->address_size))
		put_u8(b, 0xee); /* padding may be anything */
	for (unsigned i = 0; i < set->pair_count; i++) {
		put_number(b, set->pairs[i].start, set->address_size);
		put_number(b, set->pairs[i].size, set->address_size);
	}
	patch_number(b, length_at, b->size - length_at - offset_size, offset_size);
}

static bool read_all(const struct bytes *b, uint8_t address_size, struct told *told)
{
	bool memory;
	const struct arange_sink sink = {told, add_unit, add_range};
	bool sound = aranges_read(b->data, b->size, b->big, address_size, &sink, &memory);
	assert_true(memory == (!told->calls_max || told->calls < told->calls_max));
	return sound;
}

static void sets_of_units(void **state)
{
	static const struct set sets[] = {
		{0x7, 2, 8, 0, {{0x100, 0x80}, {0x300, 1}, {0, 0}}, 3, false},
		{0x99, 2, 8, 0, {{0, 0}}, 1, false},                         /* a unit without code */
		{0xaa, 2, 8, 0, {{0, 0}, {0x500, 0x10}, {0, 0}}, 3, false},  /* as linkers make it of dropped code */
		{0xbb, 2, 8, 0, {{UINT64_MAX - 1, 9}, {0x10, 0}}, 2, false}, /* beyond all addresses, and nothing */
	};
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct bytes b = {.big = big};
		struct told told = {0};
		for (size_t i = 0; i < COUNT_OF(sets); i++)
			put_set(&b, &sets[i]);
		assert_int_equal(read_all(&b, 8, &told), true);
		assert_string_equal(told.text, "u7 7:100-180 7:300-301 u99 uaa aa:500-510 ubb ");
		bytes_done(&b);
	}
}

static void addresses_of_four_bytes(void **state)
{
	static const struct set set = {0x7, 2, 4, 0, {{0x100, 0x80}, {0, 0}}, 2, false};
	struct bytes b = {0};
	struct told told = {0};
	(void)state;
	put_set(&b, &set);
	assert_true(read_all(&b, 4, &told));
	assert_string_equal(told.text, "u7 7:100-180 ");
	bytes_done(&b);
}

/* With 4-byte addresses, the header of 64-bit DWARF ends where pairs may begin; with 8-byte addresses, it is padded. */
static void sets_of_64_bit_dwarf(void **state)
{
	const struct set small = {UINT64_C(0x700000001), 2, 4, 0, {{0x100, 0x80}, {0x200, 0x40}}, 2, true};
	const struct set large = {UINT64_C(0x700000001), 2, 8, 0, {{0x100, 0x80}, {0x200, 0x40}}, 2, true};
	(void)state;
	for (int big = 0; big < 2; big++)
		for (int i = 0; i < 2; i++) {
			struct bytes b = {.big = big};
			struct told told = {0};
			put_set(&b, i ? &large : &small);
			assert_true(read_all(&b, i ? 8 : 4, &told));
			assert_string_equal(told.text, "u700000001 700000001:100-180 700000001:200-240 ");
			bytes_done(&b);
		}
}

/* The last address there is can be in no range, for its end would be 0; what is too short for a pair is none. */
static void pairs_at_the_ends(void **state)
{
	const struct set set = {0x7, 2, 8, 0, {{0, 1}, {UINT64_MAX - 1, 1}, {UINT64_MAX - 1, 2}}, 3, false};
	(void)state;
	for (size_t more = 0; more < 16; more++) {
		struct bytes b = {0};
		struct told told = {0};
		put_set(&b, &set);
		for (size_t i = 0; i < more; i++)
			put_u8(&b, 1);
		patch_number(&b, 0, b.size - 4, 4);
		uint8_t *exact = exact_copy(b.data, b.size);
		const struct bytes all = {.data = exact, .size = b.size};
		assert_true(read_all(&all, 8, &told));
		assert_string_equal(told.text, "u7 7:0-1 7:fffffffffffffffe-ffffffffffffffff ");
		free(exact);
		bytes_done(&b);
	}
}

static void what_is_not_believed(void **state)
{
	static const struct set sets[] = {
		{0x7, 3, 8, 0, {{0x100, 0x80}}, 1, false}, /* of an unknown version */
		{0x7, 2, 4, 0, {{0x100, 0x80}}, 1, false}, /* of another machine */
		{0x7, 2, 8, 2, {{0x100, 0x80}}, 1, false}, /* with segments */
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(sets); i++) {
		struct bytes b = {0};
		struct told told = {0};
		put_set(&b, &sets[i]);
		assert_false(read_all(&b, 8, &told));
		assert_string_equal(told.text, "");
		bytes_done(&b);
	}
}

static void every_prefix_is_cut_off(void **state)
{
	static const struct set set = {0x7, 2, 8, 0, {{0x100, 0x80}, {0, 0}}, 2, false};
	struct bytes b = {0};
	(void)state;
	put_set(&b, &set);
	for (size_t size = 1; size < b.size; size++) {
		struct bytes part = {0};
		struct told told = {0};
		put_bytes(&part, b.data, size);
		assert_false(read_all(&part, 8, &told));
		bytes_done(&part);
	}
	bytes_done(&b);
}

static void memory_that_runs_out_ends_it(void **state)
{
	static const struct set set = {0x7, 2, 8, 0, {{0x100, 0x80}, {0x200, 0x80}}, 2, false};
	static const char *const texts[] = {"u7 ", "u7 7:100-180 ", "u7 7:100-180 7:200-280 "};
	struct bytes b = {0};
	(void)state;
	put_set(&b, &set);
	put_set(&b, &set);
	for (unsigned i = 0; i < COUNT_OF(texts); i++) {
		struct told told = {.calls_max = i + 1};
		assert_false(read_all(&b, 8, &told));
		assert_string_equal(told.text, texts[i]);
	}
	bytes_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_of_units),
		cmocka_unit_test(addresses_of_four_bytes),
		cmocka_unit_test(sets_of_64_bit_dwarf),
		cmocka_unit_test(pairs_at_the_ends),
		cmocka_unit_test(what_is_not_believed),
		cmocka_unit_test(every_prefix_is_cut_off),
		cmocka_unit_test(memory_that_runs_out_ends_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
