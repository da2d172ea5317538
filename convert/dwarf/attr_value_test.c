/* Values of every form, read from bytes made by hand, and what they mean. DWARF 5, 7.5.5 and 7.5.6. */
#include "convert/dwarf/attr_value.h"

#include <dwarf.h>

#include "base/toolkit_test.h"

enum { FORM_unknown = 0x7e, LLVM_addrx_offset = 0x2001 };

/* Other bytes stand behind those given, so that a reader which takes too many finds some. */
struct form_case {
	uint16_t form;
	const char *bytes;
	uint8_t size; /* of the value, all in all */
	uint64_t number;
	int8_t block_at; /* where the block or string begins; -1: none */
};

static const struct form_case form_cases[] = {
	{DW_FORM_addr, "\1\2\3\4\5\6\7\x88", 8, UINT64_C(0x8807060504030201), -1},
	{DW_FORM_data1, "\xfe", 1, 0xfe, -1},
	{DW_FORM_data2, "\1\xfe", 2, 0xfe01, -1},
	{DW_FORM_data4, "\1\2\3\xfe", 4, 0xfe030201, -1},
	{DW_FORM_data8, "\1\2\3\4\5\6\7\x88", 8, UINT64_C(0x8807060504030201), -1},
	{DW_FORM_sdata, "\x7f", 1, UINT64_MAX, -1},
	{DW_FORM_sdata, "\x80\x01", 2, 0x80, -1},
	{DW_FORM_udata, "\xe5\x8e\x26", 3, 624485, -1},
	{DW_FORM_flag, "\1", 1, 1, -1},
	{DW_FORM_flag_present, "", 0, 1, -1},
	{DW_FORM_implicit_const, "", 0, (uint64_t)-77, -1},
	{DW_FORM_string, "abc", 4, 0, 0},
	{DW_FORM_strp, "\1\2\3\4", 4, 0x04030201, -1},
	{DW_FORM_line_strp, "\1\2\3\4", 4, 0x04030201, -1},
	{DW_FORM_strx, "\x81\x01", 2, 129, -1},
	{DW_FORM_strx1, "\x81", 1, 0x81, -1},
	{DW_FORM_strx2, "\x81\x01", 2, 0x181, -1},
	{DW_FORM_strx3, "\x81\x01\x02", 3, 0x20181, -1},
	{DW_FORM_strx4, "\x81\1\2\3", 4, 0x03020181, -1},
	{DW_FORM_addrx, "\x81\x01", 2, 129, -1},
	{DW_FORM_addrx1, "\x81", 1, 0x81, -1},
	{DW_FORM_addrx2, "\x81\x01", 2, 0x181, -1},
	{DW_FORM_addrx3, "\x81\x01\x02", 3, 0x20181, -1},
	{DW_FORM_addrx4, "\x81\1\2\3", 4, 0x03020181, -1},
	{DW_FORM_rnglistx, "\x81\x01", 2, 129, -1},
	{DW_FORM_loclistx, "\x81\x01", 2, 129, -1},
	{DW_FORM_GNU_addr_index, "\x81\x01", 2, 129, -1},
	{DW_FORM_GNU_str_index, "\x81\x01", 2, 129, -1},
	{LLVM_addrx_offset, "\x81\x01\1\2\3\4", 6, 129, 2},
	{DW_FORM_ref1, "\x81", 1, 0x81, -1},
	{DW_FORM_ref2, "\x81\x01", 2, 0x181, -1},
	{DW_FORM_ref4, "\x81\1\2\3", 4, 0x03020181, -1},
	{DW_FORM_ref8, "\1\2\3\4\5\6\7\x88", 8, UINT64_C(0x8807060504030201), -1},
	{DW_FORM_ref_udata, "\x81\x01", 2, 129, -1},
	{DW_FORM_ref_addr, "\x81\1\2\3", 4, 0x03020181, -1},
	{DW_FORM_ref_sig8, "\1\2\3\4\5\6\7\x88", 8, UINT64_C(0x8807060504030201), -1},
	{DW_FORM_sec_offset, "\1\2\3\4", 4, 0x04030201, -1},
	{DW_FORM_block1, "\2xy", 3, 2, 1},
	{DW_FORM_block2, "\2\0xy", 4, 2, 2},
	{DW_FORM_block4, "\2\0\0\0xy", 6, 2, 4},
	{DW_FORM_block, "\x82\0xy", 4, 2, 2},
	{DW_FORM_exprloc, "\2xy", 3, 2, 1},
	{DW_FORM_data16, "0123456789abcdef", 16, 16, 0},
	{DW_FORM_indirect, "\x0f\xe5\x8e\x26", 4, 624485, -1}, /* of DW_FORM_udata */
	{DW_FORM_indirect, "\x0a\2xy", 4, 2, 2},               /* of DW_FORM_block1 */
};

