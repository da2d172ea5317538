/* RULES E4: entries of linkage tables as linkers wrote them, and all that is shorter. */
#include "convert/symbols/plt_jump.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct entry_case {
	const char *name;
	uint16_t machine;
	uint8_t class, data;
	uint8_t bytes[24];
	uint32_t whole; /* so many bytes are needed to know it */
	uint64_t addr, got;
	struct plt_jump expected;
};

/* Mostly as objdump shows programs that gcc 12 and binutils 2.40 made. */
static const struct entry_case cases[] = {
	{"i386",
	 EM_386,
	 ELFCLASS32,
	 ELFDATA2LSB,
	 {0xff, 0x25, 0x08, 0xc0, 0x04, 0x08},
	 6,
	 0x8049050,
	 0x804bff4,
	 {false, 0x804c008, 0}},
	{"i386, anywhere",
	 EM_386,
	 ELFCLASS32,
	 ELFDATA2LSB,
	 {0xff, 0xa3, 0x14, 0, 0, 0},
	 6,
	 0x1050,
	 0x3ff4,
	 {false, 0x4008, 0}},
	{"i386, anywhere, below its table",
	 EM_386,
	 ELFCLASS32,
	 ELFDATA2LSB,
	 {0xff, 0xa3, 0xf8, 0xff, 0xff, 0xff},
	 6,
	 0x1050,
	 0x3ff4,
	 {false, 0x3fec, 0}},
	{"i386, behind a landing pad",
	 EM_386,
	 ELFCLASS32,
	 ELFDATA2LSB,
	 {0xf3, 0x0f, 0x1e, 0xfb, 0xff, 0xa3, 0x14, 0, 0, 0},
	 10,
	 0x10c0,
	 0x3ff4,
	 {false, 0x4008, 0}},
	{"i386, by number",
	 EM_386,
	 ELFCLASS32,
	 ELFDATA2LSB,
	 {0xf3, 0x0f, 0x1e, 0xfb, 0x68, 0x10, 0, 0, 0},
	 9,
	 0x1050,
	 0x3ff4,
	 {true, 2, 0}},
	{"i386, of mold",
	 EM_386,
	 ELFCLASS32,
	 ELFDATA2LSB,
	 {0xf3, 0x0f, 0x1e, 0xfb, 0xb9, 0x08, 0, 0, 0, 0xff, 0x25, 0x28, 0x37, 0x20, 0},
	 15,
	 0x201450,
	 0,
	 {false, 0x203728, 0}},
	{"i386, anywhere, of mold",
	 EM_386,
	 ELFCLASS32,
	 ELFDATA2LSB,
	 {0xf3, 0x0f, 0x1e, 0xfb, 0xb9, 0, 0, 0, 0, 0xff, 0xa3, 0x28, 0x10, 0, 0},
	 15,
	 0x1480,
	 0x27b4,
	 {false, 0x37dc, 0}},
	{"i386, a retpoline",
	 EM_386,
	 ELFCLASS32,
	 ELFDATA2LSB,
	 {0x50, 0xa1, 0x14, 0x38, 0x40, 0, 0xe8},
	 7,
	 0x401670,
	 0,
	 {false, 0x403814, 32}},
	{"i386, anywhere, a retpoline",
	 EM_386,
	 ELFCLASS32,
	 ELFDATA2LSB,
	 {0x50, 0x8b, 0x83, 0x0c, 0, 0, 0, 0xe8},
	 8,
	 0x16e0,
	 0x38b4,
	 {false, 0x38c0, 32}},
	{"x86-64, a retpoline",
	 EM_X86_64,
	 ELFCLASS64,
	 ELFDATA2LSB,
	 {0x4c, 0x8b, 0x1d, 0x59, 0x12, 0, 0, 0xe9},
	 8,
	 0x1880,
	 0,
	 {false, 0x2ae0, 0}},
	{"x86-64, a retpoline that binds when it is called",
	 EM_X86_64,
	 ELFCLASS64,
	 ELFDATA2LSB,
	 {0x4c, 0x8b, 0x1d, 0xb9, 0x22, 0, 0, 0xe8},
	 8,
	 0x1890,
	 0,
	 {false, 0x3b50, 32}},
	{"x86-64, of mold",
	 EM_X86_64,
	 ELFCLASS64,
	 ELFDATA2LSB,
	 {0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0xbb, 0x01, 0, 0, 0, 0xff, 0x25, 0xf8, 0x23, 0, 0},
	 16,
	 0x1680,
	 0,
	 {false, 0x3a88, 0}},
	{"x86-64",
	 EM_X86_64,
	 ELFCLASS64,
	 ELFDATA2LSB,
	 {0xff, 0x25, 0xca, 0x2f, 0, 0},
	 6,
	 0x1030,
	 0,
	 {false, 0x4000, 0}},
	{"x86-64, backwards",
	 EM_X86_64,
	 ELFCLASS64,
	 ELFDATA2LSB,
	 {0xf2, 0xff, 0x25, 0xf9, 0xff, 0xff, 0xff},
	 7,
	 0x1030,
	 0,
	 {false, 0x1030, 0}},
	{"x86-64, by number",
	 EM_X86_64,
	 ELFCLASS64,
	 ELFDATA2LSB,
	 {0xf3, 0x0f, 0x1e, 0xfa, 0x68, 0x02, 0, 0, 0},
	 9,
	 0x1030,
	 0,
	 {true, 2, 0}},
	{"x86-64, by number, without a landing pad",
	 EM_X86_64,
	 ELFCLASS64,
	 ELFDATA2LSB,
	 {0x68, 0x03, 0x01, 0, 0},
	 5,
	 0x1030,
	 0,
	 {true, 0x103, 0}},
	{"AArch64",
	 EM_AARCH64,
	 ELFCLASS64,
	 ELFDATA2LSB,
	 {0x90, 0, 0, 0xb0, 0x11, 0xd6, 0x47, 0xf9},
	 8,
	 0x600,
	 0,
	 {false, 0x11fa8, 16}},
	{"AArch64, behind a landing pad",
	 EM_AARCH64,
	 ELFCLASS64,
	 ELFDATA2LSB,
	 {0x5f, 0x24, 0x03, 0xd5, 0x90, 0, 0, 0xb0, 0x11, 0xd6, 0x47, 0xf9},
	 12,
	 0x5fc,
	 0,
	 {false, 0x11fa8, 20}},
	{"AArch64, a landing pad at the end of a page",
	 EM_AARCH64,
	 ELFCLASS64,
	 ELFDATA2LSB,
	 {0x5f, 0x24, 0x03, 0xd5, 0x90, 0, 0, 0xb0, 0x11, 0xd6, 0x47, 0xf9},
	 12,
	 0xffc,
	 0,
	 {false, 0x12fa8, 20}},
	{"AArch64, backwards",
	 EM_AARCH64,
	 ELFCLASS64,
	 ELFDATA2LSB,
	 {0xf0, 0xff, 0xff, 0xf0, 0x11, 0xd6, 0x47, 0xf9},
	 8,
	 0x20600,
	 0,
	 {false, 0x1ffa8, 16}},
	{"Arm",
	 EM_ARM,
	 ELFCLASS32,
	 ELFDATA2LSB,
	 {0x00, 0xc6, 0x8f, 0xe2, 0x01, 0xca, 0x8c, 0xe2, 0x98, 0xfb, 0xbc, 0xe5},
	 12,
	 0x47c,
	 0,
	 {false, 0x201c, 12}},
	{"Arm, from Thumb",
	 EM_ARM,
	 ELFCLASS32,
	 ELFDATA2LSB,
	 {0x78, 0x47, 0xc0, 0x46, 0x00, 0xc6, 0x8f, 0xe2, 0x01, 0xca, 0x8c, 0xe2, 0x98, 0xfb, 0xbc, 0xe5},
	 16,
	 0x478,
	 0,
	 {false, 0x201c, 16}},
	{"Arm, far away",
	 EM_ARM,
	 ELFCLASS32,
	 ELFDATA2LSB,
	 {0x01, 0xc2, 0x8f, 0xe2, 0x02, 0xc6, 0x8c, 0xe2, 0x01, 0xca, 0x8c, 0xe2, 0x98, 0xfb, 0xbc, 0xe5},
	 16,
	 0x47c,
	 0,
	 {false, 0x1020201c, 16}},
	{"Arm, of mold",
	 EM_ARM,
	 ELFCLASS32,
	 ELFDATA2LSB,
	 {0x04, 0xc0, 0x9f, 0xe5, 0x0f, 0xc0, 0x8c, 0xe0, 0x00, 0xf0, 0x9c, 0xe5, 0x00, 0x21, 0, 0},
	 16,
	 0x1290,
	 0,
	 {false, 0x339c, 16}},
	{"RISC-V 64",
	 EM_RISCV,
	 ELFCLASS64,
	 ELFDATA2LSB,
	 {0x17, 0x2e, 0, 0, 0x03, 0x3e, 0x0e, 0x99, 0x67, 0x03, 0x0e, 0, 0x13, 0, 0, 0},
	 16,
	 0x6a0,
	 0,
	 {false, 0x2030, 16}},
	{"RISC-V 32",
	 EM_RISCV,
	 ELFCLASS32,
	 ELFDATA2LSB,
	 {0x17, 0x2e, 0, 0, 0x03, 0x2e, 0x0e, 0x99, 0x67, 0x03, 0x0e, 0, 0x13, 0, 0, 0},
	 16,
	 0x6a0,
	 0,
	 {false, 0x2030, 16}},
	{"s390x",
	 EM_S390,
	 ELFCLASS64,
	 ELFDATA2MSB,
	 {0xc0, 0x10, 0, 0, 0x0c, 0x98, 0xe3, 0x10, 0x10, 0, 0, 0x04},
	 32,
	 0x6e8,
	 0,
	 {false, 0x2018, 32}},
	{"s390x, backwards",
	 EM_S390,
	 ELFCLASS64,
	 ELFDATA2MSB,
	 {0xc0, 0x10, 0xff, 0xff, 0xff, 0xf0, 0xe3, 0x10, 0x10, 0, 0, 0x04},
	 32,
	 0x6e8,
	 0,
	 {false, 0x6c8, 32}},
	{"RISC-V 64, backwards",
	 EM_RISCV,
	 ELFCLASS64,
	 ELFDATA2LSB,
	 {0x17, 0xfe, 0xff, 0xff, 0x03, 0x3e, 0x0e, 0x99, 0x67, 0x03, 0x0e, 0, 0x13, 0, 0, 0},
	 16,
	 0x26a0,
	 0,
	 {false, 0x1030, 16}},
};

