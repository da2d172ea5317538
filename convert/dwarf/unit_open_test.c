/*
 * Units from hand-made headers of every version, whole and damaged. DWARF 5, 7.5.1; DWARF 4, 7.5.1.1; DWARF 2, 7.5.1.
 */
#include "convert/dwarf/unit_open.h"

#include <dwarf.h>
#include <zstd.h>

#include "base/toolkit_test.h"
#include "convert/dwarf/unit_tables.h"

struct header_case {
	const char *name;
	uint16_t version;
	uint8_t type; /* DW_UT_, of version 5 */
	bool is_wide; /* 64-bit DWARF */
	uint8_t address_size;
	enum debug_section where;
	uint64_t die_offset, id, type_offset; /* expected; die_offset from the header */
	uint8_t ref_addr_size;
};

enum { ID = 0x11223344, TYPE_OFFSET = 0x1d };

static const struct header_case header_cases[] = {
	{"DWARF 2", 2, DW_UT_compile, false, 4, DEBUG_INFO, 11, 0, 0, 4},
	{"DWARF 2 of 8-byte addresses", 2, DW_UT_compile, false, 8, DEBUG_INFO, 11, 0, 0, 8},
	{"DWARF 3", 3, DW_UT_compile, false, 8, DEBUG_INFO, 11, 0, 0, 4},
	{"DWARF 3 of 64 bits", 3, DW_UT_compile, true, 4, DEBUG_INFO, 23, 0, 0, 8},
	{"DWARF 4", 4, DW_UT_compile, false, 2, DEBUG_INFO, 11, 0, 0, 4},
	{"DWARF 4's types", 4, DW_UT_type, false, 8, DEBUG_TYPES, 23, ID, TYPE_OFFSET, 4},
	{"DWARF 4's types of 64 bits", 4, DW_UT_type, true, 8, DEBUG_TYPES, 39, ID, TYPE_OFFSET, 8},
	{"DWARF 5", 5, DW_UT_compile, false, 1, DEBUG_INFO, 12, 0, 0, 4},
	{"DWARF 5 of 64 bits", 5, DW_UT_compile, true, 8, DEBUG_INFO, 24, 0, 0, 8},
	{"DWARF 5, partial", 5, DW_UT_partial, false, 8, DEBUG_INFO, 12, 0, 0, 4},
	{"DWARF 5, skeleton", 5, DW_UT_skeleton, false, 8, DEBUG_INFO, 20, ID, 0, 4},
	{"DWARF 5, split", 5, DW_UT_split_compile, true, 8, DEBUG_INFO, 32, ID, 0, 8},
	{"DWARF 5, type", 5, DW_UT_type, false, 8, DEBUG_INFO, 24, ID, TYPE_OFFSET, 4},
	{"DWARF 5, split type", 5, DW_UT_split_type, true, 8, DEBUG_INFO, 40, ID, TYPE_OFFSET, 8},
};

/* The abbreviation of the unit's DIE is behind a pad: DW_TAG_compile_unit, its attributes of forms of fixed meaning. */
enum { ABBREV_AT = 3 };

static void put_abbrevs(struct bytes *out, bool is_wide)
{
	static const uint8_t attrs[][2] = {
		{DW_AT_name, DW_FORM_string},         {DW_AT_comp_dir, DW_FORM_string},
		{DW_AT_language, DW_FORM_data2},      {DW_AT_low_pc, DW_FORM_addr},
		{DW_AT_stmt_list, DW_FORM_data4},     {DW_AT_addr_base, DW_FORM_data4},
		{DW_AT_rnglists_base, DW_FORM_data4},
	};
	put_bytes(out, "pad", ABBREV_AT);
	put_u8(out, 1);
	put_u8(out, DW_TAG_compile_unit);
	put_u8(out, 0);
	for (size_t i = 0; i < COUNT_OF(attrs); i++) {
		uint8_t form = attrs[i][1] == DW_FORM_data4 && is_wide ? DW_FORM_data8 : attrs[i][1];
		put_uleb(out, attrs[i][0]);
		put_uleb(out, form);
	}
	put_bytes(out, "\0\0\0", 3);
}

static void put_header(struct bytes *out, const struct header_case *c)
{
	unsigned offset_size = c->is_wide ? 8 : 4;
	if (c->is_wide)
		put_number(out, 0xffffffff, 4);
	put_number(out, 0, offset_size); /* the length, to be patched */
	put_number(out, c->version, 2);
	if (c->version >= 5) {
		put_u8(out, c->type);
		put_u8(out, c->address_size);
	}
	put_number(out, ABBREV_AT, offset_size);
	if (c->version < 5)
		put_u8(out, c->address_size);
	if (c->id)
		put_number(out, c->id, 8);
	if (c->type_offset)
		put_number(out, c->type_offset, offset_size);
}

