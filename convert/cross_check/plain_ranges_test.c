/*
 * Lists of ranges by hand: each kind of entry, at each size of addresses and at their ends. DWARF 5, 2.17.3; RULES A4.
 */
#include "convert/cross_check/plain_ranges.h"

#include <dwarf.h>

#include "base/steps_test.h"
#include "convert/elf/make_elf_test.h"

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
		put_entry(&bench, DW_RLE_startx_length, "uu", UINT64_MAX / size + 1, 1); /* times the size, it is 0 */
		put_entry(&bench, DW_RLE_start_end, "aa", 1, 2);
		unsigned long long h = highest;
		snprintf(expected, sizeof(expected), "%llx-%llx 0-0 %llx-%llx 0-0 %llx-%llx 0-0 0-0 0-0 0-0 1-2 ",
			 h - 9, h, h - 2, h, h - 8, h);
		expect(&bench, "at the ends", expected);
	}
}

/* The first range of the list that an attribute leads to; "": it leads to none. */
static void show_first(const struct unit_ranges *unit, unsigned form, char *text, size_t size)
{
	struct plain_ranges list;
	uint64_t start, end;
	const Dwarf_Attribute attribute = {.form = form, .valp = (unsigned char *)unit->info.data};
	text[0] = 0;
	if (plain_ranges_begin(&list, unit, &attribute) && plain_ranges_next(&list, &start, &end))
		snprintf(text, size, "%llx-%llx", (unsigned long long)start, (unsigned long long)end);
}

