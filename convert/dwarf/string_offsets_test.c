/* Tables of string offsets, whole and with holes. */
#include "convert/dwarf/string_offsets.h"

#include "base/toolkit_test.h"

enum { ENTRIES_MAX = 4 };

static const struct {
	const char *name;
	uint64_t entries[ENTRIES_MAX];
	size_t count, cut; /* of entries, and of bytes that the last one lacks */
	uint64_t index;
	bool is_there;
} cases[] = {
	{"the first string at the front", {0, 7, 9}, 3, 0, 0, true},
	{"the first string in the middle", {7, 0, 9}, 3, 0, 1, true},
	{"the first string at the end", {9, 7, 0}, 3, 0, 2, true},
	{"a table of one", {0}, 1, 0, 0, true},
	{"another string", {0, 7, 0}, 3, 0, 1, true},
	{"a hole at the front", {0, 0, 9}, 3, 0, 0, false},
	{"a hole up to its end", {0, 0, 9}, 3, 0, 1, false},
	{"behind a hole", {0, 0, 9}, 3, 0, 2, true},
	{"before a hole", {9, 0, 0}, 3, 0, 0, true},
	{"a hole at the end", {9, 0, 0}, 3, 0, 2, false},
	{"behind the table", {9, 7, 8}, 3, 0, 3, false},
	{"far behind it", {9, 7, 8}, 3, 0, UINT64_MAX, false},
	{"an entry that is cut off", {9, 7, 8}, 3, 1, 2, false},
	{"before one that is cut off", {9, 0, 0}, 3, 1, 1, true},
	{"no table", {0}, 0, 0, 0, false},
};

static void entries(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases) * 4; i++) {
		const size_t at = i / 4;
		const uint8_t entry_size = i & 1 ? 8 : 4;
		struct bytes table = {.big = i & 2};
		uint64_t offset = UINT64_MAX;
		for (size_t k = 0; k < cases[at].count; k++)
			put_number(&table, cases[at].entries[k], entry_size);
		uint8_t *exact = exact_copy(table.data, table.size - cases[at].cut);
		const struct string_offsets offsets = {
			.entries = exact,
			.size = table.size - cases[at].cut,
			.swap = table.big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
		};
		if (string_offsets_get(&offsets, cases[at].index, entry_size, &offset) != cases[at].is_there)
			fail_msg("%s", cases[at].name);
		if (cases[at].is_there)
			assert_int_equal(offset, cases[at].entries[cases[at].index]);
		free(exact);
		bytes_done(&table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(entries)};
	return cmocka_run_group_tests_name("string_offsets", tests, NULL, NULL);
}