/* Appends a unit of one DIE, and the zero that would end its children. */
static void put_unit(struct bytes *out, const struct header_case *c)
{
	size_t start = out->size, offset_size = c->is_wide ? 8 : 4, length_size = c->is_wide ? 12 : 4;
	put_header(out, c);
	assert_int_equal(out->size - start, c->die_offset);
	put_uleb(out, 1);
	put_string(out, "a.c");
	put_string(out, "/src");
	put_number(out, DW_LANG_Rust, 2);
	put_number(out, 0x21, c->address_size);
	put_number(out, 0, (unsigned)offset_size);
	put_number(out, 0x30, (unsigned)offset_size);
	put_number(out, 0x40, (unsigned)offset_size);
	put_u8(out, 0);
	patch_number(out, start + length_size - offset_size, out->size - start - length_size, (unsigned)offset_size);
}

/* Two units behind each other, of which the second is opened. */
struct bench {
	struct elf_file file;
	struct dwarf dwarf;
	struct unit unit;
	struct bytes info, abbrev;
	uint8_t *exact;
	size_t second;
	enum debug_section where;
};

static void bench_init(struct bench *bench, const struct header_case *c, bool big)
{
	*bench = (struct bench){.info.big = big, .abbrev.big = big, .where = c->where};
	bench->file.swap = big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	dwarf_init(&bench->dwarf, &bench->file);
	put_unit(&bench->info, c);
	bench->second = bench->info.size;
	put_unit(&bench->info, c);
	put_abbrevs(&bench->abbrev, c->is_wide);
	section_init(&bench->file.sections[DEBUG_ABBREV], bench->abbrev.data, bench->abbrev.size, false);
}

static enum locus_status bench_open(struct bench *bench, size_t size, struct locus_error *error)
{
	free(bench->exact);
	bench->exact = exact_copy(bench->info.data, size);
	section_init(&bench->file.sections[bench->where], bench->exact, size, false);
	*error = (struct locus_error){0};
	return unit_open(&bench->unit, &bench->dwarf, bench->where, bench->second, NULL, NULL, error);
}

static void bench_done(struct bench *bench)
{
	unit_done(&bench->unit);
	dwarf_done(&bench->dwarf);
	bytes_done(&bench->info);
	bytes_done(&bench->abbrev);
	free(bench->exact);
}

static void headers(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * COUNT_OF(header_cases); i++) {
		const struct header_case *c = &header_cases[i / 2];
		struct bench bench;
		struct locus_error error;
		bench_init(&bench, c, i % 2);
		if (bench_open(&bench, bench.info.size, &error) != LOCUS_OK)
			fail_msg("%s: %s", c->name, error.text);
		const struct unit *unit = &bench.unit;
		bool same = unit->version == c->version && unit->type == c->type && unit->id == c->id &&
			    unit->type_offset == c->type_offset && unit->die_offset == bench.second + c->die_offset &&
			    unit->end == bench.info.size && unit->sizes.address == c->address_size &&
			    unit->sizes.offset == (c->is_wide ? 8 : 4) && unit->sizes.ref_addr == c->ref_addr_size;
		if (!same)
			fail_msg("%s: another header", c->name);
		assert_string_equal(unit->name, "a.c");
		assert_string_equal(unit->comp_dir, "/src");
		assert_int_equal(unit->language, DW_LANG_Rust);
		assert_int_equal(unit->low_pc, 0x21);
		assert_int_equal(unit->stmt_list, 0);
		assert_int_equal(unit->addr_base, 0x30);
		assert_int_equal(unit->rnglists_base, 0x40);
		assert_int_equal(unit->str_offsets_base, c->version < 5 ? 0 : c->is_wide ? 16 : 8);
		assert_ptr_equal(unit->files_unit, unit);
		bench_done(&bench);
	}
}

/* Of the second unit something is missing: said, with its place, and not read beyond. */
static void cut_off(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(header_cases); i++) {
		const struct header_case *c = &header_cases[i];
		struct bench bench;
		struct locus_error error;
		bench_init(&bench, c, false);
		char place[64];
		snprintf(place, sizeof(place), "+0x%zx ", (size_t)bench.second);
		for (size_t size = bench.second; size < bench.info.size; size++) {
			enum locus_status status = bench_open(&bench, size, &error);
			if (status != LOCUS_ERR_BAD_DWARF || !strstr(error.text, "is cut off") ||
			    !strstr(error.text, place))
				fail_msg("%s, %zu of %zu bytes: %d, %s", c->name, size, bench.info.size, status,
					 error.text);
		}
		bench_done(&bench);
	}
}

