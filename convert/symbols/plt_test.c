/* RULES E4: entries of linkage tables, as linkers write them, and damaged ones. */
#include "convert/symbols/plt.h"

#include <unistd.h>

#include "convert/elf/make_elf_test.h"

enum { PLT = 0x1000, SEC = 0x2000, GOT_PLT = 0x3000, SLOTS = 0x8000 };

static char path[] = "/tmp/locus-plt-test-XXXXXX";

static void put_u32_le(struct bytes *b, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		put_u8(b, (uint8_t)(value >> 8 * i));
}

/* jmp *slot(%rip), from an instruction that ends at `end`. */
static void put_jump(struct bytes *b, uint64_t end, uint64_t slot)
{
	put_u8(b, 0xff);
	put_u8(b, 0x25);
	put_u32_le(b, (uint32_t)(slot - end));
}

static void fill(struct bytes *b, size_t to)
{
	while (b->size < to)
		put_u8(b, 0x90);
}

/* adrp x16, page of the slot; ldr x17, [x16, its place in it]; add; br. */
static void put_arm(struct bytes *b, uint64_t addr, uint64_t slot)
{
	uint32_t pages = (uint32_t)((slot >> 12) - (addr >> 12));
	put_u32_le(b, 0x90000010u | (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5);
	put_u32_le(b, 0xf9400211u | (uint32_t)(slot & 0xfff) / 8 << 10);
	put_u32_le(b, 0x91000210u);
	put_u32_le(b, 0xd61f0220u);
}

struct tables {
	struct bytes plt, sec, got, symbols, strings, relocations, slots;
};

static void tables_done(struct tables *t)
{
	bytes_done(&t->plt);
	bytes_done(&t->sec);
	bytes_done(&t->got);
	bytes_done(&t->symbols);
	bytes_done(&t->strings);
	bytes_done(&t->relocations);
	bytes_done(&t->slots);
}

/* Two functions, puts and exit; of their relocations, in order, the slots SLOTS + 8 and SLOTS + 16. */
static void make_dynamic(struct tables *t)
{
	static const char *const names[] = {"puts", "exit"};
	Elf64_Sym none = {0};
	put_u8(&t->strings, 0);
	put_bytes(&t->symbols, &none, sizeof(none));
	for (uint32_t i = 0; i < 2; i++) {
		Elf64_Sym symbol = {.st_name = (uint32_t)t->strings.size,
				    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)};
		Elf64_Rela rela = {.r_offset = SLOTS + 8 + 8 * i, .r_info = ELF64_R_INFO(i + 1, 7)};
		put_bytes(&t->symbols, &symbol, sizeof(symbol));
		put_string(&t->strings, names[i]);
		put_bytes(&t->relocations, &rela, sizeof(rela));
	}
}

/* `name` is that of the section of relocations. */
static void write_tables_named(const struct tables *t, uint16_t machine, const char *name, uint32_t type,
			       size_t entry_size)
{
	struct bytes elf = {0};
	const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;
	const struct elf_part parts[] = {
		{".plt", SHT_PROGBITS, code, PLT, t->plt.data, t->plt.size, 0, 16},
		{".plt.sec", SHT_PROGBITS, code, SEC, t->sec.data, t->sec.size, 0, 16},
		{".plt.got", SHT_PROGBITS, code, GOT_PLT, t->got.data, t->got.size, 0, 8},
		{".dynsym", SHT_DYNSYM, SHF_ALLOC, 0, t->symbols.data, t->symbols.size, 5, sizeof(Elf64_Sym)},
		{".dynstr", SHT_STRTAB, SHF_ALLOC, 0, t->strings.data, t->strings.size, 0, 0},
		{name, type, SHF_ALLOC, 0, t->relocations.data, t->relocations.size, 4, entry_size},
		{".got", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, SLOTS, t->slots.data, t->slots.size, 0, 8},
	};
	make_elf(&elf, ET_DYN, machine, parts, COUNT_OF(parts));
	write_file(path, &elf);
	bytes_done(&elf);
}

static void write_tables(const struct tables *t, uint16_t machine)
{
	write_tables_named(t, machine, ".rela.plt", SHT_RELA, sizeof(Elf64_Rela));
}

