/* Address ranges from hand-made lists of both kinds. RULES A2 to A5. */
#include "convert/dwarf/ranges.h"

#include <zstd.h>

#include "base/toolkit_test.h"

enum {
	FORM_addr = 0x01,
	FORM_data4 = 0x06,
	FORM_data8 = 0x07,
	FORM_sdata = 0x0d,
	FORM_string = 0x08,
	FORM_sec_offset = 0x17,
	FORM_addrx = 0x1b,
	FORM_rnglistx = 0x23
};

/* A unit over sections in memory. */
struct bench {
	struct elf_file file;
	struct dwarf dwarf;
	struct unit unit;
	struct bytes bytes; /* of the list's section */
	struct bytes addrs; /* of .debug_addr */
	struct given_ranges given;
};

static void bench_init(struct bench *bench, uint16_t version, uint8_t address_size, bool big)
{
	*bench = (struct bench){.file.swap = big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)};
	bench->dwarf.file = &bench->file;
	bench->unit.dwarf = &bench->dwarf;
	bench->unit.version = version;
	bench->unit.sizes = (struct form_sizes){address_size, 4, 4};
	bench->bytes.big = bench->addrs.big = big;
}

static void bench_done(struct bench *bench)
{
	bytes_done(&bench->bytes);
	bytes_done(&bench->addrs);
	range_list_done(&bench->given.list);
}

/* Ranges as text: "10-20 30-40", numbers in hexadecimal, then what was dropped. */
static void show(const struct given_ranges *given, char *text, size_t size)
{
	size_t at = 0;
	text[0] = 0;
	for (uint32_t i = 0; i < given->list.count; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%llx-%llx", i ? " " : "",
				       (unsigned long long)given->list.ranges[i].start,
				       (unsigned long long)given->list.ranges[i].end);
	if (given->tombstone_count)
		at += (size_t)snprintf(text + at, size - at, " tombstones %llu",
				       (unsigned long long)given->tombstone_count);
	if (given->bad_count)
		snprintf(text + at, size - at, " bad %llu", (unsigned long long)given->bad_count);
}

static void check(struct bench *bench, const char *name, const char *expected)
{
	char text[256];
	show(&bench->given, text, sizeof(text));
	if (strcmp(text, expected) != 0)
		fail_msg("%s: [%s], expected [%s]", name, text, expected);
}

/* ---- low_pc and high_pc ---- */

struct pc_case {
	const char *name;
	uint8_t address_size;
	uint64_t low;
	struct value high;
	const char *expected;
};

#define ONES UINT64_MAX

static const struct pc_case pc_cases[] = {
	{"RULES A3: a constant is a size", 8, 0x10, {FORM_data4, 0x20, NULL}, "10-30"},
	{"RULES A3: a data8 is a size", 8, 0x10, {FORM_data8, 0x20, NULL}, "10-30"},
	{"RULES A3: an address is an end", 8, 0x10, {FORM_addr, 0x20, NULL}, "10-20"},
	{"RULES A3: an indexed address is an end", 8, 0x10, {FORM_addrx, 1, NULL}, "10-222"},
	{"RULES A3: an end below the start", 8, 0x10, {FORM_addr, 0x8, NULL}, " bad 1"},
	{"an empty range is none and no error", 8, 0x10, {FORM_addr, 0x10, NULL}, ""},
	{"a size of 0", 8, 0x10, {FORM_data4, 0, NULL}, ""},
	{"RULES A3: a negative size", 8, 0x10, {FORM_sdata, (uint64_t)-4, NULL}, " bad 1"},
	{"RULES A3: a size that is no number", 8, 0x10, {FORM_string, 0, (const uint8_t *)"x"}, " bad 1"},
	{"RULES A3, A4: overflow of 8 bytes", 8, ONES - 0x10, {FORM_data8, 0x20, NULL}, " bad 1"},
	{"RULES A3, A4: overflow of 4 bytes", 4, 0xfffffff0, {FORM_data4, 0x20, NULL}, " bad 1"},
	{"up to the last address of 4 bytes", 4, 0xfffffff0, {FORM_data4, 0xf, NULL}, "fffffff0-ffffffff"},
	{"RULES A2: all ones", 8, ONES, {FORM_data4, 0x20, NULL}, " tombstones 1"},
	{"RULES A2: all ones but one", 8, ONES - 1, {FORM_data4, 1, NULL}, " tombstones 1"},
	{"RULES A2: one below is alive", 8, ONES - 2, {FORM_data4, 1, NULL}, "fffffffffffffffd-fffffffffffffffe"},
	{"RULES A2: all ones of 4 bytes", 4, 0xffffffff, {FORM_data4, 0x20, NULL}, " tombstones 1"},
	{"RULES A2: all ones but one of 2 bytes", 2, 0xfffe, {FORM_data4, 1, NULL}, " tombstones 1"},
	{"RULES A2: all ones of 4 bytes are alive in 8", 8, 0xffffffff, {FORM_data4, 1, NULL}, "ffffffff-100000000"},
	{"RULES A2: 0 is not dead by itself", 8, 0, {FORM_data4, 0x10, NULL}, "0-10"},
	{"RULES A2: a dead start with an address as end", 8, ONES, {FORM_addr, 0x20, NULL}, " tombstones 1"},
	{"no high_pc", 8, 0x10, {0, 0, NULL}, ""},
};

