/* The symbol table from hand-made ELF files: which symbols name code, and which comes first. RULES D6, E1 to E3. */
#include "convert/symbols/symbols.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/steps_test.h"
#include "convert/elf/make_elf_test.h"

enum { TEXT = 0x1000, DATA = 0x9000 };
enum { IN_TEXT = 1, IN_DATA = 2 }; /* sections */

static char path[] = "/tmp/locus-test-XXXXXX";

static int setup(void **state)
{
	(void)state;
	int fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

struct sym {
	const char *name;
	uint8_t bind;
	uint8_t type;
	uint64_t value;
	uint64_t size;
	uint16_t section;
};

/* Symbols 1 … in `table`, their names in `strings`. */
static void put_symbols(struct bytes *table, struct bytes *strings, const struct sym *syms, size_t count)
{
	Elf64_Sym none = {0};
	put_bytes(table, &none, sizeof(none));
	put_u8(strings, 0);
	for (size_t i = 0; i < count; i++) {
		Elf64_Sym sym = {
			.st_name = *syms[i].name ? (uint32_t)strings->size : 0,
			.st_info = ELF64_ST_INFO(syms[i].bind, syms[i].type),
			.st_shndx = syms[i].section,
			.st_value = syms[i].value,
			.st_size = syms[i].size,
		};
		put_bytes(table, &sym, sizeof(sym));
		put_string(strings, syms[i].name);
	}
}

static void write_elf(uint16_t type, uint16_t machine, uint32_t table_type, const struct sym *syms, size_t count)
{
	struct bytes table = {0}, strings = {0}, elf = {0};
	put_symbols(&table, &strings, syms, count);
	const struct elf_part parts[] = {
		{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, type == ET_REL ? 0 : TEXT, NULL, 0x100, 0, 0},
		{".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, type == ET_REL ? 0 : DATA, NULL, 0x100, 0, 0},
		{".symtab", table_type, 0, 0, table.data, table.size, 4, sizeof(Elf64_Sym)},
		{".strtab", SHT_STRTAB, 0, 0, strings.data, strings.size, 0, 0},
	};
	make_elf(&elf, type, machine, parts, COUNT_OF(parts));
	write_file(path, &elf);
	bytes_done(&table);
	bytes_done(&strings);
	bytes_done(&elf);
}

/* The symbols as text: "1000 name name, 1010 name", those of one address in their order. */
static void read_and_show(const char *name, char *text, size_t size)
{
	struct elf_file *file;
	struct symbols symbols;
	struct locus_error error;
	size_t at = 0;
	text[0] = 0;
	if (elf_file_open(path, &file, &error) != LOCUS_OK ||
	    symbols_read(&symbols, file, file, NULL, &error) != LOCUS_OK)
		fail_msg("%s: %s", name, error.text);
	for (size_t i = 0; i < symbols.count; i++) {
		const struct symbol *symbol = &symbols.symbols[i];
		if (i && symbols.symbols[i - 1].addr == symbol->addr)
			at += (size_t)snprintf(text + at, size - at, " %s", symbol->name);
		else
			at += (size_t)snprintf(text + at, size - at, "%s%llx %s", i ? ", " : "",
					       (unsigned long long)symbol->addr, symbol->name);
	}
	symbols_done(&symbols);
	elf_file_free(file);
}

enum { SYMS_MAX = 5 };

struct symbols_case {
	const char *name;
	struct sym syms[SYMS_MAX];
	uint32_t count;
	const char *expected;
};

#define GLOBAL_FUNC STB_GLOBAL, STT_FUNC

static const struct symbols_case cases[] = {
	{"no symbols", {{0}}, 0, ""},
	{"RULES E1: FUNC", {{"f", GLOBAL_FUNC, TEXT, 4, IN_TEXT}}, 1, "1000 f"},
	{"RULES E1: GNU_IFUNC", {{"f", STB_GLOBAL, STT_GNU_IFUNC, TEXT, 4, IN_TEXT}}, 1, "1000 f"},
	{"RULES E1: NOTYPE in code", {{"f", STB_LOCAL, STT_NOTYPE, TEXT, 0, IN_TEXT}}, 1, "1000 f"},
	{"RULES E1: NOTYPE in data", {{"f", STB_LOCAL, STT_NOTYPE, DATA, 0, IN_DATA}}, 1, ""},
	{"RULES E1: NOTYPE of another section at an address of the code",
	 {{"f", STB_LOCAL, STT_NOTYPE, TEXT, 0, IN_DATA}},
	 1,
	 ""},
	{"RULES E1: FUNC outside the code", {{"f", GLOBAL_FUNC, DATA, 4, IN_TEXT}}, 1, ""},
	{"RULES E1: OBJECT", {{"f", STB_GLOBAL, STT_OBJECT, TEXT, 4, IN_TEXT}}, 1, ""},
	{"RULES E1: SECTION", {{"f", STB_LOCAL, STT_SECTION, TEXT, 0, IN_TEXT}}, 1, ""},
	{"RULES E1: FILE", {{"f.c", STB_LOCAL, STT_FILE, 0, 0, SHN_ABS}}, 1, ""},
	{"RULES E1: TLS", {{"f", STB_GLOBAL, STT_TLS, TEXT, 4, IN_TEXT}}, 1, ""},
	{"RULES E1: ABS", {{"f", GLOBAL_FUNC, TEXT, 4, SHN_ABS}}, 1, ""},
	{"RULES E1: undefined", {{"f", GLOBAL_FUNC, TEXT, 4, SHN_UNDEF}}, 1, ""},
	{"RULES E1: mapping symbols",
	 {{"$a", STB_LOCAL, STT_NOTYPE, TEXT, 0, IN_TEXT},
	  {"$t.7", STB_LOCAL, STT_NOTYPE, TEXT, 0, IN_TEXT},
	  {"$d", STB_LOCAL, STT_NOTYPE, TEXT, 0, IN_TEXT},
	  {"$x.foo", STB_LOCAL, STT_NOTYPE, TEXT, 0, IN_TEXT},
	  {"$xrv64i2p1_m2p0_a2p1_zicsr2p0", STB_LOCAL, STT_NOTYPE, TEXT, 0, IN_TEXT}},
	 5,
	 ""},
	{"RULES E1: names that only look like mapping symbols",
	 {{"$ab", STB_LOCAL, STT_NOTYPE, TEXT, 0, IN_TEXT},
	  {"$", STB_LOCAL, STT_NOTYPE, TEXT + 1, 0, IN_TEXT},
	  {"$z", STB_LOCAL, STT_NOTYPE, TEXT + 2, 0, IN_TEXT}},
	 3,
	 "1000 $ab, 1001 $, 1002 $z"},
	{"RULES E1: .L labels",
	 {{".L12", STB_LOCAL, STT_NOTYPE, TEXT, 0, IN_TEXT}, {".text.f", STB_LOCAL, STT_NOTYPE, TEXT, 0, IN_TEXT}},
	 2,
	 "1000 .text.f"},
	{"RULES D7: an empty name", {{"", GLOBAL_FUNC, TEXT, 4, IN_TEXT}}, 1, ""},
	{"by address",
	 {{"b", GLOBAL_FUNC, TEXT + 0x10, 4, IN_TEXT}, {"a", GLOBAL_FUNC, TEXT, 4, IN_TEXT}},
	 2,
	 "1000 a, 1010 b"},
	{"the last address of the code, and the first behind it",
	 {{"a", GLOBAL_FUNC, TEXT + 0xff, 4, IN_TEXT}, {"b", GLOBAL_FUNC, TEXT + 0x100, 4, IN_TEXT}},
	 2,
	 "10ff a"},
	{"RULES D6: FUNC over NOTYPE, whatever else",
	 {{"a", STB_GLOBAL, STT_NOTYPE, TEXT, 9, IN_TEXT}, {"_b", STB_LOCAL, STT_FUNC, TEXT, 0, IN_TEXT}},
	 2,
	 "1000 _b a"},
	{"RULES D6: GLOBAL over WEAK over LOCAL",
	 {{"a", STB_LOCAL, STT_FUNC, TEXT, 4, IN_TEXT},
	  {"b", STB_WEAK, STT_FUNC, TEXT, 4, IN_TEXT},
	  {"_c", STB_GLOBAL, STT_FUNC, TEXT, 0, IN_TEXT}},
	 3,
	 "1000 _c b a"},
	{"RULES D6: sized over unsized",
	 {{"a", GLOBAL_FUNC, TEXT, 0, IN_TEXT}, {"_b", GLOBAL_FUNC, TEXT, 4, IN_TEXT}},
	 2,
	 "1000 _b a"},
	{"RULES D6: no leading _ over one",
	 {{"_a", GLOBAL_FUNC, TEXT, 4, IN_TEXT}, {"b", GLOBAL_FUNC, TEXT, 4, IN_TEXT}},
	 2,
	 "1000 b _a"},
	{"RULES D6: then bytewise",
	 {{"b", GLOBAL_FUNC, TEXT, 4, IN_TEXT},
	  {"B", GLOBAL_FUNC, TEXT, 4, IN_TEXT},
	  {"ab", GLOBAL_FUNC, TEXT, 4, IN_TEXT}},
	 3,
	 "1000 B ab b"},
	{"one name twice",
	 {{"a", GLOBAL_FUNC, TEXT, 4, IN_TEXT}, {"a", STB_LOCAL, STT_FUNC, TEXT, 4, IN_TEXT}},
	 2,
	 "1000 a"},
};

static void tables(void **state)
{
	(void)state;
	char text[256];
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		write_elf(ET_EXEC, EM_X86_64, SHT_SYMTAB, cases[i].syms, cases[i].count);
		read_and_show(cases[i].name, text, sizeof(text));
		if (strcmp(text, cases[i].expected) != 0)
			fail_msg("%s: [%s], expected [%s]", cases[i].name, text, cases[i].expected);
	}
}

/* All that RULES D6 tells apart, at one address: what is named first decides, whatever the others say. */
static void ranks(void **state)
{
	static const int types[] = {STT_FUNC, STT_NOTYPE}, binds[] = {STB_GLOBAL, STB_WEAK, STB_LOCAL};
	enum { COUNT = 24 };
	struct sym syms[COUNT];
	char names[COUNT][8], expected[256] = "1000", text[256];
	(void)state;
	for (int i = 0; i < COUNT; i++) {
		bool is_unsized = i / 2 % 2, is_reserved = i % 2;
		snprintf(names[i], sizeof(names[i]), "%c%d", is_reserved ? '_' : 'z', COUNT - i);
		snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected), " %s", names[i]);
		syms[COUNT - 1 - i] = (struct sym){
			.name = names[i],
			.bind = (uint8_t)binds[i / 4 % 3],
			.type = (uint8_t)types[i / 12],
			.value = TEXT,
			.size = is_unsized ? 0 : 4,
			.section = IN_TEXT,
		};
	}
	write_elf(ET_EXEC, EM_X86_64, SHT_SYMTAB, syms, COUNT);
	read_and_show("all ranks", text, sizeof(text));
	assert_string_equal(text, expected);
}

