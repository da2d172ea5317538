/*
 * What the cross-check says of a program made by hand, and with which answers it agrees: those, and none beside them.
 */
#include <dwarf.h>
#include <unistd.h>

#include "convert/elf/make_elf_test.h"
#include "convert/locus_convert.h"
#include "reader/locus.h"

/* ---- The program ---- */

enum { TEXT = 0xff0, TEXT_END = 0x1200, MORE = 0x2000, MORE_END = 0x2010 };

/* An entry, below the last one before it that is less deep. `link`: of a unit, its directory. */
struct entry {
	unsigned depth, tag;
	const char *name, *link;
	uint64_t start, end; /* of its code; 0: it has none */
	uint64_t more_start, more_end;
	unsigned origin; /* the number of an entry before, from 1 on; 0: none */
	uint8_t call_file, call_line, call_column;
};

enum {
	UNIT = DW_TAG_compile_unit,
	NAMESPACE = DW_TAG_namespace,
	STRUCT = DW_TAG_structure_type,
	FUNCTION = DW_TAG_subprogram,
	INLINEE = DW_TAG_inlined_subroutine,
	BLOCK = DW_TAG_lexical_block,
};

enum { CPP_UNIT, C_UNIT, UNITS }; /* each has a line table */

/* clang-format off */
static const struct entry entries[] = {
	{.depth = 0, .tag = UNIT, .name = "a.cc", .link = "/src", .start = 0x1000, .end = 0x1200},
	{.depth = 1, .tag = FUNCTION, .name = "first", .start = 0x1164, .end = 0x1168},
	{.depth = 1, .tag = NAMESPACE, .name = "ns"},
	{.depth = 2, .tag = STRUCT, .name = "S"},
/* 5 */ {.depth = 3, .tag = FUNCTION, .name = "h"},
	{.depth = 2, .tag = FUNCTION, .name = "q", .start = 0x1020, .end = 0x1030},
/* 7 */ {.depth = 1, .tag = FUNCTION, .name = "g", .link = "_Z1gv"},
	{.depth = 1, .tag = FUNCTION, .name = "f", .link = "_Z1fv", .start = 0x1000, .end = 0x1020},
	{.depth = 2, .tag = BLOCK},
	{.depth = 3, .tag = INLINEE, .origin = 7, .start = 0x1008, .end = 0x1010,
	 .call_file = 1, .call_line = 10, .call_column = 3},
	{.depth = 4, .tag = INLINEE, .origin = 5, .start = 0x100a, .end = 0x100c, .call_file = 2, .call_line = 20},
	{.depth = 2, .tag = INLINEE, .origin = 5, .start = 0x1014, .end = 0x1016,
	 .more_start = 0x1018, .more_end = 0x101a, .call_file = 9, .call_line = 7, .call_column = 1},
	{.depth = 2, .tag = INLINEE, .origin = 5, .call_file = 1, .call_line = 9},
	{.depth = 1, .tag = FUNCTION, .name = "plain", .link = "plain_link", .start = 0x1030, .end = 0x1040},
	{.depth = 1, .tag = FUNCTION, .start = 0x1040, .end = 0x1050},
	{.depth = 1, .tag = FUNCTION, .name = "c", .start = 0x1050, .end = 0x1060},
	{.depth = 1, .tag = FUNCTION, .name = "d", .start = 0x1060, .end = 0x1070},
	{.depth = 1, .tag = FUNCTION, .name = "x", .link = "_Z1xv", .start = 0x1070, .end = 0x1080},
	{.depth = 1, .tag = FUNCTION, .name = "y", .link = "_Z1yv", .start = 0x1070, .end = 0x1080},
	{.depth = 1, .tag = FUNCTION, .name = "m", .link = "_Z1mv", .start = 0x1080, .end = 0x1090},
	{.depth = 1, .tag = FUNCTION, .name = "n", .link = "_Z1nv", .start = 0x1090, .end = 0x10a0},
	{.depth = 1, .tag = FUNCTION, .name = "o", .link = "_Z1ov", .start = 0x1090, .end = 0x10a0},
	{.depth = 1, .tag = FUNCTION, .name = "v", .link = "v_link", .start = 0x10d0, .end = 0x10d4},
	{.depth = 1, .tag = FUNCTION, .name = "r", .start = 0x1100, .end = 0x1110,
	 .more_start = 0x1120, .more_end = 0x1130},
	{.depth = 1, .tag = FUNCTION, .name = "t", .link = "_Z1tv", .start = 0x1150, .end = 0x1160,
	 .more_start = 0x1140, .more_end = 0x1150},
	{.depth = 1, .tag = FUNCTION, .name = "w", .link = "_Z1wv", .start = 0x11f0, .end = 0x1210},
	{.depth = 1, .tag = NAMESPACE},
	{.depth = 2, .tag = STRUCT, .name = ""},
	{.depth = 3, .tag = FUNCTION, .name = "s", .start = 0x1168, .end = 0x116a},
	{.depth = 2, .tag = DW_TAG_union_type},
	{.depth = 3, .tag = FUNCTION, .name = "u", .start = 0x116a, .end = 0x116c},
	{.depth = 2, .tag = FUNCTION, .name = "n", .start = 0x116c, .end = 0x116e},
	{.depth = 1, .tag = DW_TAG_class_type},
	{.depth = 2, .tag = FUNCTION, .name = "c", .start = 0x116e, .end = 0x1170},
	{.depth = 1, .tag = DW_TAG_interface_type, .name = "I"},
	{.depth = 2, .tag = FUNCTION, .name = "i", .start = 0x1170, .end = 0x1172},
	{.depth = 1, .tag = NAMESPACE, .name = "a"},
	{.depth = 2, .tag = NAMESPACE, .name = "b"},
	{.depth = 3, .tag = FUNCTION, .name = "e", .start = 0x1174, .end = 0x1176},
	{.depth = 1, .tag = FUNCTION, .name = "p", .link = "_Z1pv", .start = 0x1178, .end = 0x117a},
	{.depth = 2, .tag = INLINEE, .origin = 7, .start = 0x117c, .end = 0x117e, .call_file = 1, .call_line = 8},
	{.depth = 1, .tag = FUNCTION, .name = "__second_sect_of_p", .start = 0x117e, .end = 0x1180},
	{.depth = 0, .tag = UNIT, .name = "z.c", .link = "other", .start = 0x2000, .end = 0x2010},
	{.depth = 1, .tag = STRUCT, .name = "T"},
	{.depth = 2, .tag = FUNCTION, .name = "z", .start = 0x2000, .end = 0x2008},
};

