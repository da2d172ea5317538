/* Which sections are inflated before units are read, which of them as units are, and which come back. */
#include "convert/dwarf/dwarf_file.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "base/toolkit_test.h"

/* .debug_info and .debug_line are larger than a step of inflating, and than what is forgotten at a time. */
enum { SMALL = 100, LARGE = (3 << 20) + 5, PACKED_MAX = 4 << 20, CHANGED = 99 };

static uint8_t plain[LARGE], packed_large[PACKED_MAX], packed_small[2 * SMALL];
static size_t packed_large_size, packed_small_size;

static int setup(void **state)
{
	uint64_t random = 1;
	(void)state;
	for (size_t i = 0; i < LARGE; i++)
		plain[i] = (uint8_t)random_below(&random, 16);
	packed_large_size = ZSTD_compress(packed_large, sizeof(packed_large), plain, LARGE, 1);
	packed_small_size = ZSTD_compress(packed_small, sizeof(packed_small), plain, SMALL, 1);
	return ZSTD_isError(packed_large_size) || ZSTD_isError(packed_small_size) ? -1 : 0;
}

/* How a file has its sections: all compressed, or none, or all with relocations in .debug_info. */
enum keeping { PACKED, PLAIN, RELOCATED };

/* Of the tables of .debug_abbrev, some have references to other units. */
struct content {
	enum keeping keeping;
	unsigned tables, tables_across;
};

struct bench {
	struct elf_file file;
	struct dwarf dwarf;
	struct bytes abbrev;
	uint8_t packed_abbrev[4096];
};

static void put_section(struct section *section, bool is_plain, const uint8_t *packed, size_t packed_size,
			const uint8_t *bytes, size_t size)
{
	const struct packed_section from = {PACKING_ZSTD, packed, packed_size, size, false};
	if (is_plain)
		section_init(section, bytes, size, false);
	else
		assert_int_equal(section_init_packed(section, &from, NULL), LOCUS_OK);
}

/* A change of the first byte. */
static enum locus_status change_first(void *context, uint8_t *bytes, size_t offset, size_t size, size_t room,
				      struct locus_error *error)
{
	(void)context;
	(void)room;
	(void)error;
	if (!offset && size)
		bytes[0] = CHANGED;
	return LOCUS_OK;
}

static void bench_init(struct bench *bench, const struct content *content)
{
	*bench = (struct bench){.file = {.path = (char *)"program", .class = ELFCLASS64}};
	for (unsigned i = 0; i < content->tables; i++) {
		put_bytes(&bench->abbrev, (uint8_t[]){1, DW_TAG_subprogram, 0, DW_AT_abstract_origin}, 4);
		put_u8(&bench->abbrev, i < content->tables_across ? DW_FORM_ref_addr : DW_FORM_ref4);
		put_bytes(&bench->abbrev, "\0\0\0", 3);
	}
	size_t packed = ZSTD_compress(bench->packed_abbrev, sizeof(bench->packed_abbrev), bench->abbrev.data,
				      bench->abbrev.size, 1);
	assert_false(ZSTD_isError(packed));
	for (int i = 0; i < DEBUG_SECTION_COUNT; i++) {
		struct section *section = &bench->file.sections[i];
		if (i == DEBUG_ABBREV)
			put_section(section, content->keeping == PLAIN, bench->packed_abbrev, packed,
				    bench->abbrev.data, bench->abbrev.size);
		else if (i == DEBUG_INFO || i == DEBUG_LINE)
			put_section(section, content->keeping == PLAIN, packed_large, packed_large_size, plain, LARGE);
		else
			put_section(section, content->keeping == PLAIN, packed_small, packed_small_size, plain, SMALL);
	}
	const struct section_patch patch = {NULL, change_first, NULL};
	if (content->keeping == RELOCATED)
		assert_true(section_set_patch(&bench->file.sections[DEBUG_INFO], &patch));
	dwarf_init(&bench->dwarf, &bench->file);
}

static void bench_done(struct bench *bench)
{
	dwarf_done(&bench->dwarf);
	assert_null(bench->dwarf.file);
	for (int i = 0; i < DEBUG_SECTION_COUNT; i++)
		section_done(&bench->file.sections[i]);
	bytes_done(&bench->abbrev);
}

