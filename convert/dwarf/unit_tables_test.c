/* Which units share tables: those whose tables would be the same, and no others. */
#include "convert/dwarf/unit_tables.h"

#include "base/steps_test.h"
#include "base/toolkit_test.h"

static const uint8_t abbrevs[] = {0, 0};

static void abbreviations(void **state)
{
	const struct form_sizes sizes = {8, 4, 4};
	struct dwarf dwarf = {0};
	(void)state;
	struct unit first = {.dwarf = &dwarf, .sizes = sizes};
	assert_false(unit_tables_find_abbrevs(&first, abbrevs));
	first.abbrevs.count = 7;
	assert_true(unit_tables_keep_abbrevs(&first, abbrevs));
	assert_int_equal(first.abbrevs.count, 7);
	for (int i = 0; i < 5; i++) {
		struct unit other = {.dwarf = &dwarf, .sizes = sizes};
		other.sizes.address = i == 1 ? 4 : 8;
		other.sizes.offset = i == 2 ? 8 : 4;
		other.sizes.ref_addr = i == 3 ? 8 : 4;
		assert_int_equal(unit_tables_find_abbrevs(&other, abbrevs + (i == 4)), i == 0);
		assert_int_equal(other.abbrevs.count, i == 0 ? 7 : 0);
	}
	unit_tables_free(dwarf.tables);
}

static void files(void **state)
{
	const char folder[] = "/src", same[] = "/src", another[] = "/srd";
	const struct {
		uint64_t offset, str_offsets_base;
		uint8_t address_size;
		const char *comp_dir;
		bool is_shared;
	} cases[] = {
		{16, 8, 8, folder, true},  {16, 8, 8, same, true},    {16, 8, 8, another, false},
		{16, 8, 8, NULL, false},   {17, 8, 8, folder, false}, {15, 8, 8, same, false},
		{16, 9, 8, folder, false}, {16, 7, 8, folder, false}, {16, 8, 4, folder, false},
	};
	struct dwarf dwarf = {0};
	(void)state;
	for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
		size_t k = i % COUNT_OF(cases);
		struct unit unit = {
			.dwarf = &dwarf,
			.stmt_list = cases[k].offset,
			.str_offsets_base = cases[k].str_offsets_base,
			.sizes.address = cases[k].address_size,
			.comp_dir = cases[k].comp_dir,
		};
		bool is_known = i >= COUNT_OF(cases) || (i > 0 && cases[k].is_shared);
		if (unit_tables_find_files(&unit) != is_known)
			fail_msg("%zu: %s", i, is_known ? "not found" : "found");
		if (!is_known) {
			unit.lines.file_count = unit.lines.version = (uint16_t)(k + 1);
			unit.file_ids = calloc(k + 1, sizeof(*unit.file_ids));
			assert_true(unit_tables_keep_files(&unit));
		}
		size_t owner = cases[k].is_shared ? 0 : k;
		assert_int_equal(unit.lines.version, owner + 1);
		assert_int_equal(unit.file_id_count, owner + 1);
		assert_non_null(unit.file_ids);
		assert_true(unit.files_are_lent);
	}
	unit_tables_free(dwarf.tables);
}

/* A search compares directories, which may begin alike: it costs a step for eight bytes. */
static void searches_are_counted(void **state)
{
	char folder[1 << 10];
	struct dwarf dwarf = {0};
	struct unit unit = {.dwarf = &dwarf, .comp_dir = folder};
	struct budget budget;
	(void)state;
	memset(folder, 'd', sizeof(folder) - 1);
	folder[sizeof(folder) - 1] = '\0';
	budget_of_steps(&budget, sizeof(folder));
	assert_false(unit_tables_find_files(&unit));
	assert_int_equal(budget_steps_left(&budget), sizeof(folder) - (sizeof(folder) - 1) / 8);
	budget_use(NULL);
	unit_tables_free(dwarf.tables);
}

static void none(void **state)
{
	(void)state;
	unit_tables_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(abbreviations),
		cmocka_unit_test(files),
		cmocka_unit_test(searches_are_counted),
		cmocka_unit_test(none),
	};
	return cmocka_run_group_tests_name("unit_tables", tests, NULL, NULL);
}