/* A length that is right for the section but too short for what the unit says of itself. */
static void lengths_that_are_too_short(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(header_cases); i++) {
		const struct header_case *c = &header_cases[i];
		unsigned offset_size = c->is_wide ? 8 : 4, length_size = c->is_wide ? 12 : 4;
		struct bench bench;
		struct locus_error error;
		bench_init(&bench, c, false);
		size_t whole = bench.info.size - bench.second - length_size;
		for (size_t length = 0; length < whole - 1; length++) { /* the last byte ends the DIE's children */
			patch_number(&bench.info, bench.second + length_size - offset_size, length, offset_size);
			enum locus_status status = bench_open(&bench, bench.info.size, &error);
			bool in_header = length_size + length < c->die_offset;
			const char *expected =
				in_header ? "has a header that is cut off" : "has a first DIE that is cut off";
			if (status != LOCUS_ERR_BAD_DWARF || !strstr(error.text, expected) ||
			    bench.unit.end != bench.second + length_size + length)
				fail_msg("%s, a length of %zu: %d, %s", c->name, length, status, error.text);
		}
		bench_done(&bench);
	}
}

static void fields_that_are_wrong(void **state)
{
	enum { VERSION_AT = 4, ADDRESS_SIZE_AT = 10, ABBREV_OFFSET_AT = 6, CODE_AT = 11 };
	static const struct {
		size_t at;
		uint64_t value;
		unsigned size;
		const char *expected; /* NULL: the unit is well */
	} cases[] = {
		{VERSION_AT, 0, 2, "unknown version"},
		{VERSION_AT, 1, 2, "unknown version"},
		{VERSION_AT, 6, 2, "unknown version"},
		{ADDRESS_SIZE_AT, 0, 1, "unknown address size"},
		{ADDRESS_SIZE_AT, 3, 1, "unknown address size"},
		{ADDRESS_SIZE_AT, 16, 1, "unknown address size"},
		{ABBREV_OFFSET_AT, 0xffff, 4, "abbreviations outside"},
		{CODE_AT, 2, 1, "an abbreviation that is not there"},
		{CODE_AT, 0, 1, NULL}, /* a unit may be empty */
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench bench;
		struct locus_error error;
		bench_init(&bench, &header_cases[2], false);
		patch_number(&bench.info, bench.second + cases[i].at, cases[i].value, cases[i].size);
		enum locus_status status = bench_open(&bench, bench.info.size, &error);
		if (!cases[i].expected)
			assert_int_equal(status, LOCUS_OK);
		else if (status != LOCUS_ERR_BAD_DWARF || !strstr(error.text, cases[i].expected))
			fail_msg("%s: %d, %s", cases[i].expected, status, error.text);
		assert_int_equal(bench.unit.end, bench.info.size);
		bench_done(&bench);
	}
}

/* Abbreviations may begin at the last byte of their section, not behind it. */
static void abbreviations_at_the_end(void **state)
{
	struct bench bench;
	struct locus_error error;
	(void)state;
	for (size_t beyond = 0; beyond < 2; beyond++) {
		bench_init(&bench, &header_cases[2], false);
		patch_number(&bench.info, bench.second + 6, bench.abbrev.size - 1 + beyond, 4);
		patch_number(&bench.info, bench.second + 11, 0, 1);
		assert_int_equal(bench_open(&bench, bench.info.size, &error), beyond ? LOCUS_ERR_BAD_DWARF : LOCUS_OK);
		bench_done(&bench);
	}
}