/* The symbols as text: "1000+16 name 1010+16 name ". What is wrong with the table of symbols is told. */
static enum locus_status read_symbols(char *text, size_t size, struct locus_error *error)
{
	struct elf_file *file;
	struct symbols symbols;
	size_t at = 0;
	text[0] = 0;
	if (elf_file_open(path, &file, error) != LOCUS_OK)
		fail_msg("%s", error->text);
	enum locus_status status = symbols_read(&symbols, file, file, NULL, error);
	assert_int_equal(plt_add_symbols(&symbols, file, error), LOCUS_OK);
	for (size_t i = 0; i < symbols.count; i++)
		at += (size_t)snprintf(text + at, size - at, "%llx+%llu %s ",
				       (unsigned long long)symbols.symbols[i].addr,
				       (unsigned long long)symbols.symbols[i].size, symbols.symbols[i].name);
	symbols_done(&symbols);
	elf_file_free(file);
	return status;
}

static void read_and_show(char *text, size_t size)
{
	struct locus_error error = {0};
	if (read_symbols(text, size, &error) != LOCUS_OK)
		fail_msg("%s", error.text);
}

static void make_x86_64(struct tables *t)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	make_dynamic(t);
	put_jump(&t->plt, PLT + 6, SLOTS); /* the table's head, whose slot no relocation fills */
	fill(&t->plt, 16);
	put_jump(&t->plt, PLT + 22, SLOTS + 8);
	fill(&t->plt, 32);
	put_bytes(&t->plt, endbr64, 4); /* not bound yet: by its number */
	put_u8(&t->plt, 0x68);
	put_u32_le(&t->plt, 1);
	fill(&t->plt, 48);
	put_bytes(&t->sec, endbr64, 4);
	put_u8(&t->sec, 0xf2); /* bnd */
	put_jump(&t->sec, SEC + 11, SLOTS + 16);
	fill(&t->sec, 16);
	put_jump(&t->got, GOT_PLT + 6, SLOTS + 8);
	fill(&t->got, 8);
	put_jump(&t->got, GOT_PLT + 14, SLOTS + 16);
	fill(&t->got, 16);
}

static void entries_of_x86_64(void **state)
{
	struct tables t = {0};
	char text[512];
	(void)state;
	make_x86_64(&t);
	write_tables(&t, EM_X86_64);
	read_and_show(text, sizeof(text));
	assert_string_equal(text,
			    "1010+16 puts@plt 1020+16 exit@plt 2000+16 exit@plt 3000+8 puts@plt 3008+8 exit@plt ");
	tables_done(&t);
}

/* Entries that are not bound yet count the relocations of the table's own section alone, whatever kind it is of. */
static void kinds_of_relocations(void **state)
{
	static const struct {
		const char *name;
		bool is_rela, is_numbered;
	} cases[] = {
		{".rela.plt", true, true},  {".rel.plt", false, true}, {".rela.dyn", true, false},
		{".rel.dyn", false, false}, {".rela.pl", true, false}, {".rel.plu", false, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct tables t = {0};
		struct bytes rel = {0};
		char text[512];
		make_x86_64(&t);
		for (size_t at = 0; at < t.relocations.size; at += sizeof(Elf64_Rela))
			put_bytes(&rel, t.relocations.data + at, sizeof(Elf64_Rel));
		if (!cases[i].is_rela) {
			struct bytes rela = t.relocations;
			t.relocations = rel;
			rel = rela;
		}
		write_tables_named(&t, EM_X86_64, cases[i].name, cases[i].is_rela ? SHT_RELA : SHT_REL,
				   cases[i].is_rela ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel));
		read_and_show(text, sizeof(text));
		const char *expected = cases[i].is_numbered
					       ? "1010+16 puts@plt 1020+16 exit@plt 2000+16 exit@plt "
						 "3000+8 puts@plt 3008+8 exit@plt "
					       : "1010+16 puts@plt 2000+16 exit@plt 3000+8 puts@plt 3008+8 exit@plt ";
		if (strcmp(text, expected) != 0)
			fail_msg("%s: %s", cases[i].name, text);
		bytes_done(&rel);
		tables_done(&t);
	}
}

