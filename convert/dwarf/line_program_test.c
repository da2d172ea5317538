/* The line-number program: a published program decoded row by row, and every rule on rows and sequences on its own. */
#include "convert/dwarf/line_program.h"

#include "base/toolkit_test.h"
#include "convert/dwarf/line_invariants_test.h"

static const uint8_t usual_lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, /* not in the standard: */ 2};

static struct line_header usual_header(size_t size)
{
	return (struct line_header){
		.version = 4,
		.offset_size = 4,
		.address_size = 8,
		.min_inst_length = 1,
		.max_ops = 1,
		.line_base = -5,
		.line_range = 14,
		.opcode_base = 13,
		.opcode_lengths = usual_lengths,
		.end = size,
	};
}

/*
 * Rows and sequences as text: "start-end: addr=file:line … | …", numbers in hexadecimal but for lines, then what was
 * dropped. Where columns are kept: file:line:column.
 */
static void show(const struct line_table *table, char *text, size_t size)
{
	size_t at = 0;
	text[0] = 0;
#define SHOW(...) at += (size_t)snprintf(text + at, at < size ? size - at : 0, __VA_ARGS__)
	for (uint32_t i = 0; i < table->sequence_count; i++) {
		const struct sequence *s = &table->sequences[i];
		SHOW("%s%llx-%llx:", i ? " | " : "", (unsigned long long)s->start, (unsigned long long)s->end);
		for (uint32_t k = 0; k < s->row_count; k++) {
			const struct split_row *row = &table->rows[s->row_first + k];
			SHOW(" %llx=%x:%u", (unsigned long long)row->addr, row->file, row->line);
			if (table->keeps_columns)
				SHOW(":%u", table->columns[s->row_first + k]);
		}
	}
	if (table->tombstone_count)
		SHOW(" tombstones %llu", (unsigned long long)table->tombstone_count);
	if (table->empty_count)
		SHOW(" empty %llu", (unsigned long long)table->empty_count);
	if (table->backward_count)
		SHOW(" backward %llu", (unsigned long long)table->backward_count);
	if (table->long_line_count)
		SHOW(" long %llu", (unsigned long long)table->long_line_count);
	if (table->left_open)
		SHOW(" open");
	if (table->has_nonsense)
		SHOW(" nonsense");
	assert_true(at < size);
}

static void check_invariants(const char *name, const struct line_table *table)
{
	const char *fault = line_table_fault(table);
	if (fault)
		fail_msg("%s: %s", name, fault);
}

/* ---- The published program ---- */

static void published_program(void **state)
{
	(void)state;
	static const uint8_t program[] = {0x00, 0x09, 0x02, 0x50, 0x3f, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x16,
					  0x05, 0x05, 0x0a, 0xe5, 0x59, 0x75, 0x02, 0x06, 0x00, 0x01, 0x01};
	struct line_table table = {0};
	char text[256];
	struct line_header header = usual_header(sizeof(program));
	assert_int_equal(line_table_read(&table, &header, program, false, NULL), LOCUS_OK);
	show(&table, text, sizeof(text));
	assert_string_equal(text, "100003f50-100003f71: 100003f50=1:5 100003f5f=1:6 100003f64=1:7 100003f6b=1:8");
	assert_int_equal(table.sequences[0].offset, 0);
	line_table_done(&table);
}

/* ---- Programs by hand ---- */

/*
 * Assembles words: `addr A` (as wide as the header says), `copy`, `pc N`, `line N`, `file N`, `column N`, `const`,
 * `fixed N`, `end`, `isa N`, `stmt`, and two digits for a byte as it is. Words with a colon are the header's.
 */
static void assemble(const char *source, const struct line_header *header, struct bytes *out)
{
	static const struct {
		const char *word;
		uint8_t opcode;
		char operand; /* u, s: LEB128; h: two bytes; 0: none */
	} words[] = {
		{"copy", 1, 0}, {"pc", 2, 'u'},  {"line", 3, 's'},  {"file", 4, 'u'}, {"column", 5, 'u'},
		{"stmt", 6, 0}, {"const", 8, 0}, {"fixed", 9, 'h'}, {"isa", 12, 'u'},
	};
	char copy[512], *saved = NULL;
	snprintf(copy, sizeof(copy), "%s", source);
	for (char *word = strtok_r(copy, " ", &saved); word; word = strtok_r(NULL, " ", &saved)) {
		size_t i = 0;
		while (i < COUNT_OF(words) && strcmp(word, words[i].word) != 0)
			i++;
		if (i < COUNT_OF(words)) {
			put_u8(out, words[i].opcode);
			const char *operand = words[i].operand ? strtok_r(NULL, " ", &saved) : "";
			if (words[i].operand == 'u')
				put_uleb(out, strtoull(operand, NULL, 0));
			else if (words[i].operand == 's')
				put_sleb(out, strtoll(operand, NULL, 0));
			else if (words[i].operand == 'h')
				put_number(out, strtoull(operand, NULL, 0), 2);
		} else if (strcmp(word, "addr") == 0) {
			put_bytes(out, (uint8_t[]){0, (uint8_t)(1 + header->address_size), 2}, 3);
			put_number(out, strtoull(strtok_r(NULL, " ", &saved), NULL, 16), header->address_size);
		} else if (strcmp(word, "end") == 0) {
			put_bytes(out, (uint8_t[]){0, 1, 1}, 3);
		} else if (!strchr(word, ':')) {
			assert_int_equal(strlen(word), 2);
			put_u8(out, (uint8_t)strtoul(word, NULL, 16));
		}
	}
}