/* Units of the same attributes but for their values, opened one behind the other in the same place. */
static void attributes_of_the_own_die(void **state)
{
	static const uint8_t abbrevs[] = {
		1,
		DW_TAG_compile_unit,
		0,
		DW_AT_language,
		DW_FORM_udata,
		DW_AT_low_pc,
		DW_FORM_addr,
		0xb1,
		0x42,
		DW_FORM_data8,
		0xb2,
		0x42,
		DW_FORM_data4,
		0,
		0, /* DW_AT_GNU_dwo_id, DW_AT_GNU_ranges_base */
		2,
		DW_TAG_partial_unit,
		0,
		DW_AT_name,
		DW_FORM_string,
		0,
		0,
		3,
		DW_TAG_partial_unit,
		0,
		DW_AT_low_pc,
		DW_FORM_addr,
		0,
		0,
		4,
		DW_TAG_partial_unit,
		0,
		DW_AT_ranges,
		DW_FORM_data4,
		0,
		0,
		0,
	};
	enum { NO_CODE = 2 };
	static const uint64_t languages[][2] = {{0xfffe, 0xfffe}, {0xffff, 0xffff}, {0x10000, 0}, {UINT64_MAX, 0}};
	struct unit unit = {0};
	struct elf_file file = {0};
	struct dwarf dwarf;
	(void)state;
	section_init(&file.sections[DEBUG_ABBREV], abbrevs, sizeof(abbrevs), false);
	dwarf_init(&dwarf, &file);
	for (size_t i = 0; i < COUNT_OF(languages) + 3; i++) {
		struct bytes info = {.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__};
		bool is_whole = i < COUNT_OF(languages);
		unsigned code = is_whole ? 1 : (unsigned)(i - COUNT_OF(languages)) + 2;
		put_number(&info, 0, 4);
		put_number(&info, 4, 2);
		put_number(&info, 0, 4);
		put_u8(&info, 8);
		put_u8(&info, (uint8_t)code);
		if (is_whole) {
			put_uleb(&info, languages[i][0]);
			put_number(&info, 0x50, 8);
			put_number(&info, 0x1122334455667788, 8);
			put_number(&info, 0x60, 4);
		} else if (code == NO_CODE) {
			put_string(&info, "partial");
		} else {
			put_number(&info, 0x70, code == 3 ? 8 : 4);
		}
		patch_number(&info, 0, info.size - 4, 4);
		section_init(&file.sections[DEBUG_INFO], info.data, info.size, false);
		assert_int_equal(unit_open(&unit, &dwarf, DEBUG_INFO, 0, NULL, NULL, NULL), LOCUS_OK);
		assert_int_equal(unit.language, is_whole ? languages[i][1] : 0);
		assert_int_equal(unit.low_pc, is_whole ? 0x50 : code == 3 ? 0x70 : 0);
		assert_int_equal(unit.id, is_whole ? 0x1122334455667788 : 0);
		assert_int_equal(unit.ranges_base, is_whole ? 0x60 : 0);
		assert_int_equal(unit.stmt_list, UINT64_MAX);
		assert_int_equal(unit.has_code, code != NO_CODE);
		assert_true(code == NO_CODE ? strcmp(unit.name, "partial") == 0 : !unit.name);
		assert_null(unit.comp_dir);
		bytes_done(&info);
	}
	unit_done(&unit);
	dwarf_done(&dwarf);
}

