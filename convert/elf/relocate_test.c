/* What each kind of relocation writes, at which width, and which are left alone or refused. RULES A1. */
#include "convert/elf/relocate.h"

#include <sys/mman.h>

#include "convert/elf/make_elf_test.h"

enum { TEXT = 0x1000, FUNCTION = 0x23, FIELD_MAX = 12 };

/* The symbols: none, a function in .text, one whose section's number stands elsewhere, one at a fixed address, and
 * those without an address. */
enum symbol { NO_SYMBOL, IN_TEXT, FAR, ABSOLUTE, UNDEFINED, COMMON, THREAD_LOCAL, SYMBOL_COUNT };

struct relocation_case {
	const char *name;
	uint16_t machine;
	uint64_t info;
	int64_t addend;
	size_t size; /* of the section */
	uint8_t before[FIELD_MAX], expected[FIELD_MAX];
	uint64_t at;
};

/* A relocatable file with entries for one section. Freed by object_done. */
struct object {
	struct bytes bytes;
	struct relocator relocator;
};

static void open_object(struct object *object, uint16_t machine, const struct elf_part *parts, size_t count)
{
	*object = (struct object){0};
	make_elf(&object->bytes, ET_REL, machine, parts, count);
	elf_version(EV_CURRENT);
	object->relocator.elf = elf_memory((char *)object->bytes.data, object->bytes.size);
	assert_non_null(object->relocator.elf);
}

static void make_object(struct object *object, uint16_t machine, const void *entries, size_t size, bool in_place)
{
	static const Elf64_Sym symbols[SYMBOL_COUNT] = {
		[IN_TEXT] = {.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1, .st_value = FUNCTION},
		[FAR] = {.st_shndx = SHN_XINDEX, .st_value = 0x33},
		[ABSOLUTE] = {.st_shndx = SHN_ABS, .st_value = 0x77},
		[UNDEFINED] = {.st_shndx = SHN_UNDEF, .st_value = 0x11},
		[COMMON] = {.st_shndx = SHN_COMMON, .st_value = 0x11},
		[THREAD_LOCAL] = {.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_TLS), .st_shndx = 1, .st_value = 0x11},
	};
	static const Elf32_Word numbers[SYMBOL_COUNT] = {[FAR] = 1};
	uint64_t entry_size = in_place ? sizeof(Elf64_Rel) : sizeof(Elf64_Rela);
	const struct elf_part parts[] = {
		{".text", SHT_PROGBITS, SHF_ALLOC, TEXT, NULL, 0x40, 0, 0},
		{".symtab", SHT_SYMTAB, 0, 0, symbols, sizeof(symbols), 0, sizeof(*symbols)},
		{".rela.debug_info", in_place ? SHT_REL : SHT_RELA, 0, 0, entries, size, 2, entry_size},
		{".symtab_shndx", SHT_SYMTAB_SHNDX, 0, 0, numbers, sizeof(numbers), 2, sizeof(*numbers)},
	};
	open_object(object, machine, parts, COUNT_OF(parts));
}

static void object_done(struct object *object)
{
	elf_end(object->relocator.elf);
	relocator_done(&object->relocator);
	bytes_done(&object->bytes);
}