/* By number in the unit's table, whose offsets count from it, or by offset in the section; in DWARF 4 from a base. */
static void forms_of_ranges(void **state)
{
	enum { FIRST = PAD + 8, SECOND = PAD + 14 };
	static const struct {
		const char *name;
		unsigned version, form;
		uint64_t value;
		unsigned size; /* of the value; 0: it is LEB128 */
		const char *expected;
	} cases[] = {
		{"the first number", 5, DW_FORM_rnglistx, 0, 0, "1-2"},
		{"the second number", 5, DW_FORM_rnglistx, 1, 0, "3-4"},
		{"a number behind the section", 5, DW_FORM_rnglistx, 5, 0, ""},
		{"a number that is far too large", 5, DW_FORM_rnglistx, UINT64_MAX / 4 + 2, 0, ""},
		{"an offset", 5, DW_FORM_sec_offset, SECOND, 4, "3-4"},
		{"4 bytes", 5, DW_FORM_data4, FIRST, 4, "1-2"},
		{"8 bytes", 5, DW_FORM_data8, SECOND, 8, "3-4"},
		{"8 bytes behind the section", 5, DW_FORM_data8, UINT64_C(1) << 32 | SECOND, 8, ""},
		{"an offset that is cut off", 5, DW_FORM_sec_offset, SECOND, 3, ""},
		{"another form", 5, DW_FORM_data2, SECOND, 2, ""},
		{"an offset from the base", 4, DW_FORM_sec_offset, 5, 4, "105-106"},
		{"4 bytes, which never count from it", 4, DW_FORM_data4, 5 + PAD, 4, "105-106"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench bench;
		struct bytes value = {0};
		char text[64];
		bench_init(&bench, cases[i].version, 2, false);
		if (cases[i].version == 5) {
			put_number(&bench.list, FIRST - PAD, 4), put_number(&bench.list, SECOND - PAD, 4);
			put_entry(&bench, DW_RLE_start_end, "aa", 1, 2), put_u8(&bench.list, DW_RLE_end_of_list);
			put_entry(&bench, DW_RLE_start_end, "aa", 3, 4), put_u8(&bench.list, DW_RLE_end_of_list);
		} else {
			put_bytes(&bench.list, "other", 5);
			put_address(&bench, 5), put_address(&bench, 6);
		}
		bench.unit.lists_base = PAD;
		bench.unit.lists = (struct section_bytes){bench.list.data, bench.list.size};
		if (cases[i].size)
			put_number(&value, cases[i].value, cases[i].size);
		else
			put_uleb(&value, cases[i].value);
		bench.unit.info = (struct section_bytes){value.data, value.size};
		show_first(&bench.unit, cases[i].form, text, sizeof(text));
		if (strcmp(text, cases[i].expected) != 0)
			fail_msg("%s: [%s]", cases[i].name, text);
		bytes_done(&value);
		bytes_done(&bench.list);
		bytes_done(&bench.addresses);
	}
}

/* ---- Where a unit's lists are ---- */

enum { SECTION_SIZE = 100, ATTRIBUTES_MAX = 3 };

/* A unit's own DIE: names and values of 4 or 8 bytes. */
struct own_die {
	unsigned version;
	bool is_wide;
	struct {
		unsigned name;
		uint64_t value;
	} attributes[ATTRIBUTES_MAX]; /* a name of 0 ends them */
};

/* A file of one such unit, with `lists` of no meaning, and with addresses. */
struct file {
	struct bytes bytes;
	Elf *elf;
	Dwarf *dwarf;
	struct dwarf_sections sections;
	Dwarf_Die die;
};

static void put_unit(struct bytes *info, struct bytes *abbrevs, const struct own_die *own)
{
	unsigned offset_size = own->is_wide ? 8 : 4;
	size_t length_at = own->is_wide ? 4 : 0;
	if (own->is_wide)
		put_number(info, 0xffffffff, 4);
	put_number(info, 0, offset_size);
	put_number(info, own->version, 2);
	if (own->version >= 5) {
		put_u8(info, DW_UT_compile);
		put_u8(info, 8);
	}
	put_number(info, 0, offset_size);
	if (own->version < 5)
		put_u8(info, 8);
	put_u8(info, 1);
	put_bytes(abbrevs, "\1\x11", 3); /* a DW_TAG_compile_unit without children */
	for (size_t i = 0; i < ATTRIBUTES_MAX && own->attributes[i].name; i++) {
		bool is_address = own->attributes[i].name == DW_AT_low_pc;
		put_uleb(abbrevs, own->attributes[i].name);
		put_uleb(abbrevs, is_address ? DW_FORM_addr : DW_FORM_sec_offset);
		put_number(info, own->attributes[i].value, is_address ? 8 : offset_size);
	}
	put_bytes(abbrevs, "\0\0", 3);
	patch_number(info, length_at, info->size - length_at - offset_size, offset_size);
}

static void file_open(struct file *file, const struct own_die *own, const char *lists)
{
	static const uint8_t content[SECTION_SIZE];
	struct bytes info = {0}, abbrevs = {0};
	Dwarf_CU *cu = NULL;
	*file = (struct file){.elf = NULL};
	put_unit(&info, &abbrevs, own);
	const struct elf_part parts[] = {
		{".debug_info", SHT_PROGBITS, 0, 0, info.data, info.size, 0, 0},
		{".debug_abbrev", SHT_PROGBITS, 0, 0, abbrevs.data, abbrevs.size, 0, 0},
		{".debug_addr", SHT_PROGBITS, 0, 0, content, SECTION_SIZE, 0, 0},
		{lists, SHT_PROGBITS, 0, 0, content, SECTION_SIZE, 0, 0},
	};
	make_elf(&file->bytes, ET_REL, EM_X86_64, parts, COUNT_OF(parts));
	elf_version(EV_CURRENT);
	file->elf = elf_memory((char *)file->bytes.data, file->bytes.size);
	file->dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	assert_non_null(file->dwarf);
	dwarf_sections_find(&file->sections, file->dwarf);
	assert_int_equal(dwarf_get_units(file->dwarf, NULL, &cu, NULL, NULL, &file->die, NULL), 0);
	bytes_done(&info);
	bytes_done(&abbrevs);
}

static void file_close(struct file *file)
{
	dwarf_end(file->dwarf);
	elf_end(file->elf);
	bytes_done(&file->bytes);
}

/* Behind the header of each section, where the unit says nothing: 12 and 8 bytes, of 64-bit DWARF 20 and 16. */
static void bases_of_a_unit(void **state)
{
	static const struct {
		struct own_die own;
		uint64_t lists, addresses, low_pc; /* where they begin */
	} cases[] = {
		{{5, false, {{0, 0}}}, 12, 8, 0},
		{{5, true, {{0, 0}}}, 20, 16, 0},
		{{5, false, {{DW_AT_rnglists_base, 50}, {DW_AT_addr_base, 30}, {DW_AT_low_pc, 7}}}, 50, 30, 7},
		{{5, true, {{DW_AT_rnglists_base, 50}, {DW_AT_addr_base, SECTION_SIZE - 1}}}, 50, SECTION_SIZE - 1, 0},
		{{4, false, {{0, 0}}}, 0, 0, 0},
		{{4, true, {{0, 0}}}, 0, 0, 0},
		{{4, false, {{DW_AT_GNU_addr_base, 30}, {DW_AT_GNU_ranges_base, 50}}}, 0, 30, 0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct file file;
		struct unit_ranges found;
		unsigned version = cases[i].own.version;
		enum debug_section which = version == 5 ? DEBUG_RNGLISTS : DEBUG_RANGES;
		file_open(&file, &cases[i].own, debug_section_name(which));
		unit_ranges_find(&found, &file.die, &file.sections, &file.die, &file.sections);
		if (found.lists_base != cases[i].lists || found.addresses.size != SECTION_SIZE - cases[i].addresses ||
		    found.low_pc != cases[i].low_pc)
			fail_msg("case %zu: lists from %llu on, %zu bytes of addresses", i,
				 (unsigned long long)found.lists_base, found.addresses.size);
		assert_ptr_equal(found.lists.data, file.sections.of[which].data);
		assert_int_equal(found.lists.size, SECTION_SIZE);
		assert_int_equal(found.version, version);
		assert_int_equal(found.addr_size, 8);
		assert_int_equal(found.offset_size, cases[i].own.is_wide ? 8 : 4);
		file_close(&file);
	}
}

/* Of a split unit, addresses are the skeleton's; so are the lists, unless the split file has some of DWARF 5's. */
static void bases_of_a_split_unit(void **state)
{
	static const struct {
		struct own_die skeleton, split;
		const char *skeleton_lists, *split_lists;
		bool is_split_list;
		uint64_t lists, addresses;
	} cases[] = {
		{{4, false, {{DW_AT_GNU_ranges_base, 50}, {DW_AT_GNU_addr_base, 30}}},
		 {4, false, {{0, 0}}},
		 ".debug_ranges",
		 ".debug_other",
		 false,
		 50,
		 30},
		{{5, false, {{DW_AT_rnglists_base, 50}, {DW_AT_addr_base, 30}}},
		 {5, false, {{0, 0}}},
		 ".debug_rnglists",
		 ".debug_rnglists",
		 true,
		 12,
		 30},
		{{5, false, {{DW_AT_rnglists_base, 50}}},
		 {5, true, {{DW_AT_rnglists_base, 60}}},
		 ".debug_rnglists",
		 ".debug_rnglists",
		 true,
		 60,
		 16},
		{{5, false, {{DW_AT_rnglists_base, 50}, {DW_AT_addr_base, 30}}},
		 {5, false, {{DW_AT_rnglists_base, 60}}},
		 ".debug_rnglists",
		 ".debug_other",
		 false,
		 50,
		 30},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct file skeleton, split;
		struct unit_ranges found;
		file_open(&skeleton, &cases[i].skeleton, cases[i].skeleton_lists);
		file_open(&split, &cases[i].split, cases[i].split_lists);
		unit_ranges_find(&found, &skeleton.die, &skeleton.sections, &split.die, &split.sections);
		enum debug_section which = cases[i].split.version == 5 ? DEBUG_RNGLISTS : DEBUG_RANGES;
		const struct dwarf_sections *expected = cases[i].is_split_list ? &split.sections : &skeleton.sections;
		if (found.lists_base != cases[i].lists || found.addresses.size != SECTION_SIZE - cases[i].addresses)
			fail_msg("case %zu: lists from %llu on, %zu bytes of addresses", i,
				 (unsigned long long)found.lists_base, found.addresses.size);
		assert_ptr_equal(found.lists.data, expected->of[which].data);
		assert_ptr_equal(found.info.data, split.sections.of[DEBUG_INFO].data);
		file_close(&split);
		file_close(&skeleton);
	}
}

/* The list's end among them: many DIEs may have one long list. */
static void each_entry_is_counted(void **state)
{
	enum { ENTRIES = 3, STEPS = 8 * (ENTRIES + 1) };
	(void)state;
	for (uint64_t lacking = 0; lacking < 2; lacking++) {
		struct bench bench;
		struct budget budget;
		char text[100];
		bench_init(&bench, 5, 8, false);
		for (int i = 0; i < ENTRIES; i++)
			put_entry(&bench, DW_RLE_offset_pair, "uu", 0x10, 0x20);
		put_u8(&bench.list, DW_RLE_end_of_list);
		budget_of_steps(&budget, STEPS - lacking);
		show(&bench, text, sizeof(text));
		budget_use(NULL);
		assert_string_equal(text, "110-120 110-120 110-120 ");
		assert_int_equal(budget_fail(&budget, LOCUS_OK, NULL), lacking ? LOCUS_ERR_BAD_DWARF : LOCUS_OK);
		if (!lacking)
			assert_int_equal(budget_steps_left(&budget), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs),
		cmocka_unit_test(entries),
		cmocka_unit_test(at_the_ends_of_addresses),
		cmocka_unit_test(forms_of_ranges),
		cmocka_unit_test(bases_of_a_unit),
		cmocka_unit_test(bases_of_a_split_unit),
		cmocka_unit_test(each_entry_is_counted),
	};
	return cmocka_run_group_tests_name("plain_ranges", tests, NULL, NULL);
}