/* RULES A8: a unit whose own DIE is none, or that refers to what is not there, is refused with what is wrong. */
static void units_that_make_no_sense(void **state)
{
	enum { STR = 1, LINE_STR = 2, OFFSETS = 4, ALTERNATE = 8, STRING_SIZE = 4 };
	static const uint8_t string[STRING_SIZE] = "abc";
	static const struct {
		uint8_t tag;
		uint16_t attribute, form;
		uint8_t there; /* the sections that the file has, and whether it has an alternate file */
		uint32_t value;
		const char *expected; /* NULL: the unit is well */
	} cases[] = {
		{DW_TAG_compile_unit, DW_AT_name, DW_FORM_strp, STR, 0, NULL},
		{DW_TAG_partial_unit, DW_AT_name, DW_FORM_strp, STR, 0, NULL},
		{DW_TAG_type_unit, DW_AT_name, DW_FORM_strp, STR, 0, NULL},
		{DW_TAG_skeleton_unit, DW_AT_name, DW_FORM_strp, STR, 0, NULL},
		{DW_TAG_subprogram, DW_AT_name, DW_FORM_strp, STR, 0, "begins with a DIE that is not a unit's"},
		{DW_TAG_compile_unit, DW_AT_name, DW_FORM_strp, LINE_STR, 0,
		 "has strings in .debug_str, which is not there"},
		{DW_TAG_compile_unit, DW_AT_producer, DW_FORM_strp, 0, 0,
		 "has strings in .debug_str, which is not there"},
		{DW_TAG_compile_unit, DW_AT_name, DW_FORM_line_strp, STR, 0,
		 "has strings in .debug_line_str, which is not there"},
		{DW_TAG_compile_unit, DW_AT_name, DW_FORM_strx4, STR, 0,
		 "has strings by the index of .debug_str_offsets, which is not there"},
		{DW_TAG_compile_unit, DW_AT_name, DW_FORM_strx4, OFFSETS, 0,
		 "has strings in .debug_str, which is not there"},
		{DW_TAG_compile_unit, DW_AT_name, DW_FORM_GNU_strp_alt, STR, 0,
		 "refers to an alternate debug file, but the file has no link to one"},
		{DW_TAG_compile_unit, DW_AT_import, DW_FORM_GNU_ref_alt, STR, 0,
		 "refers to an alternate debug file, but the file has no link to one"},
		{DW_TAG_compile_unit, DW_AT_import, DW_FORM_GNU_ref_alt, ALTERNATE, 0, NULL},
		{DW_TAG_compile_unit, DW_AT_name, DW_FORM_strp, STR, STRING_SIZE,
		 "has a first DIE with a string outside of its section"},
		{DW_TAG_compile_unit, DW_AT_comp_dir, DW_FORM_line_strp, LINE_STR, STRING_SIZE,
		 "has a first DIE with a string outside of its section"},
		{DW_TAG_compile_unit, DW_AT_GNU_dwo_name, DW_FORM_strp, STR, STRING_SIZE,
		 "has a first DIE with a string outside of its section"},
		{DW_TAG_compile_unit, DW_AT_producer, DW_FORM_strp, STR, STRING_SIZE, NULL}, /* which is not read */
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (int is_listed = 0; is_listed < 2; is_listed++) { /* the abbreviations of the section beforehand */
			struct bytes info = {.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__}, abbrevs = {0};
			struct elf_file file = {0}, other = {0};
			struct dwarf dwarf, alternate;
			struct unit unit = {0};
			struct locus_error error = {0};
			put_u8(&abbrevs, 1), put_u8(&abbrevs, cases[i].tag), put_u8(&abbrevs, 0);
			put_uleb(&abbrevs, cases[i].attribute);
			put_uleb(&abbrevs, cases[i].form);
			put_bytes(&abbrevs, "\0\0\0", 3);
			put_number(&info, 12, 4);
			put_number(&info, 4, 2);
			put_number(&info, 0, 4);
			put_u8(&info, 8);
			put_u8(&info, 1);
			put_number(&info, cases[i].value, 4);
			section_init(&file.sections[DEBUG_INFO], info.data, info.size, false);
			section_init(&file.sections[DEBUG_ABBREV], abbrevs.data, abbrevs.size, false);
			section_init(&file.sections[DEBUG_STR], string, cases[i].there & STR ? STRING_SIZE : 0, false);
			section_init(&file.sections[DEBUG_LINE_STR], string,
				     cases[i].there & LINE_STR ? STRING_SIZE : 0, false);
			section_init(&file.sections[DEBUG_STR_OFFSETS], string,
				     cases[i].there & OFFSETS ? STRING_SIZE : 0, false);
			dwarf_init(&dwarf, &file);
			dwarf_init(&alternate, &other);
			dwarf.alt = cases[i].there & ALTERNATE ? &alternate : NULL;
			if (is_listed)
				assert_int_equal(dwarf_prepare_section(&dwarf, DEBUG_ABBREV, NULL), LOCUS_OK);
			const enum locus_status status = unit_open(&unit, &dwarf, DEBUG_INFO, 0, NULL, NULL, &error);
			const char *said = error.text + (status ? strlen("the unit at .debug_info+0x0 ") : 0);
			if (status != (cases[i].expected ? LOCUS_ERR_BAD_DWARF : LOCUS_OK) ||
			    strcmp(said, cases[i].expected ? cases[i].expected : "") != 0)
				fail_msg("case %zu: %d, %s", i, status, error.text);
			unit_done(&unit);
			dwarf_done(&alternate);
			dwarf_done(&dwarf);
			bytes_done(&info);
			bytes_done(&abbrevs);
		}
}

/* RULES A8: DW_AT_str_offsets_base leads behind the header of a table, or all names would be others. */
static void bases_of_string_offsets(void **state)
{
	static const struct {
		const char *name;
		uint64_t length; /* what the header says, of which there are 12 bytes */
		uint16_t table_version, padding, unit_version;
		uint64_t base;
		bool is_indexed; /* a string of the unit has an index */
		bool is_whole;   /* the unit is well */
	} cases[] = {
		{"a table", 12, 5, 0, 5, 8, true, true},
		{"its last entry is left out", 8, 5, 0, 5, 8, true, true},
		{"the header is a hole", 0, 0, 0, 5, 8, true, false},
		{"another version", 12, 4, 0, 5, 8, true, false},
		{"padding that is none", 12, 5, 1, 5, 8, true, false},
		{"longer than the section", 13, 5, 0, 5, 8, true, false},
		{"the base is within the table", 12, 5, 0, 5, 12, true, false},
		{"the base is at the header", 12, 5, 0, 5, 0, true, false},
		{"the base is within the header", 12, 5, 0, 5, 7, true, false},
		{"the base is outside of the section", 12, 5, 0, 5, 17, true, false},
		{"the base is far outside", 12, 5, 0, 5, 0xffffffff, true, false},
		{"before DWARF 5 there is no header", 0, 0, 0, 4, 8, true, true},
		{"no string has an index", 0, 0, 0, 5, 17, false, true},
	};
	static const uint8_t string[] = "abc\0def";
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases) * 2; i++) {
		const size_t at = i / 2;
		const uint16_t version = cases[at].unit_version;
		struct bytes info = {.big = i & 1}, abbrevs = {0}, offsets = {.big = i & 1};
		struct elf_file file = {.swap = info.big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)};
		struct dwarf dwarf;
		struct unit unit = {0};
		struct locus_error error = {0};
		put_uleb(&abbrevs, 1), put_uleb(&abbrevs, DW_TAG_compile_unit), put_u8(&abbrevs, 0);
		put_uleb(&abbrevs, cases[at].is_indexed ? DW_AT_producer : DW_AT_language);
		put_uleb(&abbrevs, cases[at].is_indexed ? DW_FORM_strx1 : DW_FORM_data1);
		put_uleb(&abbrevs, DW_AT_str_offsets_base), put_uleb(&abbrevs, DW_FORM_sec_offset);
		put_bytes(&abbrevs, "\0\0\0", 3);
		put_number(&info, 0, 4);
		put_number(&info, version, 2);
		if (version >= 5)
			put_u8(&info, DW_UT_compile), put_u8(&info, 8);
		put_number(&info, 0, 4);
		if (version < 5)
			put_u8(&info, 8);
		put_u8(&info, 1), put_u8(&info, 1);
		put_number(&info, cases[at].base, 4);
		patch_number(&info, 0, info.size - 4, 4);
		put_number(&offsets, cases[at].length, 4);
		put_number(&offsets, cases[at].table_version, 2);
		put_number(&offsets, cases[at].padding, 2);
		put_number(&offsets, 4, 4);
		put_number(&offsets, 0, 4);
		section_init(&file.sections[DEBUG_INFO], info.data, info.size, false);
		section_init(&file.sections[DEBUG_ABBREV], abbrevs.data, abbrevs.size, false);
		section_init(&file.sections[DEBUG_STR], string, sizeof(string), false);
		section_init(&file.sections[DEBUG_STR_OFFSETS], offsets.data, offsets.size, false);
		dwarf_init(&dwarf, &file);
		const enum locus_status status = unit_open(&unit, &dwarf, DEBUG_INFO, 0, NULL, NULL, &error);
		if ((status == LOCUS_OK) != cases[at].is_whole)
			fail_msg("%s: %d, %s", cases[at].name, status, error.text);
		if (!cases[at].is_whole)
			assert_string_equal(error.text, "the unit at .debug_info+0x0 has a DW_AT_str_offsets_base that "
							"leads to no table");
		unit_done(&unit);
		dwarf_done(&dwarf);
		bytes_done(&info);
		bytes_done(&abbrevs);
		bytes_done(&offsets);
	}
}

