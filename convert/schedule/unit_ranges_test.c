/* What .debug_aranges says of units, and whether it seems to cover all of them; and the place and size of units. */
#include "convert/schedule/unit_ranges.h"

#include "base/toolkit_test.h"

enum { SETS_MAX = 4 };

/* A set of .debug_aranges for addresses of 4 or 8 bytes (DWARF 5, 6.1.2): of one range, or none. */
struct set {
	uint64_t unit, start, size;
};

static void put_set(struct bytes *out, const struct set *set, uint8_t address_size)
{
	size_t at = out->size;
	put_number(out, 0, 4);
	put_number(out, 2, 2);
	put_number(out, set->unit, 4);
	put_u8(out, address_size);
	put_u8(out, 0);
	put_number(out, 0, 4); /* padding */
	if (set->size) {
		put_number(out, set->start, address_size);
		put_number(out, set->size, address_size);
	}
	put_number(out, 0, address_size);
	put_number(out, 0, address_size);
	patch_number(out, at, out->size - at - 4, 4);
}

/* "0:10-18 of 0,40": each range behind its unit, then the units that have a set. */
static void show(const struct unit_ranges *unit_ranges, char *text, size_t size)
{
	size_t at = 0;
	text[0] = 0;
	for (uint32_t i = 0; i < unit_ranges->range_count; i++)
		at += (size_t)snprintf(text + at, size - at, "%llx:%llx-%llx ",
				       (unsigned long long)unit_ranges->ranges[i].unit,
				       (unsigned long long)unit_ranges->ranges[i].range.start,
				       (unsigned long long)unit_ranges->ranges[i].range.end);
	for (uint32_t i = 0; i < unit_ranges->tabled.count; i++) {
		at += (size_t)snprintf(text + at, size - at, "%s%llx", i ? "," : "of ",
				       (unsigned long long)unit_ranges->tabled.offsets[i]);
		assert_int_equal(unit_ranges->units.offsets[i], unit_ranges->tabled.offsets[i]);
	}
	assert_int_equal(unit_ranges->units.count, unit_ranges->tabled.count);
}

static void ranges_of_a_table(void **state)
{
	static const struct {
		const char *name;
		struct set sets[SETS_MAX];
		size_t count;
		size_t tables;    /* line tables */
		size_t lines_cut; /* bytes that are missing at the end of the last */
		bool is_complete;
		const char *expected;
	} cases[] = {
		{"a set for each table", {{0, 0x10, 8}, {0x40, 0x20, 4}}, 2, 2, 0, true, "0:10-18 40:20-24 of 0,40"},
		{"a set without ranges", {{0, 0x10, 8}, {0x40, 0, 0}}, 2, 2, 0, true, "0:10-18 of 0,40"},
		{"in another order",
		 {{0x80, 1, 1}, {0, 3, 1}, {0x40, 2, 1}},
		 3,
		 3,
		 0,
		 true,
		 "80:1-2 0:3-4 40:2-3 of 0,40,80"},
		{"two sets for a unit",
		 {{0, 1, 1}, {0x40, 2, 1}, {0, 3, 1}},
		 3,
		 2,
		 0,
		 true,
		 "0:1-2 40:2-3 0:3-4 of 0,40"},
		{"a table without a set", {{0, 1, 1}}, 1, 2, 0, false, "0:1-2 of 0"},
		{"a set without a table", {{0, 1, 1}, {0x40, 2, 1}}, 2, 1, 0, false, "0:1-2 40:2-3 of 0,40"},
		{"nothing", {{0, 0, 0}}, 0, 0, 0, false, ""},
		{"no table at all", {{0, 1, 1}}, 1, 0, 0, false, "0:1-2 of 0"},
		{"a table that is cut off", {{0, 1, 1}, {0x40, 2, 1}}, 2, 2, 1, false, "0:1-2 40:2-3 of 0,40"},
	};
	(void)state;
	for (size_t at = 0; at < 2 * COUNT_OF(cases); at++) {
		size_t i = at / 2;
		struct elf_file file = {.class = at % 2 ? ELFCLASS32 : ELFCLASS64};
		struct dwarf dwarf = {.file = &file};
		struct unit_ranges unit_ranges = {.ranges = NULL};
		struct bytes sets = {0}, lines = {0};
		char text[256];
		bool is_complete;
		for (size_t k = 0; k < cases[i].count; k++)
			put_set(&sets, &cases[i].sets[k], at % 2 ? 4 : 8);
		for (size_t k = 0; k < cases[i].tables; k++) {
			put_number(&lines, k + 1, 4);
			for (size_t j = 0; j <= k; j++)
				put_u8(&lines, 0);
		}
		section_init(&file.sections[DEBUG_ARANGES], sets.data, sets.size, false);
		section_init(&file.sections[DEBUG_LINE], lines.data, lines.size - cases[i].lines_cut, false);
		assert_int_equal(unit_ranges_from_table(&unit_ranges, &dwarf, &is_complete, NULL), LOCUS_OK);
		show(&unit_ranges, text, sizeof(text));
		if (strcmp(text, cases[i].expected) != 0 || is_complete != cases[i].is_complete)
			fail_msg("%s: %s%s", cases[i].name, text, is_complete ? ", complete" : "");
		unit_ranges_done(&unit_ranges);
		bytes_done(&sets);
		bytes_done(&lines);
	}
}

