/* Line programs by hand: each opcode, each rule on rows and sequences, and what the header decides. DWARF 5, 6.2. */
#include "convert/cross_check/plain_rows.h"

#include <dwarf.h>

#include "base/steps_test.h"
#include "base/toolkit_test.h"

/* What of a header decides how the program is run. Zeros stand for the usual. */
struct header {
	unsigned version;      /* 4 */
	unsigned addr_size;    /* 8 */
	unsigned min_length;   /* 1 */
	int max_ops;           /* 1; -1: none; -2: left out */
	int line_base;         /* -5 */
	int line_range;        /* 14; -1: none */
	unsigned opcode_base;  /* 13 */
	uint8_t unknown_count; /* of operands, of standard opcode 13, if there is one */
	bool is_wide, big;
};

static unsigned usual(unsigned number, unsigned otherwise)
{
	return number ? number : otherwise;
}

static unsigned version_of(const struct header *header)
{
	return usual(header->version, 4);
}

/* A table of one file, behind a pad, and two bytes in which the next one would begin. */
enum { PAD = 3, BEHIND = 2 };

static void put_table(struct bytes *out, const struct header *header, const uint8_t *program, size_t size)
{
	static const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
	unsigned version = version_of(header), offset_size = header->is_wide ? 8 : 4;
	unsigned opcode_base = usual(header->opcode_base, 13);
	out->big = header->big;
	put_bytes(out, "pad", PAD);
	if (header->is_wide)
		put_number(out, UINT32_MAX, 4);
	put_number(out, 0, offset_size);
	size_t begin = out->size;
	put_number(out, version, 2);
	if (version >= 5) {
		put_u8(out, (uint8_t)usual(header->addr_size, 8));
		put_u8(out, 0);
	}
	put_number(out, 0, offset_size);
	size_t behind_length = out->size;
	put_u8(out, (uint8_t)usual(header->min_length, 1));
	if (version >= 4 && header->max_ops > -2)
		put_u8(out, header->max_ops < 0 ? 0 : (uint8_t)usual((unsigned)header->max_ops, 1));
	put_u8(out, 1);
	put_u8(out, (uint8_t)(header->line_base ? header->line_base : -5));
	put_u8(out, header->line_range < 0 ? 0 : (uint8_t)usual((unsigned)header->line_range, 14));
	put_u8(out, (uint8_t)opcode_base);
	for (unsigned i = 1; i < opcode_base; i++)
		put_u8(out, i <= sizeof(lengths) ? lengths[i - 1] : header->unknown_count);
	put_bytes(out, version >= 5 ? "\1\1\10\1d\0\1\1\10\1f" : "\0f\0\0\0\0", version >= 5 ? 12 : 7);
	put_bytes(out, "gap", 3); /* which only the header's length tells of */
	patch_number(out, behind_length - offset_size, out->size - behind_length, offset_size);
	put_bytes(out, program, size);
	patch_number(out, begin - offset_size, out->size - begin, offset_size);
	put_bytes(out, "\0\0", BEHIND);
}

/*
 * "START-END: ADDR=FILE:LINE:COLUMN ... | ...", addresses in hexadecimal, a column of 0 left out; then the files that
 * were defined: "+NAME in DIRECTORY". Rows of no sequence are counted.
 */
static void show(const struct plain_rows *rows, char *text, size_t size)
{
	size_t at = 0;
	text[0] = 0;
#define SHOW(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
	for (uint32_t i = 0; i < rows->sequence_count; i++) {
		const struct plain_sequence *s = &rows->sequences[i];
		SHOW("%s%llx-%llx:", i ? " | " : "", (unsigned long long)s->start, (unsigned long long)s->end);
		for (uint32_t k = s->first; k < s->first + s->count; k++) {
			const struct plain_row *row = &rows->rows[k];
			SHOW(" %llx=%llu:%llu", (unsigned long long)row->addr, (unsigned long long)row->file,
			     (unsigned long long)row->line);
			if (row->column)
				SHOW(":%u", row->column);
		}
	}
	const struct plain_sequence *last = rows->sequences + rows->sequence_count;
	uint32_t in_sequences = rows->sequence_count ? last[-1].first + last[-1].count : 0;
	if (rows->row_count != in_sequences)
		SHOW(" and %u more", rows->row_count - in_sequences);
	for (uint32_t i = 0; i < rows->defined_count; i++)
		SHOW(" +%s in %llu", rows->defined[i].name, (unsigned long long)rows->defined[i].directory);
	assert_true(at < size);
}

