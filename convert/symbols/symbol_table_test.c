/* Entries of symbol tables: what names code, at which address, in linked and relocatable files. RULES E1, E3. */
#include "convert/symbols/symbol_table.h"

#include "convert/elf/open_elf_test.h"
#include "convert/symbols/symbols.h"

enum { TEXT = 0x1000, TEXT_SIZE = 0x8000, OPD = 0x5000, OPD_SIZE = 20 };
enum { IN_TEXT = 1, IN_DATA = 2, STRINGS = 3, TABLE = 4 }; /* sections */

static const char names[] = "\0f\0g\0source.c\0$x\0.Llabel\0";
enum { NAME_F = 1, NAME_G = 3, NAME_SOURCE = 5, NAME_MAPPING = 14, NAME_LABEL = 17 };

#define FUNC   ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
#define NOTYPE ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE)

struct table_file {
	uint16_t type, machine;
	const Elf64_Sym *symbols;
	size_t symbols_size;
	struct elf_part extra; /* a section more; its name NULL: none */
	uint32_t table_type;
	uint64_t entry_size;
};

static struct elf_file *opened_table(const struct table_file *t)
{
	struct bytes image = {0};
	const bool is_linked = t->type != ET_REL;
	const struct elf_part parts[] = {
		{".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, is_linked ? TEXT : 0, "", 0, 0, 0},
		{".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, is_linked ? TEXT : 0, "12345678", 8, 0, 0},
		{".strtab", SHT_STRTAB, 0, 0, names, sizeof(names), 0, 0},
		{".symtab", t->table_type, 0, 0, t->symbols, t->symbols_size, STRINGS, t->entry_size},
		t->extra,
	};
	make_elf(&image, t->type, t->machine, parts, COUNT_OF(parts) - !t->extra.name);
	Elf64_Ehdr ehdr;
	memcpy(&ehdr, image.data, sizeof(ehdr));
	((Elf64_Shdr *)(image.data + ehdr.e_shoff))[IN_TEXT].sh_size = TEXT_SIZE;
	struct elf_file *file = opened(&image);
	bytes_done(&image);
	return file;
}

/* "1000 f 1010 g ", of the symbols that are found; "-" stands for no name. */
static void show(struct symbol_table *table, char *text, size_t size)
{
	struct table_symbol symbol;
	size_t at = 0;
	text[0] = 0;
	while (symbol_table_next(table, &symbol)) {
		const char *name = symbol_table_name(table, &symbol);
		at += (size_t)snprintf(text + at, size - at, "%llx %s ", (unsigned long long)symbol.addr,
				       name ? name : "-");
	}
}

static void check(const char *name, const struct table_file *t, const char *expected)
{
	struct elf_file *file = opened_table(t);
	struct symbol_table table;
	char text[200];
	assert_int_equal(symbol_table_open(&table, file, file, NULL), LOCUS_OK);
	show(&table, text, sizeof(text));
	if (strcmp(text, expected) != 0)
		fail_msg("%s: %s", name, text);
	elf_file_free(file);
}

static void kinds_of_tables(void **state)
{
	static const Elf64_Sym symbols[] = {{NAME_F, FUNC, 0, IN_TEXT, TEXT, 1}, {NAME_G, FUNC, 0, IN_TEXT, TEXT, 1}};
	static const struct {
		uint32_t type;
		bool is_dynamic;
		size_t count;
		const char *expected; /* the first entry is no symbol */
	} cases[] = {{SHT_SYMTAB, false, 2, "1000 g "}, {SHT_DYNSYM, true, 2, "1000 g "}, {SHT_PROGBITS, true, 0, ""}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct table_file t = {ET_EXEC,        EM_X86_64,     symbols,         sizeof(symbols),
					     {.name = NULL}, cases[i].type, sizeof(*symbols)};
		struct elf_file *file = opened_table(&t);
		struct symbol_table table;
		char text[100];
		assert_int_equal(symbol_table_open(&table, file, file, NULL), LOCUS_OK);
		assert_int_equal(table.is_dynamic, cases[i].is_dynamic);
		assert_int_equal(table.count, cases[i].count);
		show(&table, text, sizeof(text));
		assert_string_equal(text, cases[i].expected);
		elf_file_free(file);
	}
}

static void tables_of_other_sizes_of_entries(void **state)
{
	static const Elf64_Sym symbols[] = {{0}, {NAME_F, FUNC, 0, IN_TEXT, TEXT, 1}};
	static const uint64_t sizes[] = {0, sizeof(*symbols) / 2, sizeof(*symbols) - 1, 2 * sizeof(*symbols)};
	struct symbol_table table;
	struct locus_error error;
	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		const struct table_file t = {ET_EXEC,        EM_X86_64,  symbols, sizeof(symbols),
					     {.name = NULL}, SHT_SYMTAB, sizes[i]};
		struct elf_file *file = opened_table(&t);
		assert_int_equal(symbol_table_open(&table, file, file, &error), LOCUS_ERR_BAD_ELF);
		assert_string_equal(error.text, "perhaps truncated: the symbol table cannot be read");
		elf_file_free(file);
	}
}

/* What has no name is not damaged; what has one where there is no string, or only zeros, is. */
static void names_that_are_not_there(void **state)
{
	static const char outside[] = "has names that are outside of its string table";
	static const struct {
		uint32_t name;
		uint8_t info;
		const char *damage; /* NULL: none */
	} cases[] = {
		{NAME_F, FUNC, NULL},
		{0, FUNC, NULL},
		{sizeof(names) - 2, FUNC, NULL}, /* the end of another name */
		{sizeof(names) - 1, FUNC, "has names that are holes in its string table"},
		{sizeof(names), FUNC, outside},
		{UINT32_MAX, FUNC, outside},
		{sizeof(names), ELF64_ST_INFO(STB_LOCAL, STT_FILE), outside},
		{sizeof(names), ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), outside}, /* which names no code */
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const Elf64_Sym symbols[] = {{0}, {cases[i].name, cases[i].info, 0, IN_TEXT, TEXT, 1}};
		const struct table_file t = {ET_EXEC,        EM_X86_64,  symbols,         sizeof(symbols),
					     {.name = NULL}, SHT_SYMTAB, sizeof(*symbols)};
		struct elf_file *file = opened_table(&t);
		struct symbol_table table;
		char text[100];
		assert_int_equal(symbol_table_open(&table, file, file, NULL), LOCUS_OK);
		show(&table, text, sizeof(text));
		assert_true(table.damage && cases[i].damage ? strcmp(table.damage, cases[i].damage) == 0
							    : table.damage == cases[i].damage);
		elf_file_free(file);

		/* Whoever reads the whole table refuses it. */
		struct symbols read;
		struct locus_error error = {0};
		file = opened_table(&t);
		assert_int_equal(symbols_read(&read, file, file, NULL, &error),
				 cases[i].damage ? LOCUS_ERR_BAD_ELF : LOCUS_OK);
		if (cases[i].damage)
			assert_non_null(strstr(error.text, cases[i].damage));
		symbols_done(&read);
		elf_file_free(file);
	}
}