/* Rows of the units' tables; neither a file nor a line: a sequence ends. */
struct row {
	uint64_t addr;
	uint8_t file, line, column;
};

/* File 4 is behind the last one. */
static const struct row cpp_rows[] = {
	{0x1000, 1, 5, 2}, {0x1008, 2, 30, 4}, {0x100a, 3, 40, 0}, {0x1010, 1, 6, 0}, {0x1020, 1, 15, 0},
	{0x1080, 1, 16, 0}, {0x1090, 1, 17, 0}, {0x10a0, 2, 50, 5}, {0x10a4, 4, 51, 0}, {0x10b0, 0, 0, 0},
	{0x1000, 1, 99, 0}, {0x1004, 0, 0, 0},
	{0x1100, 1, 18, 0}, {0x1104, 4, 19, 0}, {0x1120, 1, 0, 7}, {0x1140, 2, 60, 0}, {0x1160, 0, 0, 0},
};
static const struct row c_rows[] = {{0x2000, 1, 3, 0}, {0x200c, 0, 0, 0}};
/* clang-format on */

static const struct {
	const struct row *rows;
	size_t count;
	const char *directory;
	const char *files[3]; /* there, in its sub, and in /abs */
} tables[UNITS] = {
	{cpp_rows, COUNT_OF(cpp_rows), "/src", {"a.cc", "b.h", "c.h"}},
	{c_rows, COUNT_OF(c_rows), "other", {"z.c", "b.h", "c.h"}},
};

/* Local ones are of s.c. */
static const struct {
	const char *name;
	uint64_t addr, size;
	bool is_local;
} symbols[] = {
	{"alone", 0x10b0, 8, true},         {"hidden", 0x10c0, 4, true},     {"entry", 0x1040, 16, false},
	{"c", 0x1050, 16, false},           {"_Z1dv", 0x1060, 16, false},    {"_Z2ppv", 0x1080, 16, false},
	{"_Z1ov", 0x1090, 16, false},       {"_Z6orphan", 0x10a0, 8, false}, {"_Z5quietv", 0x10c0, 4, false},
	{"unsized", 0x10c8, 0, false},      {"_Z1mv", 0x10e0, 4, false},     {"_Z1nv", 0x10e8, 4, false},
	{"_Z1rv", 0x1100, 16, false},       {"last", 0x1180, 0, false},      {"c.part.0", 0x1052, 2, false},
	{"versioned@v1", 0x1184, 4, false}, {"long", 0x200c, 100, false},
};

/* ---- How it is written ---- */

struct shape {
	unsigned version;
	uint8_t offset_size;
};

/* The sections of a program in the making. Each entry has an abbreviation of its own. */
struct sections {
	struct shape shape;
	struct bytes info, abbrevs, lines, lists, symbols, strings;
	size_t begins[COUNT_OF(entries)]; /* by entry: where it is in its unit */
	size_t tables[UNITS];             /* where they are in .debug_line */
};

static void put_length_later(struct bytes *out, uint8_t offset_size)
{
	if (offset_size == 8)
		put_number(out, UINT32_MAX, 4);
	put_number(out, 0, offset_size);
}

/* `begin`: where what has the length begins, behind the length. */
static void put_length(struct bytes *out, size_t begin, uint8_t offset_size)
{
	patch_number(out, begin - offset_size, out->size - begin, offset_size);
}

static void put_attribute(struct sections *to, unsigned name, unsigned form)
{
	put_uleb(&to->abbrevs, name);
	put_uleb(&to->abbrevs, form);
}

static void put_text(struct sections *to, unsigned name, const char *text)
{
	if (!text)
		return;
	put_attribute(to, name, DW_FORM_string);
	put_string(&to->info, text);
}

static void put_small(struct sections *to, unsigned name, uint8_t number)
{
	if (!number)
		return;
	put_attribute(to, name, DW_FORM_data1);
	put_u8(&to->info, number);
}

static void put_offset(struct sections *to, unsigned name, uint64_t offset)
{
	uint8_t size = to->shape.offset_size;
	put_attribute(to, name,
		      to->shape.version >= 4 ? DW_FORM_sec_offset
		      : size == 8            ? DW_FORM_data8
					     : DW_FORM_data4);
	put_number(&to->info, offset, size);
}

/* A list of two ranges; returns where it is. */
static uint64_t put_list(struct sections *to, const struct entry *entry)
{
	struct bytes *lists = &to->lists;
	const uint64_t numbers[] = {entry->start, entry->end, entry->more_start, entry->more_end};
	size_t begin = 0, list = lists->size;
	if (to->shape.version >= 5) {
		put_length_later(lists, to->shape.offset_size);
		begin = lists->size;
		put_bytes(lists, "\5\0\10\0\0\0\0\0", 8); /* version, sizes, no offsets */
		list = lists->size;
	}
	if (to->shape.version < 5) { /* they count from 0, and not from where the unit's code begins */
		put_number(lists, UINT64_MAX, 8);
		put_number(lists, 0, 8);
	}
	for (size_t i = 0; i < COUNT_OF(numbers); i++) {
		if (to->shape.version >= 5 && i % 2 == 0)
			put_u8(lists, DW_RLE_start_end);
		put_number(lists, numbers[i], 8);
	}
	if (to->shape.version < 5) {
		put_number(lists, 0, 8);
		put_number(lists, 0, 8);
	} else {
		put_u8(lists, DW_RLE_end_of_list);
		put_length(lists, begin, to->shape.offset_size);
	}
	return list;
}

static void put_code(struct sections *to, const struct entry *entry)
{
	if (entry->more_end) {
		put_offset(to, DW_AT_ranges, put_list(to, entry));
	} else if (entry->end) {
		bool is_size = to->shape.version >= 4;
		put_attribute(to, DW_AT_low_pc, DW_FORM_addr);
		put_number(&to->info, entry->start, 8);
		put_attribute(to, DW_AT_high_pc, is_size ? DW_FORM_data8 : DW_FORM_addr);
		put_number(&to->info, is_size ? entry->end - entry->start : entry->end, 8);
	}
}

