/* Split units by their ids: in a .dwo made by hand, and in packages with an index of either version. DWARF 5, 7.3.5. */
#include "convert/dwarf/split_unit.h"

#include <dwarf.h>

#include "base/toolkit_test.h"

enum { ABBREV_COMPILE = 1, ABBREV_WITH_ID, COLUMN_MAX = 64 };

static const uint8_t abbrevs[] = {
	/* clang-format off */
	ABBREV_COMPILE, DW_TAG_compile_unit, 0, 0, 0,
	ABBREV_WITH_ID, DW_TAG_compile_unit, 0, 0xb1, 0x42, DW_FORM_data8, 0, 0, /* DW_AT_GNU_dwo_id */
	0,
	/* clang-format on */
};

struct bench {
	struct elf_file file;
	struct dwarf dwarf;
	struct bytes info, index;
};

static void bench_init(struct bench *bench)
{
	bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	*bench = (struct bench){.info.big = big, .index.big = big, .file.path = (char *)(uintptr_t) "a.dwo"};
}

/* Each section that a share may be of has the size of .debug_info, so that one bound is that of all. */
static void bench_read(struct bench *bench)
{
	for (int i = 0; i < DEBUG_SECTION_COUNT; i++)
		section_init(&bench->file.sections[i], bench->info.data, bench->info.size, false);
	section_init(&bench->file.sections[DEBUG_ABBREV], abbrevs, sizeof(abbrevs), false);
	section_init(&bench->file.sections[DEBUG_LINE], NULL, 0, false);
	section_init(&bench->file.sections[DEBUG_CU_INDEX], bench->index.data, bench->index.size, false);
	dwarf_init(&bench->dwarf, &bench->file);
	bench->dwarf.split = true;
}

static void bench_done(struct bench *bench)
{
	split_index_done(&bench->dwarf);
	dwarf_done(&bench->dwarf);
	bytes_done(&bench->info);
	bytes_done(&bench->index);
}

static uint64_t put_unit(struct bench *bench, uint16_t version, uint8_t type, uint64_t id)
{
	struct bytes *out = &bench->info;
	size_t start = out->size;
	put_number(out, 0, 4);
	put_number(out, version, 2);
	if (version >= 5) {
		put_u8(out, type), put_u8(out, 8);
		put_number(out, 0, 4);
		put_number(out, id, 8);
		if (type == DW_UT_split_type)
			put_number(out, 24, 4);
		put_u8(out, ABBREV_COMPILE);
	} else {
		put_number(out, 0, 4);
		put_u8(out, 8);
		put_u8(out, ABBREV_WITH_ID);
		put_number(out, id, 8);
	}
	patch_number(out, start, out->size - start - 4, 4);
	return start;
}

/* The unit with that id must be the one at `offset`; UINT64_MAX: there must be none. */
static void expect(struct bench *bench, uint64_t id, uint64_t offset)
{
	struct unit unit = {0};
	struct locus_error error = {.text = ""};
	enum locus_status status = split_unit_open(&bench->dwarf, id, NULL, &unit, &error);
	if (status != (offset == UINT64_MAX ? LOCUS_ERR_COMPANION : LOCUS_OK))
		fail_msg("id %llu: %d %s", (unsigned long long)id, status, error.text);
	if (status == LOCUS_OK) {
		assert_int_equal(unit.offset, offset);
		assert_int_equal(unit.id, id);
	} else {
		assert_string_equal(error.text, "split debug file a.dwo is of another build: it lacks the unit's id");
	}
	unit_done(&unit);
}

/* The package must be damaged, as it says. */
static void expect_damage(struct bench *bench, uint64_t id, const char *text)
{
	struct unit unit = {0};
	struct locus_error error = {.text = ""};
	assert_int_equal(split_unit_open(&bench->dwarf, id, NULL, &unit, &error), LOCUS_ERR_BAD_DWARF);
	assert_string_equal(error.text, text);
	unit_done(&unit);
}

