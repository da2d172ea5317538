/* The rows of a unit: with ids for files, packed where they are many, and refused where units share too many. RULES A1,
 * A7, B11. */
#include "convert/unit/unit_rows.h"

#include <dwarf.h>

#include "base/steps_test.h"
#include "base/toolkit_test.h"
#include "convert/dwarf/dwarf_file.h"
#include "convert/dwarf/unit.h"

enum { PAD = 3, EXEC_START = 0x100, EXEC_END = 0x1000, NO_FILE = 9, FILES = 3 };

static const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};

/* ---- Programs ---- */

static void put_address(struct bytes *out, uint64_t address)
{
	put_bytes(out, "\0\x09\x02", 3);
	put_number(out, address, 8);
}

/* A row, and the distance to the next one. */
static void put_row(struct bytes *out, uint64_t file, int64_t lines, uint64_t distance)
{
	put_u8(out, DW_LNS_set_file);
	put_uleb(out, file);
	put_u8(out, DW_LNS_advance_line);
	put_sleb(out, lines);
	put_u8(out, DW_LNS_copy);
	put_u8(out, DW_LNS_advance_pc);
	put_uleb(out, distance);
}

static void put_end(struct bytes *out)
{
	put_bytes(out, "\0\x01\x01", 3);
}

/* A program of one row, from 0x200 to 0x204, between pads. */
static void put_one_row(struct bytes *section)
{
	put_bytes(section, "pad", PAD);
	put_address(section, 0x200);
	put_row(section, 1, 1, 4);
	put_end(section);
	put_bytes(section, "pad", PAD);
}

/* ---- A unit with a line table behind a pad ---- */

struct bench {
	struct elf_file file;
	struct exec_range exec;
	struct dwarf dwarf;
	struct unit unit;
	const char *directories[1];
	struct line_file line_files[FILES];
	struct string_set strings;
	struct source_paths files;
	struct path_finder paths;
	struct unit_rows rows;
	uint64_t dropped[LOCUS_DROPPED_COUNT];
};

static void bench_init(struct bench *bench, struct bytes *section)
{
	*bench = (struct bench){
		.exec = {EXEC_START, EXEC_END},
		.line_files = {{NULL, 0}, {"one.c", 0}, {"two.c", 0}},
		.unit = {.where = DEBUG_INFO, .version = 4, .comp_dir = "/", .stmt_list = PAD},
	};
	section->big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	bench->file.exec = &bench->exec;
	bench->file.exec_count = 1;
	section_init(&bench->file.sections[DEBUG_LINE], section->data, section->size, false);
	dwarf_init(&bench->dwarf, &bench->file);
	struct unit *unit = &bench->unit;
	unit->dwarf = &bench->dwarf;
	unit->files_unit = unit;
	unit->lines = (struct line_header){
		.version = 4,
		.offset_size = 4,
		.address_size = 8,
		.min_inst_length = 1,
		.max_ops = 1,
		.line_base = -5,
		.line_range = 14,
		.opcode_base = 13,
		.opcode_lengths = lengths,
		.offset = PAD,
		.program = PAD,
		.end = section->size - PAD,
		.directories = bench->directories,
		.directory_count = 1,
		.files = bench->line_files,
		.file_count = FILES,
	};
	string_set_init(&bench->strings);
	source_paths_init(&bench->files, &bench->strings, NULL, 0);
	bench->paths.paths = &bench->files;
}

static void bench_done(struct bench *bench)
{
	unit_rows_done(&bench->rows);
	free(bench->unit.file_ids);
	source_paths_done(&bench->files);
	string_set_done(&bench->strings);
	dwarf_done(&bench->dwarf);
}

static enum locus_status read(struct bench *bench, struct locus_error *error)
{
	return unit_rows_read(&bench->rows, &bench->unit, &bench->file, &bench->paths, bench->dropped, error);
}

/* ---- Cases ---- */