static void put_entry(struct sections *to, size_t number, size_t unit_begin, bool has_children)
{
	const struct entry *entry = &entries[number];
	to->begins[number] = to->info.size - unit_begin;
	put_uleb(&to->info, number + 1);
	put_uleb(&to->abbrevs, number + 1);
	put_uleb(&to->abbrevs, entry->tag);
	put_u8(&to->abbrevs, has_children);
	put_text(to, DW_AT_name, entry->name);
	if (entry->tag == UNIT) {
		bool is_c = entry != entries;
		put_text(to, DW_AT_comp_dir, entry->link);
		put_small(to, DW_AT_language, is_c ? DW_LANG_C99 : DW_LANG_C_plus_plus);
		put_offset(to, DW_AT_stmt_list, to->tables[is_c]);
	} else {
		put_text(to, to->shape.version >= 4 ? DW_AT_linkage_name : DW_AT_MIPS_linkage_name, entry->link);
	}
	put_code(to, entry);
	if (entry->origin) {
		put_attribute(to, DW_AT_abstract_origin, DW_FORM_ref4);
		put_number(&to->info, to->begins[entry->origin - 1], 4);
	}
	put_small(to, DW_AT_call_file, entry->call_file);
	put_small(to, DW_AT_call_line, entry->call_line);
	put_small(to, DW_AT_call_column, entry->call_column);
	put_bytes(&to->abbrevs, "\0\0", 2);
}

static void put_unit_header(struct sections *to)
{
	put_length_later(&to->info, to->shape.offset_size);
	put_number(&to->info, to->shape.version, 2);
	if (to->shape.version >= 5)
		put_bytes(&to->info, (uint8_t[]){DW_UT_compile, 8}, 2);
	put_number(&to->info, 0, to->shape.offset_size);
	if (to->shape.version < 5)
		put_u8(&to->info, 8);
}

static void put_entries(struct sections *to)
{
	size_t unit_begin = 0;
	for (size_t i = 0; i < COUNT_OF(entries); i++) {
		unsigned depth = entries[i].depth, next = i + 1 < COUNT_OF(entries) ? entries[i + 1].depth : 0;
		if (!depth) {
			unit_begin = to->info.size;
			put_unit_header(to);
		}
		put_entry(to, i, unit_begin, next > depth);
		for (; next < depth; depth--)
			put_u8(&to->info, 0);
		if (!next)
			put_length(&to->info, unit_begin + (to->shape.offset_size == 8 ? 12 : 4),
				   to->shape.offset_size);
	}
	put_u8(&to->abbrevs, 0);
}

/* Directories are counted from 1 on, files too, and an empty string ends each list. */
static void put_lists(struct bytes *out, const char *const files[3])
{
	put_string(out, "sub");
	put_string(out, "/abs");
	put_u8(out, 0);
	for (uint8_t i = 0; i < 3; i++) {
		put_string(out, files[i]);
		put_bytes(out, (uint8_t[]){i, 0, 0}, 3);
	}
	put_u8(out, 0);
}

/* DWARF 5: from 0 on, with the unit's directory and its file. */
static void put_numbered(struct bytes *out, const char *directory, const char *const files[3])
{
	put_bytes(out, (uint8_t[]){1, DW_LNCT_path, DW_FORM_string, 3}, 4);
	put_string(out, directory);
	put_string(out, "sub");
	put_string(out, "/abs");
	put_bytes(out, (uint8_t[]){2, DW_LNCT_path, DW_FORM_string, DW_LNCT_directory_index, DW_FORM_udata, 4}, 6);
	put_string(out, files[0]);
	put_u8(out, 0);
	for (uint8_t i = 0; i < 3; i++) {
		put_string(out, files[i]);
		put_u8(out, i);
	}
}

static void put_rows(struct bytes *out, const struct row *rows, size_t count)
{
	int line = 1;
	for (size_t i = 0; i < count; i++) {
		put_bytes(out, (uint8_t[]){0, 9, DW_LNE_set_address}, 3);
		put_number(out, rows[i].addr, 8);
		if (!rows[i].file && !rows[i].line) {
			put_bytes(out, (uint8_t[]){0, 1, DW_LNE_end_sequence}, 3);
			line = 1;
			continue;
		}
		put_bytes(out, (uint8_t[]){DW_LNS_set_file, rows[i].file, DW_LNS_set_column, rows[i].column}, 4);
		put_u8(out, DW_LNS_advance_line);
		put_sleb(out, rows[i].line - line);
		put_u8(out, DW_LNS_copy);
		line = rows[i].line;
	}
}