static const char cut_off[] = "split debug file a.dwo: its .debug_cu_index is cut off, or of an unknown version";

static void units_of_a_dwo(void **state)
{
	struct bench bench;
	(void)state;
	bench_init(&bench);
	uint64_t nine = put_unit(&bench, 5, DW_UT_split_compile, 9);
	put_unit(&bench, 5, DW_UT_split_type, 4);
	uint64_t three = put_unit(&bench, 4, 0, 3);
	put_unit(&bench, 5, DW_UT_split_compile, 9); /* the first one stands for both */
	uint64_t four = put_unit(&bench, 5, DW_UT_split_compile, 4);
	uint64_t last = put_unit(&bench, 5, DW_UT_split_compile, UINT64_MAX);
	bench_read(&bench);
	for (int again = 0; again < 2; again++) {
		expect(&bench, 9, nine);
		expect(&bench, 3, three);
		expect(&bench, 4, four);
		expect(&bench, UINT64_MAX, last);
		expect(&bench, 0, UINT64_MAX);
		expect(&bench, 5, UINT64_MAX);
		expect(&bench, 10, UINT64_MAX);
	}
	bench_done(&bench);
}

static void no_units(void **state)
{
	struct bench bench;
	(void)state;
	bench_init(&bench);
	bench_read(&bench);
	expect(&bench, 0, UINT64_MAX);
	expect(&bench, 1, UINT64_MAX);
	bench_done(&bench);
}

/* A damaged unit leaves those behind it unknown: that is told, each time. */
static void damaged_units(void **state)
{
	struct bench bench;
	(void)state;
	bench_init(&bench);
	put_unit(&bench, 5, DW_UT_split_compile, 1);
	uint64_t second = put_unit(&bench, 5, DW_UT_split_compile, 2);
	patch_number(&bench.info, second + 4, 6, 2); /* an unknown version */
	bench_read(&bench);
	for (int again = 0; again < 2; again++) {
		struct unit unit = {0};
		struct locus_error error;
		assert_int_equal(split_unit_open(&bench.dwarf, 1, NULL, &unit, &error), LOCUS_ERR_BAD_DWARF);
		char place[64];
		snprintf(place, sizeof(place), "the unit at .debug_info+0x%llx ", (unsigned long long)second);
		assert_non_null(strstr(error.text, place));
		assert_null(bench.dwarf.split_index);
		unit_done(&unit);
	}
	bench_done(&bench);
}

/* ---- Packages ---- */

struct slot {
	uint64_t id;
	uint32_t row;
};

/* An index of rows that have the same share of all columns but .debug_info, whose shares are units of one size. */
static void put_index(struct bench *bench, uint32_t version, const uint32_t *columns, uint32_t column_count,
		      const struct slot *slots, uint32_t slot_count, uint32_t row_count, struct contribution other)
{
	struct bytes *out = &bench->index;
	uint32_t unit_size = (uint32_t)(bench->info.size / row_count);
	put_number(out, version, version == 2 ? 4 : 2);
	if (version != 2)
		put_number(out, 0x77, 2); /* padding, which says nothing */
	put_number(out, column_count, 4);
	put_number(out, row_count, 4);
	put_number(out, slot_count, 4);
	for (uint32_t i = 0; i < slot_count; i++)
		put_number(out, slots[i].id, 8);
	for (uint32_t i = 0; i < slot_count; i++)
		put_number(out, slots[i].row, 4);
	for (uint32_t i = 0; i < column_count; i++)
		put_number(out, columns[i], 4);
	for (int is_size = 0; is_size < 2; is_size++)
		for (uint32_t row = 0; row < row_count; row++)
			for (uint32_t i = 0; i < column_count; i++)
				if (columns[i] == 1)
					put_number(out, is_size ? unit_size : row * unit_size, 4);
				else
					put_number(out, is_size ? other.size : other.offset, 4);
}

