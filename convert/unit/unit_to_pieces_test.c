/* Hand-made units as pieces: their parts, intervals, contexts and flags, and what is counted. RULES B14, C1 to C9. */
#include "convert/unit/unit_to_pieces.h"

#include <dwarf.h>

#include "base/toolkit_test.h"
#include "convert/dwarf/unit_open.h"

enum { EXEC_START = 0x1000, TEXT_ROOM = 1024 };

#define FAR (UINT64_C(1) << 33) /* the end of the code */

/* The codes of the abbreviations below. */
enum { UNIT = 1, FN, FN_PARTS, FN_ENTRY, FN_LINKAGE, INLINEE };

static const uint8_t abbrevs[] = {
	/* clang-format off */
	UNIT, DW_TAG_compile_unit, 1, DW_AT_name, DW_FORM_string, DW_AT_language, DW_FORM_data2,
	DW_AT_comp_dir, DW_FORM_string, DW_AT_stmt_list, DW_FORM_data4, 0, 0,
	FN, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_addr,
	DW_AT_call_column, DW_FORM_data1, 0, 0,
	FN_PARTS, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string, DW_AT_ranges, DW_FORM_data4, 0, 0,
	FN_ENTRY, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string, DW_AT_ranges, DW_FORM_data4,
	DW_AT_entry_pc, DW_FORM_addr, 0, 0,
	FN_LINKAGE, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string, DW_AT_linkage_name, DW_FORM_string,
	DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_addr, 0, 0,
	INLINEE, DW_TAG_inlined_subroutine, 1, DW_AT_name, DW_FORM_string,
	DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_addr,
	DW_AT_call_file, DW_FORM_data1, DW_AT_call_line, DW_FORM_data1, DW_AT_call_column, DW_FORM_data1, 0, 0,
	0,
	/* clang-format on */
};

/*
 * A tree of words: `fn NAME LOW HIGH`, `linked NAME LINKAGE LOW HIGH`, `parts NAME LOW HIGH …` up to `;`, the same with
 * an entry before the parts in `entry`, `inl NAME LOW HIGH LINE COLUMN`, and `}` for the end of each. Numbers are
 * hexadecimal. Rows: `ADDRESS LINE` or `ADDRESS LINE COLUMN` with a colon before the column, and `end ADDRESS`; those
 * of line 100 and more are of two.c, the others of one.c.
 */
struct made_case {
	const char *name;
	const char *tree, *rows;
	const char *symbols; /* `ADDRESS NAME`, in order */
	uint16_t version;    /* 0: 4 */
	bool keeps_columns;
	const char *expected; /* see show */
	uint64_t bytes, line_bytes;
};

struct bench {
	struct bytes info, lines, ranges;
	struct exec_range exec;
	struct elf_file file;
	struct dwarf dwarf;
	struct unit unit;
	struct symbol symbol_room[8];
	struct symbols symbols;
	struct shared shared;
	struct unit_reader reader;
	char symbol_text[128];
};

static uint64_t next_number(char **saved)
{
	const char *word = strtok_r(NULL, " ", saved);
	assert_non_null(word);
	return strtoull(word, NULL, 16);
}

static void put_range_list(struct bytes *ranges, char **saved)
{
	for (const char *word; (word = strtok_r(NULL, " ", saved)) && strcmp(word, ";") != 0;) {
		put_number(ranges, strtoull(word, NULL, 16), 8);
		put_number(ranges, next_number(saved), 8);
	}
	put_number(ranges, 0, 8);
	put_number(ranges, 0, 8);
}

static void put_tree(struct bench *bench, const char *tree)
{
	static const char *const words[] = {
		[FN] = "fn", [FN_PARTS] = "parts", [FN_ENTRY] = "entry", [FN_LINKAGE] = "linked", [INLINEE] = "inl"};
	struct bytes *out = &bench->info;
	char *copy = strdup(tree), *saved = NULL;
	assert_non_null(copy);
	for (char *word = strtok_r(copy, " ", &saved); word; word = strtok_r(NULL, " ", &saved)) {
		unsigned code = FN;
		while (code <= INLINEE && strcmp(word, words[code]) != 0)
			code++;
		if (code > INLINEE) {
			assert_string_equal(word, "}");
			put_u8(out, 0);
			continue;
		}
		put_u8(out, (uint8_t)code);
		put_string(out, strtok_r(NULL, " ", &saved));
		if (code == FN_LINKAGE)
			put_string(out, strtok_r(NULL, " ", &saved));
		if (code == FN_PARTS || code == FN_ENTRY) {
			uint64_t entry = code == FN_ENTRY ? next_number(&saved) : 0;
			put_number(out, bench->ranges.size, 4);
			put_range_list(&bench->ranges, &saved);
			if (code == FN_ENTRY)
				put_number(out, entry, 8);
			continue;
		}
		put_number(out, next_number(&saved), 8);
		put_number(out, next_number(&saved), 8);
		if (code == FN)
			put_u8(out, 99); /* a column of no call */
		if (code == INLINEE) {
			put_u8(out, 1);
			put_u8(out, (uint8_t)next_number(&saved));
			put_u8(out, (uint8_t)next_number(&saved));
		}
	}
	free(copy);
}