static void put_tables(struct sections *to)
{
	static const uint8_t usual[] = {1, (uint8_t)-5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
	struct bytes *out = &to->lines;
	for (unsigned unit = 0; unit < UNITS; unit++) {
		to->tables[unit] = out->size;
		put_length_later(out, to->shape.offset_size);
		size_t begin = out->size;
		put_number(out, to->shape.version, 2);
		if (to->shape.version >= 5)
			put_bytes(out, "\10", 2); /* sizes of addresses and segments */
		put_number(out, 0, to->shape.offset_size);
		size_t header = out->size;
		put_bytes(out, "\1\1",
			  to->shape.version >= 4 ? 2 : 1); /* a byte to an instruction, of which one at once */
		put_bytes(out, usual, sizeof(usual));
		if (to->shape.version >= 5)
			put_numbered(out, tables[unit].directory, tables[unit].files);
		else
			put_lists(out, tables[unit].files);
		put_length(out, header, to->shape.offset_size);
		put_rows(out, tables[unit].rows, tables[unit].count);
		put_length(out, begin, to->shape.offset_size);
	}
}

static void put_symbol(struct sections *to, const char *name, unsigned char info, uint16_t section, uint64_t addr,
		       uint64_t size)
{
	const Elf64_Sym symbol = {
		.st_name = (uint32_t)to->strings.size,
		.st_info = info,
		.st_shndx = section,
		.st_value = addr,
		.st_size = size,
	};
	put_bytes(&to->symbols, &symbol, sizeof(symbol));
	put_string(&to->strings, name);
}

static void put_symbols(struct sections *to)
{
	put_symbol(to, "", 0, SHN_UNDEF, 0, 0);
	put_symbol(to, "s.c", ELF64_ST_INFO(STB_LOCAL, STT_FILE), SHN_ABS, 0, 0);
	for (size_t i = 0; i < COUNT_OF(symbols); i++)
		put_symbol(to, symbols[i].name, ELF64_ST_INFO(symbols[i].is_local ? STB_LOCAL : STB_GLOBAL, STT_FUNC),
			   symbols[i].addr < TEXT_END ? 1 : 2, symbols[i].addr, symbols[i].size);
}

static void write_program(const char *path, struct shape shape)
{
	struct sections to = {.shape = shape};
	struct bytes elf = {0};
	put_tables(&to);
	put_entries(&to);
	put_symbols(&to);
	const struct elf_part parts[] = {
		{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, NULL, TEXT_END - TEXT, 0, 0},
		{".more", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, MORE, NULL, MORE_END - MORE, 0, 0},
		{".debug_info", SHT_PROGBITS, 0, 0, to.info.data, to.info.size, 0, 0},
		{".debug_abbrev", SHT_PROGBITS, 0, 0, to.abbrevs.data, to.abbrevs.size, 0, 0},
		{".debug_line", SHT_PROGBITS, 0, 0, to.lines.data, to.lines.size, 0, 0},
		{shape.version >= 5 ? ".debug_rnglists" : ".debug_ranges", SHT_PROGBITS, 0, 0, to.lists.data,
		 to.lists.size, 0, 0},
		{".symtab", SHT_SYMTAB, 0, 0, to.symbols.data, to.symbols.size, 8, sizeof(Elf64_Sym)},
		{".strtab", SHT_STRTAB, 0, 0, to.strings.data, to.strings.size, 0, 0},
	};
	make_elf(&elf, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	write_file(path, &elf);
	bytes_done(&elf);
	bytes_done(&to.info);
	bytes_done(&to.abbrevs);
	bytes_done(&to.lines);
	bytes_done(&to.lists);
	bytes_done(&to.symbols);
	bytes_done(&to.strings);
}

/* ---- What is right ---- */

enum { FRAMES_MAX = 3, TEXT_SIZE = 512 };

/* What of an answer is judged beside its frames; and in which versions of DWARF it is right, if not in all. */
enum {
	BY_FUNCTION,  /* where the part starts, and that no symbol answers alone */
	BY_ROW,       /* neither */
	BY_SYMBOL,    /* both */
	BY_NAMED_ROW, /* where the symbol starts */
	BASIS = 3,
	IN_DWARF_2 = 4,
	BEHIND_DWARF_2 = 8,
};

/* A right answer. Where several are, they follow each other, and of a wrong one the last is said. */
struct answer {
	uint64_t addr, part_start;
	unsigned basis;
	const char *says;                              /* where columns are claimed, without the part's start */
	struct locus_claimed_frame frames[FRAMES_MAX]; /* without a path and a line: none */
};

#define A  "/src/a.cc"
#define B  "/src/sub/b.h"
#define C  "/abs/c.h"
#define GF "_Z1gv at " B ":30:4, inlined into _Z1fv at " A ":10:3"

/* clang-format off */
static const struct answer answers[] = {
	{0xff0, 0, BY_ROW, "nothing", {{.line = 0}}},
	{0xfff, 0, BY_ROW, "nothing", {{.line = 0}}},
	{0x1000, 0x1000, BY_FUNCTION, "_Z1fv at " A ":99", {{NULL, "_Z1fv", A, 99, 0}}},
	{0x1000, 0x1000, BY_FUNCTION, "_Z1fv at " A ":5:2", {{NULL, "_Z1fv", A, 5, 2}}},
	{0x1004, 0x1000, BY_FUNCTION, "_Z1fv at " A ":5:2", {{NULL, "_Z1fv", A, 5, 2}}},
	{0x1008, 0x1000, BY_FUNCTION, GF, {{NULL, "_Z1gv", B, 30, 4}, {NULL, "_Z1fv", A, 10, 3}}},
	{0x100a, 0x1000, BY_FUNCTION,
	 "ns::S::h at " C ":40, inlined into _Z1gv at " B ":20, inlined into _Z1fv at " A ":10:3",
	 {{"ns::S::h", NULL, C, 40, 0}, {NULL, "_Z1gv", B, 20, 0}, {NULL, "_Z1fv", A, 10, 3}}},
	{0x100b, 0x1000, BY_FUNCTION,
	 "ns::S::h at " C ":40, inlined into _Z1gv at " B ":20, inlined into _Z1fv at " A ":10:3",
	 {{"ns::S::h", "ns::S::h", C, 40, 0}, {NULL, "_Z1gv", B, 20, 0}, {NULL, "_Z1fv", A, 10, 3}}},
	{0x100c, 0x1000, BY_FUNCTION, "_Z1gv at " C ":40, inlined into _Z1fv at " A ":10:3",
	 {{NULL, "_Z1gv", C, 40, 0}, {NULL, "_Z1fv", A, 10, 3}}},
	{0x1010, 0x1000, BY_FUNCTION, "_Z1fv at " A ":6", {{NULL, "_Z1fv", A, 6, 0}}},
	{0x1015, 0x1000, BY_FUNCTION, "ns::S::h at " A ":6, inlined into _Z1fv at ??:7:1",
	 {{"ns::S::h", NULL, A, 6, 0}, {NULL, "_Z1fv", NULL, 7, 1}}},
	{0x1016, 0x1000, BY_FUNCTION, "_Z1fv at " A ":6", {{NULL, "_Z1fv", A, 6, 0}}},
	{0x1018, 0x1000, BY_FUNCTION, "ns::S::h at " A ":6, inlined into _Z1fv at ??:7:1",
	 {{"ns::S::h", NULL, A, 6, 0}, {NULL, "_Z1fv", NULL, 7, 1}}},
	{0x101f, 0x1000, BY_FUNCTION, "_Z1fv at " A ":6", {{NULL, "_Z1fv", A, 6, 0}}},
	{0x1020, 0x1020, BY_FUNCTION, "ns::q at " A ":15", {{"ns::q", NULL, A, 15, 0}}},
	{0x1030, 0x1030, BY_FUNCTION, "plain_link (plain) at " A ":15", {{"plain", "plain_link", A, 15, 0}}},
	{0x1040, 0x1040, BY_FUNCTION, "(no name) at " A ":15", {{"entry", NULL, A, 15, 0}}},
	{0x1048, 0x1040, BY_FUNCTION, "(no name) at " A ":15", {{NULL, "entry", A, 15, 0}}},
	{0x1050, 0x1050, BY_FUNCTION, "c at " A ":15", {{"c", "c", A, 15, 0}}},
	{0x1060, 0x1060, BY_FUNCTION, "d at " A ":15", {{NULL, "_Z1dv", A, 15, 0}}},
	{0x1070, 0x1070, BY_FUNCTION, "_Z1xv at " A ":15", {{NULL, "_Z1xv", A, 15, 0}}},
	{0x1070, 0x1070, BY_FUNCTION, "_Z1yv at " A ":15", {{NULL, "_Z1yv", A, 15, 0}}},
	{0x1080, 0x1080, BY_FUNCTION, "_Z1mv at " A ":16", {{NULL, "_Z1mv", A, 16, 0}}},
	{0x1080, 0x1080, BY_NAMED_ROW, "_Z2ppv at " A ":16", {{NULL, "_Z2ppv", A, 16, 0}}},
	{0x1090, 0x1090, BY_FUNCTION, "_Z1ov at " A ":17", {{NULL, "_Z1ov", A, 17, 0}}},
	{0x10a0, 0x10a0, BY_NAMED_ROW, "_Z6orphan at " B ":50:5", {{NULL, "_Z6orphan", B, 50, 5}}},
	{0x10a4, 0x10a0, BY_NAMED_ROW, "_Z6orphan at ??:51", {{NULL, "_Z6orphan", NULL, 51, 0}}},
	{0x10a8, 0x10a8, BY_ROW, "(no name) at ??:51", {{NULL, NULL, NULL, 51, 0}}},
	{0x10b0, 0x10b0, BY_SYMBOL, "alone at s.c:0", {{"alone", "alone", "s.c", 0, 0}}},
	{0x10b8, 0, BY_ROW, "nothing", {{.line = 0}}},
	{0x10c0, 0x10c0, BY_SYMBOL, "_Z5quietv at ??:0", {{NULL, "_Z5quietv", NULL, 0, 0}}},
	{0x10c4, 0, BY_ROW, "nothing", {{.line = 0}}},
	{0x10c8, 0x10c8, BY_SYMBOL, "unsized at ??:0", {{"unsized", NULL, NULL, 0, 0}}},
	{0x10cf, 0x10c8, BY_SYMBOL, "unsized at ??:0", {{"unsized", "unsized", NULL, 0, 0}}},
	{0x10d0, 0x10d0, BY_FUNCTION, "v_link (v) at ??:0", {{"v", "v_link", NULL, 0, 0}}},
	{0x10d4, 0, BY_ROW, "nothing", {{.line = 0}}},
	{0x10e0, 0x10e0, BY_SYMBOL, "_Z1mv at ??:0", {{NULL, "_Z1mv", NULL, 0, 0}}},
	{0x1100, 0x1100, BY_FUNCTION, "r at " A ":18", {{NULL, "_Z1rv", A, 18, 0}}},
	{0x1104, 0x1100, BY_FUNCTION, "r at ??:19", {{NULL, "_Z1rv", NULL, 19, 0}}},
	{0x1110, 0x1110, BY_ROW, "(no name) at ??:19", {{NULL, NULL, NULL, 19, 0}}},
	{0x1120, 0x1120, BY_FUNCTION, "r at " A ":0", {{NULL, "_Z1rv", A, 0, 0}}},
	{0x1140, 0x1140, BY_FUNCTION, "_Z1tv at " B ":60", {{NULL, "_Z1tv", B, 60, 0}}},
	{0x115f, 0x1140, BY_FUNCTION, "_Z1tv at " B ":60", {{NULL, "_Z1tv", B, 60, 0}}},
	{0x1160, 0, BY_ROW, "nothing", {{.line = 0}}},
	{0x1164, 0x1164, BY_FUNCTION, "first at ??:0", {{"first", NULL, NULL, 0, 0}}},
	{0x1168, 0x1168, BY_FUNCTION, "(anonymous namespace)::(anonymous struct)::s at ??:0",
	 {{"(anonymous namespace)::(anonymous struct)::s", NULL, NULL, 0, 0}}},
	{0x116a, 0x116a, BY_FUNCTION, "(anonymous namespace)::(anonymous union)::u at ??:0",
	 {{"(anonymous namespace)::(anonymous union)::u", NULL, NULL, 0, 0}}},
	{0x116c, 0x116c, BY_FUNCTION, "(anonymous namespace)::n at ??:0",
	 {{"(anonymous namespace)::n", NULL, NULL, 0, 0}}},
	{0x116e, 0x116e, BY_FUNCTION, "(anonymous class)::c at ??:0", {{"(anonymous class)::c", NULL, NULL, 0, 0}}},
	{0x1170, 0x1170, BY_FUNCTION, "I::i at ??:0", {{"I::i", NULL, NULL, 0, 0}}},
	{0x1174, 0x1174, BY_FUNCTION, "a::b::e at ??:0", {{"a::b::e", NULL, NULL, 0, 0}}},
	{0x1178, 0x1178, BY_FUNCTION, "_Z1pv at ??:0", {{NULL, "_Z1pv", NULL, 0, 0}}},
	{0x117a, 0, BY_ROW, "nothing", {{.line = 0}}},
	/* RULES C3: there gcc gives a function one range, and says nothing of its other parts but what is inlined there. */
	{0x117c, 0x117c, BY_FUNCTION | IN_DWARF_2, "_Z1gv at ??:0, inlined into _Z1pv at " A ":8",
	 {{NULL, "_Z1gv", NULL, 0, 0}, {NULL, "_Z1pv", A, 8, 0}}},
	{0x117c, 0, BY_ROW | BEHIND_DWARF_2, "nothing", {{.line = 0}}},
	{0x117e, 0, BY_ROW | IN_DWARF_2, "nothing", {{.line = 0}}},
	{0x117e, 0x117e, BY_FUNCTION | BEHIND_DWARF_2, "__second_sect_of_p at ??:0", {{"__second_sect_of_p", NULL, NULL, 0, 0}}},
	{0x1180, 0x1180, BY_SYMBOL, "last at ??:0", {{"last", NULL, NULL, 0, 0}}},
	{0x11f0, 0x11f0, BY_FUNCTION, "_Z1wv at ??:0", {{NULL, "_Z1wv", NULL, 0, 0}}},
	{0x1200, 0, BY_ROW, "nothing: it is no code", {{.line = 0}}},
	{0x1fff, 0, BY_ROW, "nothing: it is no code", {{.line = 0}}},
	{0x2000, 0x2000, BY_FUNCTION, "z at other/z.c:3", {{"z", NULL, "other/z.c", 3, 0}}},
	{0x2008, 0x2008, BY_ROW, "(no name) at other/z.c:3", {{NULL, NULL, "other/z.c", 3, 0}}},
	{0x200c, 0x200c, BY_SYMBOL, "long at ??:0", {{"long", NULL, NULL, 0, 0}}},
	{0x2010, 0, BY_ROW, "nothing: it is no code", {{.line = 0}}},
};
/* clang-format on */

static bool is_of_version(const struct answer *answer, unsigned version)
{
	return !(answer->basis & (version == 2 ? BEHIND_DWARF_2 : IN_DWARF_2));
}

static size_t frame_count_of(const struct answer *answer)
{
	size_t count = 0;
	while (count < FRAMES_MAX &&
	       (answer->frames[count].function || answer->frames[count].linkage || answer->frames[count].line))
		count++;
	return count;
}

/* The answer that is said where a wrong one is claimed. */
static const struct answer *said_otherwise(const struct answer *answer)
{
	while (answer + 1 < answers + COUNT_OF(answers) && answer[1].addr == answer->addr &&
	       (answer[1].basis & ~BASIS) == (answer->basis & ~BASIS))
		answer++;
	return answer;
}

/* What is said of an answer: columns where they are claimed, and the start of its part where that is judged. */
static void put_said(const struct answer *answer, bool has_columns, char text[TEXT_SIZE])
{
	char *end = text;
	bool is_behind_line = false;
	for (const char *from = answer->says; *from; from++) {
		size_t digits = *from == ':' ? strspn(from + 1, "0123456789") : 0;
		if (!digits || !is_behind_line || has_columns)
			end += sprintf(end, "%.*s", (int)(1 + digits), from);
		is_behind_line = digits;
		from += digits;
	}
	if ((answer->basis & BASIS) != BY_ROW)
		sprintf(end, ", which starts at 0x%llx", (unsigned long long)answer->part_start);
}

/* ---- The tests ---- */

static char path[] = "/tmp/locus-test-XXXXXX";

static void expect_text(struct locus_cross_check *check, const struct locus_claim *claim, bool agrees, const char *says,
			const char *what)
{
	char text[TEXT_SIZE];
	struct locus_error error;
	bool found;
	assert_int_equal(locus_cross_check_judge(check, claim, &found, text, sizeof(text), &error), LOCUS_OK);
	if (found != agrees || strcmp(text, says) != 0)
		fail_msg("0x%llx, %s: %s, and says [%s]", (unsigned long long)claim->address, what,
			 found ? "agrees" : "differs", text);
}

static void expect(struct locus_cross_check *check, const struct locus_claim *claim, bool agrees,
		   const struct answer *said, const char *what)
{
	char says[TEXT_SIZE];
	put_said(said, claim->has_columns, says);
	expect_text(check, claim, agrees, says, what);
}

/* Makes one thing about the frame wrong, and says which; NULL: that cannot be wrong here. */
static const char *spoil(struct locus_claimed_frame *frame, unsigned how)
{
	const struct locus_claimed_frame before = *frame;
	switch (how) {
	case 0:
		frame->function = "other";
		return "another function";
	case 1:
		frame->linkage = "other";
		return "another linkage name";
	case 2:
		frame->function = frame->linkage = NULL;
		return before.function || before.linkage ? "no name" : NULL;
	case 3:
		frame->path = "/src/other.c";
		return "another path";
	case 4:
		frame->path = NULL;
		return before.path ? "no path" : NULL;
	case 5:
		frame->line++;
		return "the next line";
	case 6:
		frame->line--;
		return before.line ? "the line before" : NULL;
	default:
		frame->column++;
		return "the next column";
	}
}

enum { WAYS_TO_SPOIL = 8, SPOILT_COLUMN = 7 };

static void expect_wrong_frames(struct locus_cross_check *check, const struct answer *answer, struct locus_claim claim)
{
	const struct answer *said = said_otherwise(answer);
	for (size_t i = 0; i < claim.frame_count; i++)
		for (unsigned how = 0; how < WAYS_TO_SPOIL; how++) {
			struct locus_claimed_frame frames[FRAMES_MAX];
			memcpy(frames, answer->frames, sizeof(frames));
			const char *what = spoil(&frames[i], how);
			/* A function without a name may be given any symbol's at its start, or none. */
			if (!what || (strcmp(what, "no name") == 0 && strncmp(said->says, "(no name)", 9) == 0))
				continue;
			claim.frames = frames;
			claim.has_columns = true;
			expect(check, &claim, false, said, what);
			claim.has_columns = false;
			bool is_column = how == SPOILT_COLUMN;
			expect(check, &claim, is_column, is_column ? answer : said, what);
		}
}

static void expect_wrong_count(struct locus_cross_check *check, const struct answer *answer, struct locus_claim claim)
{
	const struct answer *said = said_otherwise(answer);
	struct locus_claimed_frame frames[FRAMES_MAX + 1] = {{.line = 0}};
	memcpy(frames, answer->frames, sizeof(answer->frames));
	claim.frames = frames;
	if (claim.frame_count) {
		frames[claim.frame_count] = frames[claim.frame_count - 1];
		claim.frame_count--;
		expect(check, &claim, false, said, "without the outermost frame");
		claim.frames++;
		expect(check, &claim, false, said, "without the innermost frame");
		claim.frames--;
		claim.frame_count++;
	}
	claim.frame_count++;
	expect(check, &claim, false, said, "with one frame more");
}

static void expect_wrong_part(struct locus_cross_check *check, const struct answer *answer, struct locus_claim claim)
{
	const unsigned basis = answer->basis & BASIS;
	const struct answer *said = said_otherwise(answer);
	bool agrees = basis == BY_ROW || basis == BY_NAMED_ROW;
	claim.is_symbol = !claim.is_symbol;
	expect(check, &claim, agrees, agrees ? answer : said, "by a symbol, or not");
	claim.is_symbol = !claim.is_symbol;
	agrees = basis == BY_ROW;
	claim.part_start++;
	expect(check, &claim, agrees, agrees ? answer : said, "a part that starts later");
	claim.part_start -= 2;
	expect(check, &claim, agrees, agrees ? answer : said, "a part that starts before");
}

/* Whatever its version and size of offsets, a program says the same. */
static const struct shape shapes[] = {{5, 4}, {5, 8}, {4, 4}, {4, 8}, {3, 4}, {3, 8}, {2, 4}};

static struct locus_cross_check *open_program(struct shape shape)
{
	const struct locus_convert_options options = {.symbols_only = true};
	struct locus_cross_check *check = NULL;
	struct locus_error error;
	write_program(path, shape);
	if (locus_cross_check_open(path, &options, &check, &error) != LOCUS_OK)
		fail_msg("version %u: %s", shape.version, error.text);
	return check;
}

static void answers_and_what_differs(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT_OF(shapes); k++) {
		struct locus_cross_check *check = open_program(shapes[k]);
		const struct locus_claim nothing = {.address = 0x1164};
		expect_text(check, &nothing, false, "first at ??:0, which starts at 0x1164",
			    "the first function of all, before any other");
		for (size_t i = 0; i < COUNT_OF(answers); i++) {
			const struct answer *answer = &answers[i];
			if (!is_of_version(answer, shapes[k].version))
				continue;
			const struct locus_claim claim = {
				.address = answer->addr,
				.frames = answer->frames,
				.frame_count = frame_count_of(answer),
				.is_symbol = (answer->basis & BASIS) == BY_SYMBOL,
				.has_columns = true,
				.part_start = answer->part_start,
			};
			expect(check, &claim, true, answer, "as it is");
			expect_wrong_frames(check, answer, claim);
			expect_wrong_count(check, answer, claim);
			expect_wrong_part(check, answer, claim);
		}
		locus_cross_check_free(check);
	}
}

/* What is said is cut where its room ends; without any, nothing is written. */
static void text_without_room(void **state)
{
	(void)state;
	struct locus_cross_check *check = open_program(shapes[0]);
	const struct locus_claim claim = {.address = answers[6].addr};
	char says[TEXT_SIZE];
	put_said(&answers[6], claim.has_columns, says);
	for (size_t size = 0; size <= strlen(says) + 2; size++) {
		char text[TEXT_SIZE], expected[TEXT_SIZE];
		struct locus_error error;
		bool agrees;
		memset(text, 'x', sizeof(text));
		memset(expected, 'x', sizeof(expected));
		if (size)
			snprintf(expected, size, "%s", says);
		assert_int_equal(locus_cross_check_judge(check, &claim, &agrees, text, size, &error), LOCUS_OK);
		assert_false(agrees);
		assert_memory_equal(text, expected, sizeof(text));
	}
	locus_cross_check_free(check);
}

/* RULES F4: of the maps that fit a path's beginning, up to the end of a part of it, the longest. */
static void mapped_paths(void **state)
{
	static const struct {
		const char *maps[3];
		const char *says; /* of an address in /src/a.cc, but where the function starts */
	} cases[] = {
		{{"/src=/m"}, "ns::q at /m/a.cc:15"},
		{{"/sr=/m"}, "ns::q at /src/a.cc:15"},
		{{"/src/a=/m"}, "ns::q at /src/a.cc:15"},
		{{"/src/=m-"}, "ns::q at m-a.cc:15"},
		{{"/src="}, "ns::q at /a.cc:15"},
		{{"/=/r/"}, "ns::q at /r/src/a.cc:15"},
		{{"/src/a.cc=b"}, "ns::q at b:15"},
		{{"/src/a.cc/=b"}, "ns::q at /src/a.cc:15"},
		{{"/src=/m=n"}, "ns::q at /m=n/a.cc:15"},
		{{"/src=/m", "/src/a.cc=/n/b.cc"}, "ns::q at /n/b.cc:15"},
		{{"/src/a.cc=/n/b.cc", "/src=/m"}, "ns::q at /n/b.cc:15"},
		{{"/src=/m", "/src=/n"}, "ns::q at /m/a.cc:15"},
		{{"/other=/m", "src=/n", "/src=/o"}, "ns::q at /o/a.cc:15"},
	};
	(void)state;
	write_program(path, shapes[0]);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct locus_convert_options options = {.prefix_maps = cases[i].maps};
		const struct locus_claim nothing = {.address = 0x1020};
		struct locus_cross_check *check;
		struct locus_error error;
		char says[TEXT_SIZE];
		while (options.prefix_map_count < COUNT_OF(cases[i].maps) && cases[i].maps[options.prefix_map_count])
			options.prefix_map_count++;
		assert_int_equal(locus_cross_check_open(path, &options, &check, &error), LOCUS_OK);
		snprintf(says, sizeof(says), "%s, which starts at 0x1020", cases[i].says);
		expect_text(check, &nothing, false, says, cases[i].maps[0]);
		locus_cross_check_free(check);
	}
}