/* The words before the program are what differs from the usual header. */
#define STMT_8  "stmt stmt stmt stmt stmt stmt stmt stmt "
#define STMT_32 STMT_8 STMT_8 STMT_8 STMT_8

struct line_case {
	const char *name;
	const char *program;
	const char *expected;
};

static const struct line_case cases[] = {
	{"one row", "addr 10 copy pc 4 end", "10-14: 10=1:1"},
	{"no sequence", "", ""},
	{"a row without an address set is at 0", "copy pc 4 end", "0-4: 0=1:1"},

	{"RULES B1: sequences stand in the order of the section",
	 "addr 40 copy pc 8 end addr 10 copy line 1 pc 4 copy pc 4 end", "40-48: 40=1:1 | 10-18: 10=1:1 14=1:2"},
	{"RULES B1: sequences that overlap are not mixed", "addr 10 copy pc 8 end addr 14 line 6 copy pc 8 end",
	 "10-18: 10=1:1 | 14-1c: 14=1:7"},
	{"RULES B1: registers are reset behind a sequence", "addr 10 file 3 line 8 copy pc 4 end addr 20 copy pc 4 end",
	 "10-14: 10=3:9 | 20-24: 20=1:1"},

	/* special opcode: 13 + (line + 5) + 14 * advance */
	{"RULES B2: min_inst_length scales", "min:4 addr 10 copy 21 copy pc 2 line 1 copy pc 1 end",
	 "10-20: 10=1:1 14=1:2 1c=1:3"},
	{"RULES B2: const_add_pc", "addr 10 copy const line 1 copy pc 1 end", "10-22: 10=1:1 21=1:2"},
	{"RULES B2: const_add_pc at the edge of a line_range", "base:17 addr 10 copy const end", "10-21: 10=1:1"},
	{"RULES B2: const_add_pc, scaled", "min:4 addr 10 copy const line 1 copy pc 1 end", "10-58: 10=1:1 54=1:2"},
	{"RULES B2: an op_index counts within the instruction",
	 "min:16 ops:3 addr 10 copy pc 2 line 1 copy pc 2 line 1 copy pc 2 end", "10-30: 10=1:2 20=1:3"},
	{"RULES B2: set_address zeroes the op_index",
	 "min:16 ops:3 addr 10 copy pc 2 addr 20 line 1 copy pc 2 line 1 copy pc 1 end", "10-30: 10=1:1 20=1:3"},
	{"RULES B2: fixed_advance_pc is not scaled", "min:4 addr 10 copy fixed 3 line 1 copy fixed 1 end",
	 "10-14: 10=1:1 13=1:2"},
	{"RULES B2: fixed_advance_pc zeroes the op_index",
	 "min:16 ops:3 addr 10 copy pc 2 fixed 16 line 1 copy pc 2 line 1 copy pc 1 end", "10-30: 10=1:1 20=1:3"},
	{"RULES B2: fixed_advance_pc goes up to 65535", "addr 10 copy fixed 65535 end", "10-1000f: 10=1:1"},

	{"RULES B3: the last row at an address counts", "addr 10 copy line 4 copy file 2 line 1 copy pc 4 end",
	 "10-14: 10=2:6"},
	{"RULES B3: also in the middle", "addr 10 copy pc 4 line 1 copy line 7 copy pc 4 end", "10-18: 10=1:1 14=1:9"},
	{"RULES B3: rows that are no statements count", "addr 10 stmt copy pc 4 line 1 copy stmt pc 4 end",
	 "10-18: 10=1:1 14=1:2"},
	{"rows of one file and line are one", "addr 10 copy pc 4 column 9 copy pc 4 end", "10-18: 10=1:1"},
	{"RULES B6: line 0 is a row", "addr 10 copy pc 4 line -1 copy pc 4 line 1 copy pc 4 end",
	 "10-1c: 10=1:1 14=1:0 18=1:1"},

	{"RULES B4: the end is not a row", "addr 10 copy pc 4 line 8 file 9 end", "10-14: 10=1:1"},
	{"RULES B4: a row at the end covers nothing", "addr 10 copy pc 4 line 1 copy end", "10-14: 10=1:1"},
	{"RULES B4: a sequence of no bytes is dropped", "addr 10 copy end addr 20 copy pc 1 end",
	 "20-21: 20=1:1 empty 1"},
	{"RULES B4: an end below the start", "addr 10 copy addr 8 end addr 20 copy pc 1 end",
	 "20-21: 20=1:1 tombstones 1 empty 1"},
	{"RULES B4: an end below the last row", "addr 10 copy pc 8 line 1 copy addr 14 end addr 20 copy pc 1 end",
	 "20-21: 20=1:1 empty 1"},
	{"a sequence without rows is nothing", "addr 10 pc 4 end", ""},
	{"the last sequence has no end", "addr 10 copy pc 4 end addr 20 copy pc 4", "10-14: 10=1:1 open"},

	{"RULES B5: a row below the one before is ignored",
	 "addr 10 copy pc 8 line 1 copy addr 14 line 1 copy pc 8 line 1 copy pc 4 end",
	 "10-20: 10=1:1 18=1:2 1c=1:4 backward 1"},
	{"RULES B5: an address below the start hides rows up to the next address",
	 "addr 10 copy addr 4 line 1 copy pc 4 line 1 copy addr 20 line 1 copy pc 4 end",
	 "10-24: 10=1:1 20=1:4 tombstones 1"},
	{"RULES B5, A2: a tombstone", "addr ffffffffffffffff copy pc 4 line 1 copy pc 4 end addr 10 copy pc 4 end",
	 "10-14: 10=1:1 tombstones 1"},
	{"RULES B5, A2: the other tombstone", "addr fffffffffffffffe copy pc 4 end", " tombstones 1"},
	{"RULES A2: one below the tombstones is alive", "addr fffffffffffffffd copy pc 1 end",
	 "fffffffffffffffd-fffffffffffffffe: fffffffffffffffd=1:1"},
	{"RULES A2: tombstones of 4 bytes",
	 "size:4 addr ffffffff copy pc 4 end addr fffffffe copy pc 4 end addr 10 copy pc 4 end",
	 "10-14: 10=1:1 tombstones 2"},
	{"RULES A2: 0xffffffff is alive in 8 bytes", "addr ffffffff copy pc 4 end", "ffffffff-100000003: ffffffff=1:1"},
	{"RULES A2: 0 and 1 are not dead by themselves", "addr 0 copy pc 1 line 1 copy pc 1 end", "0-2: 0=1:1 1=1:2"},
	{"RULES B5: a tombstone in the middle, alive again",
	 "addr 10 copy addr ffffffffffffffff line 5 copy addr 20 line 1 copy pc 4 end",
	 "10-24: 10=1:1 20=1:7 tombstones 1"},
	{"RULES B5: a tombstone to the end: what was before holds",
	 "addr 10 copy pc 4 line 1 copy addr ffffffffffffffff copy pc 4 end", "10-14: 10=1:1 tombstones 1"},

	{"RULES A4: addresses are modulo their size", "size:4 addr fffffff0 copy pc 0x30 end", " empty 1"},
	{"RULES A4: rows are without the mode bit, advances are not", "mode:1 addr 11 copy pc 4 line 1 copy pc 3 end",
	 "10-18: 10=1:1 14=1:2"},
	{"RULES A4: the same where much follows",
	 "mode:1 addr 11 copy pc 4 line 1 copy pc 3 line 1 copy pc 5 line 1 copy pc 3 end addr 20 copy pc 4 " STMT_32
	 "end",
	 "10-20: 10=1:1 14=1:2 18=1:3 1c=1:4 | 20-24: 20=1:1"},
	{"RULES A4, B3: with the mode bit and without it is one address",
	 "mode:1 addr 10 copy line 1 pc 1 copy pc 4 line 1 copy fixed 3 line 1 copy pc 4 end",
	 "10-1c: 10=1:2 14=1:3 18=1:4"},
	{"RULES A4, B3: the same where much follows",
	 "mode:1 addr 10 copy pc 1 line 1 copy pc 4 line 1 copy pc 3 line 1 copy pc 4 " STMT_32 "end",
	 "10-1c: 10=1:2 14=1:3 18=1:4"},
	{"RULES A4, B4: an end with the mode bit", "mode:1 addr 10 copy pc 5 end addr 20 copy pc 1 end",
	 "10-14: 10=1:1 empty 1"},
	{"RULES A4: columns", "columns: mode:1 addr 11 column 7 copy pc 4 column 8 copy pc 3 end",
	 "10-18: 10=1:1:7 14=1:1:8"},
	{"RULES A4: advance_pc backwards as ones",
	 "addr 10 copy pc 8 line 1 copy pc 0xfffffffffffffffc line 1 copy pc 8 end", "10-1c: 10=1:1 18=1:2 backward 1"},

	{"opcode_base 10: what 10 and above mean is special", "base:10 addr 10 line 9 0a pc 4 end", "10-14: 10=1:5"},
	{"opcode_base 4: the opcodes below keep their meaning", "base:4 addr 10 copy pc 4 line 1 copy pc 4 end",
	 "10-18: 10=1:1 14=1:2"},
	{"opcode_base 1: all are special", "base:1 addr 10 06 15 09 13 end", "10-12: 10=1:1 11=1:5"},
	{"a standard opcode above the known ones is skipped by its length", "base:14 addr 10 copy 0d 81 01 05 pc 4 end",
	 "10-14: 10=1:1"},
	{"RULES I2: a column of 70000", "addr 10 column 70000 copy pc 4 line 1 copy pc 4 end", "10-18: 10=1:1 14=1:2"},
	{"RULES I2: wide isa", "addr 10 isa 70000 copy pc 4 end", "10-14: 10=1:1"},
	{"RULES I2: a wide discriminator", "addr 10 00 05 04 ff ff ff 7f copy pc 4 end", "10-14: 10=1:1"},
	{"unknown extended opcodes are skipped by their length", "addr 10 00 03 80 01 01 copy 00 01 ff pc 4 end",
	 "10-14: 10=1:1"},
	{"an extended opcode of no length", "addr 10 copy 00 00 pc 4 end", "10-14: 10=1:1 nonsense"},
	{"one before the first row", "addr 10 00 00 copy pc 4 end", "10-14: 10=1:1 nonsense"},
	{"zeros between sequences are padding", "00 00 addr 10 copy pc 4 end 00 00 00 00 addr 20 copy pc 4 end 00 00",
	 "10-14: 10=1:1 | 20-24: 20=1:1"},
	{"define_file makes no row", "addr 10 00 06 03 61 00 00 00 00 copy pc 4 end", "10-14: 10=1:1"},
	{"an end of sequence with bytes behind its opcode", "addr 10 copy pc 4 00 03 01 77 77 addr 20 copy pc 4 end",
	 "10-14: 10=1:1 | 20-24: 20=1:1"},
	{"set_address with 4 bytes where addresses have 8", "00 05 02 10 00 00 00 copy pc 4 end", "10-14: 10=1:1"},
	{"set_address of an unknown size is skipped", "addr 10 00 04 02 11 22 33 copy pc 4 end",
	 "10-14: 10=1:1 nonsense"},
	{"line_range 0: special opcodes add a row, no more", "range:0 addr 10 20 const pc 4 end", "10-14: 10=1:1"},
	{"lines beyond 32 bits are unknown", "addr 10 line 0x100000005 copy pc 4 end", "10-14: 10=1:0 long 1"},
	{"a line of all ones is unknown", "addr 10 line 0xfffffffe copy pc 4 end", "10-14: 10=1:0 long 1"},
	{"the same after a row, and where much follows",
	 "addr 10 copy pc 4 line 0xfffffffe copy pc 4 copy " STMT_32 "end", "10-18: 10=1:1 14=1:0 long 2"},
	{"the highest line", "addr 10 line 0xfffffffd copy pc 4 end", "10-14: 10=1:4294967294"},
	{"a line below 0 that comes back", "addr 10 line -9 line 11 copy pc 4 end", "10-14: 10=1:3"},
	{"a file beyond 32 bits", "addr 10 file 0x100000001 copy pc 4 end", "10-14: 10=ffffffff:1"},
	{"file 0 is as good as any here (RULES B11)", "addr 10 file 0 copy pc 4 end", "10-14: 10=0:1"},

	{"columns: unknown until one is set, and again in the next sequence",
	 "columns: addr 10 copy column 7 pc 4 copy pc 4 end addr 20 copy pc 4 end",
	 "10-18: 10=1:1:0 14=1:1:7 | 20-24: 20=1:1:0"},
	{"columns: rows that are equal in theirs too are one", "columns: addr 10 column 7 copy pc 4 copy pc 4 end",
	 "10-18: 10=1:1:7"},
	{"columns: RULES B3, the last row at an address counts",
	 "columns: addr 10 column 7 copy column 9 copy pc 4 column 2 copy column 9 copy pc 4 end",
	 "10-18: 10=1:1:9 14=1:1:9"},
	{"columns: RULES I2, one of 70000", "columns: addr 10 column 70000 copy pc 4 end", "10-14: 10=1:1:70000"},
	{"columns: beyond 32 bits it is unknown",
	 "columns: addr 10 column 0xfffffffe copy pc 4 column 0x100000001 copy pc 4 end",
	 "10-18: 10=1:1:4294967294 14=1:1:0"},
	{"columns: of 32 ones it is unknown", "columns: addr 10 column 0xffffffff copy pc 4 end", "10-14: 10=1:1:0"},
	{"columns: RULES B5, a row below the one before is ignored",
	 "columns: addr 10 copy pc 8 line 1 copy addr 14 line 1 copy pc 8 line 1 copy pc 4 end",
	 "10-20: 10=1:1:0 18=1:2:0 1c=1:4:0 backward 1"},
	{"columns: an unknown line has none (RULES B6)",
	 "columns: addr 10 column 7 copy pc 4 line -1 copy pc 4 column 8 copy pc 4 end", "10-1c: 10=1:1:7 14=1:0:0"},
};