/* The order does not depend on that of the table. */
static void any_order(void **state)
{
	(void)state;
	char text[256], reversed[256];
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct sym syms[SYMS_MAX];
		for (uint32_t k = 0; k < cases[i].count; k++)
			syms[k] = cases[i].syms[cases[i].count - 1 - k];
		write_elf(ET_DYN, EM_X86_64, SHT_SYMTAB, syms, cases[i].count);
		read_and_show(cases[i].name, reversed, sizeof(reversed));
		write_elf(ET_DYN, EM_X86_64, SHT_SYMTAB, cases[i].syms, cases[i].count);
		read_and_show(cases[i].name, text, sizeof(text));
		if (strcmp(text, reversed) != 0)
			fail_msg("%s: [%s], the other way round [%s]", cases[i].name, text, reversed);
	}
}

/* RULES E1: "name file" of each symbol, by address. */
static void files_of_locals(void **state)
{
	(void)state;
	static const struct sym syms[] = {
		{"before", STB_LOCAL, STT_FUNC, TEXT, 1, IN_TEXT},
		{"a.c", STB_LOCAL, STT_FILE, 0, 0, SHN_ABS},
		{"b.c", STB_LOCAL, STT_FILE, 0, 0, SHN_ABS},
		{"one", STB_LOCAL, STT_FUNC, TEXT + 0x30, 1, IN_TEXT},
		{"two", STB_LOCAL, STT_NOTYPE, TEXT + 0x20, 0, IN_TEXT},
		{"c.c", STB_LOCAL, STT_FILE, 0, 0, SHN_ABS},
		{"same", STB_LOCAL, STT_FUNC, TEXT + 0x40, 1, IN_TEXT},
		{"d.c", STB_LOCAL, STT_FILE, 0, 0, SHN_ABS},
		{"same", STB_LOCAL, STT_FUNC, TEXT + 0x40, 1, IN_TEXT},
		{"", STB_LOCAL, STT_FILE, 0, 0, SHN_ABS},
		{"linker", STB_LOCAL, STT_FUNC, TEXT + 0x50, 1, IN_TEXT},
		{"b.c", STB_LOCAL, STT_FILE, 0, 0, SHN_ABS},
		{"again", STB_LOCAL, STT_FUNC, TEXT + 0x60, 1, IN_TEXT},
		{"__pfx_one", STB_LOCAL, STT_FUNC, TEXT + 0x68, 8, IN_TEXT}, /* of b.c or not: nothing says */
		{"global", GLOBAL_FUNC, TEXT + 0x70, 1, IN_TEXT},
		{"weak", STB_WEAK, STT_FUNC, TEXT + 0x80, 1, IN_TEXT},
	};
	static const char expected[] = "before -, two b.c, one b.c, same c.c, linker -, again b.c, "
				       "__pfx_one -, global -, weak -, ";
	struct elf_file *file;
	struct symbols symbols;
	char text[256];
	size_t at = 0;
	write_elf(ET_EXEC, EM_X86_64, SHT_SYMTAB, syms, COUNT_OF(syms));
	assert_int_equal(elf_file_open(path, &file, NULL), LOCUS_OK);
	assert_int_equal(symbols_read(&symbols, file, file, NULL, NULL), LOCUS_OK);
	for (size_t i = 0; i < symbols.count; i++) {
		const struct symbol *symbol = &symbols.symbols[i];
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s %s, ", symbol->name,
				       symbol->file ? symbols.files[symbol->file - 1].name : "-");
	}
	assert_string_equal(text, expected);
	assert_int_equal(symbols.file_count, 4); /* b.c, c.c, d.c, b.c: none that no symbol is of */
	symbols_done(&symbols);
	elf_file_free(file);
}

