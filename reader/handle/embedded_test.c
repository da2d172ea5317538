/* Programs that carry a .locus file: both classes, both byte orders, and damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reader/locus.h"

enum { HEADER_SIZE = 64, SECTION_SIZE = 64, FILE_SIZE = 1024, NAMES_AT = 512, LOCUS_AT = 600, LOCUS_SIZE = 64 };

/* What is found is told by its version, which no reader knows; what is not found is no .locus file at all. */
static const uint8_t carried[LOCUS_SIZE] = {0x8c, 'L', 'C', 'S', '\r', '\n', 0x1a, '\n', 99};
static const char names[] = "\0.names\0.locus";

struct program {
	uint8_t bytes[FILE_SIZE];
	bool is_wide, is_big;
};

static void put(struct program *program, size_t at, uint64_t value, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		program->bytes[at + (program->is_big ? width - 1 - i : i)] = (uint8_t)(value >> 8 * i);
}

static void put_section(struct program *program, unsigned index, uint32_t name, uint64_t offset, uint64_t size)
{
	unsigned width = program->is_wide ? 8 : 4;
	size_t at = HEADER_SIZE + index * (program->is_wide ? 64u : 40u);
	put(program, at, name, 4);
	put(program, at + 4, 1, 4); /* SHT_PROGBITS */
	put(program, at + (program->is_wide ? 24 : 16), offset, width);
	put(program, at + (program->is_wide ? 32 : 20), size, width);
}

/* Three sections: none, the names, and ours. */
static void make(struct program *program, bool is_wide, bool is_big)
{
	*program = (struct program){.is_wide = is_wide, .is_big = is_big};
	memcpy(program->bytes, "\177ELF", 4);
	program->bytes[4] = is_wide ? 2 : 1;
	program->bytes[5] = is_big ? 2 : 1;
	put(program, is_wide ? 40 : 32, HEADER_SIZE, is_wide ? 8 : 4);
	put(program, is_wide ? 58 : 46, is_wide ? 64 : 40, 2);
	put(program, is_wide ? 60 : 48, 3, 2);
	put(program, is_wide ? 62 : 50, 1, 2);
	put_section(program, 1, 1, NAMES_AT, sizeof(names));
	put_section(program, 2, 8, LOCUS_AT, LOCUS_SIZE);
	memcpy(program->bytes + NAMES_AT, names, sizeof(names));
	memcpy(program->bytes + LOCUS_AT, carried, sizeof(carried));
}

static enum locus_status open_bytes(const void *data, size_t size)
{
	struct locus *locus;
	enum locus_status status = locus_open_memory(data, size, NULL, &locus, NULL);
	if (status == LOCUS_OK)
		locus_close(locus);
	return status;
}

static void every_kind_of_elf(void **state)
{
	struct program program;
	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		make(&program, kind & 1, kind & 2);
		assert_int_equal(open_bytes(program.bytes, FILE_SIZE), LOCUS_ERR_VERSION);
		program.bytes[NAMES_AT + 9] ^= 1; /* another name */
		assert_int_equal(open_bytes(program.bytes, FILE_SIZE), LOCUS_ERR_NOT_LOCUS);
	}
}

/* More sections than the header can count: the number and the section of names are in the first section. */
static void extended_numbering(void **state)
{
	struct program program;
	(void)state;
	make(&program, true, false);
	put(&program, 60, 0, 2);
	put(&program, 62, 0xffff, 2);
	put(&program, HEADER_SIZE + 32, 3, 8);
	put(&program, HEADER_SIZE + 40, 1, 4);
	assert_int_equal(open_bytes(program.bytes, FILE_SIZE), LOCUS_ERR_VERSION);
}

/* Opens a program that stands in memory between bytes that would be taken for its .locus file. */
static enum locus_status open_surrounded(const struct program *program)
{
	enum { BEHIND = 2 * FILE_SIZE };
	static uint8_t memory[LOCUS_SIZE + FILE_SIZE + BEHIND];
	for (size_t at = 0; at < sizeof(memory); at += LOCUS_SIZE)
		memcpy(memory + at, carried, sizeof(carried));
	memcpy(memory + LOCUS_SIZE, program->bytes, FILE_SIZE);
	return open_bytes(memory + LOCUS_SIZE, FILE_SIZE);
}