/* ---- Conversion answers so too ---- */

enum { NAMES_SIZE = 1024 };

/* A string with a NUL behind it; NULL: it is absent. */
static const char *terminated(char **room, struct locus_string a, const char *between, struct locus_string b)
{
	char *begin = *room;
	if (!a.size && !b.size)
		return NULL;
	*room += sprintf(begin, "%.*s%s%.*s", (int)a.size, a.data ? a.data : "", between, (int)b.size,
			 b.data ? b.data : "") +
		 1;
	return begin;
}

static void expect_converted(struct locus_cross_check *check, struct locus *locus, uint64_t addr, const char *what)
{
	char names[NAMES_SIZE], *room = names, says[512];
	struct locus_claimed_frame frames[FRAMES_MAX];
	struct locus_result result;
	struct locus_scratch *scratch;
	struct locus_error error;
	bool agrees;
	assert_int_equal(locus_scratch_new(locus, &scratch, &error), LOCUS_OK);
	assert_int_equal(locus_lookup(locus, scratch, addr, &result, &error), LOCUS_OK);
	assert_true(result.frame_count <= FRAMES_MAX);
	for (size_t i = 0; i < result.frame_count; i++) {
		const struct locus_frame *frame = &result.frames[i];
		const struct locus_string none = {0};
		frames[i] = (struct locus_claimed_frame){
			.function = terminated(&room, frame->function, "", none),
			.linkage = terminated(&room, frame->linkage, "", none),
			.path = terminated(&room, frame->directory, frame->directory.size ? "/" : "", frame->file),
			.line = frame->has_line ? frame->line : 0,
			.column = frame->column,
		};
	}
	const struct locus_claim claim = {
		.address = addr,
		.frames = frames,
		.frame_count = result.frame_count,
		.is_symbol = result.interval.answer == LOCUS_ANSWER_SYMBOL,
		.has_columns = true,
		.part_start = result.frame_count ? result.frames[result.frame_count - 1].part_start : 0,
	};
	assert_int_equal(locus_cross_check_judge(check, &claim, &agrees, says, sizeof(says), &error), LOCUS_OK);
	if (!agrees)
		fail_msg("%s, 0x%llx: %zu frames, the innermost %s at %s:%u, not [%s]", what, (unsigned long long)addr,
			 claim.frame_count, frames[0].linkage ? frames[0].linkage : frames[0].function, frames[0].path,
			 frames[0].line, says);
	locus_scratch_free(scratch);
}