enum { NO_BIT = -1 };

/* Reads the first bytes of an entry, from memory that ends there, with one bit the other way round. */
static void read_changed(const struct entry_case *test, size_t size, int bit, bool *ret_is_entry, struct plt_jump *ret)
{
	uint8_t *bytes = calloc(size + !size, 1);
	struct plt_code code = {.bytes = bytes, .size = size, .addr = test->addr, .got = test->got};
	const struct plt_machine *machine = plt_machine_find(test->machine, test->class, test->data);
	assert_non_null(machine);
	assert_non_null(bytes);
	memcpy(bytes, test->bytes, size < sizeof(test->bytes) ? size : sizeof(test->bytes));
	if (bit != NO_BIT)
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	*ret_is_entry = machine->read(&code, ret);
	free(bytes);
}

static void read_case(const struct entry_case *test, size_t size, bool *ret_is_entry, struct plt_jump *ret)
{
	read_changed(test, size, NO_BIT, ret_is_entry, ret);
}

static void entries_as_linkers_write_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		const struct entry_case *test = &cases[i / 2];
		struct plt_jump jump = {0};
		bool is_entry;
		read_case(test, i % 2 ? 32 : test->whole, &is_entry, &jump);
		if (!is_entry || jump.is_numbered != test->expected.is_numbered ||
		    jump.target != test->expected.target || jump.size != test->expected.size)
			fail_msg("%s: %d, 0x%llx, %u bytes", test->name, is_entry, (unsigned long long)jump.target,
				 jump.size);
	}
}