/* A file may lack the table of addresses, or the entry that is asked of it. */
static void a_start_that_cannot_be_read(void **state)
{
	static const struct value low = {FORM_addrx, 2, NULL}, high = {FORM_data4, 0x10, NULL}, none = {0};
	struct bench bench;
	(void)state;
	bench_init(&bench, 5, 8, false);
	assert_true(die_ranges(&bench.unit, &low, &high, &none, &bench.given));
	check(&bench, "RULES A3: an index without an address", " bad 1");
	assert_true(die_ranges(&bench.unit, &low, &none, &none, &bench.given));
	assert_true(die_ranges(&bench.unit, &none, &high, &none, &bench.given));
	check(&bench, "one of the two alone is no range", " bad 1");
	bench_done(&bench);
}

static void low_and_high(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(pc_cases); i++) {
		const struct pc_case *c = &pc_cases[i];
		struct bench bench;
		bench_init(&bench, 4, c->address_size, false);
		put_number(&bench.addrs, 0x111, c->address_size);
		put_number(&bench.addrs, 0x222, c->address_size);
		section_init(&bench.file.sections[DEBUG_ADDR], bench.addrs.data, bench.addrs.size, false);
		struct value low = {FORM_addr, c->low, NULL}, none = {0};
		assert_true(die_ranges(&bench.unit, &low, &c->high, &none, &bench.given));
		check(&bench, c->name, c->expected);
		bench_done(&bench);
	}
}

/* RULES A4: whether code is Thumb or MIPS16 is no part of its address. */
static void machines_with_a_mode_bit(void **state)
{
	static const struct {
		uint16_t machine;
		uint64_t low;
		struct value high;
		const char *expected;
	} mode_cases[] = {
		{EM_MIPS, 0x11, {FORM_data4, 0x10, NULL}, "10-20"},
		{EM_MIPS, 0x11, {FORM_addr, 0x21, NULL}, "10-20"},
		{EM_ARM, 0x10, {FORM_addr, 0x21, NULL}, "10-20"},
		{EM_ARM, 0x11, {FORM_addr, 0x20, NULL}, "10-20"},
		{EM_ARM, 0xffffffff, {FORM_data4, 0x10, NULL}, " tombstones 1"},
		{EM_ARM, 0xfffffffe, {FORM_data4, 0x10, NULL}, " tombstones 1"},
		{EM_386, 0x11, {FORM_data4, 0x10, NULL}, "11-21"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(mode_cases); i++) {
		const struct value low = {FORM_addr, mode_cases[i].low, NULL}, none = {0};
		struct bench bench;
		bench_init(&bench, 4, 4, false);
		bench.file.machine = mode_cases[i].machine;
		assert_true(die_ranges(&bench.unit, &low, &mode_cases[i].high, &none, &bench.given));
		check(&bench, "mode bit", mode_cases[i].expected);
		bench_done(&bench);
	}
}

/* ---- .debug_ranges ---- */

struct ranges_case {
	const char *name;
	uint8_t address_size;
	uint64_t low_pc; /* the unit's */
	uint64_t words[12];
	uint32_t word_count;
	const char *expected;
};

static const struct ranges_case ranges_cases[] = {
	{"from the unit's low_pc", 8, 0x1000, {0x10, 0x20, 0x30, 0x40, 0, 0}, 6, "1010-1020 1030-1040"},
	{"RULES A5: (0,0) ends", 8, 0, {0x10, 0x20, 0, 0, 0x30, 0x40, 0, 0}, 8, "10-20"},
	{"RULES A5: all ones select a base",
	 8,
	 0x1000,
	 {0x10, 0x20, ONES, 0x5000, 0x10, 0x20, 0, 0},
	 8,
	 "1010-1020 5010-5020"},
	{"RULES A5: all ones of 4 bytes", 4, 0, {0xffffffff, 0x5000, 0x10, 0x20, 0, 0}, 6, "5010-5020"},
	{"RULES A5: a dead base kills what depends on it",
	 8,
	 0,
	 {ONES, ONES, 0x10, 0x20, 0x30, 0x40, ONES, 0, 0x50, 0x60, 0, 0},
	 12,
	 "50-60 tombstones 2"},
	{"RULES A5: a dead low_pc", 8, ONES, {0x10, 0x20, 0, 0}, 4, " tombstones 1"},
	{"RULES A2: a dead start", 8, 0, {ONES - 1, ONES, 0x10, 0x20, 0, 0}, 6, "10-20 tombstones 1"},
	{"RULES A3: an end below the start", 8, 0, {0x20, 0x10, 0x30, 0x40, 0, 0}, 6, "30-40 bad 1"},
	{"an empty entry", 8, 0, {0x10, 0x10, 0x30, 0x40, 0, 0}, 6, "30-40"},
	{"RULES A4: sums over the end of 4 bytes",
	 4,
	 0,
	 {0xffffffff, 0xfffff000, 0x1010, 0x1020, 0x10, 0x20, 0, 0},
	 8,
	 "fffff010-fffff020 bad 1"},
	{"RULES A4: sums over the end of 8 bytes",
	 8,
	 ONES - 0xfff,
	 {0x10, 0x2000, 0x10, 0x20, 0, 0},
	 6,
	 "fffffffffffff010-fffffffffffff020 bad 1"},
	{"up to the last address there is", 8, 0x1000, {0x10, ONES - 0x1000, 0, 0}, 4, "1010-ffffffffffffffff"},
	{"RULES A2: a sum that is a dead address",
	 8,
	 0x1000,
	 {ONES - 0x1000, ONES - 0x1000, 0x10, 0x20, 0, 0},
	 6,
	 "1010-1020 tombstones 1"},
	{"without an end: up to the section's", 8, 0, {0x10, 0x20}, 2, "10-20 bad 1"},
	{"cut off", 8, 0, {0x10, 0x20, 0x30}, 3, "10-20 bad 1"},
	{"RULES A2: (1,1), what a linker leaves of a dead one", 8, 0, {1, 1, 0x10, 0x20, 0, 0}, 6, "10-20"},
};

static void debug_ranges(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * COUNT_OF(ranges_cases); i++) {
		const struct ranges_case *c = &ranges_cases[i / 2];
		struct bench bench;
		bench_init(&bench, 2 + (uint16_t)i % 3, c->address_size, i % 2);
		put_bytes(&bench.bytes, "pad", 3);
		for (uint32_t k = 0; k < c->word_count; k++)
			put_number(&bench.bytes, c->words[k], c->address_size);
		uint8_t *exact = exact_copy(bench.bytes.data, bench.bytes.size);
		section_init(&bench.file.sections[DEBUG_RANGES], exact, bench.bytes.size, false);
		bench.unit.low_pc = c->low_pc;
		struct value none = {0}, ranges = {i % 2 ? FORM_sec_offset : FORM_data4, 3, NULL};
		assert_true(die_ranges(&bench.unit, &none, &none, &ranges, &bench.given));
		check(&bench, c->name, c->expected);
		bench.given.list.count = 0;
		bench.given.tombstone_count = bench.given.bad_count = 0;
		ranges.number = bench.bytes.size;
		assert_true(die_ranges(&bench.unit, &none, &none, &ranges, &bench.given));
		check(&bench, "an offset beyond the section", " bad 1");
		free(exact);
		bench_done(&bench);
	}
}