static void arm_thumb(void **state)
{
	(void)state;
	static const struct sym syms[] = {
		{"thumb", GLOBAL_FUNC, TEXT + 0x11, 4, IN_TEXT},
		{"arm", GLOBAL_FUNC, TEXT + 0x20, 4, IN_TEXT},
		{"label", STB_LOCAL, STT_NOTYPE, TEXT + 0x31, 0, IN_TEXT},
	};
	char text[256];
	write_elf(ET_EXEC, EM_ARM, SHT_SYMTAB, syms, COUNT_OF(syms));
	read_and_show("arm", text, sizeof(text));
	assert_string_equal(text, "1010 thumb, 1020 arm, 1031 label"); /* RULES E3 */
	write_elf(ET_EXEC, EM_X86_64, SHT_SYMTAB, syms, COUNT_OF(syms));
	read_and_show("not arm", text, sizeof(text));
	assert_string_equal(text, "1011 thumb, 1020 arm, 1031 label");
}

/* RULES E2: which table, and what is kept of a symbol's size. */
static void kinds_of_table(void **state)
{
	(void)state;
	static const struct sym syms[] = {{"sized", GLOBAL_FUNC, TEXT, 4, IN_TEXT},
					  {"unsized", GLOBAL_FUNC, TEXT + 8, 0, IN_TEXT}};
	for (int dynamic = 0; dynamic < 2; dynamic++) {
		struct elf_file *file;
		struct symbols symbols;
		write_elf(ET_DYN, EM_X86_64, dynamic ? SHT_DYNSYM : SHT_SYMTAB, syms, 2);
		assert_int_equal(elf_file_open(path, &file, NULL), LOCUS_OK);
		assert_int_equal(symbols_read(&symbols, file, file, NULL, NULL), LOCUS_OK);
		assert_int_equal(symbols.full, !dynamic);
		assert_int_equal(symbols.count, 2);
		assert_int_equal(symbols.symbols[0].size, 4);
		assert_int_equal(symbols.symbols[1].size, 0);
		assert_int_equal(symbols.symbols[1].dynamic, dynamic);
		symbols_done(&symbols);
		elf_file_free(file);
	}
}