/*
 * Entries are searched for by their code only where it says how long they are. Elsewhere the middle of an entry would
 * be taken for another one, as the jump behind a landing pad; there, entries of more than 16 bytes say how long they
 * are.
 */
static void entries_are_searched_for_where_their_size_is_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct entry_case *test = &cases[i];
		uint32_t step = plt_machine_find(test->machine, test->class, test->data)->step;
		if (step ? !test->expected.size || test->expected.size % step : test->expected.size % 32)
			fail_msg("%s: entries of %u bytes are searched for at each multiple of %u", test->name,
				 test->expected.size, step);
	}
}

/*
 * Bits that say nothing: how wide RISC-V's load is and what is behind it, a rotation of 0, how far a number is into a
 * relocation, a number that is there beside the slot, and whether a retpoline calls or jumps.
 */
static bool is_free(const struct entry_case *test, int bit)
{
	uint32_t at = (uint32_t)bit / 8;
	if (strstr(test->name, "of mold") && test->machine != EM_ARM && at + 6 < test->whole && at + 10 >= test->whole)
		return true;
	if (strstr(test->name, "retpoline") && test->machine == EM_X86_64 && bit == 56)
		return true;
	if (test->machine == EM_RISCV)
		return bit == 44 || at >= 8;
	if (test->machine == EM_ARM && at % 4 == 1 && bit % 8 < 4 && at + 2 < test->whole)
		return test->bytes[at - 1] == 0;
	return (test->machine == EM_386 && test->expected.is_numbered && at == test->whole - 4 && bit % 8 < 3) ||
	       at >= sizeof(test->bytes);
}

