/* Which tables and rows hold an address, and which tables are kept. */
#include "convert/cross_check/line_tables.h"

#include <dwarf.h>

#include "base/toolkit_test.h"

enum { CODE = 0x100, CODE_END = 0x200, MORE = 0x300, MORE_END = 0x310 };

/* Tables in a section, and what refers to them. */
struct bench {
	struct bytes lines;
	struct exec_range exec[2];
	struct elf_file program;
	struct tree_unit units[3];
	struct tree tree;
	struct dwarf_sections sections;
	struct line_tables tables;
};

/* A sequence of one row at line 1. */
struct made_sequence {
	uint64_t start, end;
};

/* Adds a table of `count` such sequences, each of them `times` times; of a file "x" in directory 2 that is defined. */
static uint64_t put_table(struct bytes *out, const struct made_sequence *sequences, size_t count, unsigned times)
{
	static const uint8_t header[] = {1, 1, 1, (uint8_t)-5, 14, 13, 0,   1, 1, 1, 1, 0, 0,
					 0, 1, 0, 0,           1,  0,  'a', 0, 0, 0, 0, 0};
	size_t begin = out->size;
	put_number(out, 0, 4);
	put_number(out, 4, 2);
	put_number(out, sizeof(header), 4);
	put_bytes(out, header, sizeof(header));
	put_bytes(out, (uint8_t[]){0, 6, DW_LNE_define_file, 'x', 0, 2, 0, 0}, 8);
	for (size_t i = 0; i < count * times; i++) {
		put_bytes(out, (uint8_t[]){0, 9, DW_LNE_set_address}, 3);
		put_number(out, sequences[i % count].start, 8);
		put_u8(out, DW_LNS_copy);
		put_bytes(out, (uint8_t[]){0, 9, DW_LNE_set_address}, 3);
		put_number(out, sequences[i % count].end, 8);
		put_bytes(out, (uint8_t[]){0, 1, DW_LNE_end_sequence}, 3);
	}
	patch_number(out, begin, out->size - begin - 4, 4);
	return begin;
}

/* Reads the tables that were put to bench->lines. */
static void bench_read(struct bench *bench, uint8_t class)
{
	bench->exec[0] = (struct exec_range){CODE, CODE_END};
	bench->exec[1] = (struct exec_range){MORE, MORE_END};
	bench->program = (struct elf_file){.class = class, .exec = bench->exec, .exec_count = COUNT_OF(bench->exec)};
	bench->tree.units = bench->units;
	bench->sections.of[DEBUG_LINE] = (struct section_bytes){bench->lines.data, bench->lines.size};
	assert_true(line_tables_read(&bench->tables, &bench->sections, &bench->tree, &bench->program));
}

static void bench_done(struct bench *bench)
{
	line_tables_done(&bench->tables);
	bytes_done(&bench->lines);
}

static const struct made_sequence one = {CODE, CODE + 8};

static void tables_and_their_units(void **state)
{
	enum { TABLES = 4 };
	uint64_t offsets[TABLES];
	struct bench bench = {.tree = {.unit_count = 3}};
	(void)state;
	for (unsigned i = 0; i < TABLES; i++)
		offsets[i] = put_table(&bench.lines, &one, 1, 1);
	bench.units[0].line_offset = offsets[3];
	bench.units[1].line_offset = offsets[1];
	bench.units[2].line_offset = offsets[3];
	bench_read(&bench, ELFCLASS64);
	assert_int_equal(bench.tables.count, TABLES);
	for (unsigned i = 0; i < TABLES; i++) {
		assert_int_equal(line_tables_find(&bench.tables, offsets[i]), i);
		assert_int_equal(line_tables_find(&bench.tables, offsets[i] + 1), UINT32_MAX);
		assert_int_equal(bench.tables.tables[i].unit, i == 3 ? 0 : i == 1 ? 1 : UINT32_MAX);
	}
	assert_int_equal(line_tables_find(&bench.tables, bench.lines.size), UINT32_MAX);
	bench_done(&bench);
}

/* Addresses have the size that the file's class says, for the table does not say it: all ones of 4 bytes are dead. */
static void addresses_of_a_class(void **state)
{
	static const struct made_sequence dead = {UINT32_MAX, UINT32_MAX + UINT64_C(4)};
	(void)state;
	for (uint8_t class = ELFCLASS32; class <= ELFCLASS64; class ++) {
		struct bench bench = {.lines = {0}};
		put_table(&bench.lines, &dead, 1, 1);
		bench_read(&bench, class);
		assert_int_equal(line_tables_get(&bench.tables, 0)->rows.row_count, class == ELFCLASS64);
		bench_done(&bench);
	}
}

/* RULES A1. */
static void sequences_in_code(void **state)
{
	static const struct made_sequence sequences[] = {
		{CODE - 4, CODE + 4}, {CODE + 4, CODE + 8}, {CODE_END - 4, MORE + 4}, {MORE + 8, MORE_END}};
	static const struct {
		uint64_t addr;
		uint32_t count; /* of rows of the table */
		uint32_t in_all;
	} cases[] = {
		{CODE - 1, 0, 0}, {CODE, 0, 0},     {CODE + 3, 0, 0},     {CODE + 4, 1, 1},
		{CODE + 7, 1, 1}, {CODE + 8, 0, 0}, {CODE_END - 4, 1, 1}, {CODE_END, 0, 0},
		{MORE, 0, 0},     {MORE + 3, 0, 0}, {MORE_END - 1, 1, 1}, {MORE_END, 0, 0},
	};
	struct bench bench = {.lines = {0}};
	(void)state;
	put_table(&bench.lines, sequences, COUNT_OF(sequences), 1);
	bench_read(&bench, ELFCLASS64);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct table_rows of = {0}, at = {0};
		assert_true(line_tables_rows_of(&bench.tables, 0, cases[i].addr, &of));
		assert_true(line_tables_rows_at(&bench.tables, cases[i].addr, &at));
		bool is_code = elf_file_exec(&bench.program, cases[i].addr) != NULL;
		if ((is_code && of.count != cases[i].count) || at.count != cases[i].in_all)
			fail_msg("0x%llx: %u and %u rows", (unsigned long long)cases[i].addr, of.count, at.count);
		table_rows_done(&of);
		table_rows_done(&at);
	}
	bench_done(&bench);
}