static void put_info(struct bench *bench, uint16_t version, const char *tree)
{
	struct bytes *out = &bench->info;
	put_number(out, 0, 4);
	put_number(out, version, 2);
	put_number(out, 0, 4);
	put_u8(out, 8);
	put_u8(out, UNIT);
	put_string(out, "unit.c");
	put_number(out, DW_LANG_C99, 2);
	put_string(out, "/");
	put_number(out, 0, 4);
	put_tree(bench, tree);
	put_u8(out, 0);
	patch_number(out, 0, out->size - 4, 4);
}

static void put_address(struct bytes *out, uint64_t address)
{
	put_bytes(out, "\0\x09\x02", 3);
	put_number(out, address, 8);
}

static void put_program(struct bytes *out, const char *rows)
{
	char copy[512], *saved = NULL;
	int64_t line = 1;
	assert_true(snprintf(copy, sizeof(copy), "%s", rows) < (int)sizeof(copy));
	for (char *word = strtok_r(copy, " ", &saved); word; word = strtok_r(NULL, " ", &saved)) {
		bool is_end = strcmp(word, "end") == 0;
		put_address(out, is_end ? next_number(&saved) : strtoull(word, NULL, 16));
		if (is_end) {
			put_bytes(out, "\0\1\1", 3);
			line = 1;
			continue;
		}
		char *number = strtok_r(NULL, " ", &saved), *column = strchr(number, ':');
		int64_t to = strtoll(number, NULL, 10);
		put_u8(out, DW_LNS_set_column);
		put_uleb(out, column ? strtoull(column + 1, NULL, 10) : 0);
		put_u8(out, DW_LNS_set_file);
		put_uleb(out, to >= 100 ? 2 : 1);
		put_u8(out, DW_LNS_advance_line);
		put_sleb(out, to - line);
		put_u8(out, DW_LNS_copy);
		line = to;
	}
}

static void put_lines(struct bytes *out, const char *rows)
{
	put_number(out, 0, 4);
	put_number(out, 4, 2);
	put_number(out, 0, 4);
	size_t header = out->size;
	put_bytes(out, "\1\1\1\xfb\x0e\x0d\0\1\1\1\1\0\0\0\1\0\0\1", 18);
	put_bytes(out, "\0one.c\0\0\0\0two.c\0\0\0\0\0", 20);
	patch_number(out, header - 4, out->size - header, 4);
	put_program(out, rows);
	patch_number(out, 0, out->size - 4, 4);
}

static void put_symbols(struct bench *bench, const char *symbols)
{
	char *saved = NULL;
	snprintf(bench->symbol_text, sizeof(bench->symbol_text), "%s", symbols ? symbols : "");
	for (char *word = strtok_r(bench->symbol_text, " ", &saved); word; word = strtok_r(NULL, " ", &saved))
		bench->symbol_room[bench->symbols.count++] =
			(struct symbol){.addr = strtoull(word, NULL, 16), .name = strtok_r(NULL, " ", &saved)};
	bench->symbols.symbols = bench->symbol_room;
	short_lock_init(&bench->symbols.names_lock);
}