/* clang-format off */
#define ADDR(a)   0, 9, DW_LNE_set_address, (a) & 0xff, (a) >> 8 & 0xff, 0, 0, 0, 0, 0, 0
#define DEAD(low) 0, 9, DW_LNE_set_address, low, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
#define ADDR4(a)  0, 5, DW_LNE_set_address, (a) & 0xff, (a) >> 8 & 0xff, 0, 0
#define COPY      DW_LNS_copy
#define PC(n)     DW_LNS_advance_pc, n
#define LINE(n)   DW_LNS_advance_line, (n) & 0x7f
#define IN(n)   DW_LNS_set_file, n
#define COLUMN(n) DW_LNS_set_column, n
#define FIXED(n)  DW_LNS_fixed_advance_pc, n, 0
#define END       0, 1, DW_LNE_end_sequence
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static const struct {
	const char *name;
	struct header header;
	const uint8_t *program;
	size_t size;
	const char *expected;
} cases[] = {
	{"one row", {0}, BYTES(ADDR(0x10), COPY, PC(4), END), "10-14: 10=1:1"},
	{"registers", {0}, BYTES(ADDR(0x10), IN(3), LINE(8), COLUMN(7), COPY, PC(4), LINE(-2), COPY, PC(1), END),
	 "10-15: 10=3:9:7 14=3:7:7"},
	{"registers are reset", {0}, BYTES(ADDR(0x10), IN(3), LINE(8), COLUMN(7), COPY, PC(4), END,
	 ADDR(0x20), COPY, PC(1), END), "10-14: 10=3:9:7 | 20-21: 20=1:1"},
	{"flags change nothing", {0}, BYTES(ADDR(0x10), DW_LNS_negate_stmt, DW_LNS_set_basic_block,
	 DW_LNS_set_prologue_end, DW_LNS_set_epilogue_begin, DW_LNS_set_isa, 5, COPY, PC(4), END), "10-14: 10=1:1"},
	{"special opcodes", {0}, BYTES(ADDR(0x10), LINE(20), 13, 13 + 5, 13 + 14, 13 + 13, 255, PC(1), END),
	 "10-23: 10=1:16 11=1:19 22=1:18"},
	{"lines below 0", {0}, BYTES(ADDR(0x10), 13, PC(1), END), "10-11: 10=1:18446744073709551612"},
	{"const_add_pc is as opcode 255 without a row", {0}, BYTES(ADDR(0x10), COPY, DW_LNS_const_add_pc, COPY, PC(1), END),
	 "10-22: 10=1:1 21=1:1"},
	{"two bytes to an instruction", {.min_length = 2}, BYTES(ADDR(0x10), COPY, PC(3), COPY, 13 + 14 + 5, FIXED(3), END),
	 "10-1b: 10=1:1 16=1:1 18=1:1"},
	{"a header of version 4 as version 3 has it", {.max_ops = -2, .line_base = 1, .line_range = 255},
	 BYTES(ADDR(0x10), COPY, PC(4), END), "10-14: 10=1:1"},
	{"operations of long instructions", {.min_length = 4, .max_ops = 3},
	 BYTES(ADDR(0x10), COPY, PC(2), LINE(1), COPY, PC(1), LINE(1), COPY, PC(7), LINE(1), COPY, PC(2), END),
	 "10-20: 10=1:2 14=1:3 1c=1:4"},
	{"fixed_advance_pc begins an instruction", {.min_length = 4, .max_ops = 3},
	 BYTES(ADDR(0x10), COPY, PC(2), FIXED(6), LINE(1), COPY, PC(2), LINE(1), COPY, PC(1), END), "10-1a: 10=1:1 16=1:3"},
	{"so does set_address", {.min_length = 4, .max_ops = 3},
	 BYTES(ADDR(0x10), COPY, PC(2), ADDR(0x20), LINE(1), COPY, PC(2), LINE(1), COPY, PC(1), END),
	 "10-24: 10=1:1 20=1:3"},
	{"before DWARF 4 an instruction is one operation", {.version = 3, .min_length = 4},
	 BYTES(ADDR(0x10), COPY, PC(2), END), "10-18: 10=1:1"},
	{"addresses wrap at their size", {.version = 5, .addr_size = 2}, BYTES(ADDR(0xfff0), COPY, PC(0x0f), LINE(1), COPY,
	 PC(2), COPY, END), ""},
	{"no range of lines: no special opcode moves", {.line_range = -1},
	 BYTES(ADDR(0x10), 20, DW_LNS_const_add_pc, PC(4), COPY, PC(1), END), "10-15: 10=1:1 14=1:1"},
	{"another base and range of lines", {.line_base = 1, .line_range = 4}, BYTES(ADDR(0x10), 13, 13 + 7, PC(2), END),
	 "10-13: 10=1:2 11=1:6"},

	{"RULES B3: of rows at one address the last", {0}, BYTES(ADDR(0x10), COPY, LINE(1), COPY, LINE(1), COPY, PC(4), END),
	 "10-14: 10=1:3"},
	{"RULES B4: an end without an address of its own", {0}, BYTES(ADDR(0x10), COPY, END), ""},
	{"RULES B4: an end below the last row", {0}, BYTES(ADDR(0x10), COPY, PC(8), COPY, ADDR(0x14), END), ""},
	{"RULES B4: an end at the last row", {0}, BYTES(ADDR(0x10), COPY, PC(8), LINE(1), COPY, END), "10-18: 10=1:1 18=1:2"},
	{"RULES B4: an end without rows", {0}, BYTES(ADDR(0x10), PC(8), END, ADDR(0x20), COPY, PC(1), END), "20-21: 20=1:1"},
	{"what is not ended is no sequence", {0}, BYTES(ADDR(0x10), COPY, PC(4), END, ADDR(0x20), COPY), "10-14: 10=1:1 and 1 more"},
	{"RULES B5: a row below the one before", {0}, BYTES(ADDR(0x10), COPY, PC(8), COPY, ADDR(0x14), LINE(1), COPY,
	 ADDR(0x20), LINE(1), COPY, PC(1), END), "10-21: 10=1:1 18=1:1 20=1:3"},
	{"RULES B5: an address below the sequence's start", {0}, BYTES(ADDR(0x10), COPY, ADDR(0x0f), LINE(1), COPY,
	 ADDR(0x20), LINE(1), COPY, PC(1), END), "10-21: 10=1:1 20=1:3"},
	{"RULES B5: from below the start it goes on hidden", {0}, BYTES(ADDR(0x10), COPY, ADDR(0x0f), PC(8), LINE(1), COPY,
	 ADDR(0x20), LINE(1), COPY, PC(1), END), "10-21: 10=1:1 20=1:3"},
	{"RULES B5: the start again", {0}, BYTES(ADDR(0x10), COPY, ADDR(0x10), LINE(1), COPY, PC(1), END), "10-11: 10=1:2"},
	{"RULES B5: it ends hidden", {0}, BYTES(ADDR(0x10), COPY, PC(2), COPY, DEAD(0xff), COPY, PC(1), END),
	 "10-12: 10=1:1 12=1:1"},
	{"RULES A2: the two highest addresses are dead", {0}, BYTES(DEAD(0xff), COPY, PC(1), END, DEAD(0xfe), COPY, PC(1), END,
	 DEAD(0xfd), COPY, PC(1), END), "fffffffffffffffd-fffffffffffffffe: fffffffffffffffd=1:1"},
	{"RULES A2: those of 4 bytes", {.version = 5, .addr_size = 4}, BYTES(0, 5, 2, 0xff, 0xff, 0xff, 0xff, COPY, PC(1), END,
	 0, 5, 2, 0xfe, 0xff, 0xff, 0xff, COPY, PC(1), END, 0, 5, 2, 0xfd, 0xff, 0xff, 0xff, COPY, PC(1), END),
	 "fffffffd-fffffffe: fffffffd=1:1"},
	{"addresses of 4 bytes wrap", {.version = 5, .addr_size = 4}, BYTES(0, 5, 2, 0xfd, 0xff, 0xff, 0xff, COPY, PC(3),
	 LINE(1), COPY, PC(0), END), ""},

	{"an operand of 4 bytes", {0}, BYTES(ADDR4(0x110), COPY, PC(1), END), "110-111: 110=1:1"},
	{"one of 2 bytes", {0}, BYTES(0, 3, 2, 0x10, 0x01, COPY, PC(1), END), "110-111: 110=1:1"},
	{"one of 3 bytes is none", {0}, BYTES(0, 4, 2, 0x10, 0x01, 0x00, COPY, PC(1), END), "0-1: 0=1:1"},
	{"an extended opcode that is not known", {0}, BYTES(ADDR(0x10), 0, 3, 0x80, 1, 1, COPY, PC(1), END), "10-11: 10=1:1"},
	{"an extended opcode without bytes", {0}, BYTES(ADDR(0x10), 0, 0, COPY, PC(1), END), "10-11: 10=1:1"},
	{"an end with more bytes", {0}, BYTES(ADDR(0x10), COPY, PC(1), 0, 3, 1, 0xff, 0xff, ADDR(0x20), COPY, PC(1), END),
	 "10-11: 10=1:1 | 20-21: 20=1:1"},
	{"an extended opcode that is cut off",
	 {0},
	 BYTES(ADDR(0x10), COPY, PC(1), 0, 9, DW_LNE_end_sequence),
	 " and 1 more"},
	{"const_add_pc where 255 is the last of its kind",
	 {.line_range = 9},
	 BYTES(ADDR(0x10), COPY, DW_LNS_const_add_pc, COPY, PC(1), END),
	 "10-2b: 10=1:1 2a=1:1"},
	{"a file is defined", {0}, BYTES(0, 6, DW_LNE_define_file, 'x', 0, 2, 0, 0, ADDR(0x10), IN(2), COPY, PC(1), END),
	 "10-11: 10=2:1 +x in 2"},
	{"a name without an end", {0}, BYTES(0, 3, DW_LNE_define_file, 'x', 'y', ADDR(0x10), COPY, PC(1), END),
	 "10-11: 10=1:1"},
	{"a name without a directory", {0}, BYTES(0, 4, DW_LNE_define_file, 'x', 'y', 0, ADDR(0x10), COPY, PC(1), END),
	 "10-11: 10=1:1"},
	{"RULES B11: DWARF 5 defines no files", {.version = 5}, BYTES(0, 6, DW_LNE_define_file, 'x', 0, 2, 0, 0, ADDR(0x10), COPY,
	 PC(1), END), "10-11: 10=1:1"},
	{"a standard opcode that is not known", {.opcode_base = 14, .unknown_count = 2},
	 BYTES(ADDR(0x10), 13, 0x81, 0x01, 0x82, 0x02, COPY, 14 + 6, PC(1), END), "10-11: 10=1:2"},
	{"fewer standard opcodes", {.opcode_base = 10}, BYTES(ADDR(0x10), 10 + 6, DW_LNS_const_add_pc, 10 + 14 + 5, PC(1), END),
	 "10-23: 10=1:2 22=1:2"},
	{"columns of more than 32 bits", {0}, BYTES(ADDR(0x10), COLUMN(0xfe), 0xff, 0xff, 0xff, 0x0f, COPY, PC(1),
	 COLUMN(0xff), 0xff, 0xff, 0xff, 0x0f, COPY, PC(1), END), "10-12: 10=1:1:4294967294 11=1:1"},
};
/* clang-format on */