enum { SOME_SYMBOLS = 40, SOME_SPACE = 0x100, SOME_ROUNDS = 300 };

/* Symbols that overlap, share addresses, have no size, or only look like symbols of code. */
static void random_symbols(struct sym *syms, char names[][8])
{
	for (int i = 0; i < SOME_SYMBOLS; i++) {
		bool is_label = rand() % 8 == 0;
		snprintf(names[i], 8, "%s%c%d", is_label ? ".L" : "", 'a' + rand() % 3, rand() % 30);
		syms[i] = (struct sym){
			.name = names[i],
			.bind = rand() % 2 ? STB_GLOBAL : STB_LOCAL,
			.type = rand() % 4 ? STT_FUNC : STT_NOTYPE,
			.value = TEXT + (uint64_t)(rand() % SOME_SPACE),
			.size = rand() % 3 ? (uint64_t)(rand() % 24) : 0,
			.section = IN_TEXT,
		};
	}
}

/* What decides at one address, as text: the symbol below, who reaches it, what starts there, and the next one. */
static void show_deciding(const struct symbols *symbols, uint64_t addr, char *text, size_t size)
{
	const struct symbol *below = symbols_below(symbols, addr);
	uint64_t next = 0;
	size_t count, at = (size_t)snprintf(text, size, "below %s;", below ? below->name : "-");
	for (uint32_t i = 0; i < symbols->count; i++) {
		const struct symbol *symbol = &symbols->symbols[i];
		if (symbol->addr <= addr && symbol->size > addr - symbol->addr)
			at += (size_t)snprintf(text + at, size - at, " %llx %s", (unsigned long long)symbol->addr,
					       symbol->name);
		if (symbol->addr > addr && !next)
			next = symbol->addr;
	}
	at += (size_t)snprintf(text + at, size - at, "; next %llx;", (unsigned long long)next);
	const struct symbol *here = symbols_at(symbols, addr, &count);
	for (size_t i = 0; i < count; i++)
		at += (size_t)snprintf(text + at, size - at, " %s", here[i].name);
}

/* Of a table of which only some symbols were read, all that decides near the addresses is there. */
static void some_of_a_table(void **state)
{
	uint32_t unread = 0;
	(void)state;
	for (int round = 0; round < SOME_ROUNDS; round++) {
		struct sym syms[SOME_SYMBOLS];
		char names[SOME_SYMBOLS][8], expected[2048], found[2048];
		struct range_list of_interest = {0};
		struct symbols whole, some;
		struct elf_file *file;
		random_symbols(syms, names);
		write_elf(ET_EXEC, EM_X86_64, SHT_SYMTAB, syms, (size_t)(rand() % SOME_SYMBOLS));
		for (int i = rand() % 4; i >= 0; i--) {
			uint64_t start = TEXT + (uint64_t)(rand() % SOME_SPACE);
			assert_true(range_list_add(&of_interest, start, start + 1 + (uint64_t)(rand() % 20)));
		}
		range_list_sort(&of_interest);
		assert_int_equal(elf_file_open(path, &file, NULL), LOCUS_OK);
		assert_int_equal(symbols_read(&whole, file, file, NULL, NULL), LOCUS_OK);
		assert_int_equal(symbols_read(&some, file, file,
					      &(struct range_list){.ranges = of_interest.ranges, .count = 1}, NULL),
				 LOCUS_OK);
		unread += whole.count - some.count;
		assert_true(some.count == whole.count || some.rest_of);
		assert_int_equal(symbols_widen(&some, &of_interest, NULL), LOCUS_OK);
		for (uint32_t i = 0; i < of_interest.count; i++)
			for (uint64_t addr = of_interest.ranges[i].start; addr < of_interest.ranges[i].end; addr++) {
				show_deciding(&whole, addr, expected, sizeof(expected));
				show_deciding(&some, addr, found, sizeof(found));
				assert_string_equal(found, expected);
			}
		for (int i = 0; i < SOME_SYMBOLS; i++)
			assert_int_equal(symbols_have_name(&some, names[i]), symbols_have_name(&whole, names[i]));
		assert_int_equal(symbols_widen(&some, NULL, NULL), LOCUS_OK);
		assert_int_equal(some.count, whole.count);
		symbols_done(&some);
		symbols_done(&whole);
		elf_file_free(file);
		range_list_done(&of_interest);
	}
	assert_true(unread > SOME_ROUNDS);
}

