/* Inflated bytes are given back when no thread can be reading them, and not before. */
#include "convert/schedule/passed_sections.h"

#include <zlib.h>

#include "base/toolkit_test.h"
#include "convert/dwarf/die_reference.h"

enum { MIB = 1 << 20, SIZE = 16 * MIB, THREADS = 3 };

static const struct list_places nowhere;

/* A program whose .debug_info, of units of 1 MiB, .debug_line and .debug_rnglists are compressed, and inflated as a
 * whole. */
struct bench {
	uint8_t *info, *zeros;
	struct bytes packed[4];
	struct elf_file file;
	struct dwarf dwarf;
	struct passed_sections passed;
};

static void pack(struct bench *bench, unsigned index, enum debug_section which, const uint8_t *bytes)
{
	struct bytes *packed = &bench->packed[index];
	uLongf size = compressBound(SIZE);
	packed->data = malloc(size);
	assert_non_null(packed->data);
	assert_int_equal(compress2(packed->data, &size, bytes, SIZE, 1), Z_OK);
	const struct packed_section from = {PACKING_ZLIB, packed->data, size, SIZE, false};
	struct section *section = &bench->file.sections[which];
	assert_int_equal(section_init_packed(section, &from, NULL), LOCUS_OK);
	assert_int_equal(section_need(section, SIZE, NULL), LOCUS_OK);
}

static void bench_init(struct bench *bench, bool refers_across)
{
	*bench = (struct bench){.info = calloc(1, SIZE), .zeros = calloc(1, SIZE)};
	assert_true(bench->info && bench->zeros);
	for (size_t at = 0; at < SIZE; at += MIB) {
		const uint32_t length = MIB - 4;
		const uint16_t version = 4;
		memcpy(bench->info + at, &length, sizeof(length));
		memcpy(bench->info + at + 4, &version, sizeof(version));
		bench->info[at + 10] = 8; /* bytes of an address */
	}
	pack(bench, 0, DEBUG_INFO, bench->info);
	pack(bench, 1, DEBUG_LINE, bench->zeros);
	pack(bench, 2, DEBUG_RANGES, bench->zeros);
	pack(bench, 3, DEBUG_RNGLISTS, bench->zeros);
	dwarf_init(&bench->dwarf, &bench->file);
	bench->dwarf.refers_across = refers_across;
	passed_sections_init(&bench->passed, &bench->dwarf, true, THREADS);
	for (unsigned thread = 0; thread < THREADS; thread++)
		passed_sections_begin_unit(&bench->passed, thread);
}

static void bench_done(struct bench *bench)
{
	passed_sections_done(&bench->passed);
	die_index_done(&bench->dwarf);
	dwarf_done(&bench->dwarf);
	for (int i = 0; i < DEBUG_SECTION_COUNT; i++)
		section_done(&bench->file.sections[i]);
	for (size_t i = 0; i < COUNT_OF(bench->packed); i++)
		bytes_done(&bench->packed[i]);
	free(bench->info);
	free(bench->zeros);
}

/* Up to where each thread has come. */
static void information(void **state)
{
	const struct line_header none = {.version = 0};
	struct bench bench;
	(void)state;
	bench_init(&bench, true);
	passed_sections_end_unit(&bench.passed, 0, 8 * MIB, &none, &nowhere);
	passed_sections_end_unit(&bench.passed, 1, 6 * MIB, &none, &nowhere);
	assert_int_equal(bench.passed.info_released, 0); /* the third has not read anything yet */
	passed_sections_end_unit(&bench.passed, 2, 5 * MIB, &none, &nowhere);
	assert_int_equal(bench.passed.info_released, 5 * MIB);
	passed_sections_end_unit(&bench.passed, 2, 9 * MIB, &none, &nowhere);
	assert_int_equal(bench.passed.info_released, 5 * MIB); /* a little more is not worth it */
	passed_sections_leave(&bench.passed, 1);
	passed_sections_end_unit(&bench.passed, 2, 10 * MIB, &none, &nowhere);
	assert_int_equal(bench.passed.info_released, 8 * MIB);
	bench_done(&bench);
}

/*
 * Up to the tables that threads read, less what a later unit may have. One that has begun a unit may have any table
 * from where all were then, and one that waits for a unit has none.
 */
static void lines(void **state)
{
	const struct line_header ten = {.version = 4, .end = 10 * MIB}, fourteen = {.version = 4, .end = 14 * MIB};
	const struct line_header none = {.version = 0, .end = SIZE};
	struct bench bench;
	(void)state;
	bench_init(&bench, false);
	const struct passing *lines = &bench.passed.lines;
	passed_sections_note_table(&bench.passed, 0, 4 * MIB);
	passed_sections_note_table(&bench.passed, 1, 9 * MIB);
	passed_sections_end_unit(&bench.passed, 1, MIB, &ten, &nowhere);
	assert_int_equal(lines->released, 0); /* the third may have any */
	passed_sections_note_table(&bench.passed, 2, 7 * MIB);
	passed_sections_end_unit(&bench.passed, 1, MIB, &none, &nowhere);
	assert_int_equal(lines->released, 3 * MIB);
	passed_sections_end_unit(&bench.passed, 0, MIB, &none, &nowhere);
	assert_int_equal(lines->released, 6 * MIB); /* the first two wait */
	passed_sections_begin_unit(&bench.passed, 0);
	passed_sections_end_unit(&bench.passed, 1, MIB, &fourteen, &nowhere);
	passed_sections_end_unit(&bench.passed, 2, MIB, &none, &nowhere);
	assert_int_equal(lines->released, 9 * MIB); /* the first has begun a unit behind 10 MiB */
	passed_sections_end_unit(&bench.passed, 0, MIB, &none, &nowhere);
	assert_int_equal(lines->released, 13 * MIB);
	bench_done(&bench);
}