static bool keeps_columns(const struct line_case *c)
{
	return strncmp(c->program, "columns:", 8) == 0;
}

static struct line_header header_of(const struct line_case *c)
{
	struct line_header header = usual_header(0);
	const struct {
		const char *word;
		uint8_t *field;
	} fields[] = {
		{"size:", &header.address_size}, {"min:", &header.min_inst_length}, {"ops:", &header.max_ops},
		{"base:", &header.opcode_base},  {"range:", &header.line_range},    {"mode:", &header.mode_bit},
	};
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		const char *at = strstr(c->program, fields[i].word);
		if (at)
			*fields[i].field = (uint8_t)strtoul(at + strlen(fields[i].word), NULL, 10);
	}
	return header;
}

static void programs(void **state)
{
	(void)state;
	struct line_table table = {0};
	char text[512];
	for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
		const struct line_case *c = &cases[i / 2];
		struct line_header header = header_of(c);
		struct bytes program = {.big = i % 2};
		assemble(c->program, &header, &program);
		/* "00 05 02" spells an address out in one byte order. */
		if (program.big && strstr(c->program, "00 05 02")) {
			bytes_done(&program);
			continue;
		}
		uint8_t *exact = exact_copy(program.data, program.size);
		header.end = program.size;
		bool swap = program.big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
		struct locus_error error;
		table.keeps_columns = keeps_columns(c);
		enum locus_status status = line_table_read(&table, &header, exact, swap, &error);
		if (status != LOCUS_OK)
			fail_msg("%s: %s", c->name, error.text);
		show(&table, text, sizeof(text));
		if (strcmp(text, c->expected) != 0)
			fail_msg("%s: [%s], expected [%s]", c->name, text, c->expected);
		check_invariants(c->name, &table);
		free(exact);
		bytes_done(&program);
		line_header_done(&header);
	}
	line_table_done(&table);
}