static void bench_init(struct bench *bench, const struct made_case *c)
{
	struct locus_error error;
	*bench = (struct bench){.exec = {EXEC_START, FAR}};
	bench->info.big = bench->lines.big = bench->ranges.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	put_info(bench, c->version ? c->version : 4, c->tree);
	put_lines(&bench->lines, c->rows);
	put_symbols(bench, c->symbols);
	bench->file.exec = &bench->exec;
	bench->file.exec_count = 1;
	section_init(&bench->file.sections[DEBUG_INFO], bench->info.data, bench->info.size, false);
	section_init(&bench->file.sections[DEBUG_ABBREV], abbrevs, sizeof(abbrevs), false);
	section_init(&bench->file.sections[DEBUG_LINE], bench->lines.data, bench->lines.size, false);
	section_init(&bench->file.sections[DEBUG_RANGES], bench->ranges.data, bench->ranges.size, false);
	dwarf_init(&bench->dwarf, &bench->file);
	assert_int_equal(dwarf_prepare(&bench->dwarf, NULL), LOCUS_OK);
	if (unit_open(&bench->unit, &bench->dwarf, DEBUG_INFO, 0, NULL, NULL, &error) != LOCUS_OK)
		fail_msg("%s: %s", c->name, error.text);
	bench->shared =
		(struct shared){.linked = &bench->file, .symbols = &bench->symbols, .keeps_columns = c->keeps_columns};
	string_set_init(&bench->shared.strings);
	source_paths_init(&bench->shared.files, &bench->shared.strings, NULL, 0);
	intern_set_init(&bench->shared.functions, sizeof(struct function_key));
	unit_reader_init(&bench->reader, &bench->shared);
}

static void bench_done(struct bench *bench)
{
	unit_reader_done(&bench->reader);
	intern_set_done(&bench->shared.functions);
	source_paths_done(&bench->shared.files);
	string_set_done(&bench->shared.strings);
	hash_slots_done(&bench->symbols.names);
	short_lock_done(&bench->symbols.names_lock);
	unit_done(&bench->unit);
	dwarf_done(&bench->dwarf);
	bytes_done(&bench->info);
	bytes_done(&bench->lines);
	bytes_done(&bench->ranges);
}

/* ---- Pieces as text ---- */

struct text {
	char *data;
	size_t size;
};

#define SHOW(text, ...) (text)->size += (size_t)sprintf((text)->data + (text)->size, __VA_ARGS__)

static const char *file_name(const struct bench *bench, uint32_t id)
{
	return id == FILE_UNKNOWN ? "?" : source_paths_get(&bench->shared.files, id)->name;
}

static const char *function_name(const struct bench *bench, uint32_t id)
{
	const struct function_key *key = id == FUNCTION_UNKNOWN ? NULL : intern_get(&bench->shared.functions, id);
	return !key ? "?" : key->linkage ? key->linkage : key->name;
}

static void show_intervals(const struct bench *bench, const struct piece *piece, struct text *text)
{
	struct interval_cursor at = intervals_at(piece_intervals(piece), piece->has_columns, 0);
	do {
		SHOW(text, " +%x", at.interval.start);
		if (at.interval.line)
			SHOW(text, " %s:%u", file_name(bench, at.interval.file), at.interval.line);
		if (at.interval.column)
			SHOW(text, ":%u", at.interval.column);
		if (at.interval.context)
			SHOW(text, "/%u", at.interval.context);
	} while (interval_next(&at));
}

/*
 * "1000-1040 ER +0 one.c:5 +10 two.c:100/1 (f, a in 0 at one.c:7)" for each piece: a letter for each flag, an interval
 * for each place with its context unless that is the function itself, and the contexts.
 */
static void show_piece(const struct bench *bench, const struct piece *piece, struct text *text)
{
	const struct {
		bool is_set;
		char letter;
	} flags[] = {
		{piece->is_padding, 'P'},       {piece->is_entry, 'E'},       {piece->has_inlinees, 'I'},
		{piece->has_rows, 'R'},         {piece->has_linkage, 'L'},    {piece->is_misplaced, 'M'},
		{piece->at_symbol, 'S'},        {piece->symbol_is_name, 'N'}, {piece->has_one_name, 'O'},
		{piece->at_others_symbol, 'A'},
	};
	const uint32_t *columns = piece_call_columns(piece);
	SHOW(text, "%s%llx-%llx ", text->size ? " | " : "", (unsigned long long)piece->start,
	     (unsigned long long)piece_end(piece));
	for (size_t i = 0; i < COUNT_OF(flags); i++)
		if (flags[i].is_set)
			SHOW(text, "%c", flags[i].letter);
	show_intervals(bench, piece, text);
	SHOW(text, " (");
	for (uint32_t i = 0; i < piece->function->context_count; i++) {
		const struct context *context = &piece_contexts(piece)[i];
		SHOW(text, "%s%s", i ? ", " : "", function_name(bench, context->function));
		if (context->caller != NO_CONTEXT)
			SHOW(text, " in %u at %s:%u", context->caller, file_name(bench, context->call_file),
			     context->call_line);
		if (piece->is_function && columns && columns[i])
			SHOW(text, ":%u", columns[i]);
	}
	SHOW(text, ")");
}