/* A hole of zeros in the table, as a lost write leaves it, takes more than one entry. */
static void holes_in_the_table(void **state)
{
	enum { ENTRIES = 6 };
	static const struct {
		const char *entries; /* 0: all zeros; f: a symbol; u: one that is defined elsewhere */
		bool is_damaged;
	} cases[] = {
		{"0ffff", false}, {"0uuff", false}, {"00fff", false}, {"0f0f0", false},
		{"000ff", true},  {"0f00f", true},  {"0ff00", true},  {"00000", true},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		Elf64_Sym symbols[ENTRIES] = {{0}};
		const size_t count = strlen(cases[i].entries);
		for (size_t k = 0; k < count; k++)
			if (cases[i].entries[k] != '0')
				symbols[k] = (Elf64_Sym){
					NAME_F, FUNC, 0, cases[i].entries[k] == 'f' ? IN_TEXT : SHN_UNDEF, TEXT + k, 1};
		const struct table_file t = {ET_EXEC,        EM_X86_64,  symbols,         count * sizeof(*symbols),
					     {.name = NULL}, SHT_SYMTAB, sizeof(*symbols)};
		struct symbols read;
		struct locus_error error = {0};
		struct elf_file *file = opened_table(&t);
		if (symbols_read(&read, file, file, NULL, &error) !=
		    (cases[i].is_damaged ? LOCUS_ERR_BAD_ELF : LOCUS_OK))
			fail_msg("%s: %s", cases[i].entries, error.text);
		if (cases[i].is_damaged)
			assert_string_equal(error.text,
					    "perhaps truncated: the symbol table has entries that are holes");
		symbols_done(&read);
		elf_file_free(file);
	}
}