/* Before DWARF 5 the lists of a split unit are its skeleton's, behind a base that the skeleton names. */
static void ranges_of_a_split_unit(void **state)
{
	(void)state;
	struct bench bench, split;
	const struct value none = {0}, ranges = {FORM_sec_offset, 4, NULL};
	bench_init(&bench, 4, 8, false);
	bench_init(&split, 4, 8, false);
	put_bytes(&bench.bytes, "before it", 9);
	for (size_t i = 0; i < 4; i++)
		put_number(&bench.bytes, i < 2 ? 0x10 * (i + 1) : 0, 8);
	section_init(&bench.file.sections[DEBUG_RANGES], bench.bytes.data, bench.bytes.size, false);
	bench.unit.ranges_base = 5;
	split.unit.skeleton = &bench.unit;
	split.unit.low_pc = 0x1000;
	assert_true(die_ranges(&split.unit, &none, &none, &ranges, &split.given));
	check(&split, "behind the skeleton's base", "1010-1020");
	assert_int_equal(split.given.read_bytes, 32); /* RULES A7 */
	bench_done(&split);
	bench_done(&bench);
}

/* ---- .debug_rnglists ---- */

enum { END, BASE_ADDRESSX, STARTX_ENDX, STARTX_LENGTH, OFFSET_PAIR, BASE_ADDRESS, START_END, START_LENGTH };

struct entry {
	uint8_t kind;
	uint64_t a;
	uint64_t b;
};

struct rnglist_case {
	const char *name;
	uint8_t address_size;
	uint64_t low_pc;
	struct entry entries[5]; /* an end is put behind them */
	uint32_t count;
	const char *expected;
};