/* A split unit has its skeleton's addresses, its directory where it names none itself, and its files (RULES B13). */
static void halves_of_a_unit(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		bool is_named = i % 2, has_lines = i / 2;
		static const uint8_t named[] = {1, DW_TAG_compile_unit, 0, DW_AT_comp_dir, DW_FORM_string, 0, 0, 0};
		static const uint8_t unnamed[] = {1, DW_TAG_compile_unit, 0, DW_AT_name, DW_FORM_string, 0, 0, 0};
		const uint8_t info[] = {12, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1, '/', 'd', 0, 0};
		struct unit skeleton = {.low_pc = 0x1234, .comp_dir = "/skeleton", .lines.version = has_lines ? 5 : 0},
			    unit = {0};
		struct elf_file file = {.swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__};
		struct dwarf dwarf;
		section_init(&file.sections[DEBUG_ABBREV], is_named ? named : unnamed, sizeof(named), false);
		section_init(&file.sections[DEBUG_INFO], info, sizeof(info), false);
		section_init(&file.sections[DEBUG_LINE], info, has_lines ? sizeof(info) : 0, false);
		dwarf_init(&dwarf, &file);
		dwarf.split = true;
		assert_int_equal(unit_open(&unit, &dwarf, DEBUG_INFO, 0, NULL, &skeleton, NULL), LOCUS_OK);
		assert_int_equal(unit.low_pc, 0x1234);
		assert_string_equal(unit.comp_dir, is_named ? "/d" : "/skeleton");
		assert_ptr_equal(unit.files_unit, &skeleton);
		unit_done(&unit);
		dwarf_done(&dwarf);
	}
}

