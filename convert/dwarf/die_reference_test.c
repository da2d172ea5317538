/* References to each byte of hand-made units, by every form: those to a DIE's place lead there, all others nowhere. */
#include "convert/dwarf/die_reference.h"

#include <dwarf.h>
#include <zstd.h>

#include "base/toolkit_test.h"
#include "convert/dwarf/unit.h"

enum { DIE_BYTES = 5 };

/* One unit of a section: its header, and then bytes that are all the same DIE, without attributes and children. */
struct made_unit {
	uint16_t version;
	uint8_t type; /* DW_UT_ */
	bool is_wide; /* 64-bit DWARF */
	uint64_t signature;
	uint64_t type_offset;
	uint64_t start, die, end; /* filled: where it lies in its section */
};

static void put_unit(struct bytes *out, struct made_unit *unit)
{
	unsigned offset_size = unit->is_wide ? 8 : 4;
	unit->start = out->size;
	if (unit->is_wide)
		put_number(out, 0xffffffff, 4);
	size_t length_at = out->size;
	put_number(out, 0, offset_size);
	put_number(out, unit->version, 2);
	if (unit->version >= 5)
		put_u8(out, unit->type), put_u8(out, 8);
	put_number(out, 0, offset_size);
	if (unit->version < 5)
		put_u8(out, 8);
	if (unit->signature)
		put_number(out, unit->signature, 8), put_number(out, unit->type_offset, offset_size);
	unit->die = out->size;
	for (int i = 0; i < DIE_BYTES; i++)
		put_u8(out, 1);
	unit->end = out->size;
	patch_number(out, length_at, out->size - length_at - offset_size, offset_size);
}

/* A file's .debug_info and .debug_types, of units that share one table of abbreviations. */
struct bench {
	struct elf_file file;
	struct dwarf dwarf;
	struct bytes info, types;
	struct made_unit *in_info, *in_types;
	size_t info_count, types_count;
};

static void bench_init(struct bench *bench, struct made_unit *in_info, size_t info_count, struct made_unit *in_types,
		       size_t types_count)
{
	static const uint8_t abbrevs[] = {1, DW_TAG_compile_unit, 0, 0, 0, 0};
	bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	*bench = (struct bench){
		.info.big = big,
		.types.big = big,
		.in_info = in_info,
		.in_types = in_types,
		.info_count = info_count,
		.types_count = types_count,
	};
	for (size_t i = 0; i < info_count; i++)
		put_unit(&bench->info, &in_info[i]);
	for (size_t i = 0; i < types_count; i++)
		put_unit(&bench->types, &in_types[i]);
	section_init(&bench->file.sections[DEBUG_INFO], bench->info.data, bench->info.size, false);
	section_init(&bench->file.sections[DEBUG_TYPES], bench->types.data, bench->types.size, false);
	section_init(&bench->file.sections[DEBUG_ABBREV], abbrevs, sizeof(abbrevs), false);
	dwarf_init(&bench->dwarf, &bench->file);
	bench->dwarf.refers_across = true;
}

static void bench_done(struct bench *bench)
{
	die_index_done(&bench->dwarf);
	dwarf_done(&bench->dwarf);
	bytes_done(&bench->info);
	bytes_done(&bench->types);
}

/* Three units of which the one in the middle has larger offsets. */
static void bench_init_plain(struct bench *bench, struct made_unit units[3])
{
	units[0] = (struct made_unit){.version = 4};
	units[1] = (struct made_unit){.version = 5, .type = DW_UT_compile, .is_wide = true};
	units[2] = (struct made_unit){.version = 2};
	bench_init(bench, units, 3, NULL, 0);
}

static bool follow(const struct unit *from, uint16_t form, uint64_t number, struct die_ref *ret)
{
	const struct value value = {.form = form, .number = number};
	*ret = (struct die_ref){0};
	return value_die(from, &value, ret);
}

/* A reference to an offset of .debug_info must lead to the unit whose DIEs are there, and to none from elsewhere. */
static void expect_unit_at(const struct made_unit *units, size_t count, uint64_t offset, bool found,
			   const struct die_ref *die)
{
	bool expected = false;
	for (size_t i = 0; i < count; i++)
		if (offset >= units[i].die && offset < units[i].end) {
			expected = true;
			if (!found || die->offset != offset || die->unit->offset != units[i].start ||
			    die->unit->end != units[i].end)
				fail_msg("offset %llu: not in unit %zu", (unsigned long long)offset, i);
		}
	if (found != expected)
		fail_msg("offset %llu: %s", (unsigned long long)offset, found ? "found" : "not found");
}