/* Every strict prefix of a program is read or refused, and nothing beyond it is looked at. */
static void prefixes(void **state)
{
	(void)state;
	struct line_table table = {0};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct line_header header = header_of(&cases[i]);
		struct bytes program = {0};
		assemble(cases[i].program, &header, &program);
		for (size_t size = 0; size < program.size; size++) {
			uint8_t *exact = exact_copy(program.data, size);
			header.end = size;
			table.keeps_columns = keeps_columns(&cases[i]);
			enum locus_status status = line_table_read(&table, &header, exact, false, NULL);
			if (status != LOCUS_OK && status != LOCUS_ERR_BAD_DWARF)
				fail_msg("%s: status %d of %zu bytes", cases[i].name, status, size);
			check_invariants(cases[i].name, &table);
			free(exact);
		}
		bytes_done(&program);
		line_header_done(&header);
	}
	line_table_done(&table);
}

/* A program that ends inside an opcode is refused, with the table's offset. */
static void cut_off(void **state)
{
	(void)state;
	static const char *const programs_cut[] = {"addr 10 02",     "addr 10 02 80", "00",
						   "00 09 02 00 00", "09 00",         "00 80"};
	struct line_table table = {0};
	for (size_t i = 0; i < COUNT_OF(programs_cut); i++) {
		struct line_header header = usual_header(0);
		struct bytes program = {0};
		struct locus_error error = {{0}, 0};
		assemble(programs_cut[i], &header, &program);
		uint8_t *exact = exact_copy(program.data, program.size);
		header.end = program.size;
		header.offset = 0x77;
		enum locus_status status = line_table_read(&table, &header, exact, false, &error);
		if (status != LOCUS_ERR_BAD_DWARF || !strstr(error.text, ".debug_line+0x77 is cut off"))
			fail_msg("%s: status %d: %s", programs_cut[i], status, error.text);
		free(exact);
		bytes_done(&program);
	}
	line_table_done(&table);
}