static const uint32_t columns[] = {2, 5, 4, 1, 6, 7, 8};
static const uint64_t ids_of_rows[] = {7, 7, 5, 6};
static const struct slot slots[] = {{0, 0}, {7, 2}, {7, 1}, {7, 2}, {5, 3}, {6, 4}, {0, 0}, {4, 3}, {4, 3}};

static void make_package(struct bench *bench, uint32_t version)
{
	bench_init(bench);
	for (size_t i = 0; i < COUNT_OF(ids_of_rows); i++)
		put_unit(bench, 5, DW_UT_split_compile, ids_of_rows[i]);
	put_index(bench, version, columns, COUNT_OF(columns), slots, COUNT_OF(slots), 4, (struct contribution){0, 0});
}

static void units_of_a_package(void **state)
{
	static const uint32_t versions[] = {2, 5};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(versions); i++) {
		struct bench bench;
		make_package(&bench, versions[i]);
		bench_read(&bench);
		uint64_t unit_size = bench.info.size / 4;
		for (int again = 0; again < 2; again++) {
			expect(&bench, 7, 0); /* the first row of that id */
			expect(&bench, 5, 2 * unit_size);
			expect(&bench, 6, 3 * unit_size);
			expect(&bench, 0, UINT64_MAX); /* a slot of row 0 is free */
			expect(&bench, 4, UINT64_MAX); /* its row leads to the unit of another id */
			expect(&bench, 8, UINT64_MAX);
		}
		bench_done(&bench);
	}
}

/* Rows beyond the last one are none; an index that is cut off or of an unknown kind is not taken for an empty one. */
static void damaged_packages(void **state)
{
	enum { COLUMNS_AT = 4, ROWS_AT = 8 };
	struct bench bench;
	(void)state;
	make_package(&bench, 5);
	patch_number(&bench.index, ROWS_AT, 3, 4);
	bench_read(&bench);
	expect(&bench, 6, UINT64_MAX);
	bench_done(&bench);
	for (int what = 0; what < 5; what++) {
		make_package(&bench, what == 4 ? 3 : 5);
		size_t whole = bench.index.size;
		bench.index.size -= what == 0 ? 1 : what == 1 ? whole - 15 : what == 2 ? whole - 1 : 0;
		if (what == 3)
			patch_number(&bench.index, COLUMNS_AT, COLUMN_MAX + 1, 4);
		uint8_t *exact = exact_copy(bench.index.data, bench.index.size);
		bench_read(&bench);
		section_init(&bench.file.sections[DEBUG_CU_INDEX], exact, bench.index.size, false);
		expect_damage(&bench, 7, cut_off);
		bench_done(&bench);
		free(exact);
	}
}

static void most_columns(void **state)
{
	(void)state;
	for (uint32_t count = COLUMN_MAX; count <= COLUMN_MAX + 1; count++) {
		uint32_t many[COLUMN_MAX + 1] = {1};
		struct bench bench;
		bench_init(&bench);
		put_unit(&bench, 5, DW_UT_split_compile, 7);
		put_index(&bench, 5, many, count, &(struct slot){7, 1}, 1, 1, (struct contribution){0, 0});
		bench_read(&bench);
		if (count > COLUMN_MAX)
			expect_damage(&bench, 7, cut_off);
		else
			expect(&bench, 7, 0);
		bench_done(&bench);
	}
}