/* Converts for some addresses, or all if `addrs` is NULL, and asks for them. */
static void expect_conversion(struct locus_cross_check *check, const struct locus_convert_options *options,
			      const uint64_t *addrs, size_t count, const char *what)
{
	struct locus_error error;
	struct locus *locus;
	void *data;
	size_t size;
	if (locus_convert_to_memory(path, options, addrs, count, &data, &size, &error) != LOCUS_OK)
		fail_msg("%s: %s", what, error.text);
	assert_int_equal(locus_open_memory(data, size, NULL, &locus, &error), LOCUS_OK);
	for (size_t i = 0; i < (addrs ? count : COUNT_OF(answers)); i++)
		expect_converted(check, locus, addrs ? addrs[i] : answers[i].addr, what);
	locus_close(locus);
	free(data);
}

static void conversion_answers_so_too(void **state)
{
	static const struct {
		unsigned job_count;
		uint32_t block_size;
	} ways[] = {{1, 8192}, {1, 1}, {2, 2}, {3, 1}};
	(void)state;
	for (size_t k = 0; k < COUNT_OF(shapes); k++) {
		struct locus_cross_check *check = open_program(shapes[k]);
		char what[128];
		for (size_t i = 0; i < COUNT_OF(ways); i++) {
			const struct locus_convert_options options = {
				.job_count = ways[i].job_count, .block_size = ways[i].block_size, .columns = true};
			snprintf(what, sizeof(what), "version %u, %u threads, blocks of %u", shapes[k].version,
				 ways[i].job_count, ways[i].block_size);
			expect_conversion(check, &options, NULL, 0, what);
		}
		/* Of some addresses each alone, and with the one before it. */
		for (size_t i = 0; i < COUNT_OF(answers); i++) {
			const struct locus_convert_options options = {
				.job_count = 1, .block_size = 8192, .columns = true};
			const uint64_t addrs[] = {answers[i].addr, answers[i ? i - 1 : 0].addr};
			expect_conversion(check, &options, addrs, 1, "one address");
			expect_conversion(check, &options, addrs, 2, "two addresses");
		}
		locus_cross_check_free(check);
	}
}