/* What an extended opcode has is passed by its length, which may take two bytes, whatever the bytes are. */
static void long_extended_opcodes(void **state)
{
	static const uint8_t lengths[][2] = {{0x7f, 0}, {0x80, 0x04}, {0x81, 0x04}, {0x84, 0x01}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		size_t length = (lengths[i][0] & 0x7fu) | (size_t)lengths[i][1] << 7, at;
		struct line_header header = usual_header(0);
		struct line_table table = {0};
		struct bytes program = {0};
		char text[64];
		assemble("addr 10 copy", &header, &program);
		put_bytes(&program, (uint8_t[]){0, lengths[i][0], lengths[i][1]}, lengths[i][0] < 0x80 ? 2 : 3);
		for (at = 0; at < length; at++)
			put_u8(&program, at ? 0xff : 4); /* a discriminator; and what would be special opcodes */
		assemble("pc 4 end", &header, &program);
		header.end = program.size;
		assert_int_equal(line_table_read(&table, &header, program.data, false, NULL), LOCUS_OK);
		show(&table, text, sizeof(text));
		assert_string_equal(text, "10-14: 10=1:1");
		line_table_done(&table);
		bytes_done(&program);
	}
}

/* Each sequence's offset is where its first opcode stands in the section. */
static void offsets(void **state)
{
	(void)state;
	struct line_header header = usual_header(0);
	struct bytes section = {0};
	struct line_table table = {0};
	put_bytes(&section, "before", 6);
	assemble("addr 10 copy pc 4 end", &header, &section);
	size_t second = section.size;
	assemble("addr 20 copy end", &header, &section);
	size_t third = section.size;
	assemble("addr 30 copy pc 4 end", &header, &section);
	header.program = 6;
	header.end = section.size;
	put_bytes(&section, "behind", 6);
	assert_int_equal(line_table_read(&table, &header, section.data, false, NULL), LOCUS_OK);
	assert_int_equal(table.sequence_count, 2);
	assert_int_equal(table.sequences[0].offset, 6);
	assert_int_not_equal(second, third);
	assert_int_equal(table.sequences[1].offset, third);
	line_table_done(&table);
	bytes_done(&section);
}

