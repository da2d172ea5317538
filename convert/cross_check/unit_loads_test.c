/* What units of each kind and their tables of abbreviations cost before libdw loads them: not a step or byte less. */
#include "convert/cross_check/unit_loads.h"

#include <dwarf.h>

#include "base/steps_test.h"
#include "convert/elf/make_elf_test.h"

/* Tables of abbreviations, and what each costs: a step for each byte, and for each declaration 2 steps and 80 bytes. */
enum { COUNTED_UP = 0, CONSTANT = 13, CHOSEN = 24, CUT_OFF = 40 };

/* A declaration in each line. */
/* clang-format off */
static const uint8_t abbreviations[] = {
	1, DW_TAG_compile_unit, 0, DW_AT_name, DW_FORM_string, 0, 0,
	2, DW_TAG_subprogram, 0, 0, 0,
	0,
	1, DW_TAG_compile_unit, 0, DW_AT_decl_line, DW_FORM_implicit_const, 0x7f, DW_AT_name, 0, 0, 0,
	0,
	7, DW_TAG_compile_unit, 0, 0, 0,
	2, DW_TAG_compile_unit, 0, 0, 0,
	3, DW_TAG_compile_unit, 0, 0, 0,
	0,
	1, DW_TAG_compile_unit, 0, 0, 0,
	2, DW_TAG_compile_unit, 0, DW_AT_name,
};
/* clang-format on */

struct unit_case {
	const char *name;
	unsigned version;
	uint8_t type;
	bool is_wide;
	uint8_t table;
	uint64_t steps, bytes; /* of each such unit */
	uint64_t table_steps;  /* when its table is read, which is once */
};

static const struct unit_case cases[] = {
	{"DWARF 4", 4, DW_UT_compile, false, COUNTED_UP, 64 + 13 + 2 * 2, 1024 + 2 * 80, 13},
	{"DWARF 4 of 64 bits", 4, DW_UT_compile, true, COUNTED_UP, 64 + 13 + 2 * 2, 1024 + 2 * 80, 13},
	{"DWARF 5", 5, DW_UT_compile, false, COUNTED_UP, 64 + 13 + 2 * 2, 1024 + 2 * 80, 13},
	{"DWARF 5 of 64 bits", 5, DW_UT_compile, true, COUNTED_UP, 64 + 13 + 2 * 2, 1024 + 2 * 80, 13},
	{"a skeleton", 5, DW_UT_skeleton, false, COUNTED_UP, 64 + 13 + 2 * 2, 1024 + 2 * 80, 13},
	{"a skeleton of 64 bits", 5, DW_UT_skeleton, true, COUNTED_UP, 64 + 13 + 2 * 2, 1024 + 2 * 80, 13},
	{"types", 5, DW_UT_type, false, COUNTED_UP, 64, 1024, 0},
	{"types of 64 bits", 5, DW_UT_type, true, COUNTED_UP, 64, 1024, 0},
	{"a constant, and a form that is 0", 4, DW_UT_compile, false, CONSTANT, 64 + 11 + 2, 1024 + 80, 11},
	{"codes that were chosen", 4, DW_UT_compile, false, CHOSEN, 64 + 16 + 3 * 2 + 4, 1024 + 3 * 80, 16},
	{"a table that is cut off", 4, DW_UT_compile, false, CUT_OFF, 64 + 9 + 2, 1024 + 80, 9},
};

/* libdw opens no file that has nothing else. */
static const struct unit_case types_of_dwarf_4 = {"", 4, DW_UT_type, false, COUNTED_UP, 64, 1024, 0};

static void put_unit(struct bytes *out, const struct unit_case *c)
{
	const unsigned offset_size = c->is_wide ? 8 : 4;
	struct bytes unit = {0};
	put_number(&unit, c->version, 2);
	if (c->version >= 5) {
		put_u8(&unit, c->type);
		put_u8(&unit, 8);
	}
	put_number(&unit, c->table, offset_size);
	if (c->version < 5)
		put_u8(&unit, 8);
	if (c->type != DW_UT_compile)
		put_number(&unit, 0x1122334455667788, 8);
	if (c->type == DW_UT_type)
		put_number(&unit, (c->is_wide ? 12 : 4) + unit.size + offset_size,
			   offset_size); /* the unit's own DIE */
	put_bytes(&unit, "\1name", 6);

	if (c->is_wide)
		put_number(out, UINT32_MAX, 4);
	put_number(out, unit.size, offset_size);
	put_bytes(out, unit.data, unit.size);
	bytes_done(&unit);
}

/* A file of units. Freed by subject_done. */
struct subject {
	struct bytes bytes;
	Elf *elf;
	Dwarf *dwarf;
	struct dwarf_sections sections;
	struct unit_loads loads;
	struct budget budget;
};