/* A letter for each section: `w`, all of it can be read; `b`, its beginning; `-`, nothing. */
static void show(const struct bench *bench, char text[DEBUG_SECTION_COUNT + 1])
{
	for (int i = 0; i < DEBUG_SECTION_COUNT; i++) {
		const struct section *section = &bench->file.sections[i];
		text[i] = section_is_whole(section) ? 'w' : section_has(section, 1) ? 'b' : '-';
	}
	text[DEBUG_SECTION_COUNT] = 0;
}

/* In the order of enum debug_section: info, abbrev, line, str, line_str, str_offsets, addr, ranges, rnglists, types,
 * the two indexes, aranges. */
static void sections_before_all_units(void **state)
{
	static const struct {
		const char *name;
		struct content content;
		bool is_split, in_order;
		const char *expected;
		bool refers_across, across_seldom;
	} cases[] = {
		{"no references to other units", {PACKED, 16, 0}, false, false, "-wbwwwwwwwww-", false, false},
		{"many references", {PACKED, 16, 16}, false, false, "wwbwwwwwwwww-", true, false},
		{"many references, in order", {PACKED, 16, 16}, false, true, "bwb-wwwwwwww-", true, false},
		{"few references", {PACKED, 16, 1}, false, false, "-wbwwwwwwwww-", true, true},
		{"few references, in order", {PACKED, 16, 1}, false, true, "-wb-wwwwwwww-", true, true},
		{"not so few", {PACKED, 15, 1}, false, false, "wwbwwwwwwwww-", true, false},
		{"few references, relocated", {RELOCATED, 16, 1}, false, false, "wwbwwwwwwwww-", true, false},
		{"few references, relocated, in order", {RELOCATED, 16, 1}, false, true, "wwb-wwwwwwww-", true, false},
		{"two of 32", {PACKED, 32, 2}, false, false, "-wbwwwwwwwww-", true, true},
		{"three of 32", {PACKED, 32, 3}, false, false, "wwbwwwwwwwww-", true, false},
		{"split units", {PACKED, 16, 0}, true, false, "wwbwwwwwwwww-", true, false},
		{"split units with few references", {PACKED, 16, 1}, true, false, "wwbwwwwwwwww-", true, false},
		{"nothing is compressed", {PLAIN, 16, 0}, false, false, "wwwwwwwwwwwww", false, false},
		{"nothing is compressed, few references", {PLAIN, 16, 1}, false, false, "wwwwwwwwwwwww", true, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench bench;
		char text[DEBUG_SECTION_COUNT + 1];
		bench_init(&bench, &cases[i].content);
		bench.dwarf.split = cases[i].is_split;
		bench.dwarf.units_in_order = cases[i].in_order;
		assert_int_equal(dwarf_prepare(&bench.dwarf, NULL), LOCUS_OK);
		show(&bench, text);
		if (strcmp(text, cases[i].expected) != 0 || bench.dwarf.refers_across != cases[i].refers_across ||
		    bench.dwarf.across_seldom != cases[i].across_seldom)
			fail_msg("%s: %s, %d, %d", cases[i].name, text, bench.dwarf.refers_across,
				 bench.dwarf.across_seldom);
		assert_int_equal(bench.dwarf.abbrevs.seen_count, cases[i].content.tables);
		bench_done(&bench);
	}
}

/* Lists of ranges that take much memory are inflated as units are read, if these come in their order. */
static void long_lists_of_ranges(void **state)
{
	enum { LONG = 8 << 20 };
	static const struct {
		enum debug_section where;
		size_t size;
		bool in_order;
		bool is_whole;
	} cases[] = {
		{DEBUG_RNGLISTS, LONG, true, false},    {DEBUG_RNGLISTS, LONG, false, true},
		{DEBUG_RNGLISTS, LONG - 1, true, true}, {DEBUG_RANGES, LONG, true, false},
		{DEBUG_ADDR, LONG, true, true},
	};
	static const struct content content = {PACKED, 16, 0};
	uint8_t *lists = calloc(1, LONG), *packed = malloc(ZSTD_compressBound(LONG));
	(void)state;
	assert_true(lists && packed);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		size_t packed_size = ZSTD_compress(packed, ZSTD_compressBound(LONG), lists, cases[i].size, 1);
		assert_false(ZSTD_isError(packed_size));
		struct bench bench;
		bench_init(&bench, &content);
		struct section *section = &bench.file.sections[cases[i].where];
		section_done(section);
		put_section(section, false, packed, packed_size, NULL, cases[i].size);
		bench.dwarf.units_in_order = cases[i].in_order;
		assert_int_equal(dwarf_prepare(&bench.dwarf, NULL), LOCUS_OK);
		assert_true(section_has(section, 1));
		assert_int_equal(section_is_whole(section), cases[i].is_whole);
		bench_done(&bench);
	}
	free(packed);
	free(lists);
}

