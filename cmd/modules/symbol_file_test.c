/*
 * Which address of a program a process's address is, by the program's segments and by where its file is mapped; and
 * which answers are kept.
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/modules/symbol_file.h"
#include "reader/handle/handle.h"
#include "writer/sample_test.h"

enum { READ = 4, CODE = 5, DATA = 6 };

/* As linkers lay them out: headers, code, and data, whose bytes begin in the page of the code's last. */
static const struct locus_segment_info segments[] = {
	{.address = 0x0, .offset = 0x0, .file_size = 0x800, .memory_size = 0x800, .flags = READ},
	{.address = 0x3000, .offset = 0x1000, .file_size = 0x500, .memory_size = 0x600, .flags = CODE},
	{.address = 0x5400, .offset = 0x1400, .file_size = 0x200, .memory_size = 0x900, .flags = DATA},
	{.address = 0x9000, .offset = 0x2000, .file_size = 0x100, .memory_size = 0x100, .flags = CODE},
};

static const struct symbol_conversion as_usual;

static struct symbol_file symbols_of(const struct locus_info *info)
{
	return (struct symbol_file){.info = info};
}

static void positions(void **state)
{
	static const struct {
		uint64_t position, address;
		bool found;
	} cases[] = {
		{0x0, 0, false},        {0x7ff, 0, false},      {0xfff, 0, false},      {0x1000, 0x3000, true},
		{0x1400, 0x3400, true}, {0x14ff, 0x34ff, true}, {0x1500, 0, false},     {0x15ff, 0, false},
		{0x1fff, 0, false},     {0x2000, 0x9000, true}, {0x20ff, 0x90ff, true}, {0x2100, 0, false},
		{UINT64_MAX, 0, false},
	};
	const struct locus_info info = {.elf_type = ET_DYN, .segments = segments, .segment_count = 4};
	const struct symbol_file symbols = symbols_of(&info);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t address = 0;
		if (symbol_file_find_position(&symbols, cases[i].position, &address) != cases[i].found ||
		    address != cases[i].address)
			fail_msg("0x%llx: 0x%llx", (unsigned long long)cases[i].position, (unsigned long long)address);
	}
}

