/* Inflated bytes are given back when no thread can be reading them, and not before. */
#include "convert/schedule/passed_sections.h"

#include <zlib.h>

#include "base/toolkit_test.h"
#include "convert/dwarf/die_reference.h"

enum { MIB = 1 << 20, SIZE = 16 * MIB, THREADS = 3 };

/* A program whose .debug_info, of units of 1 MiB, and .debug_line are compressed, and inflated as a whole. */
struct bench {
	uint8_t *info, *lines;
	struct bytes packed[2];
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
	*bench = (struct bench){.info = calloc(1, SIZE), .lines = calloc(1, SIZE)};
	assert_true(bench->info && bench->lines);
	for (size_t at = 0; at < SIZE; at += MIB) {
		const uint32_t length = MIB - 4;
		const uint16_t version = 4;
		memcpy(bench->info + at, &length, sizeof(length));
		memcpy(bench->info + at + 4, &version, sizeof(version));
		bench->info[at + 10] = 8; /* bytes of an address */
	}
	pack(bench, 0, DEBUG_INFO, bench->info);
	pack(bench, 1, DEBUG_LINE, bench->lines);
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
	section_done(&bench->file.sections[DEBUG_INFO]);
	section_done(&bench->file.sections[DEBUG_LINE]);
	bytes_done(&bench->packed[0]);
	bytes_done(&bench->packed[1]);
	free(bench->info);
	free(bench->lines);
}

/* Up to where each thread has come. */
static void information(void **state)
{
	const struct line_header none = {.version = 0};
	struct bench bench;
	(void)state;
	bench_init(&bench, true);
	passed_sections_end_unit(&bench.passed, 0, 8 * MIB, &none);
	passed_sections_end_unit(&bench.passed, 1, 6 * MIB, &none);
	assert_int_equal(bench.passed.info_released, 0); /* the third has not read anything yet */
	passed_sections_end_unit(&bench.passed, 2, 5 * MIB, &none);
	assert_int_equal(bench.passed.info_released, 5 * MIB);
	passed_sections_end_unit(&bench.passed, 2, 9 * MIB, &none);
	assert_int_equal(bench.passed.info_released, 5 * MIB); /* a little more is not worth it */
	passed_sections_leave(&bench.passed, 1);
	passed_sections_end_unit(&bench.passed, 2, 10 * MIB, &none);
	assert_int_equal(bench.passed.info_released, 8 * MIB);
	bench_done(&bench);
}

/* Up to the tables that threads read, less what a later unit may have; what begins a unit may have any table. */
static void lines(void **state)
{
	const struct line_header ten = {.version = 4, .end = 10 * MIB}, none = {.version = 0, .end = SIZE};
	struct bench bench;
	(void)state;
	bench_init(&bench, false);
	passed_sections_note_table(&bench.passed, 0, 4 * MIB);
	passed_sections_note_table(&bench.passed, 1, 9 * MIB);
	passed_sections_end_unit(&bench.passed, 1, MIB, &ten);
	assert_int_equal(bench.passed.lines_released, 0); /* the third may have any */
	passed_sections_note_table(&bench.passed, 2, 7 * MIB);
	passed_sections_end_unit(&bench.passed, 1, MIB, &none);
	assert_int_equal(bench.passed.lines_released, 3 * MIB);
	passed_sections_begin_unit(&bench.passed, 0);
	passed_sections_end_unit(&bench.passed, 1, MIB, &none);
	assert_int_equal(bench.passed.lines_released, 3 * MIB);
	passed_sections_leave(&bench.passed, 0);
	passed_sections_end_unit(&bench.passed, 1, MIB, &none);
	assert_int_equal(bench.passed.lines_released, 6 * MIB);
	passed_sections_leave(&bench.passed, 2);
	passed_sections_end_unit(&bench.passed, 1, MIB, &none);
	assert_int_equal(bench.passed.lines_released, 9 * MIB);
	bench_done(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(information),
		cmocka_unit_test(lines),
	};
	return cmocka_run_group_tests_name("passed_sections", tests, NULL, NULL);
}