/* A unit may have a table that others are past: from when it is noted, nothing behind it is given back. */
static void late_table(void **state)
{
	const struct line_header six = {.version = 4, .end = 6 * MIB}, ten = {.version = 4, .end = 10 * MIB};
	struct bench bench;
	(void)state;
	bench_init(&bench, false);
	passed_sections_end_unit(&bench.passed, 1, MIB, &six, &nowhere);
	passed_sections_end_unit(&bench.passed, 0, MIB, &six, &nowhere);
	passed_sections_begin_unit(&bench.passed, 0);
	passed_sections_note_table(&bench.passed, 0, MIB);
	passed_sections_end_unit(&bench.passed, 2, MIB, &ten, &nowhere);
	assert_int_equal(bench.passed.lines.released, 0);
	passed_sections_end_unit(&bench.passed, 0, MIB, &six, &nowhere);
	assert_int_equal(bench.passed.lines.released, 9 * MIB);
	bench_done(&bench);
}

/* Up to what the threads had reached when they began their units, less what these may have; no other offset counts. */
static void lists(void **state)
{
	const struct line_header none = {.version = 0};
	const struct list_places six = {6 * MIB, 5 * MIB}, eight = {8 * MIB, 7 * MIB}, ten = {10 * MIB, 9 * MIB};
	const struct list_places elsewhere = {SIZE + 1, SIZE + 1}; /* in a split unit's file */
	struct bench bench;
	(void)state;
	bench_init(&bench, false);
	const struct passing *ranges = &bench.passed.ranges, *rnglists = &bench.passed.rnglists;
	passed_sections_end_unit(&bench.passed, 0, MIB, &none, &six);
	passed_sections_end_unit(&bench.passed, 0, MIB, &none, &elsewhere);
	struct list_places floors = passed_sections_begin_unit(&bench.passed, 0);
	assert_int_equal(floors.ranges, 5 * MIB);
	assert_int_equal(floors.rnglists, 4 * MIB);
	assert_int_equal(ranges->released, 0); /* the others may have any */
	floors = passed_sections_begin_unit(&bench.passed, 1);
	assert_int_equal(floors.ranges, 5 * MIB);
	passed_sections_end_unit(&bench.passed, 2, MIB, &none, &ten);
	assert_int_equal(ranges->released, 5 * MIB);
	assert_int_equal(ranges->section->forgotten, 4 * MIB); /* whole granules */
	assert_int_equal(rnglists->released, 4 * MIB);
	assert_int_equal(rnglists->section->forgotten, 4 * MIB);
	floors = passed_sections_begin_unit(&bench.passed, 2);
	assert_int_equal(floors.rnglists, 8 * MIB);
	passed_sections_end_unit(&bench.passed, 1, MIB, &none, &nowhere);
	passed_sections_end_unit(&bench.passed, 0, MIB, &none, &eight);
	assert_int_equal(ranges->released, 9 * MIB);
	assert_int_equal(rnglists->released, 8 * MIB);
	assert_int_equal(bench.file.sections[DEBUG_LINE].forgotten, 0);
	bench_done(&bench);
}

/* Where not all units are read, in their order, nothing is given back. */
static void some_units(void **state)
{
	const struct line_header ten = {.version = 4, .end = 10 * MIB};
	const struct list_places lists = {10 * MIB, 10 * MIB};
	struct bench bench;
	(void)state;
	bench_init(&bench, true);
	passed_sections_done(&bench.passed);
	passed_sections_init(&bench.passed, &bench.dwarf, false, 1);
	for (int i = 0; i < 2; i++) {
		const struct list_places floors = passed_sections_begin_unit(&bench.passed, 0);
		assert_int_equal(floors.ranges, 0);
		assert_int_equal(floors.rnglists, 0);
		passed_sections_end_unit(&bench.passed, 0, 10 * MIB, &ten, &lists);
	}
	for (int i = 0; i < DEBUG_SECTION_COUNT; i++)
		assert_int_equal(bench.file.sections[i].forgotten, 0);
	bench_done(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(information), cmocka_unit_test(lines),      cmocka_unit_test(late_table),
		cmocka_unit_test(lists),       cmocka_unit_test(some_units),
	};
	return cmocka_run_group_tests_name("passed_sections", tests, NULL, NULL);
}