/* Where a unit does not say where its tables begin, they begin behind the header of the only one. */
static void bases_that_are_not_given(void **state)
{
	static const struct {
		struct header_case header;
		uint64_t entries, lists; /* of addresses and strings; of ranges */
	} cases[] = {
		{{.version = 5, .type = DW_UT_compile, .is_wide = true, .address_size = 8}, 16, 20},
		{{.version = 4, .address_size = 8}, 0, 12},
		{{.version = 5, .type = DW_UT_compile, .address_size = 8}, 8, 12},
	};
	static const uint8_t abbrevs[] = {'p', 'a', 'd', 1, DW_TAG_compile_unit, 0, 0, 0, 0};
	struct unit unit = {0};
	struct elf_file file = {0};
	struct dwarf dwarf;
	(void)state;
	section_init(&file.sections[DEBUG_ABBREV], abbrevs, sizeof(abbrevs), false);
	dwarf_init(&dwarf, &file);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bytes info = {.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__};
		bool is_wide = cases[i].header.is_wide;
		put_header(&info, &cases[i].header);
		put_u8(&info, 1);
		patch_number(&info, is_wide ? 4 : 0, info.size - (is_wide ? 12 : 4), is_wide ? 8 : 4);
		section_init(&file.sections[DEBUG_INFO], info.data, info.size, false);
		assert_int_equal(unit_open(&unit, &dwarf, DEBUG_INFO, 0, NULL, NULL, NULL), LOCUS_OK);
		assert_int_equal(unit.addr_base, cases[i].entries);
		assert_int_equal(unit.str_offsets_base, cases[i].entries);
		assert_int_equal(unit.rnglists_base, cases[i].lists);
		assert_int_equal(unit.ranges_base, 0);
		bytes_done(&info);
	}
	unit_done(&unit);
	dwarf_done(&dwarf);
}

/* A line table without rows, of one file. Returns where it begins. */
static size_t put_line_table(struct bytes *out, const char *file)
{
	size_t start = out->size;
	put_number(out, 0, 4);
	put_number(out, 4, 2);
	put_number(out, 0, 4);
	size_t header = out->size;
	put_bytes(out, "\1\1\1\xfb\x0e\1\0", 7);
	put_string(out, file);
	put_bytes(out, "\0\0\0\0", 4);
	patch_number(out, header - 4, out->size - header, 4);
	patch_number(out, start, out->size - start - 4, 4);
	return start;
}

/* DWARF 5, 7.3.2.2: a .dwo has one line table, of file names, which its units need not refer to. Others are referred
 * to. */
static void line_tables_of_units(void **state)
{
	static const uint8_t abbrevs[] = {
		1, DW_TAG_compile_unit, 0, DW_AT_stmt_list, DW_FORM_data4, 0, 0, 2, DW_TAG_compile_unit, 0, 0, 0, 0};
	static const struct {
		bool is_split, refers;
		const char *file; /* NULL: it has no line table */
	} cases[] = {
		{false, false, NULL}, {false, true, "second.c"}, {true, false, "first.c"}, {true, true, "second.c"}};
	struct bytes lines = {.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__};
	struct unit unit = {0};
	(void)state;
	put_line_table(&lines, "first.c");
	size_t second = put_line_table(&lines, "second.c");
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bytes info = {.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__};
		struct elf_file file = {0};
		struct dwarf dwarf;
		put_number(&info, cases[i].refers ? 12 : 8, 4);
		put_number(&info, 4, 2);
		put_number(&info, 0, 4);
		put_u8(&info, 8);
		put_u8(&info, cases[i].refers ? 1 : 2);
		if (cases[i].refers)
			put_number(&info, second, 4);
		section_init(&file.sections[DEBUG_INFO], info.data, info.size, false);
		section_init(&file.sections[DEBUG_ABBREV], abbrevs, sizeof(abbrevs), false);
		section_init(&file.sections[DEBUG_LINE], lines.data, lines.size, false);
		dwarf_init(&dwarf, &file);
		dwarf.split = cases[i].is_split;
		assert_int_equal(unit_open(&unit, &dwarf, DEBUG_INFO, 0, NULL, NULL, NULL), LOCUS_OK);
		assert_int_equal(unit.lines.version, cases[i].file ? 4 : 0);
		assert_int_equal(unit.lines.file_count, cases[i].file ? 2 : 0);
		if (cases[i].file)
			assert_string_equal(unit.lines.files[1].name, cases[i].file);

		/* Without a unit, a table is opened by its place. */
		assert_int_equal(unit_open_lines(&unit, second, NULL), LOCUS_OK);
		assert_int_equal(unit.stmt_list, second);
		assert_string_equal(unit.lines.files[1].name, "second.c");

		/* To read the DIE alone is no matter of lines, nor of where the unit before was. */
		unit.where = DEBUG_TYPES;
		unit.skeleton = &unit;
		assert_int_equal(unit_open_die(&unit, &dwarf, 0, NULL, NULL), LOCUS_OK);
		assert_int_equal(unit.where, DEBUG_INFO);
		assert_null(unit.skeleton);
		assert_int_equal(unit.lines.version, 0);
		assert_int_equal(unit.lines.file_count, 0);
		bytes_done(&info);
		dwarf_done(&dwarf);
	}
	unit_done(&unit);
	bytes_done(&lines);
}