static void entries_of_aarch64(void **state)
{
	struct tables t = {0};
	char text[512];
	(void)state;
	make_dynamic(&t);
	put_arm(&t.plt, PLT, SLOTS); /* the head */
	put_arm(&t.plt, PLT + 16, SLOTS + 8);
	put_u32_le(&t.plt, 0xd503245fu); /* bti c */
	put_arm(&t.plt, PLT + 36, SLOTS + 16);
	write_tables(&t, EM_AARCH64);
	read_and_show(text, sizeof(text));
	assert_string_equal(text, "1010+16 puts@plt 1020+20 exit@plt ");
	tables_done(&t);
}

/* Linkers write relocations in the order of entries, or in any other; and what a number counts is theirs. */
static void slots_in_another_order(void **state)
{
	enum { RELOCATION = sizeof(Elf64_Rela) };
	struct tables t = {0};
	uint8_t first[RELOCATION];
	char text[512];
	(void)state;
	make_x86_64(&t);
	memcpy(first, t.relocations.data, RELOCATION);
	memmove(t.relocations.data, t.relocations.data + RELOCATION, RELOCATION);
	memcpy(t.relocations.data + RELOCATION, first, RELOCATION);
	write_tables(&t, EM_X86_64);
	read_and_show(text, sizeof(text));
	assert_string_equal(text,
			    "1010+16 puts@plt 1020+16 puts@plt 2000+16 exit@plt 3000+8 puts@plt 3008+8 exit@plt ");
	tables_done(&t);
}

/*
 * A function that is chosen among several when the program starts has its symbol where its chooser is, and the addend
 * of the slot's relocation names that, also if only symbols elsewhere were read before.
 */
static void functions_that_are_chosen(void **state)
{
	enum { CHOOSER = GOT_PLT + 2, FAR = SEC + 12 };
	struct tables t = {0};
	struct locus_error error = {0};
	(void)state;
	make_x86_64(&t);
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = {"_chosen", "chosen", "far"};
		Elf64_Sym symbol = {.st_name = (uint32_t)t.strings.size,
				    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC),
				    .st_shndx = 3,
				    .st_size = 1,
				    .st_value = i < 2 ? CHOOSER : FAR};
		put_bytes(&t.symbols, &symbol, sizeof(symbol));
		put_string(&t.strings, names[i]);
	}
	Elf64_Rela *relocations = (Elf64_Rela *)t.relocations.data;
	relocations[0].r_info = ELF64_R_INFO(0, R_X86_64_IRELATIVE);
	relocations[0].r_addend = CHOOSER;
	for (int reads_some = 0; reads_some < 2; reads_some++) {
		struct range range = {PLT, PLT + 1};
		const struct range_list of_interest = {&range, 1, 1};
		struct elf_file *file;
		struct symbols symbols;
		write_tables(&t, EM_X86_64);
		assert_int_equal(elf_file_open(path, &file, &error), LOCUS_OK);
		assert_int_equal(symbols_read(&symbols, file, file, reads_some ? &of_interest : NULL, &error),
				 LOCUS_OK);
		assert_int_equal(plt_add_symbols(&symbols, file, &error), LOCUS_OK);
		size_t count;
		const struct symbol *entry = symbols_at(&symbols, PLT + 16, &count);
		assert_non_null(entry);
		assert_string_equal(entry->name, "chosen@plt");
		entry = symbols_at(&symbols, PLT + 32, &count);
		assert_non_null(entry);
		assert_string_equal(entry->name, "exit@plt");
		symbols_done(&symbols);
		elf_file_free(file);
	}

	/* Without a symbol at the chooser the entry has no name; a relocation of another kind has no chooser. */
	char text[512];
	relocations[0].r_addend = CHOOSER + 1;
	relocations[1].r_info = ELF64_R_INFO(0, R_X86_64_RELATIVE);
	relocations[1].r_addend = CHOOSER;
	write_tables(&t, EM_X86_64);
	read_and_show(text, sizeof(text));
	assert_string_equal(text, "200c+1 far 3002+1 chosen 3002+1 _chosen ");
	tables_done(&t);
}