static void positions_of_code(void **state)
{
	/* As objcopy leaves segments in a file of debug information, of programs of GNU ld, gold and LLVM's linker. */
	static const struct locus_segment_info gnu[] = {
		{.address = 0x400000, .file_size = 0x39c, .memory_size = 0x650, .flags = READ},
		{.address = 0x401000, .memory_size = 0x1f5, .flags = CODE},
		{.address = 0x403dd0, .offset = 0xdd0, .memory_size = 0x258, .flags = DATA},
	};
	static const struct locus_segment_info gold[] = {
		{.address = 0x0, .file_size = 0x2e4, .memory_size = 0x4fb0, .flags = CODE},
	};
	static const struct locus_segment_info program[] = {
		{.address = 0x0, .file_size = 0x6f0, .memory_size = 0x6f0, .flags = READ},
		{.address = 0x16f0, .offset = 0x6f0, .file_size = 0x1d0, .memory_size = 0x1d0, .flags = CODE},
	};
	static const struct locus_segment_info llvm[] = {
		{.address = 0x0, .file_size = 0x39c, .memory_size = 0xf30, .flags = READ},
		{.address = 0x2f30, .memory_size = 0x3070, .flags = CODE},
		{.address = 0x6fa0, .offset = 0xfa0, .memory_size = 0x1c0, .flags = DATA},
	};
	static const struct {
		const struct locus_segment_info *segments;
		size_t count;
		uint64_t position, address;
		bool found;
	} cases[] = {
		{program, 2, 0x790, 0x1790, true}, {program, 2, 0x1790, 0, false}, {gnu, 3, 0x1010, 0x401010, true},
		{gold, 1, 0x22b8, 0x22b8, true},   {llvm, 3, 0x3c38, 0, false},    {NULL, 0, 0x1010, 0x1010, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct locus_info info = {.segments = cases[i].segments, .segment_count = cases[i].count};
		const struct symbol_file symbols = symbols_of(&info);
		uint64_t address = 0;
		if (symbol_file_find_code(&symbols, cases[i].position, &address) != cases[i].found ||
		    address != cases[i].address)
			fail_msg("case %zu: 0x%llx", i, (unsigned long long)address);
	}
}

static void mapped_addresses(void **state)
{
	const struct locus_info info = {.elf_type = ET_DYN, .segments = segments, .segment_count = 4};
	const struct locus_info fixed = {.elf_type = ET_EXEC, .segments = segments, .segment_count = 4};
	const struct locus_info unknown = {.elf_type = ET_DYN};
	struct symbol_file symbols = symbols_of(&info);

	(void)state;
	assert_int_equal(
		symbol_file_mapped_address(&symbols, 0x7f0000003010, 0x7f0000003000, 0x1000, 0x1000, 0x7f0000000000),
		0x3010);
	assert_int_equal(
		symbol_file_mapped_address(&symbols, 0x7f0000003010, 0x7f0000003000, 0x1000, 0x1000, UINT64_MAX),
		0x3010);
	symbols = symbols_of(&fixed);
	assert_int_equal(symbol_file_mapped_address(&symbols, 0x3010, 0x3000, 0x1000, 0x1000, 0), 0x3010);
	symbols = symbols_of(&unknown);
	assert_int_equal(
		symbol_file_mapped_address(&symbols, 0x7f0000003010, 0x7f0000003000, 0x1000, 0x1000, 0x7f0000000000),
		0x3010);
	assert_int_equal(
		symbol_file_mapped_address(&symbols, 0x7f0000003010, 0x7f0000003000, 0x1000, 0x1000, UINT64_MAX),
		0x1010);
}

/* Code that is mapped as a whole: known by its pages, if it alone has so many. */
static void addresses_in_mapped_segments(void **state)
{
	enum { START = 0x7000 };
	static const struct locus_segment_info one[] = {
		{.address = 0x0, .memory_size = 0x1960, .flags = READ},
		{.address = 0x2960, .offset = 0x960, .memory_size = 0x6a0, .flags = CODE},
		{.address = 0x5000, .memory_size = 0x6a0, .flags = DATA},
		{.address = 0x8fff, .memory_size = 0x2, .flags = CODE},
	};
	static const struct {
		const struct locus_segment_info *segments;
		uint64_t runtime, size, address;
		bool found;
	} cases[] = {
		{one, START + 0xa50, 0x1000, 0x2a50, true},  {one, START, 0x1000, 0x2000, true},
		{one, START - 1, 0x1000, 0, false},          {one, START + 0x1000, 0x1000, 0, false},
		{one, START + 0x1000, 0x2000, 0x9000, true}, {one, START + 0xa50, 0x3000, 0, false},
		{segments, START + 0xa50, 0x1000, 0, false}, /* two have one page */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct locus_info info = {.elf_type = ET_DYN, .segments = cases[i].segments, .segment_count = 4};
		const struct symbol_file symbols = symbols_of(&info);
		uint64_t address = 0;
		bool found = symbol_file_find_in_segment(&symbols, cases[i].runtime, START, cases[i].size, &address);
		if (found != cases[i].found || (found && address != cases[i].address))
			fail_msg("case %zu: 0x%llx", i, (unsigned long long)address);
	}
	/* A file of debug information alone: that its code is mapped from the file's first page on says nothing. */
	const struct locus_info info = {.elf_type = ET_DYN, .segments = one, .segment_count = 4};
	const struct symbol_file symbols = symbols_of(&info);
	assert_int_equal(symbol_file_mapped_address(&symbols, START + 0xa50, START, 0x1000, 0, START), 0x2a50);
	assert_int_equal(symbol_file_mapped_address(&symbols, START + 0xa50, START, 0x4000, 0, START), 0xa50);
}

/* In a file with at most so many intervals none is kept: all its blocks stay decoded. */
enum { FEW_INTERVALS = 7 << 18 };

/* The same answer in memory of its own: the next one may overwrite it. */
static struct locus_result ask(struct symbol_file *symbols, uint64_t address, struct locus_frame *ret_frames)
{
	struct locus_result result = {.frame_count = FRAMES_MAX + 1};
	struct locus_error error;

	if (symbol_file_lookup(symbols, address, &result, &error) != LOCUS_OK)
		fail_msg("%s", error.text);
	assert_in_range(result.frame_count, 0, FRAMES_MAX);
	if (result.frame_count)
		memcpy(ret_frames, result.frames, result.frame_count * sizeof(*ret_frames));
	return result;
}

static void answers_are_kept_where_blocks_are_not(void **state)
{
	char path[] = "/tmp/locus-symbol-file-XXXXXX";
	const struct locus_writer_options options = {.level = 0, .block_size = 100};
	const struct symbol_labels labels = {.no_demangle = true};
	struct locus_sample sample;
	struct symbol_file symbols;
	struct locus_result result;
	struct locus_error error;
	struct locus_frame before[FRAMES_MAX], after[FRAMES_MAX];

	(void)state;
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	locus_sample_init(&sample, 11, 300);
	assert_int_equal(locus_sample_write(&sample, path, &options, &error), LOCUS_OK);
	assert_int_equal(symbol_file_open(path, &as_usual, false, &labels, &symbols, &error), LOCUS_OK);
	unlink(path);
	uint64_t *count = &symbols.locus->known[LOCUS_SECTION_INTERVALS]->entry_count, real = *count;
	struct locus_scratch *scratch = symbols.scratch;

	/* That it has so many is only said. */
	*count = FEW_INTERVALS;
	struct locus_result first = ask(&symbols, sample.starts[7], before);
	assert_null(symbols.answers);
	*count = FEW_INTERVALS + 1;
	ask(&symbols, sample.starts[7], before);
	assert_non_null(symbols.answers);
	assert_int_equal(symbol_file_memory(&symbols), locus_memory_size(symbols.locus) + 2 * ANSWER_CACHE_SIZE_MAX);

	/* Without the scratch only what is kept can be answered. */
	symbols.scratch = NULL;
	struct locus_result again = ask(&symbols, sample.starts[7], after);
	assert_int_equal(again.frame_count, first.frame_count);
	assert_int_equal(again.interval.locid, first.interval.locid);
	for (size_t i = 0; i < first.frame_count; i++) {
		assert_int_equal(after[i].function_id, before[i].function_id);
		assert_int_equal(after[i].line, before[i].line);
	}
	assert_int_equal(symbol_file_lookup(&symbols, sample.starts[8], &result, &error), LOCUS_ERR_BAD_DWARF);
	symbols.scratch = scratch;
	*count = real;
	symbol_file_close(&symbols);
	locus_sample_done(&sample);
}

/* What is built on a handle counts, too: a file of a few kilobytes may have an index and names of megabytes. */
static void memory_is_what_is_in_use(void **state)
{
	char path[] = "/tmp/locus-symbol-file-XXXXXX";
	const struct locus_writer_options options = {.level = 0, .block_size = 100};
	const struct symbol_labels labels = {.no_demangle = true};
	const struct function_offset place = {.name = {"f", 1}};
	struct partial_conversion partial = {.file.memory_size = 1000};
	struct locus_sample sample;
	struct symbol_file symbols = {.locus = NULL};
	struct locus_error error;
	uint64_t address;
	bool is_found;

	(void)state;
	assert_int_equal(symbol_file_memory(&symbols), 0);
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	locus_sample_init(&sample, 11, 300);
	assert_int_equal(locus_sample_write(&sample, path, &options, &error), LOCUS_OK);
	assert_int_equal(symbol_file_open(path, &as_usual, false, &labels, &symbols, &error), LOCUS_OK);
	unlink(path);
	assert_int_equal(symbol_file_memory(&symbols), locus_memory_size(symbols.locus));
	assert_int_equal(symbol_file_find_function(&symbols, &place, &is_found, &address, &error), LOCUS_OK);
	size_t index = function_index_memory(symbols.functions), handle = locus_memory_size(symbols.locus);
	assert_in_range(index, 1 << 14, 1 << 20);
	assert_int_equal(symbol_file_memory(&symbols), handle + index);
	symbols.partial = &partial;
	assert_int_equal(symbol_file_memory(&symbols), handle + index + 1000);
	symbols.partial = NULL;
	symbol_file_close(&symbols);
	locus_sample_done(&sample);
}

/* A file of 12 KB may have 65,000 segments, which each frame would be held against. */
static void more_segments_than_programs_have(void **state)
{
	enum { MOST = 4096 };
	const struct locus_writer_options options = {.level = 1, .block_size = 100};
	const struct symbol_labels labels = {.no_demangle = true};
	static struct locus_segment many[MOST + 1];

	(void)state;
	for (uint32_t count = MOST; count <= MOST + 1; count++) {
		char path[] = "/tmp/locus-symbol-file-XXXXXX";
		struct locus_sample sample;
		struct symbol_file symbols;
		struct locus_error error;
		int fd = mkstemp(path);
		assert_true(fd >= 0);
		close(fd);
		locus_sample_init(&sample, 11, 300);
		sample.tables.meta.segments = many;
		sample.tables.meta.segment_count = count;
		assert_int_equal(locus_sample_write(&sample, path, &options, &error), LOCUS_OK);
		enum locus_status status = symbol_file_open(path, &as_usual, false, &labels, &symbols, &error);
		assert_int_equal(status, count == MOST ? LOCUS_OK : LOCUS_ERR_LIMIT);
		if (status == LOCUS_OK)
			symbol_file_close(&symbols);
		else
			assert_non_null(strstr(error.text, "more than 4096 segments"));
		unlink(path);
		locus_sample_done(&sample);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(positions),
		cmocka_unit_test(positions_of_code),
		cmocka_unit_test(mapped_addresses),
		cmocka_unit_test(addresses_in_mapped_segments),
		cmocka_unit_test(answers_are_kept_where_blocks_are_not),
		cmocka_unit_test(memory_is_what_is_in_use),
		cmocka_unit_test(more_segments_than_programs_have),
	};

	return cmocka_run_group_tests_name("symbol file", tests, NULL, NULL);
}