/* Of a range of interest, what is in it is read, what reaches into it, and the nearest of the others; no more. */
static void no_more_than_what_decides(void **state)
{
	static const struct sym syms[] = {
		{"first", GLOBAL_FUNC, TEXT, 4, IN_TEXT},
		{"ends_there", GLOBAL_FUNC, TEXT + 4, 12, IN_TEXT},
		{"near", GLOBAL_FUNC, TEXT + 8, 4, IN_TEXT},
		{".Llabel", STB_LOCAL, STT_NOTYPE, TEXT + 12, 0, IN_TEXT},
		{"begins_there", GLOBAL_FUNC, TEXT + 16, 0, IN_TEXT},
		{"after", GLOBAL_FUNC, TEXT + 32, 4, IN_TEXT},
		{"between", GLOBAL_FUNC, TEXT + 40, 4, IN_TEXT},
		{"last", GLOBAL_FUNC, TEXT + 48, 4, IN_TEXT},
	};
	static const char *const expected[] = {"first", "near", "begins_there", "after", "last"};
	struct range_list of_interest = {0};
	struct symbols symbols;
	struct elf_file *file;
	(void)state;
	write_elf(ET_EXEC, EM_X86_64, SHT_SYMTAB, syms, COUNT_OF(syms));
	assert_true(range_list_add(&of_interest, TEXT + 16, TEXT + 20));
	assert_int_equal(elf_file_open(path, &file, NULL), LOCUS_OK);
	assert_int_equal(symbols_read(&symbols, file, file, &of_interest, NULL), LOCUS_OK);
	assert_ptr_equal(symbols.rest_of, file);
	assert_int_equal(symbols.count, COUNT_OF(expected));
	for (size_t i = 0; i < COUNT_OF(expected); i++)
		assert_string_equal(symbols.symbols[i].name, expected[i]);
	symbols_done(&symbols);
	elf_file_free(file);
	range_list_done(&of_interest);
}

/* Where the nearest symbol proves to be a label, all are read; nothing of those that were read before is left. */
static void all_where_the_nearest_is_a_label(void **state)
{
	static const struct sym syms[] = {
		{"a.c", STB_LOCAL, STT_FILE, 0, 0, SHN_ABS},
		{"wanted", STB_LOCAL, STT_FUNC, TEXT + 16, 4, IN_TEXT},
		{".Llabel", STB_LOCAL, STT_FUNC, TEXT + 32, 4, IN_TEXT},
		{"far", STB_LOCAL, STT_FUNC, TEXT + 64, 4, IN_TEXT},
	};
	struct range_list of_interest = {0};
	struct symbols symbols;
	struct elf_file *file;
	(void)state;
	write_elf(ET_EXEC, EM_X86_64, SHT_SYMTAB, syms, COUNT_OF(syms));
	assert_true(range_list_add(&of_interest, TEXT + 16, TEXT + 20));
	assert_int_equal(elf_file_open(path, &file, NULL), LOCUS_OK);
	assert_int_equal(symbols_read(&symbols, file, file, &of_interest, NULL), LOCUS_OK);
	assert_null(symbols.rest_of);
	assert_int_equal(symbols.count, 2);
	assert_int_equal(symbols.file_count, 1);
	assert_string_equal(symbols.symbols[1].name, "far");
	symbols_done(&symbols);
	elf_file_free(file);

	/* Of a file without symbols there is no rest. */
	write_elf(ET_EXEC, EM_X86_64, SHT_PROGBITS, syms, COUNT_OF(syms));
	assert_int_equal(elf_file_open(path, &file, NULL), LOCUS_OK);
	assert_int_equal(symbols_read(&symbols, file, file, &of_interest, NULL), LOCUS_OK);
	assert_null(symbols.rest_of);
	assert_int_equal(symbols.count, 0);
	assert_false(symbols.full);
	symbols_done(&symbols);
	elf_file_free(file);
	range_list_done(&of_interest);
}

/* What symbols_named tells: "name addr+size, " of each; it ends after so many. */
struct told {
	char text[256];
	size_t size;
	unsigned left;
};

static bool begins_with_no_b(void *context, const char *name)
{
	(void)context;
	return name[0] != 'b';
}

static bool tell(void *context, const struct symbol *symbol)
{
	struct told *told = context;
	told->size +=
		(size_t)snprintf(told->text + told->size, sizeof(told->text) - told->size, "%s %llx+%llu, ",
				 symbol->name, (unsigned long long)symbol->addr, (unsigned long long)symbol->size);
	return --told->left > 0;
}

/* Those that were read and, if only some were, all of the table's; a Thumb function's address is even. */
static void symbols_by_their_names(void **state)
{
	static const struct sym syms[] = {
		{"wanted", GLOBAL_FUNC, TEXT + 16, 4, IN_TEXT},
		{"above", GLOBAL_FUNC, TEXT + 32, 5, IN_TEXT},
		{"behind", GLOBAL_FUNC, TEXT + 48, 6, IN_TEXT},
		{"far", GLOBAL_FUNC, TEXT + 65, 7, IN_TEXT},
		{".Llabel", STB_LOCAL, STT_NOTYPE, TEXT + 80, 0, IN_TEXT},
	};
	static const char all[] = "wanted 1010+4, above 1020+5, far 1040+7, ";
	static const char twice[] =
		"wanted 1010+4, above 1020+5, far 1040+7, wanted 1010+4, above 1020+5, far 1040+7, ";
	struct range_list of_interest = {0};
	struct elf_file *file;
	(void)state;
	write_elf(ET_EXEC, EM_ARM, SHT_SYMTAB, syms, COUNT_OF(syms));
	assert_true(range_list_add(&of_interest, TEXT + 16, TEXT + 20));
	assert_int_equal(elf_file_open(path, &file, NULL), LOCUS_OK);
	for (int is_part = 0; is_part < 2; is_part++) {
		const char *expected = is_part ? twice : all;
		struct symbols symbols;
		assert_int_equal(symbols_read(&symbols, file, file, is_part ? &of_interest : NULL, NULL), LOCUS_OK);
		for (unsigned most = 1; most <= 7; most++) {
			struct told told = {.left = most};
			unsigned count = is_part ? 6 : 3;
			assert_int_equal(symbols_named(&symbols, begins_with_no_b, tell, &told), most > count);
			if (strncmp(told.text, expected, told.size) != 0)
				fail_msg("%s, not %s", told.text, expected);
			assert_int_equal(most - told.left, most < count ? most : count);
		}
		symbols_done(&symbols);
	}
	elf_file_free(file);
	range_list_done(&of_interest);
}