/* .debug_addr holds 0x100, 0x200, all ones. */
static const struct rnglist_case rnglist_cases[] = {
	{"no entries, as BOLT writes it", 8, 0, {{0, 0, 0}}, 0, ""},
	{"RULES A5: offset_pair from the unit's low_pc", 8, 0x1000, {{OFFSET_PAIR, 0x10, 0x20}}, 1, "1010-1020"},
	{"RULES A5: offset_pair from 0", 8, 0, {{OFFSET_PAIR, 0x10, 0x20}}, 1, "10-20"},
	{"base_address",
	 8,
	 0x1000,
	 {{OFFSET_PAIR, 1, 2}, {BASE_ADDRESS, 0x5000, 0}, {OFFSET_PAIR, 1, 2}},
	 3,
	 "1001-1002 5001-5002"},
	{"base_addressx", 8, 0x1000, {{BASE_ADDRESSX, 1, 0}, {OFFSET_PAIR, 1, 2}}, 2, "201-202"},
	{"startx_endx", 8, 0x1000, {{STARTX_ENDX, 0, 1}}, 1, "100-200"},
	{"startx_length", 8, 0x1000, {{STARTX_LENGTH, 1, 0x30}}, 1, "200-230"},
	{"start_end does not depend on a base",
	 8,
	 0x1000,
	 {{BASE_ADDRESS, 0x5000, 0}, {START_END, 0x10, 0x20}},
	 2,
	 "10-20"},
	{"start_length", 8, 0x1000, {{START_LENGTH, 0x10, 0x20}}, 1, "10-30"},
	{"start_end of 4 bytes", 4, 0, {{START_END, 0xfffffff0, 0xffffffff}}, 1, "fffffff0-ffffffff"},
	{"RULES A5: a dead base kills what depends on it",
	 8,
	 0,
	 {{BASE_ADDRESS, ONES, 0},
	  {OFFSET_PAIR, 1, 2},
	  {START_END, 0x10, 0x20},
	  {BASE_ADDRESS, 0x50, 0},
	  {OFFSET_PAIR, 1, 2}},
	 5,
	 "10-20 51-52 tombstones 1"},
	{"RULES A5: a dead base by index", 8, 0, {{BASE_ADDRESSX, 2, 0}, {OFFSET_PAIR, 1, 2}}, 2, " tombstones 1"},
	{"RULES A5: a base by an index out of range",
	 8,
	 0,
	 {{BASE_ADDRESSX, 3, 0}, {OFFSET_PAIR, 1, 2}},
	 2,
	 " tombstones 1"},
	{"RULES A2: a dead start_length",
	 8,
	 0,
	 {{START_LENGTH, ONES, 0x20}, {START_END, 0x10, 0x20}},
	 2,
	 "10-20 tombstones 1"},
	{"RULES A2: a dead start_end", 8, 0, {{START_END, ONES - 1, ONES}}, 1, " tombstones 1"},
	{"RULES A2: a dead startx_length", 8, 0, {{STARTX_LENGTH, 2, 8}}, 1, " tombstones 1"},
	{"RULES A2: a dead startx_endx", 8, 0, {{STARTX_ENDX, 2, 1}}, 1, " tombstones 1"},
	{"RULES A3: an end below the start", 8, 0, {{START_END, 0x20, 0x10}, {OFFSET_PAIR, 5, 4}}, 2, " bad 2"},
	{"empty entries", 8, 0, {{START_END, 0x20, 0x20}, {OFFSET_PAIR, 5, 5}, {START_LENGTH, 1, 0}}, 3, ""},
	{"RULES A4: start_length over the end", 8, 0, {{START_LENGTH, 0x10, ONES}}, 1, " bad 1"},
	{"RULES A4: start_length over the end of 4 bytes", 4, 0, {{START_LENGTH, 0xfffffff0, 0x20}}, 1, " bad 1"},
	{"RULES A4: startx_length over the end", 8, 0, {{STARTX_LENGTH, 0, ONES}}, 1, " bad 1"},
	{"RULES A4: offset_pair over the end", 8, 0x1000, {{OFFSET_PAIR, 0x10, ONES}}, 1, " bad 1"},
	{"RULES A4: offset_pair over the end of 4 bytes", 4, 0xfffff000, {{OFFSET_PAIR, 0x10, 0x2000}}, 1, " bad 1"},
	{"an unknown entry ends the list",
	 8,
	 0,
	 {{START_END, 0x10, 0x20}, {99, 0, 0}, {START_END, 0x30, 0x40}},
	 3,
	 "10-20 bad 1"},
};

static void put_entry(struct bytes *b, const struct entry *entry, uint8_t address_size)
{
	put_u8(b, entry->kind);
	switch (entry->kind) {
	case BASE_ADDRESSX:
		put_uleb(b, entry->a);
		break;
	case STARTX_ENDX:
	case STARTX_LENGTH:
	case OFFSET_PAIR:
		put_uleb(b, entry->a);
		put_uleb(b, entry->b);
		break;
	case BASE_ADDRESS:
		put_number(b, entry->a, address_size);
		break;
	case START_END:
		put_number(b, entry->a, address_size);
		put_number(b, entry->b, address_size);
		break;
	case START_LENGTH:
		put_number(b, entry->a, address_size);
		put_uleb(b, entry->b);
		break;
	default:
		break;
	}
}

/*
 * A header of 12 bytes and a table of two offsets, then the list: so it is at rnglistx 1, and at an offset of its own.
 */