/* Which section a column is for depends on the index's version; those of sections that are not read are passed over. */
static void shares(void **state)
{
	enum { OFFSET = 3, SIZE = 5 };
	static const struct {
		uint32_t version, column;
		enum debug_section which; /* DEBUG_SECTION_COUNT: none */
	} cases[] = {
		{2, 2, DEBUG_TYPES},         {5, 2, DEBUG_SECTION_COUNT}, {2, 6, DEBUG_STR_OFFSETS},
		{5, 6, DEBUG_STR_OFFSETS},   {2, 8, DEBUG_SECTION_COUNT}, {5, 8, DEBUG_RNGLISTS},
		{5, 5, DEBUG_SECTION_COUNT}, {5, 7, DEBUG_SECTION_COUNT}, {5, 0, DEBUG_SECTION_COUNT},
		{5, 9, DEBUG_SECTION_COUNT},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const uint32_t both[] = {1, cases[i].column};
		struct bench bench;
		struct unit unit = {0};
		bench_init(&bench);
		put_unit(&bench, 5, DW_UT_split_compile, 7);
		put_index(&bench, cases[i].version, both, 2, &(struct slot){7, 1}, 1, 1,
			  (struct contribution){OFFSET, SIZE});
		bench_read(&bench);
		assert_int_equal(split_unit_open(&bench.dwarf, 7, NULL, &unit, NULL), LOCUS_OK);
		assert_int_equal(unit.share[DEBUG_INFO].size, bench.info.size);
		for (int which = DEBUG_INFO + 1; which < DEBUG_SECTION_COUNT; which++) {
			bool is_share = which == (int)cases[i].which;
			assert_int_equal(unit_has_share(&unit, (enum debug_section)which), is_share);
			assert_int_equal(unit.share[which].offset, is_share ? OFFSET : 0);
			if (is_share)
				assert_int_equal(unit.share[which].size, SIZE);
		}
		unit_done(&unit);
		bench_done(&bench);
	}
}

static void shares_within_their_section(void **state)
{
	(void)state;
	struct bench bench;
	bench_init(&bench);
	put_unit(&bench, 5, DW_UT_split_compile, 7);
	uint64_t all = bench.info.size;
	const struct {
		struct contribution share;
		bool is_within;
	} cases[] = {
		{{0, all}, true},      {{all, 0}, true},         {{all - 1, 1}, true},
		{{0, all + 1}, false}, {{all, 1}, false},        {{all + 1, 0}, false},
		{{2, all - 1}, false}, {{UINT32_MAX, 2}, false}, {{1, UINT32_MAX}, false},
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		static const uint32_t both[] = {1, 6};
		bench.index.size = 0;
		put_index(&bench, 5, both, 2, &(struct slot){7, 1}, 1, 1, cases[i].share);
		bench_read(&bench);
		if (cases[i].is_within)
			expect(&bench, 7, 0);
		else
			expect_damage(&bench, 7,
				      "split debug file a.dwo: its .debug_cu_index leads outside of its sections");
		split_index_done(&bench.dwarf);
		dwarf_done(&bench.dwarf);
	}
	bench_done(&bench);
}

/* Nothing of a package is left where the same unit is used for one of a .dwo. */
static void a_unit_that_was_of_a_package(void **state)
{
	struct bench package, dwo;
	struct unit unit = {0};
	(void)state;
	make_package(&package, 5);
	bench_read(&package);
	bench_init(&dwo);
	put_unit(&dwo, 5, DW_UT_split_compile, 1);
	uint64_t second = put_unit(&dwo, 5, DW_UT_split_compile, 2);
	bench_read(&dwo);
	assert_int_equal(split_unit_open(&package.dwarf, 6, NULL, &unit, NULL), LOCUS_OK);
	assert_true(unit.share[DEBUG_INFO].offset);
	assert_int_equal(split_unit_open(&dwo.dwarf, 2, NULL, &unit, NULL), LOCUS_OK);
	assert_int_equal(unit.offset, second);
	for (int which = 0; which < DEBUG_SECTION_COUNT; which++) {
		assert_false(unit_has_share(&unit, (enum debug_section)which));
		assert_int_equal(unit.share[which].offset, 0);
	}
	unit_done(&unit);
	bench_done(&dwo);
	bench_done(&package);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_of_a_dwo),
		cmocka_unit_test(no_units),
		cmocka_unit_test(damaged_units),
		cmocka_unit_test(units_of_a_package),
		cmocka_unit_test(damaged_packages),
		cmocka_unit_test(most_columns),
		cmocka_unit_test(shares),
		cmocka_unit_test(shares_within_their_section),
		cmocka_unit_test(a_unit_that_was_of_a_package),
	};
	return cmocka_run_group_tests_name("split_unit", tests, NULL, NULL);
}