static void searching(void **state)
{
	(void)state;
	struct symbol array[] = {{.addr = 10, .name = "a"}, {.addr = 10, .name = "b"}, {.addr = 20, .name = "c"}};
	struct symbols symbols = {.symbols = array, .count = 3}, none = {0};
	static const struct {
		uint64_t addr;
		size_t first;
		size_t count;
	} wanted[] = {{0, 0, 0}, {9, 0, 0}, {10, 0, 2}, {11, 0, 0}, {20, 2, 1}, {21, 0, 0}, {UINT64_MAX, 0, 0}};
	for (size_t i = 0; i < COUNT_OF(wanted); i++) {
		size_t count;
		const struct symbol *at = symbols_at(&symbols, wanted[i].addr, &count);
		if (count != wanted[i].count || at != (count ? &array[wanted[i].first] : NULL))
			fail_msg("address %llu", (unsigned long long)wanted[i].addr);
		assert_null(symbols_at(&none, wanted[i].addr, &count));
	}
}

/* Few and many symbols at one address are found as a whole, whatever else is around. */
static void many_at_one_address(void **state)
{
	enum { MANY = 20 };
	static const uint64_t at[] = {0, 10, UINT64_MAX};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(at); i++) {
		for (uint32_t many = 1; many <= MANY; many++) {
			struct symbol array[MANY + 2];
			struct symbols symbols = {.symbols = array};
			size_t count, first = at[i] ? 1 : 0;
			if (first)
				array[symbols.count++] = (struct symbol){.addr = at[i] - 1, .name = "below"};
			for (uint32_t k = 0; k < many; k++)
				array[symbols.count++] = (struct symbol){.addr = at[i], .name = "f"};
			if (at[i] < UINT64_MAX)
				array[symbols.count++] = (struct symbol){.addr = at[i] + 1, .name = "above"};
			assert_ptr_equal(symbols_at(&symbols, at[i], &count), &array[first]);
			assert_int_equal(count, many);
			assert_ptr_equal(symbols_below(&symbols, at[i]), &array[first]);
		}
	}
}

/* Those at one address are searched rank by rank. */
static void searching_for_a_name(void **state)
{
	static const struct symbol at[] = {
		{.name = "b", .rank = 0}, {.name = "d", .rank = 0}, {.name = "f", .rank = 0}, {.name = "c", .rank = 1},
		{.name = "a", .rank = 4}, {.name = "e", .rank = 4}, {.name = "", .rank = 16},
	};
	(void)state;
	for (size_t count = 0; count <= COUNT_OF(at); count++) {
		for (size_t i = 0; i < COUNT_OF(at); i++)
			assert_ptr_equal(symbols_find_name(at, count, at[i].name), i < count ? &at[i] : NULL);
		assert_null(symbols_find_name(at, count, "bb"));
		assert_null(symbols_find_name(at, count, "g"));
	}
}

/* The first of the symbols at the nearest address at or below. */
static void below(void **state)
{
	struct symbol array[] = {{.addr = 10}, {.addr = 10}, {.addr = 20}, {.addr = 30}};
	const struct symbols symbols = {.symbols = array, .count = 4}, none = {0};
	(void)state;
	for (uint64_t addr = 0; addr < 40; addr++) {
		const struct symbol *expected = addr < 10 ? NULL : &array[addr < 20 ? 0 : addr < 30 ? 2 : 3];
		assert_ptr_equal(symbols_below(&symbols, addr), expected);
		assert_null(symbols_below(&none, addr));
	}
	assert_ptr_equal(symbols_below(&symbols, UINT64_MAX), &array[3]);
	assert_null(symbols_below(&none, UINT64_MAX));
}