static struct line_bytes exact_table(const struct bytes *table, const struct header *header, size_t size)
{
	return (struct line_bytes){
		.data = exact_copy(table->data, size),
		.size = size,
		.swap = header->big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__),
		.addr_size = header->version < 5 ? usual(header->addr_size, 8) : 3, /* which nobody may look at */
	};
}

static void rows_of_programs(void **state)
{
	struct plain_rows rows = {0}; /* one for all: nothing of a table before may be left */
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bytes table = {0};
		char text[512];
		uint64_t next;
		bool is_known;
		put_table(&table, &cases[i].header, cases[i].program, cases[i].size);
		struct line_bytes bytes = exact_table(&table, &cases[i].header, table.size);
		assert_true(plain_rows_read(&rows, &bytes, PAD, &next, &is_known));
		show(&rows, text, sizeof(text));
		if (!is_known || strcmp(text, cases[i].expected) != 0)
			fail_msg("%s: [%s], not [%s]", cases[i].name, text, cases[i].expected);
		assert_int_equal(next, table.size - BEHIND);
		free((uint8_t *)bytes.data);
		bytes_done(&table);
	}
	plain_rows_done(&rows);
}

/* ---- Headers ---- */

static const struct {
	const char *name;
	struct header header;
	bool is_known;
} headers[] = {
	{"version 1", {.version = 1}, false},
	{"version 2", {.version = 2, .addr_size = 4}, true},
	{"version 3", {.version = 3, .addr_size = 2}, true},
	{"version 4", {.version = 4}, true},
	{"version 5", {.version = 5}, true},
	{"version 5, 4 bytes", {.version = 5, .addr_size = 4}, true},
	{"version 5, 2 bytes", {.version = 5, .addr_size = 2}, true},
	{"version 5, 1 byte", {.version = 5, .addr_size = 1}, false},
	{"version 5, 3 bytes", {.version = 5, .addr_size = 3}, false},
	{"version 5, 16 bytes", {.version = 5, .addr_size = 16}, false},
	{"version 6", {.version = 6}, false},
	{"no operation to an instruction", {.max_ops = -1}, false},
	{"none, in a version that does not say so", {.version = 3, .max_ops = -1}, true},
	{"others", {.min_length = 2, .max_ops = 3, .line_base = 1, .line_range = 4, .opcode_base = 10}, true},
	{"one opcode more", {.version = 3, .opcode_base = 14, .unknown_count = 7}, true},
	{"64 bits", {.version = 4, .is_wide = true}, true},
	{"64 bits of DWARF 5", {.version = 5, .is_wide = true}, true},
	{"big-endian", {.version = 4, .big = true}, true},
	{"big-endian, 64 bits", {.version = 5, .is_wide = true, .big = true}, true},
};

