/* Which address of a program a process's address is, by the program's segments and by where its file is mapped. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cmd/modules/symbol_file.h"

enum { READ = 4, CODE = 5, DATA = 6 };

/* As linkers lay them out: headers, code, and data, whose bytes begin in the page of the code's last. */
static const struct locus_segment_info segments[] = {
	{.address = 0x0, .offset = 0x0, .file_size = 0x800, .memory_size = 0x800, .flags = READ},
	{.address = 0x3000, .offset = 0x1000, .file_size = 0x500, .memory_size = 0x600, .flags = CODE},
	{.address = 0x5400, .offset = 0x1400, .file_size = 0x200, .memory_size = 0x900, .flags = DATA},
	{.address = 0x9000, .offset = 0x2000, .file_size = 0x100, .memory_size = 0x100, .flags = CODE},
};

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

static void mapped_addresses(void **state)
{
	const struct locus_info info = {.elf_type = ET_DYN, .segments = segments, .segment_count = 4};
	const struct locus_info fixed = {.elf_type = ET_EXEC, .segments = segments, .segment_count = 4};
	const struct locus_info unknown = {.elf_type = ET_DYN};
	struct symbol_file symbols = symbols_of(&info);

	(void)state;
	assert_int_equal(symbol_file_mapped_address(&symbols, 0x7f0000003010, 0x7f0000003000, 0x1000, 0x7f0000000000),
			 0x3010);
	assert_int_equal(symbol_file_mapped_address(&symbols, 0x7f0000003010, 0x7f0000003000, 0x1000, UINT64_MAX),
			 0x3010);
	symbols = symbols_of(&fixed);
	assert_int_equal(symbol_file_mapped_address(&symbols, 0x3010, 0x3000, 0x1000, 0), 0x3010);
	symbols = symbols_of(&unknown);
	assert_int_equal(symbol_file_mapped_address(&symbols, 0x7f0000003010, 0x7f0000003000, 0x1000, 0x7f0000000000),
			 0x3010);
	assert_int_equal(symbol_file_mapped_address(&symbols, 0x7f0000003010, 0x7f0000003000, 0x1000, UINT64_MAX),
			 0x1010);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(positions),
		cmocka_unit_test(mapped_addresses),
	};

	return cmocka_run_group_tests_name("symbol file", tests, NULL, NULL);
}