static void put_rnglist(struct bench *bench, const struct rnglist_case *c, size_t *ret_offset)
{
	enum { HEADER = 12 };
	for (int i = 0; i < HEADER; i++)
		put_u8(&bench->bytes, 0x77);
	bench->unit.rnglists_base = HEADER;
	put_number(&bench->bytes, 0xffff, 4);
	put_number(&bench->bytes, 8, 4);
	*ret_offset = bench->bytes.size;
	for (uint32_t i = 0; i < c->count; i++)
		put_entry(&bench->bytes, &c->entries[i], c->address_size);
	put_u8(&bench->bytes, END);
	put_bytes(&bench->addrs, "headhead", 8);
	bench->unit.addr_base = 8;
	put_number(&bench->addrs, 0x100, c->address_size);
	put_number(&bench->addrs, 0x200, c->address_size);
	put_number(&bench->addrs, ONES, c->address_size);
}

static void debug_rnglists(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4 * COUNT_OF(rnglist_cases); i++) {
		const struct rnglist_case *c = &rnglist_cases[i / 4];
		struct bench bench;
		size_t offset;
		bench_init(&bench, 5, c->address_size, i % 2);
		put_rnglist(&bench, c, &offset);
		bench.unit.low_pc = c->low_pc;
		uint8_t *exact = exact_copy(bench.bytes.data, bench.bytes.size);
		section_init(&bench.file.sections[DEBUG_RNGLISTS], exact, bench.bytes.size, false);
		section_init(&bench.file.sections[DEBUG_ADDR], bench.addrs.data, bench.addrs.size, false);
		struct value none = {0}, ranges = {FORM_sec_offset, offset, NULL}, indexed = {FORM_rnglistx, 1, NULL};
		assert_true(die_ranges(&bench.unit, &none, &none, i / 2 % 2 ? &indexed : &ranges, &bench.given));
		check(&bench, c->name, c->expected);
		free(exact);
		bench_done(&bench);
	}
}

/* Lists that are not there, and every prefix of one that is: what is read is a beginning of what stands there. */
static void damaged_lists(void **state)
{
	(void)state;
	static const struct value wrong[] = {
		{FORM_sec_offset, 0xfffff, NULL},
		{FORM_rnglistx, 0, NULL}, /* leads out of the section */
		{FORM_rnglistx, 0xffff, NULL},
		{FORM_rnglistx, UINT64_MAX, NULL},
	};
	const struct value none = {0};
	struct bench bench;
	size_t offset;
	for (size_t i = 0; i < COUNT_OF(rnglist_cases); i++) {
		bench_init(&bench, 5, rnglist_cases[i].address_size, false);
		put_rnglist(&bench, &rnglist_cases[i], &offset);
		section_init(&bench.file.sections[DEBUG_ADDR], bench.addrs.data, bench.addrs.size, false);
		for (size_t size = 0; size < bench.bytes.size; size++) {
			uint8_t *exact = exact_copy(bench.bytes.data, size);
			const struct value ranges = {FORM_sec_offset, offset, NULL};
			section_init(&bench.file.sections[DEBUG_RNGLISTS], exact, size, false);
			bench.given.list.count = 0;
			assert_true(die_ranges(&bench.unit, &none, &none, &ranges, &bench.given));
			assert_true(bench.given.list.count <= rnglist_cases[i].count);
			free(exact);
		}
		section_init(&bench.file.sections[DEBUG_RNGLISTS], bench.bytes.data, bench.bytes.size, false);
		for (size_t k = 0; k < COUNT_OF(wrong); k++) {
			bench.given.list.count = 0;
			bench.given.tombstone_count = bench.given.bad_count = 0;
			assert_true(die_ranges(&bench.unit, &none, &none, &wrong[k], &bench.given));
			check(&bench, "a list that is not there", " bad 1");
		}
		bench_done(&bench);
	}
}

/* ---- A compressed .debug_rnglists ---- */

enum { LISTS = 3, ENTRY = 1 + 2 * 8 };

/* The second list is longer than some steps of inflating. */
static const size_t list_entries[LISTS] = {2, 300000, 2};

/* A table of the lists' offsets, and then these. */
static void put_long_lists(struct bench *bench, size_t offsets[LISTS])
{
	size_t offset = LISTS * 4;
	for (unsigned list = 0; list < LISTS; list++) {
		offsets[list] = offset;
		put_number(&bench->bytes, offset, 4);
		offset += list_entries[list] * ENTRY + 1;
	}
	for (unsigned list = 0; list < LISTS; list++) {
		for (uint64_t i = 0; i < list_entries[list]; i++) {
			const struct entry ranges[] = {
				{START_END, 0x1000 + 16 * i, 0x1008 + 16 * i},
				{START_END, ONES, 0}, /* dead */
				{START_END, 9, 8},    /* ends before it starts */
			};
			put_entry(&bench->bytes, &ranges[i % 5 < 3 ? 0 : i % 5 - 2], 8);
		}
		put_u8(&bench->bytes, END);
	}
	assert_int_equal(bench->bytes.size, offset);
}