/* Each bit is either of an instruction, which is none of an entry then, or of a number, which it moves by its value. */
static void every_bit_counts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct entry_case *test = &cases[i];
		uint32_t whole = test->machine == EM_S390 ? 12 : test->whole;
		for (int bit = 0; bit < 8 * (int)whole; bit++) {
			struct plt_jump jump = {0};
			bool is_entry;
			read_changed(test, test->whole, bit, &is_entry, &jump);
			uint64_t moved = jump.target - test->expected.target, back = 0 - moved;
			if (test->class == ELFCLASS32) {
				moved = (uint32_t)moved;
				back = (uint32_t)back;
			}
			bool is_power = moved && (!(moved & (moved - 1)) || !(back & (back - 1)));
			bool is_rotated = test->machine == EM_ARM && bit / 8 % 4 == 1;
			if (is_entry && !is_free(test, bit) && !is_power && !is_rotated)
				fail_msg("%s: bit %d moves the target by 0x%llx", test->name, bit,
					 (unsigned long long)moved);
		}
	}
}

/* With -z pac-plt, GNU ld and lld put one instruction more before the jump, which is of the entry as well. */
static void entries_that_authenticate_are_longer(void **state)
{
	static const struct {
		struct entry_case entry;
		size_t size; /* of the table from there on */
	} authenticating[] = {
		{{"AArch64",
		  EM_AARCH64,
		  ELFCLASS64,
		  ELFDATA2LSB,
		  {0x90, 0, 0, 0xb0, 0x11, 0xd6, 0x47, 0xf9, 0x10, 0xa2, 0x3e, 0x91, 0x9f, 0x21, 0x03, 0xd5},
		  0,
		  0x600,
		  0,
		  {false, 0x11fa8, 20}},
		 16},
		{{"AArch64, cut short",
		  EM_AARCH64,
		  ELFCLASS64,
		  ELFDATA2LSB,
		  {0x90, 0, 0, 0xb0, 0x11, 0xd6, 0x47, 0xf9, 0x10, 0xa2, 0x3e, 0x91, 0x9f, 0x21, 0x03, 0xd5},
		  0,
		  0x600,
		  0,
		  {false, 0x11fa8, 16}},
		 15},
		{{"AArch64, behind a landing pad",
		  EM_AARCH64,
		  ELFCLASS64,
		  ELFDATA2LSB,
		  {0x5f, 0x24, 0x03, 0xd5, 0x90, 0,    0,    0xb0, 0x11, 0xd6,
		   0x47, 0xf9, 0x10, 0xa2, 0x3e, 0x91, 0x9f, 0x21, 0x03, 0xd5},
		  0,
		  0x5fc,
		  0,
		  {false, 0x11fa8, 24}},
		 20},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(authenticating) / sizeof(authenticating[0]); i++) {
		const struct entry_case *test = &authenticating[i].entry;
		struct plt_jump jump = {0};
		bool is_entry;
		read_case(test, authenticating[i].size, &is_entry, &jump);
		if (!is_entry || jump.target != test->expected.target || jump.size != test->expected.size)
			fail_msg("%s: %d, 0x%llx, %u bytes", test->name, is_entry, (unsigned long long)jump.target,
				 jump.size);
	}
}