static struct elf_file file;
static struct dwarf dwarf = {.file = &file};

static struct unit make_unit(void)
{
	file.swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	return (struct unit){.dwarf = &dwarf, .version = 5, .sizes = {8, 4, 4}};
}

static void every_form(void **state)
{
	const struct unit unit = make_unit();
	(void)state;
	for (size_t i = 0; i < COUNT_OF(form_cases); i++) {
		const struct form_case *c = &form_cases[i];
		const struct attr_spec spec = {.form = c->form, .implicit = -77};
		uint8_t bytes[64];
		memset(bytes, '#', sizeof(bytes));
		memcpy(bytes, c->bytes, c->size);
		struct cursor cursor = {.p = bytes, .end = bytes + sizeof(bytes), .swap = file.swap};
		struct value value;
		value_read_form(&cursor, &unit, &spec, &value);
		bool same = !cursor.bad && cursor.p == bytes + c->size &&
			    (c->form == DW_FORM_string || value.number == c->number) &&
			    (c->block_at < 0 ? !value.block : value.block == bytes + c->block_at);
		if (!same)
			fail_msg("form 0x%x of %u bytes: number 0x%llx, %td bytes", c->form, c->size,
				 (unsigned long long)value.number, cursor.p - bytes);

		/* One byte less is too few; what needs none is there without any. */
		uint8_t *cut = exact_copy(bytes, c->size ? c->size - 1u : 0);
		cursor = (struct cursor){.p = cut, .end = cut + (c->size ? c->size - 1 : 0), .swap = file.swap};
		value_read_form(&cursor, &unit, &spec, &value);
		if (cursor.bad != (c->size > 0))
			fail_msg("form 0x%x: cut off", c->form);
		free(cut);
	}
}

static void unknown_forms(void **state)
{
	static const struct {
		uint16_t form;
		const char *bytes;
	} cases[] = {
		{FORM_unknown, "0123456789"},
		{0, "0123456789"},
		{DW_FORM_indirect, "\x7e\x01\x01\x01"},            /* of an unknown one */
		{DW_FORM_indirect, "\x8f\x80\x04\x01\x01 234567"}, /* 0x1000f: too large, and not its low half */
	};
	const struct unit unit = make_unit();
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const uint8_t *bytes = (const uint8_t *)cases[i].bytes;
		const struct attr_spec spec = {.form = cases[i].form};
		struct cursor cursor = {.p = bytes, .end = bytes + strlen(cases[i].bytes), .swap = file.swap};
		struct value value;
		value_read_form(&cursor, &unit, &spec, &value);
		assert_true(cursor.bad);
	}
}

/* ---- What values mean ---- */