/* Makes the section one of the first `used` packed bytes. */
static void pack_lists(struct bench *bench, const struct bytes *packed, size_t used)
{
	struct section *section = &bench->file.sections[DEBUG_RNGLISTS];
	const struct packed_section from = {PACKING_ZSTD, packed->data, used, bench->bytes.size, false};
	section_done(section);
	assert_int_equal(section_init_packed(section, &from, NULL), LOCUS_OK);
	bench->given.list.count = 0;
	bench->given.tombstone_count = bench->given.bad_count = 0;
	bench->given.read_bytes = 0;
}

static void compare_lists(const struct bench *a, const struct bench *b)
{
	assert_int_equal(a->given.list.count, b->given.list.count);
	assert_memory_equal(a->given.list.ranges, b->given.list.ranges,
			    b->given.list.count * sizeof(*b->given.list.ranges));
	assert_int_equal(a->given.tombstone_count, b->given.tombstone_count);
	assert_int_equal(a->given.bad_count, b->given.bad_count);
	assert_int_equal(a->given.read_bytes, b->given.read_bytes);
}

/* Of a compressed section only the part is inflated that a list needs, and the list is the same. */
static void lists_are_inflated_as_needed(void **state)
{
	const struct value none = {0};
	struct bench plain, bench;
	size_t offsets[LISTS];
	(void)state;
	bench_init(&plain, 5, 8, false);
	bench_init(&bench, 5, 8, false);
	put_long_lists(&plain, offsets);
	put_long_lists(&bench, offsets);
	section_init(&plain.file.sections[DEBUG_RNGLISTS], plain.bytes.data, plain.bytes.size, false);
	struct bytes packed = {0};
	for (size_t i = 0; i < ZSTD_compressBound(bench.bytes.size); i++)
		put_u8(&packed, 0);
	size_t packed_size = ZSTD_compress(packed.data, packed.size, bench.bytes.data, bench.bytes.size, 1);
	assert_false(ZSTD_isError(packed_size));

	struct section *section = &bench.file.sections[DEBUG_RNGLISTS];
	for (uint64_t i = 0; i < 2 * LISTS; i++) {
		const struct value by_offset = {FORM_sec_offset, offsets[i / 2], NULL};
		const struct value by_index = {FORM_rnglistx, i / 2, NULL};
		pack_lists(&bench, &packed, packed_size);
		plain.given.list.count = 0;
		plain.given.tombstone_count = plain.given.bad_count = 0;
		plain.given.read_bytes = 0;
		assert_true(die_ranges(&plain.unit, &none, &none, i % 2 ? &by_index : &by_offset, &plain.given));
		assert_true(die_ranges(&bench.unit, &none, &none, i % 2 ? &by_index : &by_offset, &bench.given));
		assert_int_equal(plain.given.bad_count > 0, i / 2 == 1);
		compare_lists(&bench, &plain);
		assert_int_equal(section_is_whole(section), i / 2 > 0);
	}

	/* What was read of a damaged section is a beginning of the list; a list behind the damage is not there. */
	const struct value second = {FORM_sec_offset, offsets[1], NULL}, third = {FORM_sec_offset, offsets[2], NULL};
	pack_lists(&bench, &packed, packed_size / 2);
	assert_true(die_ranges(&bench.unit, &none, &none, &second, &bench.given));
	assert_in_range(bench.given.list.count, 1, list_entries[1] / 2);
	assert_true(section_is_damaged(section));
	bench.given.list.count = 0;
	bench.given.tombstone_count = bench.given.bad_count = 0;
	assert_true(die_ranges(&bench.unit, &none, &none, &third, &bench.given));
	check(&bench, "a list behind the damage", " bad 1");

	/* A unit of a package has a share of the section, which begins before the damage, or behind it. */
	const uint64_t shares[] = {atomic_load(&section->ready) - 1, offsets[2]};
	for (size_t i = 0; i < COUNT_OF(shares); i++) {
		const struct value within = {FORM_sec_offset, offsets[2] - shares[i], NULL};
		bench.unit.share[DEBUG_RNGLISTS] = (struct contribution){shares[i], bench.bytes.size - shares[i]};
		bench.given.bad_count = 0;
		assert_true(die_ranges(&bench.unit, &none, &none, &within, &bench.given));
		check(&bench, "a list of a share behind the damage", " bad 1");
	}
	section_done(section);
	bytes_done(&packed);
	bench_done(&bench);
	bench_done(&plain);
}

/*
 * Lists of ranges at three places of a compressed section: at its front, and at the ends of the first and last granule.
 */
enum { KEPT_SIZE = 3 * SECTION_GRANULE, KEPT_BASE = 12, KEPT_LIST = 32 };
static const size_t kept_places[] = {KEPT_BASE + 4, SECTION_GRANULE - KEPT_LIST, KEPT_SIZE - KEPT_LIST};

struct kept_case {
	uint16_t version;
	size_t place;
	bool by_index;
	uint64_t floor;
	bool comes_back;
};