static void sections_of_symbols(void **state)
{
	static const struct {
		const char *name;
		uint16_t section;
		uint8_t info;
		const char *linked, *relocatable;
	} cases[] = {
		{"a function in code", IN_TEXT, FUNC, "1010 f ", "11010 f "},
		{"a function in data", IN_DATA, FUNC, "1010 f ", ""},
		{"a label in code", IN_TEXT, NOTYPE, "1010 f ", "11010 f "},
		{"a label in data", IN_DATA, NOTYPE, "", ""},
		{"a function of a section with a long number", SHN_XINDEX, FUNC, "1010 f ", "11010 f "},
		{"a label of a section with a long number", SHN_XINDEX, NOTYPE, "1010 f ", "11010 f "},
		{"a function in no section", SHN_UNDEF, FUNC, "", ""},
		{"a function at a fixed address", SHN_ABS, FUNC, "", ""},
		{"a function of a reserved section", SHN_LORESERVE, FUNC, "1010 f ", ""},
		{"a label of a reserved section", SHN_LORESERVE, NOTYPE, "", ""},
		{"a function of a section that is not there", 99, FUNC, "1010 f ", ""},
		{"a label of a section that is not there", 99, NOTYPE, "", ""},
	};
	static const Elf32_Word numbers[] = {0, IN_TEXT};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const Elf64_Sym symbols[] = {{0}, {NAME_F, cases[i].info, 0, cases[i].section, TEXT + 0x10, 1}};
		struct table_file t = {.machine = EM_X86_64,
				       .symbols = symbols,
				       .symbols_size = sizeof(symbols),
				       .extra = {".symtab_shndx", SHT_SYMTAB_SHNDX, 0, 0, numbers, sizeof(numbers),
						 TABLE, sizeof(*numbers)},
				       .table_type = SHT_SYMTAB,
				       .entry_size = sizeof(*symbols)};
		t.type = ET_EXEC;
		check(cases[i].name, &t, cases[i].linked);
		t.type = ET_REL; /* .text is at 0x10000 there, and a value counts from it */
		check(cases[i].name, &t, cases[i].relocatable);
	}
}

/* The table of long numbers may be any section, the first one too. */
static void long_numbers_in_the_first_section(void **state)
{
	enum { TEXT_SECTION = 2 };
	static const Elf64_Sym symbols[] = {{0}, {NAME_F, NOTYPE, 0, SHN_XINDEX, TEXT + 0x10, 1}};
	static const Elf32_Word numbers[] = {0, TEXT_SECTION};
	static const struct elf_part parts[] = {
		{".symtab_shndx", SHT_SYMTAB_SHNDX, 0, 0, numbers, sizeof(numbers), 4, sizeof(*numbers)},
		{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, NULL, 0x20, 0, 0},
		{".strtab", SHT_STRTAB, 0, 0, names, sizeof(names), 0, 0},
		{".symtab", SHT_SYMTAB, 0, 0, symbols, sizeof(symbols), 3, sizeof(*symbols)},
	};
	struct bytes image = {0};
	struct symbol_table table;
	char text[40];
	(void)state;
	make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	struct elf_file *file = opened(&image);
	assert_int_equal(symbol_table_open(&table, file, file, NULL), LOCUS_OK);
	show(&table, text, sizeof(text));
	assert_string_equal(text, "1010 f ");
	elf_file_free(file);
	bytes_done(&image);
}