static void show(const struct bench *bench, uint32_t first, char data[TEXT_ROOM])
{
	struct text text = {data, 0};
	data[0] = 0;
	for (uint32_t i = first; i < bench->reader.piece_count; i++) {
		const struct piece *piece = &bench->reader.pieces[i];
		assert_int_equal(piece->function->unit_index, 7);
		assert_int_equal(piece->is_function, piece->function->die != UINT64_MAX);
		show_piece(bench, piece, &text);
	}
	assert_true(text.size < TEXT_ROOM);
}

/* ---- Cases ---- */

static const struct made_case cases[] = {
	{"nothing", "", "", NULL, 0, false, "", 0, 0},
	{"a function without rows", "fn f 1000 1040 }", "", NULL, 0, false, "1000-1040 E +0 (f)", 0x40, 0},
	{"a function with rows", "fn f 1000 1040 }", "1000 5 1010 100 end 1040", NULL, 0, false,
	 "1000-1040 ER +0 one.c:5 +10 two.c:100 (f)", 0x40, 0x40},
	{"rows of no line", "fn f 1000 1040 }", "1000 5 1010 0 1030 6 end 1040", NULL, 0, false,
	 "1000-1040 ER +0 one.c:5 +10 +30 one.c:6 (f)", 0x40, 0x20},
	{"rows of no line alone", "fn f 1000 1040 }", "1000 0 end 1040", NULL, 0, false, "1000-1040 E +0 (f)", 0x40, 0},
	{"columns", "fn f 1000 1040 }", "1000 5:3 1010 5:4 end 1040", NULL, 0, true,
	 "1000-1040 ER +0 one.c:5:3 +10 one.c:5:4 (f)", 0x40, 0x40},

	{"an inlinee", "fn f 1000 1040 inl a 1010 1020 7 2 } }", "1000 5 end 1040", NULL, 0, false,
	 "1000-1040 EIR +0 one.c:5 +10 one.c:5/1 +20 one.c:5 (f, a in 0 at one.c:7)", 0x40, 0x40},
	{"an inlinee of an inlinee", "fn f 1000 1020 inl a 1000 1010 7 2 inl b 1000 1008 8 2 } } }", "", NULL, 0, false,
	 "1000-1020 EI +0/2 +8/1 +10 (f, a in 0 at one.c:7, b in 1 at one.c:8)", 0x20, 0},
	{"one function inlined from one line twice",
	 "fn f 1000 1040 inl a 1000 1010 7 2 } inl a 1020 1030 7 3 } inl a 1030 1038 8 3 } }", "", NULL, 0, false,
	 "1000-1040 EI +0/1 +10 +20/1 +30/2 +38 (f, a in 0 at one.c:7, a in 0 at one.c:8)", 0x40, 0},
	{"and from two columns of it", "fn f 1000 1040 inl a 1000 1010 7 2 } inl a 1020 1030 7 3 } }", "", NULL, 0,
	 true, "1000-1040 EI +0/1 +10 +20/2 +30 (f, a in 0 at one.c:7:2, a in 0 at one.c:7:3)", 0x40, 0},
	{"and from one column twice", "fn f 1000 1040 inl a 1000 1010 7 2 } inl a 1020 1030 7 2 } }", "", NULL, 0, true,
	 "1000-1040 EI +0/1 +10 +20/1 +30 (f, a in 0 at one.c:7:2)", 0x40, 0},
	{"RULES C3: an inlinee outside of its function", "fn f 1000 1040 inl a 2000 2010 7 2 } }", "", NULL, 0, false,
	 "1000-1040 E +0 (f)", 0x40, 0},

	{"RULES C2: the first part is the entry's", "parts f 2000 2010 1000 1008 ; }", "", NULL, 0, false,
	 "1000-1008  +0 (f) | 2000-2010 E +0 (f)", 0x18, 0},
	{"RULES C2: the part with the entry", "entry f 1004 2000 2010 1000 1008 ; }", "", NULL, 0, false,
	 "1000-1008 E +0 (f) | 2000-2010  +0 (f)", 0x18, 0},
	{"RULES C2: an entry at the end of a part is in none", "entry f 1008 1000 1008 2000 2010 ; }", "", NULL, 0,
	 false, "1000-1008 E +0 (f) | 2000-2010  +0 (f)", 0x18, 0},
	{"RULES C2: an entry at the start of the last part", "entry f 2000 1000 1008 2000 2010 ; }", "", NULL, 0, false,
	 "1000-1008  +0 (f) | 2000-2010 E +0 (f)", 0x18, 0},
	{"RULES C2: the part with the function's symbol", "parts f 1000 1008 2000 2010 ; }", "", "1000 f.cold 2000 f",
	 0, false, "1000-1008 SN +0 (f) | 2000-2010 ESNO +0 (f)", 0x18, 0},
	{"RULES C2: an entry that is given counts before a symbol", "entry f 1004 2000 2010 1000 1008 ; }", "",
	 "2000 f", 0, false, "1000-1008 E +0 (f) | 2000-2010 S +0 (f)", 0x18, 0},
	{"RULES C2: what the function before began with says nothing",
	 "fn g 3000 3010 } parts f 1000 1008 2000 2010 ; }", "", "2000 f", 0, false,
	 "3000-3010 E +0 (g) | 1000-1008 N +0 (f) | 2000-2010 ESNO +0 (f)", 0x28, 0},
	{"parts that touch are one", "parts f 1010 1020 1000 1010 ; }", "", NULL, 0, false, "1000-1020 E +0 (f)", 0x20,
	 0},

	{"RULES D3: a symbol is the linkage name", "fn f 1000 1008 }", "", "1000 _Z1fv", 0, false,
	 "1000-1008 ES +0 (_Z1fv)", 8, 0},
	{"a linkage name", "linked f link 1000 1008 }", "", "1000 link", 0, false, "1000-1008 ELSO +0 (link)", 8, 0},
	{"RULES D6: two symbols", "fn f 1000 1008 }", "", "1000 f 1000 g", 0, false, "1000-1008 ESN +0 (f)", 8, 0},
	{"two at a linkage name", "linked f link 1000 1008 }", "", "1000 g 1000 link", 0, false,
	 "1000-1008 ELS +0 (link)", 8, 0},
	{"RULES A6: another function's symbol, and its own elsewhere", "linked f link 1000 1008 }", "",
	 "1000 other 2000 link", 0, false, "1000-1008 ELMSA +0 (link)", 8, 0},
	{"RULES C7: another function's symbol, and none of its own", "linked f link 1000 1008 }", "", "1000 other", 0,
	 false, "1000-1008 ELSA +0 (link)", 8, 0},
	{"RULES C7: also without a linkage name", "fn f 1000 1008 }", "", "1000 other", 0, false,
	 "1000-1008 ESA +0 (f)", 8, 0},
	{"RULES C7: a symbol at another part is nobody else's", "parts f 1000 1008 2000 2010 ; }", "",
	 "1000 f 2000 f.cold", 0, false, "1000-1008 ESNO +0 (f) | 2000-2010 SN +0 (f)", 0x18, 0},
	{"two functions", "fn f 1000 1008 } fn g 1008 1010 }", "1000 5 end 1010", NULL, 0, false,
	 "1000-1008 ER +0 one.c:5 (f) | 1008-1010 ER +0 one.c:5 (g)", 0x10, 0x10},

	{"RULES B14: rows without a function", "", "1000 5 1010 6 end 1040", NULL, 0, false,
	 "1000-1040  +0 one.c:5 +10 one.c:6 (?)", 0, 0},
	{"RULES B14: a row that runs on to the sequence's end", "fn f 1000 1010 }", "1000 5 end 1020", NULL, 0, false,
	 "1000-1010 ER +0 one.c:5 (f) | 1010-1020  +0 one.c:5 (?)", 0x10, 0x10},
	{"RULES B14: a row that begins behind a function", "fn f 1000 1010 }", "1000 5 1010 6 end 1020", NULL, 0, false,
	 "1000-1010 ER +0 one.c:5 (f) | 1010-1020  +0 one.c:6 (?)", 0x10, 0x10},
	{"RULES B14: rows that run on behind a function", "fn f 1000 1010 }", "1000 5 1018 6 end 1020", NULL, 0, false,
	 "1000-1010 ER +0 one.c:5 (f) | 1010-1020 P +0 one.c:5 +8 one.c:6 (?)", 0x10, 0x10},
	{"RULES B14: a row that its sequence ends behind a function", "fn f 1000 1010 }",
	 "1000 5 end 1018 1018 6 end 1020", NULL, 0, false,
	 "1000-1010 ER +0 one.c:5 (f) | 1010-1018  +0 one.c:5 (?) | 1018-1020  +0 one.c:6 (?)", 0x10, 0x10},
	{"RULES B14: a row that runs on to the next function", "fn f 1000 1010 } fn g 1020 1030 }", "1000 5 end 1030",
	 NULL, 0, false, "1000-1010 ER +0 one.c:5 (f) | 1020-1030 ER +0 one.c:5 (g) | 1010-1020 P +0 one.c:5 (?)", 0x20,
	 0x20},

	{"RULES B14: also in a sequence behind another", "fn f 3000 3010 } fn g 3020 3030 }",
	 "1000 7 1008 8 end 1010 3000 5 end 3030", NULL, 0, false,
	 "3000-3010 ER +0 one.c:5 (f) | 3020-3030 ER +0 one.c:5 (g) | 1000-1010  +0 one.c:7 +8 one.c:8 (?) | "
	 "3010-3020 P +0 one.c:5 (?)",
	 0x20, 0x20},
	{"RULES C3: gcc's part of a function in DWARF 2", "fn __second_sect_of_f 1000 1010 }", "", NULL, 2, false, "",
	 0, 0},
	{"which is a function elsewhere", "fn __second_sect_of_f 1000 1010 }", "", NULL, 4, false,
	 "1000-1010 E +0 (__second_sect_of_f)", 0x10, 0},
	{"and where it has a linkage name", "linked __second_sect_of_f link 1000 1010 }", "", NULL, 2, false,
	 "1000-1010 EL +0 (link)", 0x10, 0},
	{"or another name", "fn __second_sect_o 1000 1010 }", "", NULL, 2, false, "1000-1010 E +0 (__second_sect_o)",
	 0x10, 0},

	{"a function of as many bytes as a piece may have", "fn f 1000 100000fff }", "", NULL, 0, false,
	 "1000-100000fff E +0 (f)", UINT32_MAX, 0},
	{"a function of one more", "fn f 1000 100001000 }", "", NULL, 0, false, "1000-100000fff E +0 (f)", UINT32_MAX,
	 0},
	{"a function of many parts that touch", "fn f 1000 100000fff inl a 1000 2000 7 2 } }", "", NULL, 0, false,
	 "1000-100000fff EI +0/1 +1000 (f, a in 0 at one.c:7)", UINT32_MAX, 0},
	{"the same with one more", "fn f 1000 100001000 inl a 1000 2000 7 2 } }", "", NULL, 0, false,
	 "1000-2000 EI +0/1 (f, a in 0 at one.c:7) | 2000-100001000  +0 (f, a in 0 at one.c:7)",
	 UINT32_MAX + UINT64_C(1), 0},
	{"rows at high addresses", "", "180000000 5 end 180000040", NULL, 0, false,
	 "180000000-180000040  +0 one.c:5 (?)", 0, 0},
	{"a function at high addresses", "parts f 180000000 180000008 180000008 180000010 ; }", "", NULL, 0, false,
	 "180000000-180000010 E +0 (f)", 0x10, 0},
	{"rows without a function of as many bytes", "", "1000 5 end 100000fff", NULL, 0, false,
	 "1000-100000fff  +0 one.c:5 (?)", 0, 0},
	{"and of one more", "", "1000 5 end 100001000", NULL, 0, false, "1000-100000fff  +0 one.c:5 (?)", 0, 0},
};