static void names_of_functions(void **state)
{
	static const struct {
		const char *symbol, *linkage;
		bool is_name;
	} names[] = {
		{"f", "f", true},
		{"f.cold", "f", true},
		{"f@plt", "f", true},
		{"f.constprop.0", "f", true},
		{"fg", "f", false},
		{"f_", "f", false},
		{"f", "fg", false},
		{"f", "", false},
		{"", "f", false},
		{".f", "", false},
		{"g", "f", false},
		{"_ZN1AC1Ev", "_ZN1AC2Ev", true},
		{"_ZN1ACI1N1BEEi", "_ZN1ACI2N1BEEi", true},
		{"_ZN1ADI1N1BEEi", "_ZN1ADI2N1BEEi", false},
		{"_ZN1AI1N1BEEi", "_ZN1AI2N1BEEi", false},
		{"_ZN1AC4Ev", "_ZN1AC1Ev", true},
		{"_ZN1AC0Ev", "_ZN1AC4Ev", true},
		{"_ZN1AC5Ev", "_ZN1AC1Ev", false},
		{"_ZN1AC1Ev", "_ZN1AC5Ev", false},
		{"_ZN1AC/Ev", "_ZN1AC1Ev", false},
		{"_ZN1AC1Ev", "_ZN1AC/Ev", false},
		{"_ZN1AD0Ev", "_ZN1AD2Ev", true},
		{"_ZN1AD1Ev.cold", "_ZN1AD2Ev", true},
		{"_ZN1AD1Ev@plt", "_ZN1AD2Ev", true},
		{"_ZN1AE1Ev", "_ZN1AE2Ev", false},
		{"_ZN1AC1Ei", "_ZN1AC2Ev", false},
		{"_ZN1AC1Evv", "_ZN1AC2Ev", false},
		{"_ZN1BC1Ev", "_ZN1AC2Ev", false},
		{"_ZN1AC1E", "_ZN1AC2Ev", false},
		{"_ZN1AC1Ev.isra.0", "_ZN1AC2Ev", true},
		{"_ZN1AC1", "_ZN1AC2Ev", false},
		{"_", "_ZN1AC2Ev", false},
		{"", "_ZN1AC2Ev", false},
		{"_XN1AC1Ev", "_XN1AC2Ev", false},
		{"_ZC1", "_ZC2", true},
		{"_ZC", "_ZD", false},
		{"C1", "C2", false},
		{"_ZN1AC1C1Ev", "_ZN1AC1C2Ev", true},
		{"_ZN1AC1C2Ev", "_ZN1AC2C1Ev", false},
		/* Other functions, whose names happen to end so. */
		{"_Z2D1v", "_Z2D2v", false},
		{"_Z5mixC1v", "_Z5mixC2v", false},
		{"_ZNK1A2C1Ev", "_ZNK1A2C2Ev", false},
		{"_ZN4_C1x3fooEv", "_ZN4_C2x3fooEv", false},
		{"_ZN1AIiE2D1Ev", "_ZN1AIiE2D2Ev", false},
		{"_ZN1AILi100EE2D1Ev", "_ZN1AILi100EE2D2Ev", false},
		{"_ZL2D1v.part.0", "_ZL2D2v", false},
		/* Variants behind numbers of other kinds. */
		{"_ZN12_GLOBAL__N_13FooC1Ev", "_ZN12_GLOBAL__N_13FooC2Ev", true},
		{"_ZN3FooILi100EEC1Ev", "_ZN3FooILi100EEC2Ev", true},
		{"_ZN3FooILin100EED1Ev", "_ZN3FooILin100EED2Ev", true},
		{"_ZN3FooIA20_iED0Ev", "_ZN3FooIA20_iED1Ev", true},
		{"_ZN3FooILm4096EED0Ev", "_ZN3FooILm4096EED1Ev", true},
		{"_ZN3FooILN1A1BE25EED1Ev", "_ZN3FooILN1A1BE25EED2Ev", true},
		{"_ZN1A1BILS0_25EED1Ev", "_ZN1A1BILS0_25EED2Ev", true},
		{"_ZN3FooIZ1fvEUliE16_ED0Ev", "_ZN3FooIZ1fvEUliE16_ED1Ev", true},
		{"_ZN1A1BINS_3_V212steady_clockEED1Ev", "_ZN1A1BINS_3_V212steady_clockEED2Ev", true},
		{"_ZN3FooI3BarS9_T8_EC1Ev", "_ZN3FooI3BarS9_T8_EC2Ev", true},
		{"_ZThn16_N1AD1Ev", "_ZThn16_N1AD0Ev", true},
		{"_ZTv0_n24_N1AD1Ev", "_ZTv0_n24_N1AD0Ev", true},
		{"_ZN99999999999999999999C1Ev", "_ZN99999999999999999999C2Ev", false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (symbol_is_name_of(names[i].symbol, names[i].linkage, strlen(names[i].linkage)) != names[i].is_name)
			fail_msg("%s is %s%s", names[i].symbol, names[i].is_name ? "" : "not ", names[i].linkage);
}

/* Of one name at one address there is one symbol; at another address it is another. */
static void repeated_names(void **state)
{
	enum { COUNT = 40 };
	char names[COUNT][8];
	struct symbol array[2 * COUNT + 2];
	struct symbols symbols = {.symbols = array};
	(void)state;
	for (uint32_t i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof(names[i]), "f%02u", i % 16);
		array[symbols.count++] = (struct symbol){.addr = 10, .rank = (uint8_t)(i % 3), .name = names[i]};
	}
	array[symbols.count++] = (struct symbol){.addr = 11, .name = "f00"};
	array[symbols.count++] = (struct symbol){.addr = 9, .name = "f00"};
	symbols_sort(&symbols);
	assert_int_equal(symbols.count, 16 + 2);
	assert_int_equal(array[0].addr, 9);
	assert_int_equal(array[17].addr, 11);
	for (uint32_t i = 1; i < 16; i++)
		for (uint32_t k = i + 1; k <= 16; k++)
			assert_string_not_equal(array[i].name, array[k].name);
}

/* Of symbols of one name and rank at one address, the largest stays; of those of one size, that of the first file. */
static void which_of_equal_names_stays(void **state)
{
	static const struct {
		uint64_t sizes[2];
		uint32_t files[2];
		uint64_t size;
		uint32_t file;
	} pairs[] = {{{4, 8}, {1, 2}, 8, 2}, {{8, 4}, {1, 2}, 8, 1}, {{4, 4}, {1, 2}, 4, 1}, {{4, 4}, {2, 1}, 4, 1}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		struct symbol array[2];
		struct symbols symbols = {.symbols = array, .count = 2};
		for (int k = 0; k < 2; k++)
			array[k] = (struct symbol){
				.addr = 10, .name = "f", .size = pairs[i].sizes[k], .file = pairs[i].files[k]};
		symbols_sort(&symbols);
		assert_int_equal(symbols.count, 1);
		assert_int_equal(array[0].size, pairs[i].size);
		assert_int_equal(array[0].file, pairs[i].file);
	}
}

/* Of very many names at one address, a name is compared with the 32 before it. */
static void names_that_repeat_far_behind(void **state)
{
	enum { WINDOW = 32 };
	(void)state;
	for (uint32_t between = WINDOW - 2; between <= WINDOW; between++) {
		char names[WINDOW][8];
		struct symbol array[WINDOW + 2];
		struct symbols symbols = {.symbols = array};
		array[symbols.count++] = (struct symbol){.addr = 10, .name = "f", .rank = 0};
		for (uint32_t i = 0; i < between; i++) {
			snprintf(names[i], sizeof(names[i]), "g%02u", i);
			array[symbols.count++] = (struct symbol){.addr = 10, .name = names[i], .rank = 1};
		}
		array[symbols.count++] = (struct symbol){.addr = 10, .name = "f", .rank = 2};
		symbols_sort(&symbols);
		assert_int_equal(symbols.count, between + 1 + (between >= WINDOW));
	}
}

/* A name of 128 KiB costs as many steps as are counted at once: half a step for each of its bytes. */
static void names_are_counted(void **state)
{
	enum { SIZE = 2 * BUDGET_COUNTED_AT_ONCE };
	char *name = malloc(SIZE + 1);
	struct elf_file *file;
	struct locus_error error;
	(void)state;
	memset(name, 'f', SIZE);
	name[SIZE] = 0;
	for (int is_dynamic = 0; is_dynamic < 2; is_dynamic++)
		for (int missing = 0; missing < 2; missing++) {
			struct symbols symbols;
			struct budget budget;
			const struct sym sym = {name, GLOBAL_FUNC, TEXT, 4, IN_TEXT};
			write_elf(ET_DYN, EM_X86_64, is_dynamic ? SHT_DYNSYM : SHT_SYMTAB, &sym, 1);
			assert_int_equal(elf_file_open(path, &file, &error), LOCUS_OK);
			budget_of_steps(&budget, (uint64_t)(BUDGET_COUNTED_AT_ONCE - missing));
			enum locus_status status = symbols_read(&symbols, file, file, NULL, &error);
			budget_use(NULL);
			assert_int_equal(status, missing ? LOCUS_ERR_MEMORY : LOCUS_OK);
			assert_true(missing || budget_steps_left(&budget) == 0);
			if (missing) {
				assert_int_equal(budget_fail(&budget, status, &error), LOCUS_ERR_BAD_DWARF);
				assert_string_equal(error.text,
						    is_dynamic ? "its symbols' names take more work than input of 0 "
								 "bytes can need, at .dynsym+0x0"
							       : "its symbols' names take more work than input of 0 "
								 "bytes can need, at .symtab+0x0");
			}
			symbols_done(&symbols);
			elf_file_free(file);
		}
	free(name);
}

/* Symbols of another table keep the files that they are of. */
static void joined(void **state)
{
	(void)state;
	struct symbols symbols = {0}, other = {.full = true};
	for (int i = 0; i < 2; i++) {
		struct symbols *s = i ? &other : &symbols;
		s->symbols = calloc(2, sizeof(*s->symbols));
		s->files = calloc(2, sizeof(*s->files));
		s->count = s->room = s->file_count = s->file_room = 2;
		for (uint32_t k = 0; k < 2; k++) {
			s->symbols[k] = (struct symbol){
				.addr = 10 * k + (uint64_t)i, .name = i ? "other" : "own", .file = k ? 2 : 0};
			s->files[k].name = i ? "other.c" : "own.c";
		}
	}
	assert_true(symbols_join(&symbols, &other));
	assert_int_equal(other.count, 0);
	assert_null(other.symbols);
	assert_true(symbols.full);
	assert_int_equal(symbols.count, 4);
	assert_int_equal(symbols.file_count, 4);
	for (uint32_t i = 0; i < 4; i++) {
		static const uint64_t addrs[] = {0, 1, 10, 11};
		static const uint32_t files[] = {0, 0, 2, 4};
		assert_int_equal(symbols.symbols[i].addr, addrs[i]);
		assert_int_equal(symbols.symbols[i].file, files[i]);
		assert_string_equal(symbols.files[i].name, i < 2 ? "own.c" : "other.c");
	}
	symbols_done(&symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables),
		cmocka_unit_test(any_order),
		cmocka_unit_test(files_of_locals),
		cmocka_unit_test(arm_thumb),
		cmocka_unit_test(kinds_of_table),
		cmocka_unit_test(all_where_the_nearest_is_a_label),
		cmocka_unit_test(symbols_by_their_names),
		cmocka_unit_test(searching),
		cmocka_unit_test(some_of_a_table),
		cmocka_unit_test(no_more_than_what_decides),
		cmocka_unit_test(ranks),
		cmocka_unit_test(searching_for_a_name),
		cmocka_unit_test(many_at_one_address),
		cmocka_unit_test(below),
		cmocka_unit_test(names_of_functions),
		cmocka_unit_test(repeated_names),
		cmocka_unit_test(which_of_equal_names_stays),
		cmocka_unit_test(names_that_repeat_far_behind),
		cmocka_unit_test(names_are_counted),
		cmocka_unit_test(joined),
	};
	return cmocka_run_group_tests_name("symbols", tests, setup, teardown);
}