static const uint8_t one_row[] = {ADDR(0x10), COPY, PC(4), END};

static void expect_header(const struct plain_header *read, const struct header *header, const struct line_bytes *bytes,
			  size_t program)
{
	unsigned version = version_of(header), opcode_base = usual(header->opcode_base, 13);
	assert_int_equal(read->version, version);
	assert_int_equal(read->offset_size, header->is_wide ? 8 : 4);
	assert_int_equal(read->addr_size, usual(header->addr_size, 8));
	assert_int_equal(read->min_inst_length, usual(header->min_length, 1));
	assert_int_equal(read->max_ops, version >= 4 ? usual((unsigned)header->max_ops, 1) : 1);
	assert_int_equal(read->line_base, header->line_base ? header->line_base : -5);
	assert_int_equal(read->line_range, usual((unsigned)header->line_range, 14));
	assert_int_equal(read->opcode_base, opcode_base);
	assert_int_equal(read->operands[1], 0);
	assert_int_equal(read->operands[9], 1);
	assert_int_equal(read->operands[opcode_base - 1], opcode_base == 14 ? header->unknown_count : 1);
	assert_int_equal(read->operands[opcode_base], 0);
	assert_ptr_equal(read->code.p, bytes->data + program);
	assert_ptr_equal(read->tables.end, read->code.p);
	assert_int_equal(cursor_left(&read->tables), (version >= 5 ? 12 : 7) + 3);
}