static void units(void **state)
{
	char text[TEXT_ROOM];
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench bench;
		struct locus_error error;
		uint32_t first = 0;
		bench_init(&bench, &cases[i]);

		/* What is left of the first round changes nothing in the second. */
		for (int round = 0; round < 2; round++) {
			if (unit_reader_read(&bench.reader, &bench.unit, &bench.unit, 7, &error) != LOCUS_OK)
				fail_msg("%s: %s", cases[i].name, error.text);
			show(&bench, first, text);
			if (strcmp(text, cases[i].expected) != 0)
				fail_msg("%s:\n[%s], expected\n[%s]", cases[i].name, text, cases[i].expected);
			const struct unit_result *result = bench.reader.last_result;
			if (result->bytes != cases[i].bytes || result->line_bytes != cases[i].line_bytes)
				fail_msg("%s: %llu bytes, %llu with a line", cases[i].name,
					 (unsigned long long)result->bytes, (unsigned long long)result->line_bytes);
			assert_string_equal(result->name, "unit.c");
			assert_int_equal(bench.reader.sum.covered.count, 0);
			assert_int_equal(bench.reader.sum.bytes + bench.reader.sum.line_bytes, 0);
			first = bench.reader.piece_count;
		}
		bench_done(&bench);
	}
}