/* Where relocations have no addends, the slot has its chooser; one whose bytes are not in the file has no name. */
static void choosers_in_their_slots(void **state)
{
	struct tables t = {0};
	struct bytes rel = {0};
	char text[512];
	(void)state;
	make_x86_64(&t);
	Elf64_Sym symbol = {.st_name = (uint32_t)t.strings.size,
			    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC),
			    .st_shndx = 3,
			    .st_size = 1,
			    .st_value = GOT_PLT + 2};
	put_bytes(&t.symbols, &symbol, sizeof(symbol));
	put_string(&t.strings, "chosen");
	for (uint64_t i = 0; i < 2; i++) {
		Elf64_Rel relocation = {.r_offset = SLOTS + 8 + 8 * i, .r_info = ELF64_R_INFO(0, R_X86_64_IRELATIVE)};
		put_bytes(&rel, &relocation, sizeof(relocation));
	}
	put_number(&t.slots, 0, 8);
	put_number(&t.slots, 0, 8);
	put_number(&t.slots, GOT_PLT + 2, 8);
	bytes_done(&t.relocations);
	t.relocations = rel;
	write_tables_named(&t, EM_X86_64, ".rel.plt", SHT_REL, sizeof(Elf64_Rel));
	read_and_show(text, sizeof(text));
	assert_string_equal(text, "1020+16 chosen@plt 2000+16 chosen@plt 3002+1 chosen 3008+8 chosen@plt ");

	t.slots.size--;
	write_tables_named(&t, EM_X86_64, ".rel.plt", SHT_REL, sizeof(Elf64_Rel));
	read_and_show(text, sizeof(text));
	assert_string_equal(text, "3002+1 chosen ");
	tables_done(&t);
}

/* An entry with the number of no relocation has no name. */
static void numbers_of_no_relocation(void **state)
{
	struct tables t = {0};
	char text[512];
	(void)state;
	make_x86_64(&t);
	patch_number(&t.plt, 32 + 5, 2, 4);
	write_tables(&t, EM_X86_64);
	read_and_show(text, sizeof(text));
	assert_string_equal(text, "1010+16 puts@plt 2000+16 exit@plt 3000+8 puts@plt 3008+8 exit@plt ");
	tables_done(&t);
}

/* Where a table is not in code, no symbol may be either. */
static void a_table_outside_of_code(void **state)
{
	const uint8_t read_only = PF_R, no_code = SHF_ALLOC; /* the lowest bytes of flags */
	struct tables t = {0};
	Elf64_Ehdr ehdr;
	char text[512];
	(void)state;
	make_x86_64(&t);
	write_tables(&t, EM_X86_64);
	FILE *file = fopen(path, "r+b");
	assert_non_null(file);
	assert_int_equal(fread(&ehdr, sizeof(ehdr), 1, file), 1);
	const long segment = (long)(ehdr.e_phoff + sizeof(Elf64_Phdr)),
		   section = (long)(ehdr.e_shoff + 2 * sizeof(Elf64_Shdr));
	assert_int_equal(fseek(file, segment + (long)offsetof(Elf64_Phdr, p_flags), SEEK_SET), 0);
	assert_int_equal(fwrite(&read_only, 1, 1, file), 1);
	assert_int_equal(fseek(file, section + (long)offsetof(Elf64_Shdr, sh_flags), SEEK_SET), 0);
	assert_int_equal(fwrite(&no_code, 1, 1, file), 1);
	assert_int_equal(fclose(file), 0);
	read_and_show(text, sizeof(text));
	assert_string_equal(text, "1010+16 puts@plt 1020+16 exit@plt 3000+8 puts@plt 3008+8 exit@plt ");
	tables_done(&t);
}

static void write_machine(const struct tables *t, uint16_t machine, uint16_t type)
{
	write_tables(t, machine);
	FILE *file = fopen(path, "r+b");
	assert_non_null(file);
	assert_int_equal(fseek(file, offsetof(Elf64_Ehdr, e_type), SEEK_SET), 0);
	assert_int_equal(fwrite(&type, sizeof(type), 1, file), 1);
	assert_int_equal(fclose(file), 0);
}

/* Tables of machines that are not known, and of relocatable files, which have none, are not read. */
static void tables_that_are_not_read(void **state)
{
	struct tables t = {0};
	char text[512];
	(void)state;
	make_x86_64(&t);
	write_machine(&t, EM_SPARCV9, ET_DYN);
	read_and_show(text, sizeof(text));
	assert_string_equal(text, "");
	write_machine(&t, EM_X86_64, ET_REL);
	read_and_show(text, sizeof(text));
	assert_string_equal(text, "");
	tables_done(&t);
}