/* Reads a list after the first granule was given back. */
static void read_kept(const struct kept_case *tried, const struct packed_section *packed)
{
	const struct value none = {0};
	const struct value ranges = tried->by_index ? (struct value){FORM_rnglistx, 0, NULL}
						    : (struct value){FORM_sec_offset, kept_places[tried->place], NULL};
	const bool is_new = tried->version == 5;
	struct bench bench;
	bench_init(&bench, tried->version, 8, false);
	bench.unit.rnglists_base = KEPT_BASE;
	bench.unit.floors =
		is_new ? (struct list_places){.rnglists = tried->floor} : (struct list_places){.ranges = tried->floor};
	struct section *section = &bench.file.sections[is_new ? DEBUG_RNGLISTS : DEBUG_RANGES];
	assert_int_equal(section_init_packed(section, packed, NULL), LOCUS_OK);
	assert_int_equal(section_need(section, KEPT_SIZE, NULL), LOCUS_OK);
	section_forget(section, SECTION_GRANULE);
	assert_int_equal(section->forgotten, SECTION_GRANULE);

	assert_true(die_ranges(&bench.unit, &none, &none, &ranges, &bench.given));
	check(&bench, "a list", "1000-2000");
	assert_int_equal(bench.given.ends.rnglists, is_new ? kept_places[tried->place] + 18 : 0);
	assert_int_equal(bench.given.ends.ranges, is_new ? 0 : kept_places[tried->place] + KEPT_LIST);
	assert_int_equal(section->forgotten, tried->comes_back ? 0 : SECTION_GRANULE);
	section_forget(section, SECTION_GRANULE);
	assert_int_equal(section->forgotten, tried->comes_back ? 0 : SECTION_GRANULE);
	section_done(section);
	bench_done(&bench);
}

/*
 * What other threads may give back while a unit is read is had again, and then stays; what they may not, is read as it
 * is.
 */
static void lists_that_were_given_back(void **state)
{
	static const struct kept_case cases[] = {
		{5, 0, false, SECTION_GRANULE, true},  {5, 0, true, SECTION_GRANULE, true},
		{5, 1, false, SECTION_GRANULE, true},  {5, 0, true, KEPT_BASE + 1, true},
		{5, 2, false, SECTION_GRANULE, false}, {5, 2, false, KEPT_SIZE, true},
		{4, 0, false, SECTION_GRANULE, true},  {4, 1, false, SECTION_GRANULE, true},
		{4, 2, false, SECTION_GRANULE, false},
	};
	(void)state;
	for (uint16_t version = 4; version <= 5; version++) {
		struct bytes list = {0};
		if (version == 5)
			put_u8(&list, START_END);
		put_number(&list, 0x1000, 8);
		put_number(&list, 0x2000, 8);
		put_bytes(&list, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", version == 5 ? 1 : 16);
		uint8_t *lists = malloc(KEPT_SIZE), *packed = malloc(ZSTD_compressBound(KEPT_SIZE));
		assert_true(lists && packed);
		memset(lists, 0x55, KEPT_SIZE);
		memcpy(lists + KEPT_BASE, "\4\0\0", 4); /* the offset of the first list from the base */
		for (size_t i = 0; i < COUNT_OF(kept_places); i++)
			memcpy(lists + kept_places[i], list.data, list.size);
		size_t size = ZSTD_compress(packed, ZSTD_compressBound(KEPT_SIZE), lists, KEPT_SIZE, 1);
		assert_false(ZSTD_isError(size));
		const struct packed_section section = {PACKING_ZSTD, packed, size, KEPT_SIZE, false};
		for (size_t i = 0; i < COUNT_OF(cases); i++)
			if (cases[i].version == version)
				read_kept(&cases[i], &section);
		free(packed);
		free(lists);
		bytes_done(&list);
	}
}

/* What a list by its index is in a section of `size` bytes, all 0 but for `count` offsets behind its header. */
static void read_by_index(size_t size, uint64_t count, uint64_t offset, uint64_t index, const char *expected)
{
	enum { HEADER = 12 };
	const struct value none = {0}, ranges = {FORM_rnglistx, index, NULL};
	struct bench bench;
	bench_init(&bench, 5, 8, false);
	bench.unit.rnglists_base = HEADER;
	put_bytes(&bench.bytes, "0123456789ab", HEADER);
	for (uint64_t i = 0; i < count; i++)
		put_number(&bench.bytes, offset, 4);
	while (bench.bytes.size < HEADER + size)
		put_u8(&bench.bytes, 0);
	uint8_t *exact = exact_copy(bench.bytes.data, HEADER + size);
	section_init(&bench.file.sections[DEBUG_RNGLISTS], exact, HEADER + size, false);
	assert_true(die_ranges(&bench.unit, &none, &none, &ranges, &bench.given));
	check(&bench, "a list by its index", expected);
	free(exact);
	bench_done(&bench);
}

/* A list's index is good up to the last whole offset that the section has; here every list is an end alone. */
static void indexes_at_the_end_of_the_section(void **state)
{
	(void)state;
	for (uint64_t count = 0; count < 4; count++)
		for (uint64_t index = 0; index < 5; index++)
			for (size_t rest = 1; rest < 4; rest++)
				read_by_index(4 * count + rest, count, 4 * count, index, index < count ? "" : " bad 1");
	read_by_index(0, 0, 0, 0, " bad 1");
}

/* RULES A3: a list lies behind the table that names it; a hole of zeros in the table would name the table. */
static void offsets_into_their_own_table(void **state)
{
	(void)state;
	for (uint64_t offset = 0; offset <= 12; offset += 4)
		for (uint64_t index = 0; index < 2; index++)
			read_by_index(13, 2, offset, index, offset < 4 * (index + 1) ? " bad 1" : "");
}

/* RULES A3: a list that ends in a hole of zeros may have lost what followed; a few zeros are empty lists. */
static void lists_that_end_in_a_hole(void **state)
{
	enum { HOLE = 64 };
	static const struct {
		size_t zeros; /* behind the list's end */
		bool more;    /* other bytes follow these */
		const char *expected;
	} cases[] = {
		{0, true, "1000-2000"},
		{1, true, "1000-2000"},
		{HOLE - 1, true, "1000-2000"},
		{HOLE, true, "1000-2000 bad 1"},
		{HOLE + 9, true, "1000-2000 bad 1"},
		{0, false, "1000-2000"},
		{HOLE - 1, false, "1000-2000"},
		{HOLE, false, "1000-2000 bad 1"},
	};
	const struct value none = {0}, ranges = {FORM_sec_offset, 0, NULL};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases) * 4; i++) {
		const size_t at = i / 4;
		const uint16_t version = i & 1 ? 5 : 4;
		struct bench bench;
		bench_init(&bench, version, 8, false);
		if (version == 5)
			put_u8(&bench.bytes, START_END);
		put_number(&bench.bytes, 0x1000, 8);
		put_number(&bench.bytes, 0x2000, 8);
		for (size_t k = 0; k < (version == 5 ? 1 : 16) + cases[at].zeros; k++)
			put_u8(&bench.bytes, 0);
		if (cases[at].more)
			put_u8(&bench.bytes, 5);

		/* As it is, and compressed. */
		struct section *section = &bench.file.sections[version == 5 ? DEBUG_RNGLISTS : DEBUG_RANGES];
		uint8_t packed[1000];
		const size_t size = ZSTD_compress(packed, sizeof(packed), bench.bytes.data, bench.bytes.size, 1);
		const struct packed_section from = {PACKING_ZSTD, packed, size, bench.bytes.size, false};
		uint8_t *exact = exact_copy(bench.bytes.data, bench.bytes.size);
		if (i & 2)
			assert_int_equal(section_init_packed(section, &from, NULL), LOCUS_OK);
		else
			section_init(section, exact, bench.bytes.size, false);
		assert_true(die_ranges(&bench.unit, &none, &none, &ranges, &bench.given));
		check(&bench, "a list with zeros behind it", cases[at].expected);
		section_done(section);
		free(exact);
		bench_done(&bench);
	}
}