/* A program of more than 1 MiB gives the same rows, although they are packed while it runs. */
static void rows_in_memory_and_packed(void **state)
{
	(void)state;
	for (int is_large = 0; is_large < 2; is_large++) {
		struct bytes section = {0};
		struct bench bench;
		put_bytes(&section, "pad", PAD);
		put_address(&section, 0x200);
		put_row(&section, 1, 4, 4);
		put_row(&section, NO_FILE, 1, 4);
		put_row(&section, NO_FILE, 1, 4);
		put_row(&section, 2, 1, 4);
		put_end(&section);
		put_address(&section, 0x180);
		put_row(&section, 2, 8, 4);
		for (uint32_t i = 0; is_large && i <= 1 << 20; i++)
			put_u8(&section, DW_LNS_set_basic_block);
		put_row(&section, 1, 1, 4);
		put_end(&section);
		put_address(&section, 0x300);
		put_row(&section, NO_FILE, 2, 4);
		put_end(&section);
		put_address(&section, 0x2000); /* not executable: its file does not count as bad */
		put_row(&section, NO_FILE, 1, 8);
		put_end(&section);
		put_bytes(&section, "pad", PAD);
		bench_init(&bench, &section);
		for (uint64_t round = 1; round <= 2; round++) {
			assert_int_equal(read(&bench, NULL), LOCUS_OK);
			assert_int_equal(bench.rows.is_packed, is_large);
			assert_int_equal(bench.dropped[LOCUS_DROPPED_NOT_EXECUTABLE], round);
			assert_int_equal(bench.dropped[LOCUS_DROPPED_BAD_FILE], 3 * round);
		}

		const uint32_t one = bench.unit.file_ids[1], two = bench.unit.file_ids[2];
		const struct sequence_span *spans = bench.rows.sequences.spans;
		assert_int_equal(bench.rows.sequences.count, 3);
		assert_true(one && two && one != two);
		assert_int_equal(spans[0].first_file, two);
		assert_int_equal(spans[0].first_line, 9);
		assert_int_equal(spans[0].last_file, one);
		assert_int_equal(spans[0].last_line, 10);
		assert_int_equal(spans[1].first_file, one);
		assert_int_equal(spans[1].first_line, 5);
		assert_int_equal(spans[1].last_file, two);
		assert_int_equal(spans[1].last_line, 8);

		const struct split_row expected[] = {{0x180, two, 9}, {0x184, one, 10}, {0x200, one, 5},
						     {0x204, 0, 6},   {0x208, 0, 7},    {0x20c, two, 8}};
		const struct preference prefer = {.stmt_sequence = UINT64_MAX};
		struct chosen_rows chosen = {0};
		assert_true(unit_rows_choose(&bench.rows, 0x184, 0x206, &prefer, &chosen));
		assert_int_equal(chosen.chosen.count, 2);
		assert_int_equal(chosen.chosen.spans[0].row_count, is_large ? 1 : 2); /* only those are unpacked */
		assert_int_equal(chosen.chosen.spans[1].row_count, is_large ? 2 : 4);
		assert_true(unit_rows_choose(&bench.rows, 0x180, 0x210, &prefer, &chosen));
		assert_int_equal(chosen.chosen.count, 2);
		assert_int_equal(chosen.unpacked.count, is_large ? COUNT_OF(expected) : 0);
		for (uint32_t i = 0, at = 0; i < chosen.chosen.count; i++) {
			const struct row_span *span = &chosen.chosen.spans[i];
			for (uint32_t k = 0; k < span->row_count; k++, at++) {
				const struct split_row *row = &chosen.rows[span->row_first + k];
				assert_true(at < COUNT_OF(expected));
				if (row->addr != expected[at].addr || row->file != expected[at].file ||
				    row->line != expected[at].line)
					fail_msg("row %u: file %u, line %u", at, row->file, row->line);
			}
		}
		chosen_rows_done(&chosen);
		bench_done(&bench);
		bytes_done(&section);
	}
}

/*
 * Where rows were unpacked last says nothing of the table that is read next, even if it is at the same place in memory.
 */
static void packed_rows_of_the_next_table(void **state)
{
	const struct preference prefer = {.stmt_sequence = UINT64_MAX};
	struct bytes sections[2] = {{0}};
	struct bench benches[2];
	struct unit_rows *rows = &benches[0].rows;
	struct chosen_rows chosen = {0};
	(void)state;
	for (uint8_t i = 0; i < 2; i++) {
		put_bytes(&sections[i], "pad", PAD);
		put_address(&sections[i], 0x200);
		for (uint32_t k = 0; k <= 1 << 20; k++)
			put_u8(&sections[i], DW_LNS_set_basic_block);
		put_row(&sections[i], 1, 4 + i, 4);
		put_row(&sections[i], 1, 1, 4);
		put_end(&sections[i]);
		put_bytes(&sections[i], "pad", PAD);
		bench_init(&benches[i], &sections[i]);
	}
	for (uint32_t turn = 0; turn < 4; turn++) {
		const uint32_t i = turn % 2;
		struct bench *bench = &benches[i];
		if (turn >= 2) {
			unit_rows_done(rows);
			*rows = (struct unit_rows){0};
		}
		assert_int_equal(unit_rows_read(rows, &bench->unit, &bench->file, &bench->paths, bench->dropped, NULL),
				 LOCUS_OK);
		assert_true(rows->is_packed);
		for (int round = 0; round < 2; round++) {
			assert_true(unit_rows_choose(rows, 0x204, 0x208, &prefer, &chosen));
			assert_int_equal(chosen.chosen.count, 1);
			assert_int_equal(chosen.chosen.spans[0].row_count, 1);
			assert_int_equal(chosen.rows[chosen.chosen.spans[0].row_first].line, 6 + i);
		}
	}
	chosen_rows_done(&chosen);
	for (uint32_t i = 0; i < 2; i++) {
		bench_done(&benches[i]);
		bytes_done(&sections[i]);
	}
}