/* From front to back and from back to front, as units become known up to what is asked for. */
static void every_offset(void **state)
{
	(void)state;
	for (int backwards = 0; backwards < 2; backwards++) {
		struct made_unit units[3];
		struct bench bench;
		bench_init_plain(&bench, units);
		for (uint64_t i = 0; i < bench.info.size + 2; i++) {
			uint64_t offset = backwards ? bench.info.size + 1 - i : i;
			struct die_ref die;
			bool found = dwarf_die_at(&bench.dwarf, DEBUG_INFO, offset, &die);
			expect_unit_at(units, 3, offset, found, &die);
		}
		bench_done(&bench);
	}
}

static void within_a_unit(void **state)
{
	static const uint16_t forms[] = {DW_FORM_ref1, DW_FORM_ref2, DW_FORM_ref4, DW_FORM_ref8, DW_FORM_ref_udata};
	struct made_unit units[3];
	struct bench bench;
	struct die_ref first, die;
	(void)state;
	bench_init_plain(&bench, units);
	assert_true(dwarf_die_at(&bench.dwarf, DEBUG_INFO, units[1].die, &first));
	bench.dwarf.refers_across = false; /* is of no matter here */
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		for (uint64_t number = 0; number < bench.info.size; number++) {
			uint64_t offset = units[1].start + number;
			bool expected = offset >= units[1].die && offset < units[1].end;
			assert_int_equal(follow(first.unit, forms[i], number, &die), expected);
			assert_true(!expected || (die.unit == first.unit && die.offset == offset));
		}
		assert_false(follow(first.unit, forms[i], UINT64_MAX, &die));
	}
	assert_false(follow(first.unit, DW_FORM_data4, units[1].die - units[1].start, &die));
	bench_done(&bench);
}

static void across_units(void **state)
{
	struct made_unit units[3];
	struct bench bench;
	struct die_ref first, die;
	(void)state;
	bench_init_plain(&bench, units);
	assert_true(dwarf_die_at(&bench.dwarf, DEBUG_INFO, units[1].die, &first));
	for (uint64_t offset = 0; offset < bench.info.size + 2; offset++) {
		bool found = follow(first.unit, DW_FORM_ref_addr, offset, &die);
		expect_unit_at(units, 3, offset, found, &die);
	}
	/* In a package an offset is of the file that the unit was in before: which place that is now nothing tells. */
	struct unit packaged = *first.unit;
	packaged.share[DEBUG_INFO] = (struct contribution){units[1].start, units[1].end - units[1].start};
	packaged.shares_of = UINT32_C(1) << DEBUG_INFO;
	for (uint64_t offset = 0; offset < bench.info.size + 2; offset++)
		assert_false(follow(&packaged, DW_FORM_ref_addr, offset, &die));
	/* The own unit's DIEs are found without the index, others are not. */
	bench.dwarf.refers_across = false;
	for (uint64_t offset = 0; offset < bench.info.size + 2; offset++)
		assert_int_equal(follow(first.unit, DW_FORM_ref_addr, offset, &die),
				 offset >= units[1].die && offset < units[1].end);
	bench_done(&bench);
}

static void the_alternate_file(void **state)
{
	static const uint16_t forms[] = {DW_FORM_GNU_ref_alt, DW_FORM_ref_sup4, DW_FORM_ref_sup8};
	struct made_unit units[3], alternate_units[3];
	struct bench bench, alternate;
	struct die_ref first, die;
	(void)state;
	bench_init_plain(&bench, units);
	bench_init_plain(&alternate, alternate_units);
	assert_true(dwarf_die_at(&bench.dwarf, DEBUG_INFO, units[0].die, &first));
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		bench.dwarf.alt = NULL;
		assert_false(follow(first.unit, forms[i], units[0].die, &die));
		bench.dwarf.alt = &alternate.dwarf;
		assert_true(follow(first.unit, forms[i], units[2].die, &die));
		assert_ptr_equal(die.unit->dwarf, &alternate.dwarf);
		assert_int_equal(die.offset, units[2].die);
	}
	bench_done(&alternate);
	bench_done(&bench);
}