/* A damaged table is not complete, however many sets it has. */
static void damaged_table(void **state)
{
	(void)state;
	static const struct set set = {0, 0x10, 8};
	struct elf_file file = {.class = ELFCLASS64};
	struct dwarf dwarf = {.file = &file};
	struct bytes sets = {0};
	static const uint8_t lines[] = {0, 0, 0, 0};
	put_set(&sets, &set, 8);
	section_init(&file.sections[DEBUG_LINE], lines, sizeof(lines), false);
	for (size_t cut = 0; cut < 4; cut++) {
		struct unit_ranges unit_ranges = {.ranges = NULL};
		bool is_complete;
		section_init(&file.sections[DEBUG_ARANGES], sets.data, sets.size - cut, false);
		assert_int_equal(unit_ranges_from_table(&unit_ranges, &dwarf, &is_complete, NULL), LOCUS_OK);
		assert_int_equal(is_complete, cut == 0);
		unit_ranges_done(&unit_ranges);
	}
	/* Of another class, the addresses have another size. */
	struct unit_ranges unit_ranges = {.ranges = NULL};
	bool is_complete;
	file.class = ELFCLASS32;
	section_init(&file.sections[DEBUG_ARANGES], sets.data, sets.size, false);
	assert_int_equal(unit_ranges_from_table(&unit_ranges, &dwarf, &is_complete, NULL), LOCUS_OK);
	assert_false(is_complete);
	unit_ranges_done(&unit_ranges);
	bytes_done(&sets);
}

/* By the own DIEs of units: their ranges, their line tables, and who has code but does not say where. */
static void ranges_of_dies(void **state)
{
	/* Units with children: DW_AT_stmt_list, DW_AT_low_pc and a size; DW_AT_stmt_list; nothing; a partial unit. */
	static const uint8_t abbrevs[] = {1,    0x11, 1, 0x10, 0x17, 0x11, 0x01, 0x12, 0x06, 0,    0, 2, 0x11, 1, 0x10,
					  0x17, 0,    0, 3,    0x11, 1,    0,    0,    4,    0x3c, 1, 0, 0,    0};
	static const uint32_t line_tables[] = {0x50, 0x20, 0x50, 0};
	(void)state;
	struct bytes info = {0};
	uint64_t offsets[5];
	for (size_t i = 0; i < 5; i++) {
		size_t at = offsets[i] = info.size;
		put_number(&info, 0, 4);
		put_number(&info, 4, 2);
		put_number(&info, 0, 4);
		put_u8(&info, 8);
		put_u8(&info, i == 0 || i == 2 ? 1 : i == 1 ? 2 : (uint8_t)i);
		if (i < 3)
			put_number(&info, line_tables[i], 4);
		if (i == 0 || i == 2) {
			put_number(&info, 0x1000 * (i + 1), 8);
			put_number(&info, 0x10, 4);
		}
		put_u8(&info, 0);
		patch_number(&info, at, info.size - at - 4, 4);
	}
	struct exec_range exec = {0x1000, 0x10000};
	struct elf_file file = {.class = ELFCLASS64, .exec = &exec, .exec_count = 1};
	struct dwarf dwarf;
	struct unit_ranges found = {.ranges = NULL};
	dwarf_init(&dwarf, &file);
	section_init(&file.sections[DEBUG_INFO], info.data, info.size, false);
	section_init(&file.sections[DEBUG_ABBREV], abbrevs, sizeof(abbrevs), false);
	assert_int_equal(dwarf_prepare_section(&dwarf, DEBUG_ABBREV, NULL), LOCUS_OK);

	/* The fourth unit has a set in .debug_aranges, which says that it has no code. */
	found.tabled = (struct offset_list){malloc(sizeof(uint64_t)), 1, 1};
	assert_non_null(found.tabled.offsets);
	found.tabled.offsets[0] = offsets[3];
	/* What the table has of units is known from the units themselves from then on. */
	found.units = (struct offset_list){calloc(1, sizeof(uint64_t)), 1, 1};
	assert_non_null(found.units.offsets);
	assert_int_equal(unit_ranges_from_dies(&found, &dwarf, NULL), LOCUS_OK);
	assert_int_equal(found.units.count, 5);
	assert_memory_equal(found.units.offsets, offsets, sizeof(offsets));
	assert_int_equal(found.range_count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(found.ranges[i].unit, offsets[2 * i]);
		assert_int_equal(found.ranges[i].range.start, 0x1000 * (2 * i + 1));
		assert_int_equal(found.ranges[i].range.end, 0x1000 * (2 * i + 1) + 0x10);
	}
	/* Two units have one line table. */
	assert_int_equal(found.line_tables.count, 2);
	assert_int_equal(found.line_tables.offsets[0], 0x20);
	assert_int_equal(found.line_tables.offsets[1], 0x50);
	assert_int_equal(found.unsaid.count, 1);
	assert_int_equal(found.unsaid.offsets[0], offsets[1]);
	unit_ranges_done(&found);
	dwarf_done(&dwarf);
	bytes_done(&info);
}