/* Of very many sequences, in whatever order, only the sorted ones are kept. */
static void many_sequences(void **state)
{
	enum { COUNT = 30000 };
	struct bytes section = {0};
	struct bench bench;
	(void)state;
	put_bytes(&section, "pad", PAD);
	for (uint32_t i = 0; i < COUNT; i++) {
		put_address(&section, EXEC_START + 8 * (i * UINT64_C(7919) % COUNT));
		put_row(&section, 1, 1 + i % 5, 8);
		put_end(&section);
	}
	put_bytes(&section, "pad", PAD);
	bench_init(&bench, &section);
	bench.exec.end = EXEC_START + 8 * COUNT;
	for (unsigned round = 0; round < 2; round++) {
		assert_int_equal(read(&bench, NULL), LOCUS_OK);
		assert_null(bench.rows.table.sequences);
		assert_int_equal(bench.rows.sequences.count, COUNT);
		for (uint32_t i = 0; i < COUNT; i++) {
			const struct sequence_span *span = &bench.rows.sequences.spans[i];
			assert_int_equal(span->span.start, EXEC_START + 8 * i);
			assert_int_equal(span->span.row_count, 1);
			assert_int_equal(bench.rows.table.rows[span->span.row_first].addr, span->span.start);
		}
	}
	bench_done(&bench);
	bytes_done(&section);
}

/* Columns are in an array of their own, and never packed. */
static void rows_with_columns(void **state)
{
	const struct preference prefer = {.stmt_sequence = UINT64_MAX};
	struct bytes section = {0};
	struct bench bench;
	struct chosen_rows chosen = {0};
	(void)state;
	put_bytes(&section, "pad", PAD);
	put_address(&section, 0x200);
	put_bytes(&section, "\x05\x07", 2); /* DW_LNS_set_column */
	for (uint32_t i = 0; i <= 1 << 20; i++)
		put_u8(&section, DW_LNS_set_basic_block);
	put_row(&section, 1, 1, 4);
	put_end(&section);
	put_bytes(&section, "pad", PAD);
	bench_init(&bench, &section);
	bench.rows.table.keeps_columns = true;
	assert_int_equal(read(&bench, NULL), LOCUS_OK);
	assert_false(bench.rows.is_packed);
	assert_true(unit_rows_choose(&bench.rows, 0x200, 0x204, &prefer, &chosen));
	assert_int_equal(chosen.chosen.count, 1);
	assert_int_equal(chosen.columns[chosen.chosen.spans[0].row_first], 7);
	chosen_rows_done(&chosen);
	bench_done(&bench);
	bytes_done(&section);
}

/* RULES A7: no thread may read more than 16 times the section and 64 MiB of line tables. */
static void tables_that_too_many_units_share(void **state)
{
	struct bytes section = {0};
	struct bench bench;
	struct locus_error error;
	(void)state;
	put_one_row(&section);
	bench_init(&bench, &section);
	const uint64_t most = section.size * 16 + (64 << 20);
	assert_int_equal(unit_rows_bytes_most(&bench.dwarf), most);
	bench.rows.bytes_read = most - (section.size - 2 * PAD);
	assert_int_equal(read(&bench, &error), LOCUS_OK);
	assert_int_equal(bench.rows.bytes_read, most);
	bench.rows.bytes_read = most - (section.size - 2 * PAD) + 1;
	bench.unit.comp_dir = "/another";
	assert_int_equal(read(&bench, &error), LOCUS_ERR_BAD_DWARF);
	assert_string_equal(error.text, "more units share line tables than can be, at the one at .debug_line+0x3");
	assert_int_equal(error.offset, LOCUS_NO_OFFSET);
	bench_done(&bench);
	bytes_done(&section);
}