/* The rows that a sequence begins and ends with, which others may replace or which may cover nothing. */
static void outer_rows(void **state)
{
	(void)state;
	struct line_header header = usual_header(0);
	struct bytes section = {0};
	struct line_table table = {0};
	assemble("addr 10 line 6 copy line 7 copy pc 4 file 2 line 8 copy pc 4 line 9 copy end", &header, &section);
	assemble("addr 20 line 2 copy pc 4 line 8 end", &header, &section);
	header.end = section.size;
	assert_int_equal(line_table_read(&table, &header, section.data, false, NULL), LOCUS_OK);
	assert_int_equal(table.sequence_count, 2);
	const struct sequence *first = &table.sequences[0], *second = &table.sequences[1];
	assert_int_equal(first->row_count, 2);
	assert_int_equal(first->first_file, 1);
	assert_int_equal(first->first_line, 7);
	assert_int_equal(first->last_file, 2);
	assert_int_equal(first->last_line, 31);
	assert_int_equal(second->first_line, 3);
	assert_int_equal(second->last_file, 1);
	assert_int_equal(second->last_line, 3);
	line_table_done(&table);
	bytes_done(&section);
}

/* DW_LNE_define_file adds to the file table; DWARF 5 has it no more (RULES B11). */
static void define_file(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint16_t version;
		const char *program;
		uint32_t file_count;
	} defined[] = {
		{"one", 4, "addr 10 00 07 03 61 62 00 05 00 00 copy pc 4 end", 1},
		{"two", 2, "00 06 03 78 00 00 00 00 00 07 03 61 62 00 05 00 00", 2},
		{"without an end", 4, "00 03 03 61 62", 0},
		{"without a directory", 4, "00 04 03 61 62 00", 0},
		{"in version 5", 5, "00 07 03 61 62 00 05 00 00", 0},
	};
	struct line_table table = {0};
	for (size_t i = 0; i < COUNT_OF(defined); i++) {
		struct bytes program = {0};
		struct line_header header = usual_header(0);
		assemble(defined[i].program, &header, &program);
		header.version = defined[i].version;
		header.end = program.size;
		uint8_t *exact = exact_copy(program.data, program.size);
		assert_int_equal(line_table_read(&table, &header, exact, false, NULL), LOCUS_OK);
		if (header.file_count != defined[i].file_count)
			fail_msg("%s: %u files", defined[i].name, header.file_count);
		const struct line_file *last = header.file_count ? &header.files[header.file_count - 1] : NULL;
		if (last && (strcmp(last->name, "ab") != 0 || last->directory != 5))
			fail_msg("%s: %s in %llu", defined[i].name, last->name, (unsigned long long)last->directory);
		free(exact);
		bytes_done(&program);
		line_header_done(&header);
	}
	line_table_done(&table);
}