static void sections_before_some_units(void **state)
{
	static const struct {
		const char *name;
		struct content content;
		const char *expected;
		bool refers_across;
		uint32_t abbrevs_seen; /* what is there needs no look at the abbreviations */
	} cases[] = {
		{"no references to other units", {PACKED, 16, 0}, "-w--www--w---", false, 16},
		{"few references", {PACKED, 16, 1}, "ww--www--w---", true, 16},
		{"nothing is compressed", {PLAIN, 16, 0}, "wwwwwwwwwwwww", true, 0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench bench;
		char text[DEBUG_SECTION_COUNT + 1];
		bench_init(&bench, &cases[i].content);
		assert_int_equal(dwarf_prepare_some(&bench.dwarf, NULL), LOCUS_OK);
		show(&bench, text);
		if (strcmp(text, cases[i].expected) != 0 || bench.dwarf.refers_across != cases[i].refers_across)
			fail_msg("%s: %s, %d", cases[i].name, text, bench.dwarf.refers_across);
		assert_int_equal(bench.dwarf.abbrevs.seen_count, cases[i].abbrevs_seen);
		bench_done(&bench);
	}
}

/* The first section that is damaged is told, whichever it is, if it is one of those that are inflated at once. */
static void damaged_sections(void **state)
{
	static const char all[] = ".fffffffffff.", some[] = ".f..fff..f...";
	(void)state;
	for (int i = 0; i < DEBUG_SECTION_COUNT; i++)
		for (int is_some = 0; is_some < 2; is_some++) {
			static const struct content content = {PACKED, 16, 0};
			const struct packed_section damaged = {PACKING_ZSTD, (const uint8_t *)"damaged", 7, SMALL,
							       false};
			struct bench bench;
			struct locus_error error = {.text = ""};
			bench_init(&bench, &content);
			section_done(&bench.file.sections[i]);
			assert_int_equal(section_init_packed(&bench.file.sections[i], &damaged, NULL), LOCUS_OK);
			bool fails = (is_some ? some : all)[i] == 'f';
			enum locus_status status = (is_some ? dwarf_prepare_some : dwarf_prepare)(&bench.dwarf, &error);
			if (status != (fails ? LOCUS_ERR_BAD_ELF : LOCUS_OK) ||
			    strcmp(error.text,
				   fails ? "a compressed section is damaged or truncated after 0 of 100 bytes" : "") !=
				    0)
				fail_msg("%s: status %d: %s", debug_section_name((enum debug_section)i), status,
					 error.text);
			bench_done(&bench);
		}
}

/* ---- References to other units ---- */

static void info_that_references_need(void **state)
{
	static const struct {
		const char *name;
		struct content content;
		bool in_order;
		uint64_t end;
		bool is_whole, is_beside;
	} cases[] = {
		{"whole", {PACKED, 16, 16}, false, 1, true, false},
		{"as far as it is needed", {PACKED, 16, 16}, true, 1, false, false},
		{"as far as it is needed, which is all", {PACKED, 16, 16}, true, LARGE, true, false},
		{"a second time, beside the first", {PACKED, 16, 1}, true, 1, false, true},
		{"with its relocations", {RELOCATED, 16, 1}, true, 1, true, false},
	};
	(void)state;
	for (size_t k = 0; k < 2 * COUNT_OF(cases); k++) {
		const size_t i = k / 2;
		const bool is_begun = k % 2; /* before all other sections are prepared: it makes no difference */
		struct bench bench;
		bench_init(&bench, &cases[i].content);
		const struct section *info = &bench.file.sections[DEBUG_INFO];
		bench.dwarf.units_in_order = cases[i].in_order;
		if (is_begun) {
			assert_int_equal(dwarf_prepare_section(&bench.dwarf, DEBUG_ABBREV, NULL), LOCUS_OK);
			assert_int_equal(dwarf_begin_info(&bench.dwarf, NULL), LOCUS_OK);
		}
		assert_int_equal(dwarf_prepare(&bench.dwarf, NULL), LOCUS_OK);
		assert_int_equal(dwarf_need_info(&bench.dwarf, cases[i].end), LOCUS_OK);
		if (section_is_whole(info) != cases[i].is_whole || info->beside != cases[i].is_beside)
			fail_msg("%s: %d %d", cases[i].name, section_is_whole(info), info->beside);
		assert_int_equal(info->data[0], cases[i].content.keeping == RELOCATED ? CHANGED : plain[0]);
		assert_memory_equal(info->data + 1, plain + 1, cases[i].is_whole || cases[i].is_beside ? LARGE - 1 : 0);
		bench_done(&bench);
	}
}

/* Once making it readable has failed, each reference is told so. */
static void info_that_is_damaged(void **state)
{
	static const struct content contents[] = {{PACKED, 16, 16}, {PACKED, 16, 1}};
	static const struct packed_section damaged = {PACKING_ZSTD, (const uint8_t *)"damaged", 7, SMALL, false};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(contents); i++) {
		struct bench bench;
		bench_init(&bench, &contents[i]);
		bench.dwarf.units_in_order = true;
		assert_int_equal(dwarf_prepare(&bench.dwarf, NULL), LOCUS_OK);
		section_done(&bench.file.sections[DEBUG_INFO]);
		assert_int_equal(section_init_packed(&bench.file.sections[DEBUG_INFO], &damaged, NULL), LOCUS_OK);
		for (int k = 0; k < 2; k++) {
			assert_int_equal(dwarf_need_info(&bench.dwarf, 1), LOCUS_ERR_BAD_ELF);
			assert_int_equal(dwarf_keep_info(&bench.dwarf, 0, 1), LOCUS_ERR_BAD_ELF);
			assert_int_equal(bench.dwarf.info_status, LOCUS_ERR_BAD_ELF);
			struct locus_error error = {.text = ""};
			assert_int_equal(dwarf_info_failure(&bench.dwarf, &error), LOCUS_ERR_BAD_ELF);
			assert_string_equal(error.text,
					    "a compressed section is damaged or truncated after 0 of 100 bytes");
		}
		bench_done(&bench);
	}
}