static void sections_outside_of_the_file(void **state)
{
	static const struct {
		uint64_t offset, size;
	} cases[] = {
		{FILE_SIZE, 1},
		{FILE_SIZE, LOCUS_SIZE},
		{FILE_SIZE + LOCUS_SIZE, LOCUS_SIZE},
		{FILE_SIZE - 1, LOCUS_SIZE},
		{LOCUS_AT, FILE_SIZE},
		{LOCUS_AT, FILE_SIZE - LOCUS_AT + 1},
		{(uint64_t)-LOCUS_SIZE, LOCUS_SIZE},
		{UINT64_MAX, 1},
		{UINT64_MAX, UINT64_MAX},
		{1, UINT64_MAX},
	};
	struct program program;
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make(&program, true, false);
		put_section(&program, 2, 8, cases[i].offset, cases[i].size);
		assert_int_equal(open_surrounded(&program), LOCUS_ERR_NOT_LOCUS);
		make(&program, true, false);
		put_section(&program, 1, 1, cases[i].offset, cases[i].size);
		assert_int_equal(open_surrounded(&program), LOCUS_ERR_NOT_LOCUS);
	}
	for (uint64_t flags = 0; flags < 4; flags++) { /* the field behind the type does not belong to it */
		make(&program, true, false);
		put(&program, HEADER_SIZE + 2 * 64 + 4, 8, 4); /* SHT_NOBITS: it has no bytes in the file */
		put(&program, HEADER_SIZE + 2 * 64 + 8, flags, 8);
		assert_int_equal(open_surrounded(&program), LOCUS_ERR_NOT_LOCUS);
	}
}

/* The last of the headers of sections goes on behind the file's end. */
static void headers_outside_of_the_file(void **state)
{
	enum { TABLE_AT = FILE_SIZE - 3 * SECTION_SIZE };
	static uint8_t memory[FILE_SIZE + SECTION_SIZE];
	struct program program;
	(void)state;
	for (size_t beyond = 0; beyond < 2; beyond++) {
		make(&program, true, false);
		memcpy(memory, program.bytes, FILE_SIZE);
		memcpy(memory + TABLE_AT + beyond, program.bytes + HEADER_SIZE, 3 * SECTION_SIZE);
		memset(memory + HEADER_SIZE, 0, 3 * SECTION_SIZE);
		put(&program, 40, TABLE_AT + beyond, 8);
		memcpy(memory, program.bytes, HEADER_SIZE);
		assert_int_equal(open_bytes(memory, FILE_SIZE), beyond ? LOCUS_ERR_NOT_LOCUS : LOCUS_ERR_VERSION);
	}
}

/* The last bytes of the file are as good as any. */
static void section_at_the_end(void **state)
{
	struct program program;
	(void)state;
	make(&program, true, false);
	put_section(&program, 2, 8, FILE_SIZE - LOCUS_SIZE, LOCUS_SIZE);
	memcpy(program.bytes + FILE_SIZE - LOCUS_SIZE, carried, sizeof(carried));
	assert_int_equal(open_bytes(program.bytes, FILE_SIZE), LOCUS_ERR_VERSION);
	put_section(&program, 2, 8, FILE_SIZE - LOCUS_SIZE + 1, LOCUS_SIZE);
	assert_int_equal(open_bytes(program.bytes, FILE_SIZE), LOCUS_ERR_NOT_LOCUS);
}

/* A header that is of no class, that has no table of sections, or one of entries too small, leads nowhere. */
static void headers_of_nothing(void **state)
{
	static const struct {
		size_t at, value;
		unsigned width;
	} cases[] = {{4, 0, 1}, {4, 3, 1}, {40, 0, 8}, {58, 63, 2}, {60, 1, 2}, {62, 3, 2}, {62, 2, 2}};
	struct program program;
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make(&program, true, false);
		put(&program, cases[i].at, cases[i].value, cases[i].width);
		assert_int_equal(open_surrounded(&program), LOCUS_ERR_NOT_LOCUS);
	}
	/* Without a table the header itself would do for a first section. */
	make(&program, true, false);
	put(&program, 40, 0, 8);
	put(&program, 60, 4, 2);
	put_section(&program, 0, 1, NAMES_AT, sizeof(names));
	assert_int_equal(open_surrounded(&program), LOCUS_ERR_NOT_LOCUS);
}