/* Without the numbers' own table, those of 16 bits say everything. */
static void sections_without_long_numbers(void **state)
{
	static const Elf64_Sym symbols[] = {
		{0}, {NAME_F, NOTYPE, 0, IN_TEXT, TEXT + 0x10, 1}, {NAME_G, NOTYPE, 0, SHN_XINDEX, TEXT + 0x20, 1}};
	const struct table_file t = {ET_EXEC,        EM_X86_64,  symbols,         sizeof(symbols),
				     {.name = NULL}, SHT_SYMTAB, sizeof(*symbols)};
	(void)state;
	check("a number of 16 bits", &t, "1010 f ");
}

/*
 * RULES E3: bit 0 of a function says that it is Thumb code of Arm, or compressed code of MIPS; and PowerPC's symbols
 * lead to descriptors.
 */
static void addresses_that_are_not_the_value(void **state)
{
	static const struct {
		uint16_t machine;
		uint8_t info;
		uint64_t value;
		const char *opd; /* the name of the descriptors' section */
		uint32_t opd_type;
		const char *expected;
	} cases[] = {
		{EM_ARM, FUNC, TEXT + 1, ".opd", SHT_PROGBITS, "1000 f "},
		{EM_ARM, NOTYPE, TEXT + 1, ".opd", SHT_PROGBITS, "1001 f "},
		{EM_MIPS, FUNC, TEXT + 1, ".opd", SHT_PROGBITS, "1000 f "},
		{EM_MIPS, NOTYPE, TEXT + 1, ".opd", SHT_PROGBITS, "1001 f "},
		{EM_X86_64, FUNC, TEXT + 1, ".opd", SHT_PROGBITS, "1001 f "},
		{EM_X86_64, FUNC, OPD, ".opd", SHT_PROGBITS, "5000 f "},
		{EM_PPC64, FUNC, OPD, ".opd", SHT_PROGBITS, "1234 f "},
		{EM_PPC64, FUNC, OPD + 8, ".opd", SHT_PROGBITS, "5678 f "},
		{EM_PPC64, FUNC, OPD - 1, ".opd", SHT_PROGBITS, "4fff f "},
		{EM_PPC64, FUNC, OPD + OPD_SIZE - 7, ".opd", SHT_PROGBITS, ""}, /* a descriptor that is cut off */
		{EM_PPC64, FUNC, OPD + OPD_SIZE, ".opd", SHT_PROGBITS, "5014 f "},
		{EM_PPC64, FUNC, OPD, ".opd", SHT_NOBITS, "5000 f "},
		{EM_PPC64, FUNC, OPD, ".op", SHT_PROGBITS, "5000 f "},
		{EM_PPC64, FUNC, OPD, ".opd.", SHT_PROGBITS, "5000 f "},
	};
	struct bytes opd = {0};
	(void)state;
	put_number(&opd, 0x1234, 8);
	put_number(&opd, 0x5678, 8);
	put_number(&opd, 0, OPD_SIZE - 16);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const Elf64_Sym symbols[] = {{0}, {NAME_F, cases[i].info, 0, IN_TEXT, cases[i].value, 1}};
		const struct table_file t = {
			ET_EXEC,
			cases[i].machine,
			symbols,
			sizeof(symbols),
			{cases[i].opd, cases[i].opd_type, SHF_ALLOC, OPD, opd.data, opd.size, 0, 0},
			SHT_SYMTAB,
			sizeof(*symbols)};
		char name[40];
		snprintf(name, sizeof(name), "machine %u, %llx, %s", cases[i].machine,
			 (unsigned long long)cases[i].value, cases[i].opd);
		check(name, &t, cases[i].expected);
	}
	bytes_done(&opd);
}