/* What was forgotten of a section comes back where a reference leads: of .debug_line too, if references are few. */
static void what_was_forgotten(void **state)
{
	static const struct {
		const char *name;
		struct content content;
		bool in_order;
		bool info_is_back;
	} cases[] = {
		{"in order", {PACKED, 16, 16}, true, true},
		{"in any order", {PACKED, 16, 16}, false, false},
		{"few references, in order", {PACKED, 16, 1}, true, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench bench;
		bench_init(&bench, &cases[i].content);
		struct section *info = &bench.file.sections[DEBUG_INFO];
		bench.dwarf.units_in_order = cases[i].in_order;
		assert_int_equal(dwarf_prepare(&bench.dwarf, NULL), LOCUS_OK);
		assert_int_equal(section_need(info, LARGE, NULL), LOCUS_OK);
		section_forget(info, SECTION_GRANULE);
		assert_int_equal(dwarf_need_info(&bench.dwarf, 1), LOCUS_OK);
		assert_int_equal(dwarf_keep_info(&bench.dwarf, 0, 1), LOCUS_OK);
		if ((info->forgotten == 0) != cases[i].info_is_back)
			fail_msg("%s: %zu bytes are forgotten", cases[i].name, info->forgotten);
		if (cases[i].info_is_back)
			assert_memory_equal(info->data, plain, LARGE);
		bench_done(&bench);
	}
}

/* A conversion fails if a reference cannot be followed for damage, which is told of the file that has it. */
static void damage_in_the_alternate_file(void **state)
{
	static const struct content content = {PACKED, 16, 0};
	static const struct packed_section damaged = {PACKING_ZSTD, (const uint8_t *)"damaged", 7, SMALL, false};
	static const char in_alternate[] =
		"alternate debug file shared: a compressed section is damaged or truncated after 0 of 100 bytes";
	(void)state;
	for (int which = DEBUG_INFO; which <= DEBUG_STR; which++) {
		struct bench program, shared;
		struct locus_error error = {.text = ""};
		bench_init(&program, &content);
		bench_init(&shared, &content);
		shared.file.path = (char *)"shared";
		section_done(&shared.file.sections[which]);
		assert_int_equal(section_init_packed(&shared.file.sections[which], &damaged, NULL), LOCUS_OK);
		enum locus_status status = dwarf_add_alternate(&program.dwarf, &shared.dwarf, &error);
		assert_ptr_equal(program.dwarf.alt, &shared.dwarf);
		assert_true(shared.dwarf.refers_across);
		if (which == DEBUG_INFO) { /* it is not looked at before a reference leads there */
			assert_int_equal(status, LOCUS_OK);
			assert_int_equal(dwarf_info_failure(&program.dwarf, &error), LOCUS_OK);
			assert_string_equal(error.text, "");
			assert_int_equal(dwarf_need_info(&shared.dwarf, 1), LOCUS_ERR_BAD_ELF);
			status = dwarf_info_failure(&program.dwarf, &error);
		}
		assert_int_equal(status, LOCUS_ERR_BAD_ELF);
		assert_string_equal(error.text, in_alternate);
		bench_done(&program);
		bench_done(&shared);
	}
}

/* Strings are read until the end; all else is given back when the last unit was read. */
static void sections_that_are_dropped(void **state)
{
	static const struct content content = {PACKED, 16, 16};
	struct bench bench;
	(void)state;
	bench_init(&bench, &content);
	for (int i = 0; i < DEBUG_SECTION_COUNT; i++)
		assert_int_equal(dwarf_prepare_section(&bench.dwarf, (enum debug_section)i, NULL), LOCUS_OK);
	dwarf_drop_sections(&bench.dwarf);
	for (int i = 0; i < DEBUG_SECTION_COUNT; i++)
		assert_int_equal(bench.file.sections[i].data != NULL, i == DEBUG_STR || i == DEBUG_LINE_STR);
	bench_done(&bench);
}

/* Step by step, until all are there; where they are damaged, or there already, there is nothing to do. */
static void strings_ahead(void **state)
{
	static const struct content content = {PACKED, 16, 0}, stored = {PLAIN, 16, 0};
	static const struct packed_section damaged = {PACKING_ZSTD, (const uint8_t *)"damaged", 7, SMALL, false};
	struct bench bench;
	struct section *strings = &bench.file.sections[DEBUG_STR];
	(void)state;
	bench_init(&bench, &content);
	section_done(strings);
	put_section(strings, false, packed_large, packed_large_size, plain, LARGE);
	assert_true(dwarf_advance_strings(&bench.dwarf));
	assert_true(section_has(strings, 1));
	assert_false(section_is_whole(strings));
	while (dwarf_advance_strings(&bench.dwarf))
		continue;
	assert_true(section_is_whole(strings));
	assert_memory_equal(strings->data, plain, LARGE);
	bench_done(&bench);

	bench_init(&bench, &content);
	section_done(strings);
	assert_int_equal(section_init_packed(strings, &damaged, NULL), LOCUS_OK);
	assert_true(dwarf_advance_strings(&bench.dwarf));
	assert_false(dwarf_advance_strings(&bench.dwarf));
	assert_int_equal(dwarf_prepare_section(&bench.dwarf, DEBUG_STR, NULL), LOCUS_ERR_BAD_ELF);
	bench_done(&bench);

	bench_init(&bench, &stored);
	assert_false(dwarf_advance_strings(&bench.dwarf));
	bench_done(&bench);
}

/* Maps a file of which no page is in this process yet: all of it is holes but the first `cached` bytes, all zeros. */
static uint8_t *map_file(size_t cached, size_t size)
{
	void *zeros = calloc(1, cached);
	char path[] = "/tmp/locus-dwarf-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	assert_non_null(zeros);
	assert_int_equal(write(fd, zeros, cached), cached);
	free(zeros);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	uint8_t *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	close(fd);
	return map;
}

/* How many pages of [from, from + size) are mapped (proc_pid_pagemap(5)); -1: the kernel does not say. */
static int mapped_pages(const uint8_t *from, size_t size, size_t page)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC), count = 0;
	for (size_t i = 0; i < size && count >= 0; i += page) {
		uint64_t entry;
		off_t at = (off_t)((uintptr_t)(from + i) / page * sizeof(entry));
		bool is_told = pread(fd, &entry, sizeof(entry), at) == (ssize_t)sizeof(entry);
		count = is_told ? count + (int)(entry >> 63) : -1;
	}
	if (fd >= 0)
		close(fd);
	return count;
}