/* Any bytes at all make a table in shape, or none. */
static void random_programs(void **state)
{
	(void)state;
	struct line_table table = {0};
	uint64_t random = 22;
	for (int i = 0; i < 20000; i++) {
		uint8_t program[64];
		size_t size = random_below(&random, sizeof(program));
		uint64_t seed = random;
		for (size_t k = 0; k < size; k++)
			program[k] = random_one_in(&random, 2) ? (uint8_t)random_below(&random, 13)
							       : (uint8_t)random_next(&random);
		struct line_header header = usual_header(size);
		header.address_size = random_one_in(&random, 2) ? 8 : 4;
		header.max_ops = random_one_in(&random, 4) ? 4 : 1;
		table.keeps_columns = random_one_in(&random, 2);
		uint8_t *exact = exact_copy(program, size);
		enum locus_status status = line_table_read(&table, &header, exact, random_one_in(&random, 2), NULL);
		char name[64];
		snprintf(name, sizeof(name), "random program, state 0x%llx", (unsigned long long)seed);
		if (status != LOCUS_OK && status != LOCUS_ERR_BAD_DWARF)
			fail_msg("%s: status %d", name, status);
		check_invariants(name, &table);
		free(exact);
		line_header_done(&header);
	}
	line_table_done(&table);
}

/* ---- The short way through opcodes that compilers write ---- */

/* An opcode, its operands of any length, and some that the short way does not know. */
static void put_opcode(struct bytes *program, uint64_t *random)
{
	uint64_t number = random_next(random) >> random_below(random, 64);
	switch (random_below(random, 12)) {
	case 0:
		put_bytes(program, (uint8_t[]){2}, 1);
		put_uleb(program, number & 0xfffff);
		break;
	case 1:
		put_bytes(program, (uint8_t[]){3}, 1);
		put_uleb(program, number & 0xffffff); /* read as a signed number, it is negative in half of all cases */
		break;
	case 2:
		put_bytes(program, (uint8_t[]){4}, 1);
		put_uleb(program, number);
		break;
	case 3: /* a discriminator, or an opcode that nobody knows */
		put_bytes(program, (uint8_t[]){0, 2, (uint8_t)(random_one_in(random, 2) ? 4 : 0x90), 1}, 4);
		break;
	case 4:
		put_bytes(program, (uint8_t[]){9, (uint8_t)number, 0}, 3);
		break;
	case 5:
		put_bytes(program, (uint8_t[]){(uint8_t)(random_one_in(random, 2) ? 6 : 8)}, 1);
		break;
	case 6:
		put_bytes(program, (uint8_t[]){(uint8_t)random_below(random, 2) ? 1 : 10}, 1);
		break;
	default:
		put_bytes(program, (uint8_t[]){(uint8_t)(13 + random_below(random, 243))}, 1);
	}
}

/*
 * Opcodes in the order in which compilers write them, each or not, up to one that makes a row. Columns are put only
 * where asked for.
 */
static void put_row(struct bytes *program, uint64_t *random, struct bytes *with_columns)
{
	static const struct {
		uint8_t bytes[4];
		size_t size;
	} order[] = {{{4, 1}, 2}, {{5, 0x21}, 2},       {{0, 2, 4, 3}, 4}, {{6}, 1},
		     {{3, 9}, 2}, {{3, 0x87, 0x7f}, 3}, {{8}, 1}};
	for (size_t i = 0; i < COUNT_OF(order); i++) {
		if (random_one_in(random, 2))
			continue;
		uint8_t bytes[4];
		memcpy(bytes, order[i].bytes, sizeof(bytes));
		if (bytes[0] == 4)
			bytes[1] = (uint8_t)random_below(random, 4);
		put_bytes(with_columns, bytes, order[i].size);
		if (bytes[0] != 5)
			put_bytes(program, bytes, order[i].size);
	}
	uint8_t last = (uint8_t)(random_one_in(random, 3) ? 1 : 13 + random_below(random, 243));
	put_bytes(with_columns, &last, 1);
	put_bytes(program, &last, 1);
}

/*
 * Where columns are kept every opcode takes the general way; so that rows are the same, columns are only in the program
 * that takes the short one. Some addresses and lines are around the end of 32 bits, and some lines where the short way
 * ends.
 */