/* What a damaged table ends in. */
static void entries_that_are_cut_short(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t size = 0; size < cases[i].whole; size++) {
			struct plt_jump jump = {0};
			bool is_entry;
			read_case(&cases[i], size, &is_entry, &jump);
			if (is_entry)
				fail_msg("%s is known by %zu bytes", cases[i].name, size);
		}
}

/* What %ebx is in a table of i386 code: what the sections say, unless mold's table begins with something else. */
static void tables_that_tell_the_base(void **state)
{
	static const struct {
		uint8_t bytes[16];
		size_t size;
		uint64_t got, expected;
	} tables[] = {
		{{0xf3, 0x0f, 0x1e, 0xfb, 0x51, 0x8d, 0x8b, 0x20, 0x10}, 11, 0x37d0, 0x27b4},
		{{0xf3, 0x0f, 0x1e, 0xfb, 0x51, 0x8d, 0x8b, 0xe0, 0xfe, 0xff, 0xff}, 11, 0x26bc, 0x27e0},
		{{0xf3, 0x0f, 0x1e, 0xfb, 0x51, 0x8d, 0x8b, 0x20, 0x10}, 10, 0x37d0, 0x37d0},
		{{0xf3, 0x0f, 0x1e, 0xfb, 0x51, 0xb9, 0x1c, 0x37, 0x20}, 11, 0x203718, 0x203718},
		{{0xff, 0xb3, 0x04}, 16, 0x3ff4, 0x3ff4},
	};
	const struct plt_machine *machine = plt_machine_find(EM_386, ELFCLASS32, ELFDATA2LSB);
	(void)state;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		const struct plt_code code = {tables[i].bytes, tables[i].size, 0x1470, tables[i].got};
		assert_int_equal(machine->find_got(&code), tables[i].expected);
	}
}

static void machines_that_are_not_known(void **state)
{
	(void)state;
	assert_null(plt_machine_find(EM_X86_64, ELFCLASS32, ELFDATA2LSB)); /* x32 */
	assert_null(plt_machine_find(EM_AARCH64, ELFCLASS64, ELFDATA2MSB));
	assert_null(plt_machine_find(EM_NONE, ELFCLASS64, ELFDATA2LSB));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_as_linkers_write_them),
		cmocka_unit_test(entries_are_searched_for_where_their_size_is_known),
		cmocka_unit_test(entries_that_authenticate_are_longer),
		cmocka_unit_test(entries_that_are_cut_short),
		cmocka_unit_test(every_bit_counts),
		cmocka_unit_test(tables_that_tell_the_base),
		cmocka_unit_test(machines_that_are_not_known),
	};
	return cmocka_run_group_tests_name("plt_jump", tests, NULL, NULL);
}