/* Whether the kernel maps all of 64 KiB of a file that it has in its cache when one byte of them is read. */
static bool maps_around(const uint8_t *from, size_t page)
{
	enum { AROUND = 64 << 10 };
	const uint8_t *aligned = from + (AROUND - (uintptr_t)from % AROUND) % AROUND;
	(void)*(const volatile uint8_t *)aligned;
	return mapped_pages(aligned, AROUND, page) == (page < AROUND ? (int)(AROUND / page) : 1);
}

/* Step by step, until as much is mapped as may wait to be read; only of a file that is read as it lies there. */
static void pages_ahead(void **state)
{
	enum { SIZE = 40 << 20, MOST = 32 << 20, STEP = 1 << 20 };
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	static const struct content packed = {PACKED, 16, 0}, stored = {PLAIN, 16, 0};
	struct bench bench;
	struct section *info = &bench.file.sections[DEBUG_INFO];
	uint8_t *map = map_file(4 * STEP, SIZE);
	size_t mapped = 0;
	(void)state;
	for (int is_stored = 0; is_stored < 2; is_stored++) {
		bench_init(&bench, is_stored ? &stored : &packed);
		assert_false(dwarf_map_info(&bench.dwarf, &mapped));
		bench_done(&bench);
	}
	assert_int_equal(mapped, 0);

	bench_init(&bench, &stored);
	section_init(info, map, STEP + 1, true);
	assert_true(dwarf_map_info(&bench.dwarf, &mapped));
	assert_int_equal(mapped, STEP);
	int count = mapped_pages(map, STEP, page);
	if (count >= 0) {
		assert_int_equal(mapped_pages(map + 2 * STEP, SIZE - 2 * STEP, page), 0);
		if (maps_around(map + 3 * STEP, page))
			assert_int_equal(count, STEP / page);
	}
	assert_true(dwarf_map_info(&bench.dwarf, &mapped));
	assert_int_equal(mapped, STEP + 1);
	assert_false(dwarf_map_info(&bench.dwarf, &mapped));

	section_init(info, map, SIZE, true);
	mapped = MOST - STEP;
	assert_true(dwarf_map_info(&bench.dwarf, &mapped));
	assert_int_equal(mapped, MOST);
	if (count >= 0) /* the least, of what is not in the kernel's cache */
		assert_true(mapped_pages(map + MOST - STEP, STEP, page) >= STEP >> 16);
	assert_false(dwarf_map_info(&bench.dwarf, &mapped));
	assert_int_equal(mapped, MOST);
	bench_done(&bench);
	munmap(map, SIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_before_all_units),
		cmocka_unit_test(long_lists_of_ranges),
		cmocka_unit_test(sections_before_some_units),
		cmocka_unit_test(damaged_sections),
		cmocka_unit_test(info_that_references_need),
		cmocka_unit_test(info_that_is_damaged),
		cmocka_unit_test(what_was_forgotten),
		cmocka_unit_test(damage_in_the_alternate_file),
		cmocka_unit_test(sections_that_are_dropped),
		cmocka_unit_test(strings_ahead),
		cmocka_unit_test(pages_ahead),
	};
	return cmocka_run_group_tests_name("dwarf_file", tests, setup, NULL);
}