static void subject_init(struct subject *subject, const struct unit_case *units, size_t count)
{
	struct bytes info = {0}, types = {0};
	for (size_t i = 0; i < count; i++)
		put_unit(units[i].version < 5 && units[i].type == DW_UT_type ? &types : &info, &units[i]);
	const struct elf_part parts[] = {
		{".debug_abbrev", SHT_PROGBITS, 0, 0, abbreviations, sizeof(abbreviations), 0, 0},
		{".debug_info", SHT_PROGBITS, 0, 0, info.data ? (const void *)info.data : "", info.size, 0, 0},
		{".debug_types", SHT_PROGBITS, 0, 0, types.data ? (const void *)types.data : "", types.size, 0, 0},
	};
	*subject = (struct subject){0};
	make_elf(&subject->bytes, ET_DYN, EM_X86_64, parts, COUNT_OF(parts));
	bytes_done(&info);
	bytes_done(&types);
	elf_version(EV_CURRENT);
	subject->elf = elf_memory((char *)subject->bytes.data, subject->bytes.size);
	subject->dwarf = dwarf_begin_elf(subject->elf, DWARF_C_READ, NULL);
	assert_non_null(subject->dwarf);
	dwarf_sections_find(&subject->sections, subject->dwarf);
}

static void subject_done(struct subject *subject)
{
	unit_loads_done(&subject->loads);
	dwarf_end(subject->dwarf);
	elf_end(subject->elf);
	bytes_done(&subject->bytes);
}

/* Counts all units with a budget of so many steps and bytes. *ret_steps, *ret_bytes: what is left. */
static bool count_within(struct subject *subject, uint64_t steps, uint64_t bytes, int64_t *ret_steps,
			 int64_t *ret_bytes)
{
	budget_of_steps(&subject->budget, steps);
	atomic_store(&subject->budget.bytes_left, (int64_t)bytes);
	const bool is_enough = unit_loads_count(&subject->loads, subject->dwarf, &subject->sections, "x.debug");
	budget_use(NULL);
	*ret_steps = (int64_t)budget_steps_left(&subject->budget);
	*ret_bytes = atomic_load(&subject->budget.bytes_left);
	return is_enough;
}

/* A table is read when the first unit has it, and costs the same again with every other. */
static void units_and_their_tables(void **state)
{
	enum { MANY = 1 << 20 };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct unit_case *c = &cases[i];
		struct subject subject;
		int64_t steps, bytes;
		subject_init(&subject, c, 1);
		assert_true(count_within(&subject, MANY, MANY, &steps, &bytes));
		if ((uint64_t)(MANY - steps) != c->steps + c->table_steps)
			fail_msg("%s: %lld steps at first", c->name, (long long)(MANY - steps));

		if (!count_within(&subject, c->steps, c->bytes, &steps, &bytes) || steps || bytes)
			fail_msg("%s: %lld steps, %lld bytes left", c->name, (long long)steps, (long long)bytes);
		if (count_within(&subject, c->steps - 1, c->bytes, &steps, &bytes) ||
		    count_within(&subject, c->steps, c->bytes - 1, &steps, &bytes))
			fail_msg("%s: with less", c->name);
		subject_done(&subject);
	}
}

/* All units count, and each of its own table; the message says in which file and where. */
static void many_units(void **state)
{
	const struct unit_case units[] = {cases[0], cases[8], cases[0], types_of_dwarf_4, types_of_dwarf_4};
	struct subject subject;
	struct locus_error error;
	uint64_t steps = 0, bytes = 0;
	int64_t left;
	(void)state;
	for (size_t i = 0; i < COUNT_OF(units); i++) {
		steps += units[i].steps;
		bytes += units[i].bytes;
	}
	subject_init(&subject, units, COUNT_OF(units));
	assert_true(count_within(&subject, 1 << 20, 1 << 20, &left, &left));
	assert_int_equal(subject.loads.table_count, 2);
	assert_true(count_within(&subject, steps, bytes, &left, &left));
	assert_false(count_within(&subject, steps - 1, bytes, &left, &left));
	budget_fail(&subject.budget, LOCUS_OK, &error);
	assert_string_equal(error.text, "x.debug: its units take more work than input of 0 bytes can need, at "
					".debug_types+0x1d");
	assert_false(count_within(&subject, units[0].steps, bytes, &left, &left));
	budget_fail(&subject.budget, LOCUS_OK, &error);
	assert_string_equal(error.text, "x.debug: its abbreviations take more work than input of 0 bytes can need, at "
					".debug_info+0x11");
	subject_done(&subject);
}

/* Units of types cost something when a reference leads there, once. */
static void units_of_types_are_counted_once(void **state)
{
	const struct unit_case units[] = {cases[2], cases[6]};
	struct subject subject;
	Dwarf_Die compile, type;
	int64_t left;
	(void)state;
	subject_init(&subject, units, COUNT_OF(units));
	assert_true(count_within(&subject, 1 << 20, 1 << 20, &left, &left));
	assert_non_null(dwarf_offdie(subject.dwarf, 12, &compile));
	assert_non_null(dwarf_offdie(subject.dwarf, 18 + 24, &type));
	budget_of_steps(&subject.budget, 17);
	assert_true(unit_loads_count_type(&subject.loads, &compile));
	assert_int_equal(budget_steps_left(&subject.budget), 17);
	assert_true(unit_loads_count_type(&subject.loads, &type));
	assert_int_equal(budget_steps_left(&subject.budget), 0);
	assert_true(unit_loads_count_type(&subject.loads, &type));
	unit_loads_done(&subject.loads);
	budget_of_steps(&subject.budget, 16);
	assert_false(unit_loads_count_type(&subject.loads, &type));
	budget_use(NULL);
	subject_done(&subject);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_and_their_tables),
		cmocka_unit_test(many_units),
		cmocka_unit_test(units_of_types_are_counted_once),
	};
	return cmocka_run_group_tests_name("unit_loads", tests, NULL, NULL);
}