/*
 * A compressed .debug_line is inflated up to the end of a table's length, and then of the table itself. In a package
 * that lies where the unit's share begins, and so much farther on.
 */
static void compressed_line_tables(void **state)
{
	enum { STEP = 1 << 20 }; /* inflated at a time */
	static const uint8_t zeros[STEP];
	(void)state;
	for (size_t i = 0; i < 2 * 40; i++) {
		const size_t before = 1 + i / 2, share = i % 2 ? STEP / 2 : 0;
		struct bytes lines = {.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__};
		struct elf_file file = {.class = ELFCLASS64};
		struct dwarf dwarf;
		struct unit unit = {.sizes = {8, 4, 4}, .version = 4};
		uint8_t packed[4096];
		put_bytes(&lines, zeros, STEP - before);
		size_t at = put_line_table(&lines, "beyond.c");
		put_bytes(&lines, zeros, STEP);
		size_t size = ZSTD_compress(packed, sizeof(packed), lines.data, lines.size, 1);
		assert_false(ZSTD_isError(size));
		const struct packed_section from = {PACKING_ZSTD, packed, size, lines.size, false};
		assert_int_equal(section_init_packed(&file.sections[DEBUG_LINE], &from, NULL), LOCUS_OK);
		dwarf_init(&dwarf, &file);
		unit.dwarf = &dwarf;
		if (share) {
			unit.share[DEBUG_LINE] = (struct contribution){share, lines.size - share};
			unit.shares_of = UINT32_C(1) << DEBUG_LINE;
		}
		assert_int_equal(unit_open_lines(&unit, at - share, NULL), LOCUS_OK);
		assert_int_equal(unit.lines.file_count, 2);
		assert_string_equal(unit.lines.files[1].name, "beyond.c");
		unit_done(&unit);
		section_done(&file.sections[DEBUG_LINE]);
		dwarf_done(&dwarf);
		bytes_done(&lines);
	}
}

/*
 * The names of a table that was opened for references are pointed to, and so stay; those of a unit's own table do not.
 */
static void names_of_shared_tables(void **state)
{
	static const uint8_t zeros[SECTION_GRANULE];
	(void)state;
	for (int borrows = 0; borrows <= 1; borrows++) {
		struct bytes lines = {.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__};
		struct elf_file file = {.class = ELFCLASS64};
		struct section *section = &file.sections[DEBUG_LINE];
		struct dwarf dwarf;
		struct unit unit = {.sizes = {8, 4, 4}, .version = 4, .borrows = borrows};
		uint8_t packed[4096];
		put_line_table(&lines, "pointed_to.c");
		put_bytes(&lines, zeros, sizeof(zeros));
		size_t size = ZSTD_compress(packed, sizeof(packed), lines.data, lines.size, 1);
		assert_false(ZSTD_isError(size));
		const struct packed_section from = {PACKING_ZSTD, packed, size, lines.size, false};
		assert_int_equal(section_init_packed(section, &from, NULL), LOCUS_OK);
		dwarf_init(&dwarf, &file);
		unit.dwarf = &dwarf;
		assert_int_equal(unit_open_lines(&unit, 0, NULL), LOCUS_OK);
		assert_int_equal(section_need(section, lines.size, NULL), LOCUS_OK);
		section_forget(section, SECTION_GRANULE);
		assert_int_equal(section->forgotten, borrows ? 0 : SECTION_GRANULE);
		if (borrows)
			assert_string_equal(unit.lines.files[1].name, "pointed_to.c");
		unit_done(&unit);
		unit_tables_free(dwarf.tables);
		dwarf_done(&dwarf);
		section_done(section);
		bytes_done(&lines);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(lengths_that_are_too_short),
		cmocka_unit_test(fields_that_are_wrong),
		cmocka_unit_test(abbreviations_at_the_end),
		cmocka_unit_test(attributes_of_the_own_die),
		cmocka_unit_test(units_that_make_no_sense),
		cmocka_unit_test(bases_of_string_offsets),
		cmocka_unit_test(halves_of_a_unit),
		cmocka_unit_test(bases_that_are_not_given),
		cmocka_unit_test(line_tables_of_units),
		cmocka_unit_test(compressed_line_tables),
		cmocka_unit_test(names_of_shared_tables),
	};
	return cmocka_run_group_tests_name("unit_open", tests, NULL, NULL);
}