/* Of each prefix: known is a header that is there as a whole, and what is cut off ends with the section. */
static void each_header_and_its_prefixes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(headers); i++) {
		struct bytes table = {0};
		put_table(&table, &headers[i].header, one_row, sizeof(one_row));
		size_t end = table.size - BEHIND, program = end - sizeof(one_row);
		for (size_t size = PAD; size <= table.size; size++) {
			struct line_bytes bytes = exact_table(&table, &headers[i].header, size);
			struct plain_header read;
			uint64_t next;
			bool is_known = plain_header_read(&bytes, PAD, &read, &next);
			if (is_known != (headers[i].is_known && size >= program) || next != (size < end ? size : end))
				fail_msg("%s, %zu of %zu bytes: %s, up to %llu", headers[i].name, size, table.size,
					 is_known ? "known" : "not known", (unsigned long long)next);
			struct plain_rows rows = {.row_count = 7};
			bool is_run;
			assert_true(plain_rows_read(&rows, &bytes, PAD, &next, &is_run));
			assert_int_equal(is_run, is_known);
			assert_true(rows.row_count <= is_known);
			plain_rows_done(&rows);
			if (is_known && size == table.size)
				expect_header(&read, &headers[i].header, &bytes, program);
			free((uint8_t *)bytes.data);
		}
		bytes_done(&table);
	}
}