/* Bytes that a piece cannot hold are left out, and counted, whether a function has them or rows alone. */
static void clipped_parts(void **state)
{
	static const struct {
		struct made_case made;
		uint64_t clipped;
	} clips[] = {
		{{"a function", "fn f 1000 100000fff }", .rows = ""}, 0},
		{{"a longer one", "fn f 1000 100001000 }", .rows = ""}, 1},
		{{"rows", "", .rows = "1000 5 end 100000fff"}, 0},
		{{"more rows", "", .rows = "1000 5 end 100001000"}, 1},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(clips); i++) {
		struct bench bench;
		bench_init(&bench, &clips[i].made);
		assert_int_equal(unit_reader_read(&bench.reader, &bench.unit, &bench.unit, 7, NULL), LOCUS_OK);
		if (bench.reader.dropped[LOCUS_DROPPED_CLIPPED] != clips[i].clipped)
			fail_msg("%s", clips[i].made.name);
		bench_done(&bench);
	}
}

/* Many inlinees of a function, each from a line of its own, and each again: as many contexts, and the function's. */
static void many_inlinees(void **state)
{
	static const unsigned counts[] = {3, 4, 7, 8, 9, 50, 200};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(counts); i++) {
		char tree[2 * 200 * 32 + 64], *end = tree + sprintf(tree, "fn f 1000 2000 ");
		for (unsigned k = 0; k < 2 * counts[i]; k++)
			end += sprintf(end, "inl a %x %x %x 2 } ", 0x1000 + 2 * k, 0x1001 + 2 * k, 1 + k % counts[i]);
		sprintf(end, "}");
		const struct made_case made = {.name = "many inlinees", .tree = tree, .rows = ""};
		struct bench bench;
		bench_init(&bench, &made);
		assert_int_equal(unit_reader_read(&bench.reader, &bench.unit, &bench.unit, 7, NULL), LOCUS_OK);
		assert_int_equal(bench.reader.piece_count, 1);
		const struct piece *piece = &bench.reader.pieces[0];
		assert_int_equal(piece->function->context_count, 1 + counts[i]);
		for (uint32_t k = 1; k < piece->function->context_count; k++)
			assert_int_equal(piece_contexts(piece)[k].call_line, k);
		bench_done(&bench);
	}
}