/* Each sequence answers once, however many there are: folded functions may have thousands. */
static void rows_at_one_address(void **state)
{
	static const struct {
		unsigned first, second; /* sequences of two tables */
	} cases[] = {{1, 1}, {3, 2}, {64, 1}, {65, 65}, {5000, 1}, {1, 5000}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct table_rows of_first = {0}, of_second = {0}, in_all = {0};
		struct bench bench = {.lines = {0}};
		put_table(&bench.lines, &one, 1, cases[i].first);
		put_table(&bench.lines, &one, 1, cases[i].second);
		bench_read(&bench, ELFCLASS64);
		assert_true(line_tables_rows_of(&bench.tables, 0, CODE, &of_first));
		assert_true(line_tables_rows_of(&bench.tables, 1, CODE, &of_second));
		assert_true(line_tables_rows_at(&bench.tables, CODE + 7, &in_all));
		assert_int_equal(of_first.count, cases[i].first);
		assert_int_equal(of_second.count, cases[i].second);
		assert_int_equal(in_all.count, cases[i].first + cases[i].second);
		for (uint32_t k = 0; k < in_all.count; k++) {
			const struct table_row *row = &in_all.rows[k];
			const uint32_t last = row->table ? cases[i].second : in_all.count;
			assert_int_equal(row->table, k < cases[i].second);
			assert_int_equal(row->sequence, last - 1 - k);
			assert_int_equal(row->index, row->sequence);
			assert_int_equal(row->row.addr, CODE);
			assert_int_equal(row->row.line, 1);
		}
		table_rows_done(&of_first);
		table_rows_done(&of_second);
		table_rows_done(&in_all);
		bench_done(&bench);
	}
}

/* The table that was asked for longest ago makes place for another. */
static void tables_that_are_kept(void **state)
{
	const struct kept_table *places[LINE_TABLES_KEPT];
	struct bench bench = {.lines = {0}};
	(void)state;
	for (unsigned i = 0; i < LINE_TABLES_KEPT + 2; i++)
		put_table(&bench.lines, &one, 1, i + 1);
	bench_read(&bench, ELFCLASS64);
	for (unsigned i = 0; i < LINE_TABLES_KEPT; i++) {
		places[i] = line_tables_get(&bench.tables, i);
		for (unsigned k = 0; k < i; k++)
			assert_ptr_not_equal(places[i], places[k]);
	}
	for (unsigned i = 0; i < LINE_TABLES_KEPT; i++)
		if (i != 3 && i != 5)
			assert_ptr_equal(line_tables_get(&bench.tables, i), places[i]);
	assert_ptr_equal(line_tables_get(&bench.tables, LINE_TABLES_KEPT), places[3]);
	assert_ptr_equal(line_tables_get(&bench.tables, LINE_TABLES_KEPT + 1), places[5]);
	assert_ptr_equal(line_tables_get(&bench.tables, 3), places[0]);
	assert_ptr_equal(line_tables_get(&bench.tables, LINE_TABLES_KEPT), places[3]);
	for (unsigned i = 0; i < LINE_TABLES_KEPT + 2; i++) {
		const struct kept_table *kept = line_tables_get(&bench.tables, i);
		assert_int_equal(kept->table, i);
		assert_int_equal(kept->rows.sequence_count, i + 1);
		assert_int_equal(kept->sequences.count, i + 1);
	}
	bench_done(&bench);
}

/* Those of the header, and behind them what the program defines. */
static void files_of_a_table(void **state)
{
	struct bench bench = {.lines = {0}};
	(void)state;
	put_table(&bench.lines, &one, 1, 1);
	bench_read(&bench, ELFCLASS64);
	const struct plain_files *files = line_tables_files(&bench.tables, 0);
	assert_int_equal(files->file_count, 3);
	assert_string_equal(files->files[1].name, "a");
	assert_string_equal(files->files[2].name, "x");
	assert_int_equal(files->files[2].directory, 2);
	assert_ptr_equal(line_tables_files(&bench.tables, 0), files);
	assert_int_equal(files->file_count, 3);
	bench_done(&bench);
}

/* A table of an unknown version has no files, and what is behind it is read. */
static void a_table_of_another_version(void **state)
{
	struct bench bench = {.lines = {0}};
	(void)state;
	put_table(&bench.lines, &one, 1, 1);
	put_table(&bench.lines, &one, 1, 1);
	patch_number(&bench.lines, 4, 7, 2);
	bench_read(&bench, ELFCLASS64);
	assert_int_equal(bench.tables.count, 2);
	assert_int_equal(bench.tables.sequences.count, 1);
	assert_int_equal(line_tables_files(&bench.tables, 0)->file_count, 0);
	assert_int_equal(line_tables_files(&bench.tables, 1)->file_count, 3);
	bench_done(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_and_their_units),     cmocka_unit_test(addresses_of_a_class),
		cmocka_unit_test(sequences_in_code),          cmocka_unit_test(rows_at_one_address),
		cmocka_unit_test(tables_that_are_kept),       cmocka_unit_test(files_of_a_table),
		cmocka_unit_test(a_table_of_another_version),
	};
	return cmocka_run_group_tests_name("line_tables", tests, NULL, NULL);
}