/* The program begins where the header's length says, also where that is in the midst of the header. */
static void a_length_that_is_too_small(void **state)
{
	const struct header header = {.version = 4};
	enum { LENGTH_AT = PAD + 6, FIELDS = PAD + 10, LENGTHS_END = FIELDS + 6 + 12 };
	struct bytes table = {0};
	struct plain_header read;
	uint64_t next;
	(void)state;
	put_table(&table, &header, one_row, sizeof(one_row));
	for (unsigned length = 0; length < 30; length++) {
		patch_number(&table, LENGTH_AT, length, 4);
		struct line_bytes bytes = exact_table(&table, &header, table.size);
		assert_true(plain_header_read(&bytes, PAD, &read, &next));
		assert_ptr_equal(read.code.p, bytes.data + FIELDS + length);
		assert_ptr_equal(read.tables.p, bytes.data + LENGTHS_END);
		unsigned in_tables = FIELDS + length > LENGTHS_END ? FIELDS + length - LENGTHS_END : 0;
		assert_int_equal(cursor_left(&read.tables), in_tables);
		free((uint8_t *)bytes.data);
	}
	bytes_done(&table);
}

/* ---- Work, and finding a row ---- */

/* Two steps for each byte of the program. */
static void steps_of_a_program(void **state)
{
	const struct header header = {.version = 4};
	struct bytes table = {0};
	(void)state;
	put_table(&table, &header, one_row, sizeof(one_row));
	struct line_bytes bytes = exact_table(&table, &header, table.size);
	for (uint64_t steps = 2 * sizeof(one_row) - 1; steps <= 2 * sizeof(one_row); steps++) {
		struct plain_rows rows = {0};
		struct budget budget;
		uint64_t next;
		bool is_known;
		budget_of_steps(&budget, steps);
		assert_int_equal(plain_rows_read(&rows, &bytes, PAD, &next, &is_known), steps == 2 * sizeof(one_row));
		budget_use(NULL);
		plain_rows_done(&rows);
	}
	free((uint8_t *)bytes.data);
	bytes_done(&table);
}

static void the_row_of_an_address(void **state)
{
	struct plain_row list[] = {{1, 0, 0, 0}, {10, 0, 0, 0}, {14, 0, 0, 0}, {15, 0, 0, 0}, {9, 0, 0, 0}};
	const struct plain_rows rows = {.rows = list, .row_count = COUNT_OF(list)};
	const struct plain_sequence sequence = {10, 18, 1, 3};
	static const struct {
		uint64_t addr;
		unsigned row; /* 0: none */
	} finds[] = {{9, 0}, {10, 1}, {13, 1}, {14, 2}, {15, 3}, {17, 3}, {18, 0}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(finds); i++) {
		const struct plain_row *found = plain_rows_find(&rows, &sequence, finds[i].addr);
		if (found != (finds[i].row ? &list[finds[i].row] : NULL))
			fail_msg("%llu: row %td", (unsigned long long)finds[i].addr, found ? found - list : -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_programs),           cmocka_unit_test(each_header_and_its_prefixes),
		cmocka_unit_test(a_length_that_is_too_small), cmocka_unit_test(steps_of_a_program),
		cmocka_unit_test(the_row_of_an_address),
	};
	return cmocka_run_group_tests_name("plain_rows", tests, NULL, NULL);
}