static void the_short_way_gives_the_same_rows(void **state)
{
	struct line_table quick = {0}, general = {.keeps_columns = true};
	struct bytes program = {0}, with_columns = {0}, opcode = {0};
	(void)state;
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		uint64_t random = seed;
		static const uint64_t starts[] = {0x1000, 0xfffff000, 0x100001000};
		static const uint64_t lines[] = {0, 0, 0x3fffff00, 0x7fffff00, 0xffffff00};
		uint64_t start = starts[random_below(&random, COUNT_OF(starts))];
		int row_count = random_one_in(&random, 10) ? 600 : 60;
		program.size = 0;
		put_bytes(&program, (uint8_t[]){0, 9, 2}, 3);
		put_number(&program, start, 8);
		put_u8(&program, 3);
		put_uleb(&program, lines[random_below(&random, COUNT_OF(lines))]);
		put_u8(&program, 1);
		with_columns.size = 0;
		put_bytes(&with_columns, program.data, program.size);
		for (int i = 0; i < row_count; i++) {
			put_row(&program, &random, &with_columns);
			opcode.size = 0;
			put_opcode(&opcode, &random);
			put_bytes(&program, opcode.data, opcode.size);
			put_bytes(&with_columns, opcode.data, opcode.size);
		}
		put_bytes(&program, (uint8_t[]){0, 1, 1}, 3);
		put_bytes(&with_columns, (uint8_t[]){0, 1, 1}, 3);
		struct line_header header = usual_header(with_columns.size), other = usual_header(program.size);
		header.address_size = other.address_size = random_one_in(&random, 2) ? 8 : 4;
		header.min_inst_length = other.min_inst_length = random_one_in(&random, 2) ? 1 : 4;
		uint8_t *exact = exact_copy(with_columns.data, with_columns.size);
		assert_int_equal(line_table_read(&quick, &header, exact, false, NULL), LOCUS_OK);
		assert_int_equal(line_table_read(&general, &other, program.data, false, NULL), LOCUS_OK);
		bool same = quick.row_count == general.row_count && quick.sequence_count == general.sequence_count &&
			    quick.backward_count == general.backward_count &&
			    quick.long_line_count == general.long_line_count &&
			    quick.empty_count == general.empty_count;
		if (same && quick.row_count)
			same = memcmp(quick.rows, general.rows, quick.row_count * sizeof(*quick.rows)) == 0;
		if (same && quick.sequence_count)
			same = memcmp(quick.sequences, general.sequences,
				      quick.sequence_count * sizeof(*quick.sequences)) == 0;
		if (!same)
			fail_msg("seed %llu: the rows differ", (unsigned long long)seed);
		free(exact);
	}
	bytes_done(&program);
	bytes_done(&with_columns);
	bytes_done(&opcode);
	line_table_done(&quick);
	line_table_done(&general);
}

/* ---- Rows that are taken out while the program runs ---- */

enum { GIVEN_AT_ONCE_MOST = 4096 };

static bool collect(void *argument, struct split_row *rows, uint32_t count)
{
	assert_true(count <= GIVEN_AT_ONCE_MOST); /* so that not all need be in memory */
	put_bytes(argument, rows, count * sizeof(*rows));
	return true;
}

/* Long sequences, some of which end in a way that drops them. */
static size_t long_program(uint8_t *program, size_t room, uint64_t *random)
{
	size_t size = 0;
	while (size + 16 < room) {
		if (random_one_in(random, 9000)) {
			memcpy(program + size, (uint8_t[]){0, 9, 2, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 1, 1}, 14);
			size += random_one_in(random, 2) ? 14 : 11; /* with the sequence's end, or without */
			continue;
		}
		program[size++] = (uint8_t)(13 + random_below(random, 243));
	}
	memcpy(program + size, (uint8_t[]){0, 1, 1}, 3);
	return size + 3;
}

static void a_sink_gets_the_rows_of_the_table(void **state)
{
	enum { ROOM = 60000 };
	struct line_table whole = {0}, taken = {0};
	struct bytes rows = {0};
	uint8_t *program = malloc(ROOM);
	(void)state;
	assert_non_null(program);
	for (uint64_t seed = 1; seed <= 60; seed++) {
		uint64_t random = seed;
		size_t size = long_program(program, ROOM, &random);
		struct line_header header = usual_header(size), again = usual_header(size);
		const struct row_sink sink = {collect, &rows};
		rows.size = 0;
		assert_int_equal(line_table_read(&whole, &header, program, false, NULL), LOCUS_OK);
		assert_int_equal(line_table_read_into(&taken, &again, program, false, &sink, NULL), LOCUS_OK);
		assert_int_equal(taken.sequence_count, whole.sequence_count);
		assert_int_equal(taken.empty_count, whole.empty_count);
		assert_int_equal(taken.backward_count, whole.backward_count);
		assert_int_equal(taken.left_open, whole.left_open);
		assert_int_equal(taken.has_nonsense, whole.has_nonsense);
		for (uint32_t i = 0; i < whole.sequence_count; i++) {
			const struct sequence *x = &whole.sequences[i], *y = &taken.sequences[i];
			const struct split_row *given = (const struct split_row *)rows.data + y->row_first;
			if (x->start != y->start || x->end != y->end || x->offset != y->offset ||
			    x->row_count != y->row_count ||
			    memcmp(given, whole.rows + x->row_first, x->row_count * sizeof(*given)) != 0)
				fail_msg("seed %llu: sequence %u differs", (unsigned long long)seed, i);
		}
		line_header_done(&header);
		line_header_done(&again);
	}
	bytes_done(&rows);
	free(program);
	line_table_done(&whole);
	line_table_done(&taken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_program),
		cmocka_unit_test(programs),
		cmocka_unit_test(prefixes),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(long_extended_opcodes),
		cmocka_unit_test(offsets),
		cmocka_unit_test(outer_rows),
		cmocka_unit_test(random_programs),
		cmocka_unit_test(define_file),
		cmocka_unit_test(a_sink_gets_the_rows_of_the_table),
		cmocka_unit_test(the_short_way_gives_the_same_rows),
	};
	return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