/* Puts the file where its pages can be given back, and are read again. */
static void map_object(struct object *object)
{
	FILE *file = tmpfile();
	assert_non_null(file);
	elf_end(object->relocator.elf);
	assert_int_equal(fwrite(object->bytes.data, 1, object->bytes.size, file), object->bytes.size);
	assert_int_equal(fflush(file), 0);
	void *mapped = mmap(NULL, object->bytes.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(file), 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	fclose(file);
	object->relocator.mapped = mapped;
	object->relocator.mapped_size = object->bytes.size;
	object->relocator.elf = elf_memory(mapped, object->bytes.size);
	assert_non_null(object->relocator.elf);
}

static Elf_Scn *entries_of(const struct object *object)
{
	return elf_getscn(object->relocator.elf, 3);
}

/* `in_place`: the addend is, as SHT_REL has it. `message`: the conversion is refused so, or NULL. */
static void check_case(const struct relocation_case *c, bool in_place, const char *message)
{
	const Elf64_Rela entry = {c->at, c->info, c->addend};
	struct object object;
	struct locus_error error = {.text = ""};
	uint8_t bytes[FIELD_MAX];
	memcpy(bytes, c->before, sizeof(bytes));
	make_object(&object, c->machine, &entry, in_place ? sizeof(Elf64_Rel) : sizeof(Elf64_Rela), in_place);
	enum locus_status status =
		relocate_section(&object.relocator, entries_of(&object), bytes, c->size, ".debug_info", &error);
	if (status != (message ? LOCUS_ERR_BAD_ELF : LOCUS_OK) || (message && !strstr(error.text, message)))
		fail_msg("%s: status %d: %s", c->name, status, error.text);
	assert_int_equal(object.relocator.symbols_index, 2);
	assert_int_equal(object.relocator.symbol_count, SYMBOL_COUNT);
	for (size_t i = 0; i < sizeof(bytes); i++)
		if (bytes[i] != (message ? c->before : c->expected)[i])
			fail_msg("%s: byte %zu is 0x%02x", c->name, i, bytes[i]);
	object_done(&object);
}

#define INFO(symbol, type) ELF64_R_INFO((uint64_t)(symbol), type)

static void kinds(void **state)
{
	static const struct relocation_case cases[] = {
		{"set",
		 EM_X86_64,
		 INFO(IN_TEXT, 1),
		 2,
		 8,
		 {9, 9, 9, 9, 9, 9, 9, 9, 9},
		 {0x25, 0x10, 0, 0, 0, 0, 0, 0, 9},
		 0},
		{"set 32 bits",
		 EM_X86_64,
		 INFO(IN_TEXT, 10),
		 -3,
		 6,
		 {9, 9, 9, 9, 9, 9, 9},
		 {9, 9, 0x20, 0x10, 0, 0, 9},
		 2},
		{"set, i386", EM_386, INFO(IN_TEXT, 1), 2, 4, {9, 9, 9, 9, 9}, {0x25, 0x10, 0, 0, 9}, 0},
		{"set 16 bits", EM_X86_64, INFO(IN_TEXT, 12), 0, 2, {9, 9, 9}, {0x23, 0x10, 9}, 0},
		{"add", EM_RISCV, INFO(IN_TEXT, 34), 1, 2, {5, 0, 9}, {0x29, 0x10, 9}, 0},
		{"subtract", EM_RISCV, INFO(IN_TEXT, 39), 1, 4, {0x30, 0x10, 0, 1, 9}, {0xc, 0, 0, 1, 9}, 0},
		{"set 6 bits", EM_RISCV, INFO(IN_TEXT, 53), 2, 1, {0xc5, 9}, {0xe5, 9}, 0},
		{"subtract 6 bits", EM_RISCV, INFO(IN_TEXT, 52), 0, 2, {9, 0xc5, 9}, {9, 0xe2, 9}, 1},
		{"set ULEB", EM_RISCV, INFO(IN_TEXT, 60), 0, 3, {0x85, 0x81, 0, 9}, {0xa3, 0xa0, 0, 9}, 0},
		{"subtract ULEB", EM_RISCV, INFO(IN_TEXT, 61), 0, 4, {9, 0xb0, 0xa0, 0}, {9, 0x8d, 0x80, 0}, 1},
		{"subtract ULEB of one byte", EM_RISCV, INFO(ABSOLUTE, 61), 0, 1, {0x7f, 0x80}, {8, 0x80}, 0},
		{"add ULEB of ten bytes",
		 EM_LOONGARCH,
		 INFO(ABSOLUTE, 107),
		 0,
		 10,
		 {0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 9},
		 {0xf8, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 9},
		 0},
		{"add 6 bits, LoongArch", EM_LOONGARCH, INFO(IN_TEXT, 105), 0, 1, {0xc5, 9}, {0xe8, 9}, 0},
		{"subtract 6 bits, LoongArch", EM_LOONGARCH, INFO(IN_TEXT, 106), 0, 1, {0xc5, 9}, {0xe2, 9}, 0},
		{"subtract ULEB, LoongArch", EM_LOONGARCH, INFO(ABSOLUTE, 108), 0, 1, {0x7f, 0x80}, {8, 0x80}, 0},
		{"set, of PA-RISC 64", EM_PARISC, INFO(IN_TEXT, 41), 0, 4, {9}, {0x23, 0x10, 0, 0}, 0},
		{"addend in place and not", EM_SH, INFO(IN_TEXT, 1), 2, 4, {5, 0, 0, 0, 9}, {0x2a, 0x10, 0, 0, 9}, 0},
		{"right in place", EM_AVR, INFO(IN_TEXT, 31), 2, 2, {5, 6, 9}, {5, 6, 9}, 0},
		{"right in place, Xtensa", EM_XTENSA, INFO(IN_TEXT, 58), 2, 2, {5, 6, 9}, {5, 6, 9}, 0},
		{"set, OpenRISC", EM_OPENRISC, INFO(IN_TEXT, 1), 2, 4, {9, 9, 9, 9, 9}, {0x25, 0x10, 0, 0, 9}, 0},
		{"against no symbol", EM_X86_64, INFO(NO_SYMBOL, 10), 7, 4, {1, 1, 1, 1}, {7, 0, 0, 0}, 0},
		{"against one in a section of a high number",
		 EM_X86_64,
		 INFO(FAR, 10),
		 2,
		 4,
		 {1, 1, 1, 1},
		 {0x35, 0x10, 0, 0},
		 0},
		{"against a fixed address", EM_X86_64, INFO(ABSOLUTE, 10), 7, 4, {1, 1, 1, 1}, {0x7e, 0, 0, 0}, 0},
		{"more in the type's field",
		 EM_SPARCV9,
		 INFO(IN_TEXT, 0x4503),
		 0,
		 4,
		 {1, 1, 1, 1},
		 {0x23, 0x10, 0, 0},
		 0},
		{"MIPS's own order", EM_MIPS, IN_TEXT | (uint64_t)2 << 56, 0, 4, {1, 1, 1, 1}, {0x23, 0x10, 0, 0}, 0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		check_case(&cases[i], false, NULL);
}

/* What a type does to a field of so many bytes. */
enum effect { SET, ADD, SUBTRACT, LEAVE };

#define TYPE(machine, type, effect, size)          \
	{                                          \
		machine, #type, type, effect, size \
	}

/* By the names and numbers of the system's elf.h, where that has them; else by the number that the machine's ABI gives.
 */
static const struct {
	uint16_t machine;
	const char *name;
	uint32_t type;
	enum effect effect;
	size_t size;
} types[] = {
	TYPE(EM_386, R_386_32, SET, 4),
	TYPE(EM_386, R_386_16, SET, 2),
	TYPE(EM_X86_64, R_X86_64_64, SET, 8),
	TYPE(EM_X86_64, R_X86_64_32, SET, 4),
	TYPE(EM_X86_64, R_X86_64_32S, SET, 4),
	TYPE(EM_X86_64, R_X86_64_16, SET, 2),
	TYPE(EM_ARM, R_ARM_ABS32, SET, 4),
	TYPE(EM_ARM, R_ARM_ABS16, SET, 2),
	TYPE(EM_AARCH64, R_AARCH64_ABS64, SET, 8),
	TYPE(EM_AARCH64, R_AARCH64_ABS32, SET, 4),
	TYPE(EM_AARCH64, R_AARCH64_ABS16, SET, 2),
	TYPE(EM_PPC, R_PPC_ADDR32, SET, 4),
	TYPE(EM_PPC, R_PPC_UADDR32, SET, 4),
	TYPE(EM_PPC64, R_PPC64_ADDR32, SET, 4),
	TYPE(EM_PPC64, R_PPC64_UADDR32, SET, 4),
	TYPE(EM_PPC64, R_PPC64_ADDR64, SET, 8),
	TYPE(EM_PPC64, R_PPC64_UADDR64, SET, 8),
	TYPE(EM_PPC64, R_PPC64_TOC, LEAVE, 8),
	TYPE(EM_S390, R_390_32, SET, 4),
	TYPE(EM_S390, R_390_64, SET, 8),
	TYPE(EM_SPARC, R_SPARC_32, SET, 4),
	TYPE(EM_SPARC, R_SPARC_UA32, SET, 4),
	TYPE(EM_SPARC32PLUS, R_SPARC_32, SET, 4),
	TYPE(EM_SPARC32PLUS, R_SPARC_UA32, SET, 4),
	TYPE(EM_SPARCV9, R_SPARC_32, SET, 4),
	TYPE(EM_SPARCV9, R_SPARC_UA32, SET, 4),
	TYPE(EM_SPARCV9, R_SPARC_64, SET, 8),
	TYPE(EM_SPARCV9, R_SPARC_UA64, SET, 8),
	TYPE(EM_ALPHA, R_ALPHA_REFLONG, SET, 4),
	TYPE(EM_ALPHA, R_ALPHA_REFQUAD, SET, 8),
	TYPE(EM_IA_64, R_IA64_DIR32LSB, SET, 4),
	TYPE(EM_IA_64, R_IA64_DIR64LSB, SET, 8),
	TYPE(EM_IA_64, R_IA64_SECREL32LSB, SET, 4),
	TYPE(EM_PARISC, R_PARISC_DIR32, SET, 4),
	TYPE(EM_PARISC, R_PARISC_SECREL32, SET, 4),
	TYPE(EM_PARISC, R_PARISC_DIR64, SET, 8),
	TYPE(EM_68K, R_68K_32, SET, 4),
	TYPE(EM_68K, R_68K_16, SET, 2),
	TYPE(EM_SH, R_SH_DIR32, ADD, 4),
	TYPE(EM_ARC_COMPACT, 4, SET, 4),
	TYPE(EM_ARCV2, 4, SET, 4),
	TYPE(EM_CSKY, R_CKCORE_ADDR32, SET, 4),
	TYPE(EM_MIPS, R_MIPS_32, SET, 4),
	TYPE(EM_MIPS, R_MIPS_64, SET, 8),
	TYPE(EM_QDSP6, 6, SET, 4),
	TYPE(EM_AVR, 1, SET, 4),
	TYPE(EM_AVR, 4, SET, 2),
	TYPE(EM_AVR, 30, LEAVE, 1),
	TYPE(EM_AVR, 31, LEAVE, 2),
	TYPE(EM_AVR, 32, LEAVE, 4),
	TYPE(EM_XTENSA, 1, ADD, 4),
	TYPE(EM_XTENSA, 17, LEAVE, 1),
	TYPE(EM_XTENSA, 18, LEAVE, 2),
	TYPE(EM_XTENSA, 19, LEAVE, 4),
	TYPE(EM_XTENSA, 57, LEAVE, 1),
	TYPE(EM_XTENSA, 58, LEAVE, 2),
	TYPE(EM_XTENSA, 59, LEAVE, 4),
	TYPE(EM_XTENSA, 60, LEAVE, 1),
	TYPE(EM_XTENSA, 61, LEAVE, 2),
	TYPE(EM_XTENSA, 62, LEAVE, 4),
	TYPE(EM_OPENRISC, 1, SET, 4),
	TYPE(EM_OPENRISC, 2, SET, 2),
	TYPE(EM_MSP430, 1, SET, 4),
	TYPE(EM_MSP430, 5, SET, 2),
	TYPE(EM_BPF, 2, SET, 8),
	TYPE(EM_BPF, 3, SET, 4),
	TYPE(EM_RISCV, R_RISCV_32, SET, 4),
	TYPE(EM_RISCV, R_RISCV_64, SET, 8),
	TYPE(EM_RISCV, R_RISCV_ADD8, ADD, 1),
	TYPE(EM_RISCV, R_RISCV_ADD16, ADD, 2),
	TYPE(EM_RISCV, R_RISCV_ADD32, ADD, 4),
	TYPE(EM_RISCV, R_RISCV_ADD64, ADD, 8),
	TYPE(EM_RISCV, R_RISCV_SUB8, SUBTRACT, 1),
	TYPE(EM_RISCV, R_RISCV_SUB16, SUBTRACT, 2),
	TYPE(EM_RISCV, R_RISCV_SUB32, SUBTRACT, 4),
	TYPE(EM_RISCV, R_RISCV_SUB64, SUBTRACT, 8),
	TYPE(EM_RISCV, R_RISCV_SET8, SET, 1),
	TYPE(EM_RISCV, R_RISCV_SET16, SET, 2),
	TYPE(EM_RISCV, R_RISCV_SET32, SET, 4),
	TYPE(EM_LOONGARCH, R_LARCH_32, SET, 4),
	TYPE(EM_LOONGARCH, R_LARCH_64, SET, 8),
	TYPE(EM_LOONGARCH, R_LARCH_ADD8, ADD, 1),
	TYPE(EM_LOONGARCH, R_LARCH_ADD16, ADD, 2),
	TYPE(EM_LOONGARCH, R_LARCH_ADD32, ADD, 4),
	TYPE(EM_LOONGARCH, R_LARCH_ADD64, ADD, 8),
	TYPE(EM_LOONGARCH, R_LARCH_SUB8, SUBTRACT, 1),
	TYPE(EM_LOONGARCH, R_LARCH_SUB16, SUBTRACT, 2),
	TYPE(EM_LOONGARCH, R_LARCH_SUB32, SUBTRACT, 4),
	TYPE(EM_LOONGARCH, R_LARCH_SUB64, SUBTRACT, 8),
};

/* MIPS has the type in an order of its own. */
static uint64_t info_of(uint16_t machine, uint32_t type)
{
	return machine == EM_MIPS ? IN_TEXT | (uint64_t)type << 56 : INFO(IN_TEXT, type);
}

static void each_type_of_each_machine(void **state)
{
	const uint64_t value = TEXT + FUNCTION;
	(void)state;
	for (size_t i = 0; i < COUNT_OF(types); i++) {
		/* What is carried goes as far as the field does. */
		const uint64_t before = types[i].effect == SUBTRACT ? 1 : UINT64_MAX;
		const uint64_t results[] = {
			[SET] = value, [ADD] = before + value, [SUBTRACT] = before - value, [LEAVE] = before};
		struct relocation_case c = {.name = types[i].name,
					    .machine = types[i].machine,
					    .info = info_of(types[i].machine, types[i].type),
					    .size = 8};
		for (size_t k = 0; k < sizeof(before); k++) {
			c.before[k] = (uint8_t)(before >> 8 * k);
			c.expected[k] = k < types[i].size ? (uint8_t)(results[types[i].effect] >> 8 * k) : c.before[k];
		}
		check_case(&c, false, NULL);
	}
}

static void addend_in_place(void **state)
{
	static const struct relocation_case c = {"set", EM_X86_64,       INFO(IN_TEXT, 10),     9,
						 4,     {5, 1, 0, 0, 9}, {0x28, 0x11, 0, 0, 9}, 0};
	(void)state;
	check_case(&c, true, NULL);
}

static void left_alone(void **state)
{
	static const struct relocation_case cases[] = {
		{"undefined", EM_X86_64, INFO(UNDEFINED, 10), 7, 4, {1, 2, 3, 4}, {1, 2, 3, 4}, 0},
		{"common", EM_X86_64, INFO(COMMON, 10), 7, 4, {1, 2, 3, 4}, {1, 2, 3, 4}, 0},
		{"thread-local", EM_X86_64, INFO(THREAD_LOCAL, 10), 7, 4, {1, 2, 3, 4}, {1, 2, 3, 4}, 0},
		{"type 0", EM_X86_64, INFO(IN_TEXT, 0), 7, 4, {1, 2, 3, 4}, {1, 2, 3, 4}, 0},
		{"a variable, large code model", EM_X86_64, INFO(IN_TEXT, 25), 7, 4, {1, 2, 3, 4}, {1, 2, 3, 4}, 0},
		{"a variable, i386", EM_386, INFO(IN_TEXT, 9), 7, 4, {1, 2, 3, 4}, {1, 2, 3, 4}, 0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		check_case(&cases[i], false, NULL);
}

static void refused(void **state)
{
	static const struct {
		struct relocation_case c;
		const char *message;
	} cases[] = {
		{{"type 9", EM_X86_64, INFO(IN_TEXT, 9), 0, 4, {1, 2}, {0}, 0}, "relocations of type 9 in .debug_info"},
		{{"type 25", EM_386, INFO(IN_TEXT, 25), 0, 4, {1, 2}, {0}, 0}, "relocations of type 25 in .debug_info"},
		{{"no such symbol", EM_X86_64, INFO(SYMBOL_COUNT, 10), 7, 4, {1, 2}, {0}, 0},
		 "against symbol 7, which is not in the symbol table"},
		{{"at the end", EM_X86_64, INFO(IN_TEXT, 10), 0, 4, {1, 2}, {0}, 4}, "at 0x4, outside it"},
		{{"one byte at the end", EM_RISCV, INFO(IN_TEXT, 54), 0, 4, {1, 2}, {0}, 4}, "at 0x4, outside it"},
		{{"over the end", EM_X86_64, INFO(IN_TEXT, 10), 0, 4, {1, 2}, {0}, 1}, "at 0x1, outside it"},
		{{"far behind", EM_X86_64, INFO(IN_TEXT, 10), 0, 4, {1, 2}, {0}, UINT64_MAX}, "outside it"},
		{{"ULEB that the end cuts", EM_RISCV, INFO(IN_TEXT, 60), 0, 2, {0x80, 0x80, 1}, {0}, 0}, "outside it"},
		{{"ULEB of eleven bytes",
		  EM_RISCV,
		  INFO(IN_TEXT, 60),
		  0,
		  12,
		  {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1},
		  {0},
		  0},
		 "outside it"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		check_case(&cases[i].c, false, cases[i].message);
}

/* In pieces of any size the section becomes what it becomes at once, and again after a new start. */
static void in_pieces(void **state)
{
	enum { COUNT = 20, SIZE = 4 * COUNT };
	Elf64_Rela entries[COUNT];
	struct object object;
	(void)state;
	for (unsigned i = 0; i < COUNT; i++)
		entries[i] = (Elf64_Rela){4 * i, INFO(IN_TEXT, 10), i};
	make_object(&object, EM_X86_64, entries, sizeof(entries), false);
	uint8_t expected[SIZE] = {0};
	assert_int_equal(relocate_section(&object.relocator, entries_of(&object), expected, SIZE, ".debug_info", NULL),
			 LOCUS_OK);
	assert_int_equal(expected[4 * (COUNT - 1)], FUNCTION + COUNT - 1);

	struct relocation_stream stream = {0};
	bool can = false;
	assert_int_equal(relocation_stream_open(&stream, &object.relocator, entries_of(&object), SIZE, ".debug_info",
						&can, NULL),
			 LOCUS_OK);
	assert_true(can);
	for (size_t step = 1; step <= SIZE; step++) {
		uint8_t bytes[SIZE] = {0};
		for (size_t at = 0; at < SIZE; at += step) {
			size_t size = SIZE - at < step ? SIZE - at : step;
			assert_int_equal(relocation_stream_apply(&stream, bytes + at, at, size, SIZE - at, NULL),
					 LOCUS_OK);
			assert_int_equal(stream.next, (at + size + 3) / 4); /* those that begin in the piece */
			assert_int_equal(relocation_stream_apply(&stream, bytes + at, at + size, 0, SIZE - at, NULL),
					 LOCUS_OK);
			assert_int_equal(stream.next, (at + size + 3) / 4);
		}
		assert_memory_equal(bytes, expected, SIZE);
		relocation_stream_rewind(&stream);
	}
	object_done(&object);
}

static void out_of_order(void **state)
{
	const Elf64_Rela entries[][2] = {
		{{0, INFO(IN_TEXT, 10), 0}, {4, INFO(IN_TEXT, 10), 0}},
		{{4, INFO(IN_TEXT, 10), 0}, {4, INFO(IN_TEXT, 10), 0}},
		{{4, INFO(IN_TEXT, 10), 0}, {0, INFO(IN_TEXT, 10), 0}},
		{{0, INFO(IN_TEXT, 10), 0}, {8, INFO(IN_TEXT, 10), 0}},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(entries); i++) {
		struct object object;
		struct relocation_stream stream = {0};
		bool can = false;
		make_object(&object, EM_X86_64, entries[i], sizeof(entries[i]), false);
		assert_int_equal(relocation_stream_open(&stream, &object.relocator, entries_of(&object), 8,
							".debug_info", &can, NULL),
				 LOCUS_OK);
		assert_int_equal(can, i < 2);
		object_done(&object);
	}
}

/* Big-endian fields, 64-bit MIPS's own entries and those of 32 bits: as the file's header says. */
static void files_of_other_kinds(void **state)
{
	static const struct {
		struct relocation_case c;
		uint8_t class, order;
	} cases[] = {
		{{"8 bytes", EM_PPC64, INFO(IN_TEXT, 38), 2, 8, {9, 9}, {0, 0, 0, 0, 0, 0, 0x10, 0x25}, 0},
		 2,
		 ELFDATA2MSB},
		{{"4 bytes", EM_PPC64, INFO(IN_TEXT, 1), 0, 5, {9, 9}, {9, 0, 0, 0x10, 0x23}, 1}, 2, ELFDATA2MSB},
		{{"2 bytes", EM_68K, INFO(IN_TEXT, 2), 0, 2, {9, 9}, {0x10, 0x23}, 0}, 1, ELFDATA2MSB},
		{{"read and written", EM_RISCV, INFO(IN_TEXT, 34), 0, 2, {1, 2}, {0x11, 0x25}, 0}, 2, ELFDATA2MSB},
		{{"MIPS", EM_MIPS, INFO(IN_TEXT, 0x1202), 0, 4, {9}, {0, 0, 0x10, 0x23}, 0}, 2, ELFDATA2MSB},
		{{"MIPS, 32 bits", EM_MIPS, INFO(IN_TEXT, 2), 0, 4, {9}, {0, 0, 0x10, 0x23}, 0}, 1, ELFDATA2MSB},
		{{"MIPS, 32 bits, little", EM_MIPS, INFO(IN_TEXT, 2), 0, 4, {9}, {0x23, 0x10, 0, 0}, 0},
		 1,
		 ELFDATA2LSB},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct relocation_case *c = &cases[i].c;
		const Elf64_Rela entry = {c->at, c->info, c->addend};
		struct object object;
		struct relocation_stream stream = {0};
		bool can;
		make_object(&object, c->machine, &entry, sizeof(entry), false);
		assert_int_equal(relocation_stream_open(&stream, &object.relocator, entries_of(&object), c->size,
							".debug_info", &can, NULL),
				 LOCUS_OK);
		object.relocator.ehdr.e_ident[EI_CLASS] = cases[i].class;
		object.relocator.ehdr.e_ident[EI_DATA] = cases[i].order;
		uint8_t *bytes = exact_copy(c->before, c->size);
		assert_int_equal(relocation_stream_apply(&stream, bytes, 0, c->size, c->size, NULL), LOCUS_OK);
		if (memcmp(bytes, c->expected, c->size) != 0)
			fail_msg("%s", c->name);
		free(bytes);
		object_done(&object);
	}
}

/* Entries have their class's size, whatever a header says; without a symbol table, those against no symbol count. */
static void tables_of_any_size(void **state)
{
	static const struct {
		uint64_t symbol_size, entry_size;
		size_t size;
		uint32_t symbol_table;
		uint8_t expected;
	} cases[] = {
		{sizeof(Elf64_Sym), sizeof(Elf64_Rela), sizeof(Elf64_Rela), 2, 7},
		{0, sizeof(Elf64_Rela), sizeof(Elf64_Rela), 2, 7},
		{sizeof(Elf64_Sym), sizeof(Elf64_Rela), sizeof(Elf64_Rela), 0, 7},
		{sizeof(Elf64_Sym), 0, sizeof(Elf64_Rela), 2, 7},
		{sizeof(Elf64_Sym), 1, sizeof(Elf64_Rela), 2, 7},
		{1, sizeof(Elf64_Rela), sizeof(Elf64_Rela), 1, 7},
		{sizeof(Elf64_Sym), sizeof(Elf64_Rela), 0, 2, 1},
	};
	static const Elf64_Rela entry = {0, INFO(NO_SYMBOL, 10), 7};
	static const Elf64_Sym symbol = {0};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct elf_part parts[] = {
			{".text", SHT_PROGBITS, SHF_ALLOC, TEXT, NULL, 0x40, 0, 0},
			{".symtab", SHT_SYMTAB, 0, 0, &symbol, sizeof(symbol), 0, cases[i].symbol_size},
			{".rela", SHT_RELA, 0, 0, &entry, cases[i].size, cases[i].symbol_table, cases[i].entry_size},
		};
		struct object object = {0};
		uint8_t bytes[4] = {1};
		open_object(&object, EM_X86_64, parts, COUNT_OF(parts));
		assert_int_equal(relocate_section(&object.relocator, entries_of(&object), bytes, sizeof(bytes),
						  ".debug_info", NULL),
				 LOCUS_OK);
		if (bytes[0] != cases[i].expected)
			fail_msg("case %zu: %u", i, bytes[0]);
		object_done(&object);
	}
}

/* Sections may refer to symbol tables of their own, and their entries may be applied in turns. */
static void two_symbol_tables(void **state)
{
	static const Elf64_Rela entries[] = {{0, INFO(1, 10), 0}, {4, INFO(1, 10), 0}};
	static const Elf64_Sym one[] = {{0}, {.st_shndx = 1, .st_value = 1}},
			       two[] = {{0}, {.st_shndx = 1, .st_value = 2}};
	static const struct elf_part parts[] = {
		{".text", SHT_PROGBITS, SHF_ALLOC, TEXT, NULL, 0x40, 0, 0},
		{".one", SHT_SYMTAB, 0, 0, one, sizeof(one), 0, sizeof(*one)},
		{".rela.one", SHT_RELA, 0, 0, entries, sizeof(entries), 2, sizeof(*entries)},
		{".two", SHT_SYMTAB, 0, 0, two, sizeof(two), 0, sizeof(*two)},
		{".rela.two", SHT_RELA, 0, 0, entries, sizeof(entries), 4, sizeof(*entries)},
	};
	struct relocation_stream streams[2] = {0};
	struct object object = {0};
	uint8_t bytes[2][8] = {0};
	bool can;
	(void)state;
	open_object(&object, EM_X86_64, parts, COUNT_OF(parts));
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(relocation_stream_open(&streams[i], &object.relocator,
							elf_getscn(object.relocator.elf, 3 + 2 * i), 8, ".debug_info",
							&can, NULL),
				 LOCUS_OK);
	for (size_t at = 0; at < 8; at += 4)
		for (size_t i = 0; i < 2; i++) {
			assert_int_equal(relocation_stream_apply(&streams[i], bytes[i] + at, at, 4, 4, NULL), LOCUS_OK);
			assert_int_equal(bytes[i][at], i + 1);
		}
	object_done(&object);
}

/* What cannot be applied ends it: an entry behind it is not applied. */
static void nothing_behind_a_refusal(void **state)
{
	const Elf64_Rela entries[] = {{0, INFO(IN_TEXT, 9), 0}, {0, INFO(IN_TEXT, 10), 0}};
	struct object object;
	struct locus_error error;
	uint8_t bytes[4] = {0};
	(void)state;
	make_object(&object, EM_X86_64, entries, sizeof(entries), false);
	assert_int_equal(
		relocate_section(&object.relocator, entries_of(&object), bytes, sizeof(bytes), ".debug_info", &error),
		LOCUS_ERR_BAD_ELF);
	assert_non_null(strstr(error.text, "type 9"));
	assert_int_equal(bytes[0], 0);
	object_done(&object);
}

/* Only entries that begin in the mapped file are read again from it, so that their memory can be given back. */
static void entries_in_the_file(void **state)
{
	static const struct {
		ptrdiff_t start; /* of the mapping, from the entries */
		size_t size;     /* 0: there is none */
		bool expected;
	} cases[] = {{0, 1, true}, {0, 0, false}, {-8, 9, true}, {-8, 8, false}, {1, 100, false}, {-8, 100, true}};
	const Elf64_Rela entry = {0, INFO(IN_TEXT, 10), 0};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct object object;
		struct relocation_stream stream = {0};
		bool can;
		make_object(&object, EM_X86_64, &entry, sizeof(entry), false);
		const uint8_t *entries = elf_getdata(entries_of(&object), NULL)->d_buf;
		object.relocator.mapped = cases[i].size ? entries + cases[i].start : NULL;
		object.relocator.mapped_size = cases[i].size ? cases[i].size : SIZE_MAX;
		assert_int_equal(relocation_stream_open(&stream, &object.relocator, entries_of(&object), 4,
							".debug_info", &can, NULL),
				 LOCUS_OK);
		if (stream.in_file != cases[i].expected)
			fail_msg("case %zu", i);
		object_done(&object);
	}
}

/* The memory of entries is given back in steps of 4 MiB; when they are needed again, they are read from the file. */
static void memory_of_entries_that_were_applied(void **state)
{
	enum { PIECE = 100 * 1000, COUNT = 4 * PIECE, SIZE = 4 * PIECE };
	static const size_t released[] = {0, 2 * PIECE, 2 * PIECE, 4 * PIECE}; /* entries, after each piece */
	Elf64_Rela *entries = calloc(COUNT, sizeof(*entries));
	uint8_t *piece = malloc(SIZE);
	struct object object;
	struct relocation_stream stream = {0};
	bool can;
	(void)state;
	for (unsigned i = 0; i < COUNT; i++)
		entries[i] = (Elf64_Rela){4 * i, INFO(IN_TEXT, 10), i % 7};
	make_object(&object, EM_X86_64, entries, COUNT * sizeof(*entries), false);
	free(entries);
	map_object(&object);
	assert_int_equal(relocation_stream_open(&stream, &object.relocator, entries_of(&object), 4 * COUNT,
						".debug_info", &can, NULL),
			 LOCUS_OK);
	assert_true(can && stream.in_file);
	for (unsigned round = 0; round < 2; round++) {
		assert_int_equal(stream.released, 0);
		for (size_t i = 0; i < COUNT_OF(released); i++) {
			memset(piece, 0xff, SIZE);
			assert_int_equal(relocation_stream_apply(&stream, piece, i * SIZE, SIZE, SIZE, NULL), LOCUS_OK);
			assert_int_equal(stream.released, released[i] * sizeof(*entries));
			for (size_t k = 0; k < PIECE; k++)
				if (piece[4 * k] != FUNCTION + (i * PIECE + k) % 7 || piece[4 * k + 3])
					fail_msg("round %u: entry %zu", round, i * PIECE + k);
		}
		relocation_stream_rewind(&stream);
	}
	free(piece);
	munmap((void *)object.relocator.mapped, object.relocator.mapped_size);
	object_done(&object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(each_type_of_each_machine),
		cmocka_unit_test(addend_in_place),
		cmocka_unit_test(left_alone),
		cmocka_unit_test(refused),
		cmocka_unit_test(in_pieces),
		cmocka_unit_test(out_of_order),
		cmocka_unit_test(files_of_other_kinds),
		cmocka_unit_test(tables_of_any_size),
		cmocka_unit_test(two_symbol_tables),
		cmocka_unit_test(nothing_behind_a_refusal),
		cmocka_unit_test(entries_in_the_file),
		cmocka_unit_test(memory_of_entries_that_were_applied),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