/* Functions are asked for by the names of symbols, behind which compilers add something after a '.' or '@'. */
static void conversion_for_functions(void **state)
{
	static const struct {
		const char *names[3];
		uint64_t addrs[3]; /* which are answered for, and no others; 0: none */
	} cases[] = {
		{{"c"}, {0x1050, 0x1052}},
		{{"_Z1dv"}, {0x1060}},
		{{"last"}, {0x1180}},
		{{"c.part"}, {0x1052}},
		{{"c", "last"}, {0x1050, 0x1052, 0x1180}},
		{{"f"}, {0}},
		{{"_Z1"}, {0}},
		{{"lastly"}, {0}},
		{{"nowhere", "entry"}, {0x1040}},
		{{"alone", "alone"}, {0x10b0}},
		{{"v1"}, {0}},
		{{"versioned"}, {0x1184}},
		{{"_Z1fv"}, {0}},
	};
	(void)state;
	struct locus_cross_check *check = open_program(shapes[0]);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct locus_convert_options options = {.job_count = 1, .block_size = 8192, .columns = true};
		struct locus_scratch *scratch;
		struct locus_error error;
		struct locus *locus;
		void *data;
		size_t size, count = 0, asked = 0;
		while (count < COUNT_OF(cases[i].names) && cases[i].names[count])
			count++;
		if (locus_convert_functions_to_memory(path, &options, cases[i].names, count, &data, &size, &error) !=
		    LOCUS_OK)
			fail_msg("%s: %s", cases[i].names[0], error.text);
		assert_int_equal(locus_open_memory(data, size, NULL, &locus, &error), LOCUS_OK);
		assert_int_equal(locus_scratch_new(locus, &scratch, &error), LOCUS_OK);
		for (uint64_t addr = TEXT; addr < TEXT_END; addr++) {
			struct locus_interval found;
			assert_int_equal(locus_find(locus, scratch, addr, &found, &error), LOCUS_OK);
			bool is_asked = asked < COUNT_OF(cases[i].addrs) && cases[i].addrs[asked] == addr;
			if (is_asked != (found.answer != LOCUS_ANSWER_NONE))
				fail_msg("%s: 0x%llx", cases[i].names[0], (unsigned long long)addr);
			asked += is_asked;
			if (is_asked)
				expect_converted(check, locus, addr, cases[i].names[0]);
		}
		locus_scratch_free(scratch);
		locus_close(locus);
		free(data);
	}
	locus_cross_check_free(check);
}