static void constants(void **state)
{
	static const struct {
		struct value value;
		bool is_constant;
	} cases[] = {
		{{DW_FORM_data1, 5, NULL}, true},
		{{DW_FORM_data2, 5, NULL}, true},
		{{DW_FORM_data4, 5, NULL}, true},
		{{DW_FORM_data8, 5, NULL}, true},
		{{DW_FORM_udata, 5, NULL}, true},
		{{DW_FORM_sdata, 5, NULL}, true},
		{{DW_FORM_sdata, 0, NULL}, true},
		{{DW_FORM_implicit_const, 5, NULL}, true},
		{{DW_FORM_implicit_const, 0, NULL}, true},
		{{DW_FORM_flag, 5, NULL}, true},
		{{DW_FORM_flag_present, 5, NULL}, true},
		{{DW_FORM_sdata, (uint64_t)-5, NULL}, false},
		{{DW_FORM_implicit_const, (uint64_t)-5, NULL}, false},
		{{DW_FORM_data8, (uint64_t)-5, NULL}, true},
		{{DW_FORM_addr, 5, NULL}, false},
		{{DW_FORM_strp, 5, NULL}, false},
		{{DW_FORM_block1, 5, NULL}, false},
		{{0, 5, NULL}, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t number = 99;
		assert_int_equal(value_unsigned(&cases[i].value, &number), cases[i].is_constant);
		assert_true(number == (cases[i].is_constant ? cases[i].value.number : 99));
	}
}

static void offsets(void **state)
{
	static const uint16_t forms[] = {DW_FORM_sec_offset, DW_FORM_data4, DW_FORM_data8};
	static const uint16_t others[] = {DW_FORM_data2, DW_FORM_udata, DW_FORM_addr, DW_FORM_strp, 0};
	uint64_t offset = 0;
	(void)state;
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		assert_true(value_offset(&(struct value){forms[i], i + 7, NULL}, &offset));
		assert_int_equal(offset, i + 7);
	}
	for (size_t i = 0; i < COUNT_OF(others); i++)
		assert_false(value_offset(&(struct value){others[i], 1, NULL}, &offset));
}

static void addresses(void **state)
{
	static const uint16_t indexed[] = {DW_FORM_addrx,  DW_FORM_addrx1, DW_FORM_addrx2,
					   DW_FORM_addrx3, DW_FORM_addrx4, DW_FORM_GNU_addr_index};
	static const struct {
		const char *name, *expression;
		uint8_t size;
		bool is_address;
		uint64_t expected;
	} expressions[] = {
		{"an entry", "\xa1\1", 2, true, 0x2000},
		{"an entry and a sum", "\xa1\1\x0c\x10\0\0\0\x22", 8, true, 0x2010},
		{"a sum on a dead address", "\xa1\2\x0c\x10\0\0\0\x22", 8, true, UINT64_MAX},
		{"no such entry", "\xa1\7", 2, false, 0},
		{"another operation", "\x03\1", 2, false, 0},
		{"another constant", "\xa1\1\x0e\x10\0\0\0\x22", 8, false, 0},
		{"another operation on both", "\xa1\1\x0c\x10\0\0\0\x1c", 8, false, 0},
		{"more behind it", "\xa1\1\x0c\x10\0\0\0\x22\x22", 9, false, 0},
		{"cut off", "\xa1\1\x0c\x10\0\0\0", 7, false, 0},
		{"nothing", "", 0, false, 0},
	};
	struct unit unit = make_unit();
	struct bytes table = {0};
	uint64_t address;
	(void)state;
	put_bytes(&table, "head", 4);
	put_number(&table, 0x1000, 8);
	put_number(&table, 0x2000, 8);
	put_number(&table, UINT64_MAX, 8);
	section_init(&file.sections[DEBUG_ADDR], table.data, table.size, false);
	unit.addr_base = 4;
	assert_true(value_address(&unit, &(struct value){DW_FORM_addr, 0x77, NULL}, &address));
	assert_int_equal(address, 0x77);
	for (size_t i = 0; i < COUNT_OF(indexed); i++) {
		assert_true(value_address(&unit, &(struct value){indexed[i], 1, NULL}, &address));
		assert_int_equal(address, 0x2000);
		assert_false(value_address(&unit, &(struct value){indexed[i], 3, NULL}, &address));
	}
	const uint8_t offset[] = {0x10, 0, 0, 0};
	assert_true(value_address(&unit, &(struct value){LLVM_addrx_offset, 1, offset}, &address));
	assert_int_equal(address, 0x2010);
	assert_true(value_address(&unit, &(struct value){LLVM_addrx_offset, 2, offset}, &address)); /* RULES A5 */
	assert_true(address == UINT64_MAX);
	assert_false(value_address(&unit, &(struct value){LLVM_addrx_offset, 3, offset}, &address));
	assert_false(value_address(&unit, &(struct value){DW_FORM_data8, 1, NULL}, &address));
	for (size_t i = 0; i < COUNT_OF(expressions); i++) {
		uint8_t *exact = exact_copy(expressions[i].expression, expressions[i].size);
		const struct value value = {DW_FORM_exprloc, expressions[i].size, exact};
		if (value_address(&unit, &value, &address) != expressions[i].is_address ||
		    (expressions[i].is_address && address != expressions[i].expected))
			fail_msg("%s", expressions[i].name);
		free(exact);
	}
	bytes_done(&table);
}