/* A separate debug file has the symbols, but the descriptors are in the program. */
static void descriptors_of_the_program(void **state)
{
	static const Elf64_Sym symbols[] = {{0}, {NAME_F, FUNC, 0, IN_TEXT, OPD + 8, 1}};
	struct bytes opd = {0};
	struct symbol_table table;
	char text[40];
	(void)state;
	put_number(&opd, 0x1234, 8);
	put_number(&opd, 0x5678, 8);
	struct table_file t = {ET_EXEC,
			       EM_PPC64,
			       symbols,
			       sizeof(symbols),
			       {".opd", SHT_PROGBITS, SHF_ALLOC, OPD, opd.data, opd.size, 0, 0},
			       SHT_SYMTAB,
			       sizeof(*symbols)};
	struct elf_file *program = opened_table(&t);
	t.extra.type = SHT_NOBITS;
	struct elf_file *debug = opened_table(&t);
	assert_int_equal(symbol_table_open(&table, debug, program, NULL), LOCUS_OK);
	show(&table, text, sizeof(text));
	assert_string_equal(text, "5678 f ");
	elf_file_free(debug);
	elf_file_free(program);
	bytes_done(&opd);
}

/* In an object file the descriptors are empty, and relocations say what they hold. */
static void descriptors_of_an_object(void **state)
{
	enum { R_ADDR64 = 38, R_TOC = 51 };
	enum { OPD_SECTION = 2, TEXT_SYMBOL = 3 };
	static const Elf64_Sym symbols[] = {
		{0},
		{NAME_F, FUNC, 0, OPD_SECTION, 0, 1},
		{NAME_G, FUNC, 0, OPD_SECTION, 24, 1},
		{0, ELF64_ST_INFO(STB_LOCAL, STT_SECTION), 0, IN_TEXT, 0, 0},
	};
	static const Elf64_Rela entries[] = {{0, ELF64_R_INFO(TEXT_SYMBOL, R_ADDR64), 0x10},
					     {8, ELF64_R_INFO(0, R_TOC), 0},
					     {24, ELF64_R_INFO(TEXT_SYMBOL, R_ADDR64), 0x20},
					     {32, ELF64_R_INFO(0, R_TOC), 0}};
	static const struct {
		uint16_t machine;
		const char *opd;
		const char *expected;
	} cases[] = {{EM_PPC64, ".opd", "10010 f 10020 g "}, {EM_PPC64, ".op", ""}, {EM_X86_64, ".opd", ""}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct elf_part parts[] = {
			{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, NULL, 0x40, 0, 0},
			{cases[i].opd, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0, NULL, 48, 0, 0},
			{".strtab", SHT_STRTAB, 0, 0, names, sizeof(names), 0, 0},
			{".symtab", SHT_SYMTAB, 0, 0, symbols, sizeof(symbols), STRINGS, sizeof(*symbols)},
			{".rela.opd", SHT_RELA, 0, 0, entries, sizeof(entries), TABLE, sizeof(*entries)},
		};
		struct bytes image = {0};
		struct symbol_table table;
		char text[40];
		make_elf(&image, ET_REL, cases[i].machine, parts, COUNT_OF(parts));
		Elf64_Ehdr ehdr;
		memcpy(&ehdr, image.data, sizeof(ehdr));
		((Elf64_Shdr *)(image.data + ehdr.e_shoff))[COUNT_OF(parts)].sh_info = OPD_SECTION;
		struct elf_file *file = opened(&image);
		assert_int_equal(symbol_table_open(&table, file, file, NULL), LOCUS_OK);
		show(&table, text, sizeof(text));
		assert_string_equal(text, cases[i].expected);
		elf_file_free(file);
		bytes_done(&image);
	}
}