/* ---- Where answers may change ---- */

enum { SPACE = MORE_END + 1 };

static void mark(bool changes[SPACE], uint64_t start, uint64_t end)
{
	if (start < end) {
		changes[start] = true;
		changes[end] = true;
	}
}

static void mark_rows(bool changes[SPACE], const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		changes[rows[i].addr] = true;
}

/* Where anything begins or ends; a symbol without a size ends where the next one begins, or its section ends. */
static void change_points(void **state)
{
	bool changes[SPACE] = {false};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(entries); i++) {
		mark(changes, entries[i].start, entries[i].end != 0x1210 ? entries[i].end : TEXT_END);
		mark(changes, entries[i].more_start, entries[i].more_end);
	}
	for (size_t i = 0; i < COUNT_OF(symbols); i++)
		mark(changes, symbols[i].addr, symbols[i].size < 100 ? symbols[i].addr + symbols[i].size : MORE_END);
	for (unsigned i = 0; i < UNITS; i++)
		mark_rows(changes, tables[i].rows, tables[i].count);
	mark(changes, TEXT, TEXT_END);
	mark(changes, MORE, MORE_END);
	mark(changes, 0x10c8, 0x10e0);
	mark(changes, 0x1180, TEXT_END);

	for (size_t k = 0; k < COUNT_OF(shapes); k++) {
		struct locus_cross_check *check = open_program(shapes[k]);
		struct locus_error error;
		uint64_t *list;
		size_t count, at = 0;
		assert_int_equal(locus_cross_check_change_points(check, &list, &count, &error), LOCUS_OK);
		for (uint64_t addr = 0; addr < SPACE; addr++)
			if (changes[addr] && (at == count || list[at++] != addr))
				fail_msg("version %u: 0x%llx is not there", shapes[k].version,
					 (unsigned long long)addr);
		assert_int_equal(at, count);
		free(list);
		locus_cross_check_free(check);
	}
}

static int set_up(void **state)
{
	int fd = mkstemp(path);
	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_and_what_differs),
		cmocka_unit_test(text_without_room),
		cmocka_unit_test(mapped_paths),
		cmocka_unit_test(conversion_answers_so_too),
		cmocka_unit_test(conversion_for_functions),
		cmocka_unit_test(change_points),
	};
	return cmocka_run_group_tests_name("cross_check", tests, set_up, tear_down);
}
