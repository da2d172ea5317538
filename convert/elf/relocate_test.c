/* What each kind of relocation writes, at which width, and which are left alone or refused. RULES A1. */
#include "convert/elf/relocate.h"

#include "convert/elf/make_elf_test.h"

enum { TEXT = 0x1000, FUNCTION = 0x23, FIELD_MAX = 12 };

/* The symbols: none, a function in .text, one at a fixed address, and those without an address. */
enum symbol { NO_SYMBOL, IN_TEXT, ABSOLUTE, UNDEFINED, COMMON, THREAD_LOCAL, SYMBOL_COUNT };

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

static void make_object(struct object *object, uint16_t machine, const void *entries, size_t size, bool in_place)
{
	static const Elf64_Sym symbols[SYMBOL_COUNT] = {
		[IN_TEXT] = {.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1, .st_value = FUNCTION},
		[ABSOLUTE] = {.st_shndx = SHN_ABS, .st_value = 0x77},
		[UNDEFINED] = {.st_shndx = SHN_UNDEF, .st_value = 0x11},
		[COMMON] = {.st_shndx = SHN_COMMON, .st_value = 0x11},
		[THREAD_LOCAL] = {.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_TLS), .st_shndx = 1, .st_value = 0x11},
	};
	uint64_t entry_size = in_place ? sizeof(Elf64_Rel) : sizeof(Elf64_Rela);
	const struct elf_part parts[] = {
		{".text", SHT_PROGBITS, SHF_ALLOC, TEXT, NULL, 0x40, 0, 0},
		{".symtab", SHT_SYMTAB, 0, 0, symbols, sizeof(symbols), 0, sizeof(*symbols)},
		{".rela.debug_info", in_place ? SHT_REL : SHT_RELA, 0, 0, entries, size, 2, entry_size},
	};
	*object = (struct object){0};
	make_elf(&object->bytes, ET_REL, machine, parts, COUNT_OF(parts));
	elf_version(EV_CURRENT);
	object->relocator.elf = elf_memory((char *)object->bytes.data, object->bytes.size);
	assert_non_null(object->relocator.elf);
}

static void object_done(struct object *object)
{
	elf_end(object->relocator.elf);
	relocator_done(&object->relocator);
	bytes_done(&object->bytes);
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
		{"set 16 bits", EM_X86_64, INFO(IN_TEXT, 12), 0, 2, {9, 9, 9}, {0x23, 0x10, 9}, 0},
		{"add", EM_RISCV, INFO(IN_TEXT, 34), 1, 2, {5, 0, 9}, {0x29, 0x10, 9}, 0},
		{"subtract", EM_RISCV, INFO(IN_TEXT, 39), 1, 4, {0x30, 0x10, 0, 1, 9}, {0xc, 0, 0, 1, 9}, 0},
		{"set 6 bits", EM_RISCV, INFO(IN_TEXT, 53), 2, 1, {0xc5, 9}, {0xe5, 9}, 0},
		{"subtract 6 bits", EM_RISCV, INFO(IN_TEXT, 52), 0, 2, {9, 0xc5, 9}, {9, 0xe2, 9}, 1},
		{"set ULEB", EM_RISCV, INFO(IN_TEXT, 60), 0, 3, {0x80, 0x80, 0, 9}, {0xa3, 0xa0, 0, 9}, 0},
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
		{"addend in place and not", EM_SH, INFO(IN_TEXT, 1), 2, 4, {5, 0, 0, 0, 9}, {0x2a, 0x10, 0, 0, 9}, 0},
		{"right in place", EM_AVR, INFO(IN_TEXT, 31), 2, 2, {5, 6, 9}, {5, 6, 9}, 0},
		{"against no symbol", EM_X86_64, INFO(NO_SYMBOL, 10), 7, 4, {1, 1, 1, 1}, {7, 0, 0, 0}, 0},
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
		{"no such symbol", EM_X86_64, INFO(SYMBOL_COUNT, 10), 7, 4, {1, 2, 3, 4}, {1, 2, 3, 4}, 0},
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
		{{"at the end", EM_X86_64, INFO(IN_TEXT, 10), 0, 4, {1, 2}, {0}, 4}, "at 0x4, outside it"},
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),   cmocka_unit_test(addend_in_place), cmocka_unit_test(left_alone),
		cmocka_unit_test(refused), cmocka_unit_test(in_pieces),       cmocka_unit_test(out_of_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