/*
 * Two functions that have a part in every 16 bytes each, and rows everywhere: what is given back of the first one's
 * ranges is not the second one's, and all parts are known when the rows between them are looked for.
 */
static void many_parts(void **state)
{
	enum { PARTS = 70000, PART_TEXT = 16 };
	char *tree = malloc(2 * (PARTS + 1) * PART_TEXT), *end = tree, rows[64];
	struct bench bench;
	(void)state;
	assert_non_null(tree);
	for (unsigned function = 0; function < 2; function++) {
		end += sprintf(end, "parts %c ", 'f' + (int)function);
		for (unsigned i = 0, at = EXEC_START + 8 * function; i < PARTS; i++, at += 16)
			end += sprintf(end, "%x %x ", at, at + 4);
		end += sprintf(end, "; } ");
	}
	snprintf(rows, sizeof(rows), "1000 5 end %x", EXEC_START + 16 * PARTS);

	const struct made_case made = {.name = "many parts", .tree = tree, .rows = rows};
	bench_init(&bench, &made);
	for (uint32_t first = 0; first <= 4 * PARTS; first += 4 * PARTS) {
		assert_int_equal(unit_reader_read(&bench.reader, &bench.unit, &bench.unit, 7, NULL), LOCUS_OK);
		assert_int_equal(bench.reader.piece_count, first + 4 * PARTS);
		assert_int_equal(bench.reader.last_result->bytes, 2 * PARTS * 4);
		const struct piece *pieces = bench.reader.pieces + first;
		for (uint32_t i = 0; i < 4 * PARTS; i++) {
			uint64_t start = EXEC_START + (i < PARTS       ? 16 * i
						       : i < 2 * PARTS ? 16 * (i - PARTS) + 8
								       : 8 * (i - 2 * PARTS) + 4);
			assert_int_equal(pieces[i].start, start);
			assert_int_equal(pieces[i].size, 4);
			assert_int_equal(pieces[i].is_function, i < 2 * PARTS);
			assert_true(pieces[i].is_small); /* it takes nothing beside itself */
		}
	}
	bench_done(&bench);
	free(tree);
}