/* A unit that was opened once is had again, and so is one that could not be. */
static void opened_once(void **state)
{
	struct made_unit units[3];
	struct bench bench;
	struct die_ref first, again;
	(void)state;
	bench_init_plain(&bench, units);
	patch_number(&bench.info, units[1].start + 12, 6, 2); /* an unknown version */
	for (int i = 0; i < 2; i++) {
		assert_false(dwarf_die_at(&bench.dwarf, DEBUG_INFO, units[1].die, &again));
		assert_true(dwarf_die_at(&bench.dwarf, DEBUG_INFO, units[2].die, i ? &again : &first));
	}
	assert_ptr_equal(first.unit, again.unit);
	assert_true(dwarf_die_at(&bench.dwarf, DEBUG_INFO, units[0].die, &again));
	assert_ptr_not_equal(first.unit, again.unit);
	assert_true(first.unit->borrows && again.unit->borrows); /* tables that are alike are kept once */
	bench_done(&bench);
}

/* Behind a length that reaches over the end no unit can be found; those before it are. */
static void cut_off(void **state)
{
	struct made_unit units[3];
	(void)state;
	for (uint64_t less = 1; less < 16; less++) {
		struct bench bench;
		struct die_ref die;
		bench_init_plain(&bench, units);
		section_init(&bench.file.sections[DEBUG_INFO], bench.info.data, bench.info.size - less, false);
		assert_false(dwarf_die_at(&bench.dwarf, DEBUG_INFO, units[2].die, &die));
		assert_true(dwarf_die_at(&bench.dwarf, DEBUG_INFO, units[1].die, &die));
		bench_done(&bench);
	}
}

/* With units in order .debug_info is inflated as far as it is needed: to the end of a length, and to that of a unit. */
static void compressed_units(void **state)
{
	enum { STEP = 1 << 20 };
	(void)state;
	for (unsigned before = 1; before <= 12; before++) {
		struct made_unit units[] = {
			{.version = 4}, {.version = 5, .type = DW_UT_compile, .is_wide = true}, {.version = 4}};
		struct bench bench;
		struct bytes info = {.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__};
		struct die_ref die;
		uint8_t packed[4096];
		bench_init(&bench, units, COUNT_OF(units), NULL, 0);

		/* The second unit begins so many bytes before the end of a step, and is longer than one. */
		put_bytes(&info, bench.info.data, units[1].start);
		while (info.size < STEP - before)
			put_u8(&info, 1);
		patch_number(&info, 0, info.size - 4, 4);
		size_t second = info.size;
		put_bytes(&info, bench.info.data + units[1].start, units[1].end - units[1].start);
		while (info.size < 5 * STEP / 2)
			put_u8(&info, 1);
		patch_number(&info, second + 4, info.size - second - 12, 8);
		size_t third = info.size;
		put_bytes(&info, bench.info.data + units[2].start, units[2].end - units[2].start);

		size_t size = ZSTD_compress(packed, sizeof(packed), info.data, info.size, 1);
		assert_false(ZSTD_isError(size));
		const struct packed_section from = {PACKING_ZSTD, packed, size, info.size, false};
		assert_int_equal(section_init_packed(&bench.file.sections[DEBUG_INFO], &from, NULL), LOCUS_OK);
		bench.dwarf.units_in_order = true;
		assert_true(dwarf_die_at(&bench.dwarf, DEBUG_INFO, third - 1, &die));
		assert_int_equal(die.unit->offset, second);
		assert_int_equal(die.unit->end, third);
		assert_true(dwarf_die_at(&bench.dwarf, DEBUG_INFO, info.size - 1, &die));
		assert_int_equal(die.unit->offset, third);
		section_done(&bench.file.sections[DEBUG_INFO]);
		bench_done(&bench);
		bytes_done(&info);
	}
}