/* A table that several units have in turn is read once, unless their directories, and so their files, may be others. */
static void a_table_that_units_share(void **state)
{
	struct bytes section = {0};
	struct bench bench;
	(void)state;
	put_one_row(&section);
	bench_init(&bench, &section);
	const uint64_t once = section.size - 2 * PAD;
	static char directory[] = "/one";
	const struct {
		const char *directory;
		uint64_t readings;
	} units[] = {{NULL, 1}, {NULL, 1}, {"", 1}, {"/one", 2}, {directory, 2}, {"/other", 3}, {"/one", 4}, {NULL, 5}};
	for (size_t i = 0; i < COUNT_OF(units); i++) {
		/* A unit that has no table, between two that have one. */
		if (i % 2) {
			bench.unit.lines.version = 0;
			assert_int_equal(read(&bench, NULL), LOCUS_OK);
			assert_int_equal(bench.rows.sequences.count, 0);
			bench.unit.lines.version = 4;
		}
		bench.unit.comp_dir = units[i].directory;
		assert_int_equal(read(&bench, NULL), LOCUS_OK);
		assert_int_equal(bench.rows.sequences.count, 1);
		assert_int_equal(bench.rows.bytes_read, units[i].readings * once);
	}
	bench_done(&bench);
	bytes_done(&section);
}

static void rows_beyond_the_memory(void **state)
{
	struct bytes section = {0};
	struct bench bench;
	struct budget budget;
	struct locus_error error;
	(void)state;
	put_one_row(&section);
	bench_init(&bench, &section);
	budget_of_steps(&budget, UINT32_MAX);
	atomic_store(&budget.bytes_left, 0);
	assert_int_equal(read(&bench, &error), LOCUS_ERR_MEMORY);
	budget_use(NULL);
	assert_int_equal(budget_fail(&budget, LOCUS_OK, &error), LOCUS_ERR_BAD_DWARF);
	assert_string_equal(error.text, "its rows take more memory than input of 0 bytes can need, at .debug_line+0x3");
	bench_done(&bench);
	bytes_done(&section);
}

/* To refer to a table that cannot be read is damage, to none is not. Either way no rows of the unit before are left. */
static void no_table(void **state)
{
	struct bytes section = {0};
	struct bench bench;
	(void)state;
	put_one_row(&section);
	bench_init(&bench, &section);
	for (int refers = 0; refers < 2; refers++) {
		bench.unit.lines.version = 4;
		assert_int_equal(read(&bench, NULL), LOCUS_OK);
		assert_int_equal(bench.rows.sequences.count, 1);
		bench.unit.lines.version = 0;
		bench.unit.stmt_list = refers ? PAD : UINT64_MAX;
		assert_int_equal(read(&bench, NULL), LOCUS_OK);
		assert_int_equal(bench.rows.sequences.count, 0);
		assert_int_equal(bench.dropped[LOCUS_DROPPED_DAMAGED_LINES], refers);
	}
	bench_done(&bench);
	bytes_done(&section);
}

/* What the program drops is counted of all units. */
static void what_is_dropped(void **state)
{
	static const unsigned counted[] = {LOCUS_DROPPED_TOMBSTONE, LOCUS_DROPPED_EMPTY_SEQUENCE,
					   LOCUS_DROPPED_BACKWARD_ROW, LOCUS_DROPPED_LONG_LINE,
					   LOCUS_DROPPED_DAMAGED_LINES};
	struct bytes section = {0};
	struct bench bench;
	(void)state;
	put_bytes(&section, "pad", PAD);
	put_address(&section, UINT64_MAX);
	put_row(&section, 1, 1, 0);
	put_end(&section);
	put_address(&section, 0x200);
	put_row(&section, 1, 1, 0);
	put_end(&section);
	put_address(&section, 0x300);
	put_row(&section, 1, 1, 8);
	put_row(&section, 1, 1, 0);
	put_address(&section, 0x304);
	put_row(&section, 1, 1, 16);
	put_end(&section);
	put_address(&section, 0x400);
	put_row(&section, 1, INT64_C(1) << 33, 4);
	put_end(&section);
	put_address(&section, 0x500);
	put_row(&section, 1, 1, 4);
	bench_init(&bench, &section);
	bench.unit.lines.end = section.size;
	for (uint64_t round = 1; round <= 2; round++) {
		assert_int_equal(read(&bench, NULL), LOCUS_OK);
		for (size_t i = 0; i < COUNT_OF(counted); i++)
			if (bench.dropped[counted[i]] != round)
				fail_msg("round %u, %zu: %u", (unsigned)round, i, (unsigned)bench.dropped[counted[i]]);
	}
	bench_done(&bench);
	bytes_done(&section);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_in_memory_and_packed), cmocka_unit_test(packed_rows_of_the_next_table),
		cmocka_unit_test(rows_with_columns),         cmocka_unit_test(many_sequences),
		cmocka_unit_test(rows_beyond_the_memory),    cmocka_unit_test(tables_that_too_many_units_share),
		cmocka_unit_test(a_table_that_units_share),  cmocka_unit_test(no_table),
		cmocka_unit_test(what_is_dropped),
	};
	return cmocka_run_group_tests_name("unit_rows", tests, NULL, NULL);
}