/* Tables and their relocations may together have as many bytes as the file; those without bytes in the file do not
 * count. */
static void tables_of_more_bytes_than_the_file(void **state)
{
	struct tables t = {0};
	struct elf_file *file;
	struct symbols symbols = {0};
	struct locus_error error;
	(void)state;
	make_x86_64(&t);
	write_tables(&t, EM_X86_64);
	uint64_t size = t.plt.size + t.sec.size + t.got.size + t.relocations.size;
	assert_int_equal(elf_file_open(path, &file, NULL), LOCUS_OK);
	file->bytes.stored_size = size;
	assert_int_equal(plt_add_symbols(&symbols, file, &error), LOCUS_OK);
	assert_int_equal(symbols.count, 5);
	symbols_done(&symbols);
	symbols = (struct symbols){0};
	file->bytes.stored_size = size - 1;
	assert_int_equal(plt_add_symbols(&symbols, file, &error), LOCUS_ERR_BAD_ELF);
	assert_string_equal(error.text,
			    "its linkage tables and their relocations, .rela.plt the last of them, have more "
			    "bytes than the file");
	assert_int_equal(symbols.count, 0);
	elf_file_free(file);

	/* In a debug file a table has a size and no bytes. */
	struct bytes elf = {0};
	const struct elf_part parts[] = {{".plt", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, PLT, "", 0, 0, 16}};
	Elf64_Ehdr ehdr;
	make_elf(&elf, ET_DYN, EM_X86_64, parts, COUNT_OF(parts));
	memcpy(&ehdr, elf.data, sizeof(ehdr));
	((Elf64_Shdr *)(elf.data + ehdr.e_shoff))[1].sh_size = 1 << 20;
	write_file(path, &elf);
	assert_int_equal(elf_file_open(path, &file, NULL), LOCUS_OK);
	assert_int_equal(plt_add_symbols(&symbols, file, &error), LOCUS_OK);
	assert_int_equal(symbols.count, 0);
	elf_file_free(file);
	bytes_done(&elf);
	tables_done(&t);
}

/* Tables that end anywhere and code of any bytes: what is read is inside, and a name only where a slot has one. */
static void damaged_tables(void **state)
{
	struct locus_error error = {0};
	uint64_t random = 1;
	char text[4096];
	(void)state;
	for (int round = 0; round < 300; round++) {
		struct tables t = {0};
		make_x86_64(&t);
		t.plt.size = random_below(&random, (uint32_t)t.plt.size + 1);
		t.relocations.size = random_below(&random, (uint32_t)t.relocations.size + 1);
		for (uint32_t flips = random_below(&random, 20); flips; flips--) {
			struct bytes *of[] = {&t.plt, &t.sec, &t.got, &t.relocations, &t.symbols};
			struct bytes *b = of[random_below(&random, COUNT_OF(of))];
			if (b->size)
				b->data[random_below(&random, (uint32_t)b->size)] = (uint8_t)random_next(&random);
		}
		write_tables(&t, round % 2 ? EM_X86_64 : EM_AARCH64);
		if (read_symbols(text, sizeof(text), &error) != LOCUS_OK)
			assert_string_equal(error.text,
					    "perhaps truncated: the symbol table has names that are outside of "
					    "its string table");
		tables_done(&t);
	}
}

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_of_x86_64),
		cmocka_unit_test(entries_of_aarch64),
		cmocka_unit_test(kinds_of_relocations),
		cmocka_unit_test(slots_in_another_order),
		cmocka_unit_test(functions_that_are_chosen),
		cmocka_unit_test(choosers_in_their_slots),
		cmocka_unit_test(numbers_of_no_relocation),
		cmocka_unit_test(tables_that_are_not_read),
		cmocka_unit_test(a_table_outside_of_code),
		cmocka_unit_test(tables_of_more_bytes_than_the_file),
		cmocka_unit_test(damaged_tables),
	};
	return cmocka_run_group_tests_name("plt", tests, setup, teardown);
}