static void places_and_sizes(void **state)
{
	uint64_t offsets[] = {0, 0x10, 0x40};
	const struct unit_ranges unit_ranges = {.units = {offsets, 3, 3}};
	static const struct {
		uint64_t offset, info_size;
		uint32_t index;
		uint64_t size;
	} cases[] = {
		{0, 0x50, 0, 0x10}, {0x10, 0x50, 1, 0x30}, {0x40, 0x50, 2, 0x10}, {0x40, 0x41, 2, 1},
		{0x40, 0x40, 2, 0}, {0x40, 0x3f, 2, 0},    {0x41, 0x50, 3, 0xf},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_int_equal(unit_ranges_unit_index(&unit_ranges, cases[i].offset), cases[i].index);
		assert_int_equal(unit_ranges_unit_size(&unit_ranges, cases[i].offset, cases[i].info_size),
				 cases[i].size);
	}
}

/* What a unit says is not known if it cannot be read, or is not enough. */
static void unreadable_ranges_of_dies(void **state)
{
	/* Units without children: an address as DW_AT_low_pc and one as DW_AT_high_pc; a size alone. */
	static const uint8_t abbrevs[] = {1, 0x11, 0, 0x11, 0x01, 0x12, 0x01, 0, 0, 2, 0x11, 0, 0x12, 0x06, 0, 0, 0};
	static const struct {
		uint8_t code;
		uint64_t low, high;
		bool is_unsaid;
	} units[] = {{1, 0x1000, 0x1010, false}, {1, 0x1010, 0x1000, true}, {2, 0, 0x10, true}, {1, 0, 0, false}};
	struct bytes info = {0};
	uint64_t unsaid[COUNT_OF(units)];
	uint32_t count = 0;
	(void)state;
	for (size_t i = 0; i < COUNT_OF(units); i++) {
		size_t at = info.size;
		if (units[i].is_unsaid)
			unsaid[count++] = at;
		put_number(&info, 0, 4);
		put_number(&info, 4, 2);
		put_number(&info, 0, 4);
		put_u8(&info, 8);
		put_u8(&info, units[i].code);
		if (units[i].code == 1)
			put_number(&info, units[i].low, 8);
		put_number(&info, units[i].high, units[i].code == 1 ? 8 : 4);
		patch_number(&info, at, info.size - at - 4, 4);
	}
	struct exec_range exec = {0x1000, 0x10000};
	struct elf_file file = {.class = ELFCLASS64, .exec = &exec, .exec_count = 1};
	struct dwarf dwarf;
	struct unit_ranges found = {.ranges = NULL};
	dwarf_init(&dwarf, &file);
	section_init(&file.sections[DEBUG_INFO], info.data, info.size, false);
	section_init(&file.sections[DEBUG_ABBREV], abbrevs, sizeof(abbrevs), false);
	assert_int_equal(dwarf_prepare_section(&dwarf, DEBUG_ABBREV, NULL), LOCUS_OK);
	assert_int_equal(unit_ranges_from_dies(&found, &dwarf, NULL), LOCUS_OK);
	assert_int_equal(found.range_count, 1);
	assert_int_equal(found.unsaid.count, count);
	assert_memory_equal(found.unsaid.offsets, unsaid, count * sizeof(*unsaid));
	unit_ranges_done(&found);
	dwarf_done(&dwarf);
	bytes_done(&info);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_of_a_table), cmocka_unit_test(damaged_table),
		cmocka_unit_test(ranges_of_dies),    cmocka_unit_test(unreadable_ranges_of_dies),
		cmocka_unit_test(places_and_sizes),
	};
	return cmocka_run_group_tests_name("unit_ranges", tests, NULL, NULL);
}