/* What is left out is counted, each time that a unit is read. */
static void what_is_dropped(void **state)
{
	static const struct {
		const char *tree;
		unsigned counter; /* LOCUS_DROPPED_COUNT: none */
	} dropped[] = {
		{"fn f 1000 1010 }", LOCUS_DROPPED_COUNT},
		{"fn f ffffffffffffffff ffffffffffffffff }", LOCUS_DROPPED_TOMBSTONE},
		{"fn f 1010 1000 }", LOCUS_DROPPED_BAD_RANGE},
		{"fn f 10 20 }", LOCUS_DROPPED_NOT_EXECUTABLE},
		{"fn f 1fffffff0 200000010 }", LOCUS_DROPPED_CLIPPED},
		{"fn f 1000 100000fff }", LOCUS_DROPPED_COUNT},
		{"fn f 1000 100001000 }", LOCUS_DROPPED_CLIPPED},
		{"fn f 1000 1010 inl a 2000 2010 7 2 } }", LOCUS_DROPPED_OUTSIDE_PARENT},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(dropped); i++) {
		const struct made_case made = {.name = dropped[i].tree, .tree = dropped[i].tree, .rows = ""};
		struct bench bench;
		bench_init(&bench, &made);
		for (uint64_t round = 1; round <= 2; round++) {
			assert_int_equal(unit_reader_read(&bench.reader, &bench.unit, &bench.unit, 7, NULL), LOCUS_OK);
			for (unsigned k = 0; k < LOCUS_DROPPED_COUNT; k++)
				if (bench.reader.dropped[k] != (k == dropped[i].counter ? round : 0))
					fail_msg("%s: counter %u is %llu", made.name, k,
						 (unsigned long long)bench.reader.dropped[k]);
		}
		bench_done(&bench);
	}
}

/* RULES B14: a line table that no unit refers to gives rows alone, and no name. */
static void lines_alone(void **state)
{
	static const struct made_case made = {.name = "lines", .tree = "fn f 1000 1040 }", .rows = "1000 5 end 1040"};
	char text[TEXT_ROOM];
	struct bench bench;
	(void)state;
	bench_init(&bench, &made);
	assert_int_equal(unit_reader_read_lines(&bench.reader, &bench.unit, 7, NULL), LOCUS_OK);
	show(&bench, 0, text);
	assert_string_equal(text, "1000-1040  +0 one.c:5 (?)");
	const struct unit_result *result = bench.reader.last_result;
	assert_null(result->before);
	assert_int_equal(result->unit_index, 7);
	assert_null(result->name);
	assert_int_equal(result->bytes, 0);
	assert_int_equal(result->line_bytes, 0);
	bench_done(&bench);
}

/* What several threads have read of one unit is put together, and theirs is empty then. */
static void sums_that_are_joined(void **state)
{
	struct unit_sum sum = {.bytes = 10, .line_bytes = 1}, from = {.bytes = 20, .line_bytes = 2};
	(void)state;
	assert_true(range_list_add(&sum.covered, 1, 2));
	assert_true(range_list_add(&from.covered, 3, 4));
	assert_true(range_list_add(&from.covered, 5, 7));
	assert_true(unit_sum_join(&sum, &from));
	assert_int_equal(sum.bytes, 30);
	assert_int_equal(sum.line_bytes, 3);
	assert_int_equal(sum.covered.count, 3);
	assert_int_equal(sum.covered.ranges[1].start, 3);
	assert_int_equal(sum.covered.ranges[2].end, 7);
	assert_int_equal(from.bytes, 0);
	assert_int_equal(from.line_bytes, 0);
	assert_int_equal(from.covered.count, 0);

	assert_true(unit_sum_join(&from, &sum)); /* into an empty one */
	assert_int_equal(from.covered.count, 3);
	assert_int_equal(from.covered.ranges[2].end, 7);
	assert_int_equal(sum.covered.count, 0);
	unit_sum_done(&sum);
	unit_sum_done(&from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units),
		cmocka_unit_test(clipped_parts),
		cmocka_unit_test(many_inlinees),
		cmocka_unit_test(many_parts),
		cmocka_unit_test(what_is_dropped),
		cmocka_unit_test(lines_alone),
		cmocka_unit_test(sums_that_are_joined),
	};
	return cmocka_run_group_tests_name("unit_to_pieces", tests, NULL, NULL);
}