/* RULES A7: what lists were read is held against the sections that they can be in. */
static void lists_that_are_read_without_end(void **state)
{
	enum { RANGES = 0x10, RNGLISTS = 0x200, INFO = 0x3000 };
	static const enum debug_section where[] = {DEBUG_RANGES, DEBUG_RNGLISTS, DEBUG_INFO};
	static const size_t sizes[] = {RANGES, RNGLISTS, INFO};
	static const uint8_t zeros[INFO];
	const struct value none = {0}, ranges = {FORM_sec_offset, 8, NULL};
	struct bench bench;
	(void)state;
	bench_init(&bench, 5, 8, false);
	for (size_t i = 0; i < COUNT_OF(where); i++)
		section_init(&bench.file.sections[where[i]], zeros, sizes[i], false);
	assert_true(die_ranges(&bench.unit, &none, &none, &ranges, &bench.given));
	assert_int_equal(bench.given.read_bytes, 1);
	bench.dwarf.range_bytes = UINT64_C(0x3210) * RANGE_READINGS_MAX + RANGE_BYTES_SPARE - 1;
	assert_true(ranges_count(&bench.unit, &bench.given));
	assert_int_equal(bench.given.read_bytes, 0);
	assert_true(ranges_count(&bench.unit, &bench.given));
	bench.given.read_bytes = 1;
	assert_false(ranges_count(&bench.unit, &bench.given));
	bench_done(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(low_and_high),
		cmocka_unit_test(a_start_that_cannot_be_read),
		cmocka_unit_test(machines_with_a_mode_bit),
		cmocka_unit_test(debug_ranges),
		cmocka_unit_test(ranges_of_a_split_unit),
		cmocka_unit_test(debug_rnglists),
		cmocka_unit_test(damaged_lists),
		cmocka_unit_test(lists_are_inflated_as_needed),
		cmocka_unit_test(lists_that_were_given_back),
		cmocka_unit_test(indexes_at_the_end_of_the_section),
		cmocka_unit_test(offsets_into_their_own_table),
		cmocka_unit_test(lists_that_end_in_a_hole),
		cmocka_unit_test(lists_that_are_read_without_end),
	};
	return cmocka_run_group_tests_name("ranges", tests, NULL, NULL);
}