static void names_of_symbols(void **state)
{
	static const Elf64_Sym symbols[] = {{0},
					    {NAME_SOURCE, ELF64_ST_INFO(STB_LOCAL, STT_FILE), 0, SHN_ABS, 0, 0},
					    {NAME_MAPPING, NOTYPE, 0, IN_TEXT, TEXT, 0},
					    {NAME_LABEL, NOTYPE, 0, IN_TEXT, TEXT + 1, 0},
					    {0, NOTYPE, 0, IN_TEXT, TEXT + 2, 0},
					    {sizeof(names), NOTYPE, 0, IN_TEXT, TEXT + 3, 0},
					    {sizeof(names) - 1, NOTYPE, 0, IN_TEXT, TEXT + 4, 0},
					    {NAME_G, NOTYPE, 0, IN_TEXT, TEXT + 5, 0}};
	const struct table_file t = {ET_EXEC,        EM_X86_64,  symbols,         sizeof(symbols),
				     {.name = NULL}, SHT_SYMTAB, sizeof(*symbols)};
	struct elf_file *file = opened_table(&t);
	struct symbol_table table;
	struct table_symbol symbol;
	char text[200];
	(void)state;
	assert_int_equal(symbol_table_open(&table, file, file, NULL), LOCUS_OK);
	assert_null(table.file_name);
	assert_true(symbol_table_next(&table, &symbol));
	assert_string_equal(table.file_name, "source.c");
	assert_int_equal(symbol.addr, TEXT);
	assert_int_equal(table.next, 3);
	show(&table, text, sizeof(text));
	assert_string_equal(text, "1001 - 1002 - 1003 - 1004 - 1005 g ");
	elf_file_free(file);
}

/* Bytes behind the last NUL are no strings; a section of another kind has none, nor one that does not begin with a NUL.
 */
static void strings(void **state)
{
	static const struct elf_part parts[] = {{".strtab", SHT_STRTAB, 0, 0, "\0ab\0cd", 6, 0, 0},
						{".strtab", SHT_STRTAB, 0, 0, "abc", 3, 0, 0},
						{".strtab", SHT_PROGBITS, 0, 0, "\0ab", 4, 0, 0},
						{".strtab", SHT_STRTAB, 0, 0, "b\0cd", 5, 0, 0},
						{".strtab", SHT_STRTAB, 0, 0, "", 0, 0, 0}};
	struct bytes image = {0};
	(void)state;
	make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	struct elf_file *file = opened(&image);
	struct symbol_strings found = symbol_strings_open(file->elf, 1);
	assert_int_equal(found.size, 4);
	assert_string_equal(symbol_string(&found, 0), "");
	assert_string_equal(symbol_string(&found, 1), "ab");
	assert_string_equal(symbol_string(&found, 3), "");
	assert_null(symbol_string(&found, 4));
	static const size_t without[] = {2, 3, 4, 5, 99};
	for (size_t i = 0; i < COUNT_OF(without); i++) {
		found = symbol_strings_open(file->elf, without[i]);
		assert_int_equal(found.size, 0);
		assert_null(symbol_string(&found, 0));
	}
	elf_file_free(file);
	bytes_done(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_of_tables),
		cmocka_unit_test(tables_of_other_sizes_of_entries),
		cmocka_unit_test(names_that_are_not_there),
		cmocka_unit_test(holes_in_the_table),
		cmocka_unit_test(sections_of_symbols),
		cmocka_unit_test(long_numbers_in_the_first_section),
		cmocka_unit_test(sections_without_long_numbers),
		cmocka_unit_test(addresses_that_are_not_the_value),
		cmocka_unit_test(descriptors_of_the_program),
		cmocka_unit_test(descriptors_of_an_object),
		cmocka_unit_test(names_of_symbols),
		cmocka_unit_test(strings),
	};
	return cmocka_run_group_tests_name("symbol_table", tests, NULL, NULL);
}