static void strings(void **state)
{
	static const char str[] = "zero\0five", line_str[] = "line", alternate[] = "shared";
	static const uint16_t indexed[] = {DW_FORM_strx,  DW_FORM_strx1, DW_FORM_strx2,
					   DW_FORM_strx3, DW_FORM_strx4, DW_FORM_GNU_str_index};
	static struct elf_file other;
	struct dwarf alt = {.file = &other};
	struct unit unit = make_unit();
	struct bytes table = {0};
	bool is_volatile;
	(void)state;
	put_bytes(&table, "head", 4);
	put_number(&table, 0, 4);
	put_number(&table, 5, 4);
	section_init(&file.sections[DEBUG_STR], (const uint8_t *)str, sizeof(str), false);
	section_init(&file.sections[DEBUG_LINE_STR], (const uint8_t *)line_str, sizeof(line_str), false);
	section_init(&other.sections[DEBUG_STR], (const uint8_t *)alternate, sizeof(alternate), false);
	section_init(&file.sections[DEBUG_STR_OFFSETS], table.data, table.size, false);
	unit.str_offsets_base = 4;
	const struct value own = {DW_FORM_string, 0, (const uint8_t *)"own"};
	assert_string_equal(value_string(&unit, &own, &is_volatile), "own");
	assert_true(is_volatile); /* among the DIEs */
	assert_string_equal(value_string(&unit, &(struct value){DW_FORM_strp, 5, NULL}, &is_volatile), "five");
	assert_false(is_volatile);
	assert_string_equal(value_string(&unit, &(struct value){DW_FORM_line_strp, 0, NULL}, &is_volatile), "line");
	assert_null(value_string(&unit, &(struct value){DW_FORM_strp, sizeof(str), NULL}, &is_volatile));
	for (size_t i = 0; i < COUNT_OF(indexed); i++) {
		assert_string_equal(value_string(&unit, &(struct value){indexed[i], 1, NULL}, &is_volatile), "five");
		assert_null(value_string(&unit, &(struct value){indexed[i], 2, NULL}, &is_volatile));
	}
	unit.str_offsets_base = table.size + 1;
	assert_null(value_string(&unit, &(struct value){DW_FORM_strx1, 0, NULL}, &is_volatile));
	for (int has_alt = 0; has_alt < 2; has_alt++) {
		dwarf.alt = has_alt ? &alt : NULL;
		const struct value forms[] = {{DW_FORM_GNU_strp_alt, 0, NULL}, {DW_FORM_strp_sup, 0, NULL}};
		for (size_t i = 0; i < COUNT_OF(forms); i++) {
			const char *string = value_string(&unit, &forms[i], &is_volatile);
			assert_true(has_alt ? strcmp(string, "shared") == 0 : string == NULL);
		}
	}
	dwarf.alt = NULL;
	assert_null(value_string(&unit, &(struct value){DW_FORM_data4, 0, NULL}, &is_volatile));
	bytes_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form), cmocka_unit_test(unknown_forms), cmocka_unit_test(constants),
		cmocka_unit_test(offsets),    cmocka_unit_test(addresses),     cmocka_unit_test(strings),
	};
	return cmocka_run_group_tests_name("attr_value", tests, NULL, NULL);
}