/* By signature, in either section: the first type unit that has it, .debug_info before .debug_types. */
static void signatures(void **state)
{
	enum { HEADER_5 = 24, HEADER_4 = 23, HEADER_WIDE = 40 };
	struct made_unit in_info[] = {
		{.version = 4},
		{.version = 5, .type = DW_UT_type, .signature = 30, .type_offset = HEADER_5},
		{.version = 5, .type = DW_UT_split_type, .signature = 10, .type_offset = HEADER_5 + DIE_BYTES - 1},
		{.version = 5, .type = DW_UT_type, .is_wide = true, .signature = 30, .type_offset = HEADER_WIDE + 1},
		{.version = 5, .type = DW_UT_type, .signature = 50, .type_offset = HEADER_5 - 1},
		{.version = 5, .type = DW_UT_type, .signature = 51, .type_offset = HEADER_5 + DIE_BYTES},
		{.version = 5, .type = DW_UT_type, .signature = 52, .type_offset = UINT32_MAX},
	};
	struct made_unit in_types[] = {
		{.version = 4, .type = DW_UT_type, .signature = 30, .type_offset = HEADER_4},
		{.version = 4, .type = DW_UT_type, .signature = 20, .type_offset = HEADER_4 + 2},
		{.version = 4, .type = DW_UT_type, .signature = 20, .type_offset = HEADER_4 + 3},
	};
	static const struct {
		uint64_t signature;
		bool in_types;
		int unit; /* -1: none */
	} cases[] = {
		{30, false, 1},  {10, false, 2},  {20, true, 1},   {50, false, -1}, {51, false, -1},
		{52, false, -1}, {29, false, -1}, {53, false, -1}, {0, false, -1},
	};
	struct bench bench;
	struct die_ref first, die;
	(void)state;
	bench_init(&bench, in_info, COUNT_OF(in_info), in_types, COUNT_OF(in_types));
	assert_true(dwarf_die_at(&bench.dwarf, DEBUG_INFO, in_info[0].die, &first));
	for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
		uint64_t signature = cases[i / 2].signature;
		bool found = follow(first.unit, DW_FORM_ref_sig8, signature, &die);
		if (found != (cases[i / 2].unit >= 0))
			fail_msg("signature %u: %sfound", (unsigned)signature, found ? "" : "not ");
		if (!found)
			continue;
		const struct made_unit *expected = (cases[i / 2].in_types ? in_types : in_info) + cases[i / 2].unit;
		assert_int_equal(die.unit->where, cases[i / 2].in_types ? DEBUG_TYPES : DEBUG_INFO);
		assert_int_equal(die.unit->offset, expected->start);
		assert_int_equal(die.offset, expected->start + expected->type_offset);
	}
	bench.dwarf.refers_across = false;
	assert_false(follow(first.unit, DW_FORM_ref_sig8, 30, &die));

	/* In a package, which part of the abbreviations would be a type unit's is not known. */
	struct unit packaged = *first.unit;
	packaged.shares_of = UINT32_C(1) << DEBUG_INFO;
	for (uint64_t signature = 0; signature < 30; signature++)
		assert_false(follow(&packaged, DW_FORM_ref_sig8, signature, &die));
	bench_done(&bench);
}

/* From .debug_types a reference by offset leads into .debug_info, though the own unit has a DIE at that offset too. */
static void out_of_the_types(void **state)
{
	struct made_unit in_info[] = {{.version = 4}, {.version = 4}};
	struct made_unit in_types[] = {{.version = 4, .type = DW_UT_type, .signature = 7, .type_offset = 23}};
	struct bench bench;
	struct die_ref first, die;
	(void)state;
	bench_init(&bench, in_info, 2, in_types, 1);
	assert_true(dwarf_die_at(&bench.dwarf, DEBUG_TYPES, in_types[0].die, &first));
	assert_int_equal(first.unit->where, DEBUG_TYPES);
	for (uint64_t offset = 0; offset < bench.info.size; offset++) {
		bool found = follow(first.unit, DW_FORM_ref_addr, offset, &die);
		expect_unit_at(in_info, 2, offset, found, &die);
		assert_true(!found || die.unit->where == DEBUG_INFO);
	}
	/* Where .debug_info cannot be read, a signature is not looked for in .debug_types alone. */
	bench.dwarf.info_status = LOCUS_ERR_BAD_ELF;
	assert_false(follow(first.unit, DW_FORM_ref_sig8, 7, &die));
	bench_done(&bench);
}

/* Where .debug_info cannot be read nothing in it is found, and nothing can be passed. */
static void unreadable(void **state)
{
	struct made_unit units[3];
	struct bench bench;
	struct die_ref die;
	(void)state;
	for (int is_unreadable = 0; is_unreadable < 2; is_unreadable++) {
		bench_init_plain(&bench, units);
		bench.dwarf.info_status = is_unreadable ? LOCUS_ERR_BAD_ELF : LOCUS_OK;
		assert_true(die_index_pass(&bench.dwarf, 0));
		assert_int_equal(die_index_pass(&bench.dwarf, 1), !is_unreadable);
		assert_int_equal(die_index_pass(&bench.dwarf, bench.info.size), !is_unreadable);
		assert_int_equal(dwarf_die_at(&bench.dwarf, DEBUG_INFO, units[0].die, &die), !is_unreadable);
		bench_done(&bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_offset), cmocka_unit_test(within_a_unit),
		cmocka_unit_test(across_units), cmocka_unit_test(the_alternate_file),
		cmocka_unit_test(opened_once),  cmocka_unit_test(cut_off),
		cmocka_unit_test(signatures),   cmocka_unit_test(out_of_the_types),
		cmocka_unit_test(unreadable),   cmocka_unit_test(compressed_units),
	};
	return cmocka_run_group_tests_name("die_reference", tests, NULL, NULL);
}