/* Entries may be larger than what is known of them. */
static void larger_headers(void **state)
{
	enum { STRIDE = SECTION_SIZE + 8 };
	struct program program, packed;
	(void)state;
	make(&packed, true, false);
	program = packed;
	for (unsigned i = 0; i < 3; i++)
		memcpy(program.bytes + HEADER_SIZE + i * STRIDE, packed.bytes + HEADER_SIZE + i * SECTION_SIZE,
		       SECTION_SIZE);
	put(&program, 58, STRIDE, 2);
	assert_int_equal(open_bytes(program.bytes, FILE_SIZE), LOCUS_ERR_VERSION);
}

/* The end of the section of names may cut one off, though the bytes behind it would complete it. */
static void names_outside_of_their_section(void **state)
{
	struct program program;
	(void)state;
	for (unsigned missing = 0; missing < sizeof(names); missing++) {
		make(&program, true, false);
		put_section(&program, 1, 1, NAMES_AT, sizeof(names) - missing);
		assert_int_equal(open_bytes(program.bytes, FILE_SIZE),
				 missing ? LOCUS_ERR_NOT_LOCUS : LOCUS_ERR_VERSION);
	}
}

/* Any section may be ours, the first of all too. */
static void first_section(void **state)
{
	struct program program;
	(void)state;
	make(&program, true, false);
	put_section(&program, 1, 8, LOCUS_AT, LOCUS_SIZE);
	put_section(&program, 2, 1, NAMES_AT, sizeof(names));
	put(&program, 62, 2, 2);
	assert_int_equal(open_bytes(program.bytes, FILE_SIZE), LOCUS_ERR_VERSION);
}

/* Of very many sections the last 4096 are looked at, where objcopy puts a new one. */
static void only_the_last_sections(void **state)
{
	enum { COUNT = 4096 + 10, TABLE_AT = FILE_SIZE, SIZE = FILE_SIZE + COUNT * SECTION_SIZE };
	static uint8_t memory[SIZE];
	struct program program;
	(void)state;
	make(&program, true, false);
	put(&program, 40, TABLE_AT, 8);
	put(&program, 60, COUNT, 2);
	memcpy(memory, program.bytes, FILE_SIZE);
	memcpy(memory + TABLE_AT + SECTION_SIZE, program.bytes + HEADER_SIZE + SECTION_SIZE, SECTION_SIZE);
	for (unsigned index = 2; index < COUNT; index++) {
		uint8_t *at = memory + TABLE_AT + index * SECTION_SIZE;
		memcpy(at, program.bytes + HEADER_SIZE + 2 * SECTION_SIZE, SECTION_SIZE);
		assert_int_equal(open_bytes(memory, SIZE), index < 10 ? LOCUS_ERR_NOT_LOCUS : LOCUS_ERR_VERSION);
		memset(at, 0, SECTION_SIZE);
	}
}

/* Every prefix, and every byte of the headers set to each of a few values: found, or not, and nothing else. */
static void damaged_programs(void **state)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	struct program program;
	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		make(&program, kind & 1, kind & 2);
		for (size_t size = 0; size < FILE_SIZE; size++) {
			enum locus_status status = open_bytes(program.bytes, size);
			assert_true(status == LOCUS_ERR_NOT_LOCUS ||
				    (status == LOCUS_ERR_VERSION && size >= LOCUS_AT + LOCUS_SIZE));
		}
		for (size_t at = 0; at < HEADER_SIZE + 3 * SECTION_SIZE; at++) {
			uint8_t byte = program.bytes[at];
			for (size_t i = 0; i < sizeof(values); i++) {
				program.bytes[at] = values[i];
				assert_int_not_equal(open_bytes(program.bytes, FILE_SIZE), LOCUS_OK);
			}
			program.bytes[at] = byte;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_elf),
		cmocka_unit_test(extended_numbering),
		cmocka_unit_test(sections_outside_of_the_file),
		cmocka_unit_test(headers_outside_of_the_file),
		cmocka_unit_test(section_at_the_end),
		cmocka_unit_test(headers_of_nothing),
		cmocka_unit_test(larger_headers),
		cmocka_unit_test(names_outside_of_their_section),
		cmocka_unit_test(first_section),
		cmocka_unit_test(only_the_last_sections),
		cmocka_unit_test(damaged_programs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
