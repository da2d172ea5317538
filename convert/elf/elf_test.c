/* ELF files made by hand: which of them are refused, and what is read of the others. RULES A1. */
#include "convert/elf/elf.h"

#include <isa-l/igzip_lib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/elf/open_elf_test.h"

enum { PARTS_MAX = 8, EHDR = sizeof(Elf64_Ehdr), SHDR = sizeof(Elf64_Shdr), TEXT = 0x1000 };

#define TEXT_PART                                                                        \
	{                                                                                \
		".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, NULL, 0x20, 0, 0 \
	}

static struct elf_file *opened_parts(uint16_t type, const struct elf_part *parts)
{
	struct bytes image = {0};
	size_t count = 0;
	while (parts[count].name)
		count++;
	make_elf(&image, type, EM_X86_64, parts, count);
	struct elf_file *file = opened(&image);
	bytes_done(&image);
	return file;
}

/* ---- What is refused ---- */

/* The file is refused, if `message` is not NULL: with that message, which begins as the error does. */
static void check_refusal(const char *name, const struct bytes *image, size_t size, enum locus_status expected,
			  const char *message, uint64_t offset)
{
	struct elf_file *file;
	struct locus_error error;
	enum locus_status status = open_part(image, size, size, &file, &error);
	if (status != expected || (status == LOCUS_OK) != (file != NULL))
		fail_msg("%s: status %d: %s", name, status, error.text);
	if (message && strcmp(error.text, message) != 0)
		fail_msg("%s: \"%s\", not \"%s\"", name, error.text, message);
	if (message && error.offset != offset)
		fail_msg("%s: at %llu", name, (unsigned long long)error.offset);
	elf_file_free(file);
}

/* The fields of headers that the next test changes. */
#define FIELD(header, field) offsetof(header, field), sizeof(((header *)NULL)->field)

enum where { IN_EHDR, IN_DEBUG_SHDR, IN_NAMES_SHDR };

static void damaged_headers(void **state)
{
	/* The headers stand at the end: the section of names is the third. */
	static const struct elf_part parts[] = {TEXT_PART, {".debug_str", SHT_PROGBITS, 0, 0, "text", 5, 0, 0}};
	struct bytes image = {0};
	make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	Elf64_Ehdr ehdr;
	memcpy(&ehdr, image.data, sizeof(ehdr));
	const uint64_t size = image.size, shoff = ehdr.e_shoff;
	const Elf64_Shdr *shdrs = (const Elf64_Shdr *)(image.data + shoff);
	const uint64_t str_at = shdrs[2].sh_offset, names_size = shdrs[3].sh_size;
	static const char headers_beyond[] = "perhaps truncated: the section headers end beyond the end of the file",
			  section_beyond[] = "perhaps truncated: section 2 ends beyond the end of the file",
			  no_name[] = "perhaps truncated: the name of section 2 cannot be read",
			  bad_compression[] = "section 2 has a damaged compression header";
	const struct {
		const char *name;
		enum where where;
		size_t at, width;
		uint64_t value;
		const char *message; /* NULL: the file is read */
		uint64_t offset;
	} cases[] = {
		{"nothing is changed", IN_EHDR, FIELD(Elf64_Ehdr, e_shoff), shoff, NULL, 0},
		{"the headers begin a byte later", IN_EHDR, FIELD(Elf64_Ehdr, e_shoff), shoff + 1, headers_beyond,
		 shoff + 1},
		{"the headers begin behind the end", IN_EHDR, FIELD(Elf64_Ehdr, e_shoff), size + 1, headers_beyond,
		 size + 1},
		{"there is a header more", IN_EHDR, FIELD(Elf64_Ehdr, e_shnum), 5, headers_beyond, shoff},
		{"a section ends at the end", IN_DEBUG_SHDR, FIELD(Elf64_Shdr, sh_size), size - str_at, NULL, 0},
		{"a section ends behind the end", IN_DEBUG_SHDR, FIELD(Elf64_Shdr, sh_size), size - str_at + 1,
		 section_beyond, str_at},
		{"a section begins behind the end", IN_DEBUG_SHDR, FIELD(Elf64_Shdr, sh_offset), size + 1,
		 section_beyond, size + 1},
		{"a section whose end is too large a number", IN_DEBUG_SHDR, FIELD(Elf64_Shdr, sh_size),
		 UINT64_MAX - str_at + 1, section_beyond, str_at},
		{"a name behind the names", IN_DEBUG_SHDR, FIELD(Elf64_Shdr, sh_name), names_size, no_name,
		 LOCUS_NO_OFFSET},
		{"no room for a compression header", IN_DEBUG_SHDR, FIELD(Elf64_Shdr, sh_flags), SHF_COMPRESSED,
		 bad_compression, LOCUS_NO_OFFSET},
		{"names of another kind", IN_NAMES_SHDR, FIELD(Elf64_Shdr, sh_offset), size,
		 "perhaps truncated: the name of section 1 cannot be read", LOCUS_NO_OFFSET},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bytes changed = {0};
		static const size_t section[] = {[IN_DEBUG_SHDR] = 2, [IN_NAMES_SHDR] = 3};
		size_t header = cases[i].where == IN_EHDR ? 0 : shoff + section[cases[i].where] * SHDR;
		put_bytes(&changed, image.data, image.size);
		patch_number(&changed, header + cases[i].at, cases[i].value, (unsigned)cases[i].width);
		check_refusal(cases[i].name, &changed, changed.size, cases[i].message ? LOCUS_ERR_BAD_ELF : LOCUS_OK,
			      cases[i].message, cases[i].offset);
		bytes_done(&changed);
	}
	bytes_done(&image);
}

/* A hole of zeros in the headers or names of sections, as a lost write leaves it; the first header is one of zeros. */
static void holes_in_headers(void **state)
{
	static const struct elf_part parts[] = {TEXT_PART, {".debug_str", SHT_PROGBITS, 0, 0, "text", 5, 0, 0}};
	static const char message[] = "the header or the name of section 2 is a hole of zeros";
	struct bytes image = {0};
	(void)state;
	make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	Elf64_Ehdr ehdr;
	memcpy(&ehdr, image.data, sizeof(ehdr));
	Elf64_Shdr *shdr = (Elf64_Shdr *)(image.data + ehdr.e_shoff) + 2;
	const Elf64_Shdr whole = *shdr;
	check_refusal("whole", &image, image.size, LOCUS_OK, NULL, 0);
	shdr->sh_name = 0;
	check_refusal("a section without a name", &image, image.size, LOCUS_OK, NULL, 0);
	shdr->sh_type = SHT_NULL;
	check_refusal("a header that is not used", &image, image.size, LOCUS_OK, NULL, 0);
	memset(shdr, 0, sizeof(*shdr));
	check_refusal("a header of zeros", &image, image.size, LOCUS_OK, NULL, 0);
	memset(shdr - 1, 0, sizeof(*shdr));
	check_refusal("two headers of zeros", &image, image.size, LOCUS_ERR_BAD_ELF, message, LOCUS_NO_OFFSET);
	*shdr = whole;
	image.data[shdr[1].sh_offset + whole.sh_name] = 0;
	check_refusal("an empty name", &image, image.size, LOCUS_ERR_BAD_ELF, message, LOCUS_NO_OFFSET);
	bytes_done(&image);
}

/* What was stripped in part lacks more than it shows. What was stripped as a whole has no debug information. */
static void debug_sections_without_bytes(void **state)
{
	static const struct {
		const char *name;
		struct elf_part parts[2];
		const char *lost;
	} cases[] = {
		{"one",
		 {{".debug_info", SHT_NOBITS, 0, 0, "lost", 4, 0, 0}, {".debug_line", 1, 0, 0, "kept", 4, 0, 0}},
		 ".debug_info"},
		{"behind",
		 {{".debug_abbrev", 1, 0, 0, "kept", 4, 0, 0}, {".debug_line", SHT_NOBITS, 0, 0, "x", 1, 0, 0}},
		 ".debug_line"},
		{"a size of 0",
		 {{".debug_info", SHT_NOBITS, 0, 0, "", 0, 0, 0}, {".debug_str", 1, 0, 0, "kept", 4, 0, 0}},
		 NULL},
		{"both",
		 {{".debug_info", SHT_NOBITS, 0, 0, "lost", 4, 0, 0}, {".debug_str", SHT_NOBITS, 0, 0, "x", 1, 0, 0}},
		 NULL},
		{"of others",
		 {{".debug_macro", SHT_NOBITS, 0, 0, "x", 1, 0, 0}, {".debug_str", 1, 0, 0, "kept", 4, 0, 0}},
		 NULL},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bytes image = {0};
		char message[LOCUS_ERROR_TEXT_SIZE];
		snprintf(message, sizeof(message),
			 "the debug information was stripped in part: %s has a size, but no bytes in the file",
			 cases[i].lost ? cases[i].lost : "none");
		make_elf(&image, ET_EXEC, EM_X86_64, cases[i].parts, COUNT_OF(cases[i].parts));
		check_refusal(cases[i].name, &image, image.size, cases[i].lost ? LOCUS_ERR_BAD_ELF : LOCUS_OK,
			      cases[i].lost ? message : NULL, LOCUS_NO_OFFSET);
		bytes_done(&image);
	}
}

/* A section without bytes may stand where the file ends. */
static void an_empty_section_at_the_end(void **state)
{
	static const struct elf_part parts[] = {{".debug_str", SHT_PROGBITS, 0, 0, NULL, 0, 0, 0}};
	struct bytes image = {0};
	Elf64_Ehdr ehdr;
	(void)state;
	make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	memcpy(&ehdr, image.data, sizeof(ehdr));
	Elf64_Shdr *shdr = (Elf64_Shdr *)(image.data + ehdr.e_shoff) + 1;
	shdr->sh_offset = image.size;
	check_refusal("at the end", &image, image.size, LOCUS_OK, NULL, 0);
	shdr->sh_offset++;
	check_refusal("behind the end", &image, image.size, LOCUS_ERR_BAD_ELF,
		      "perhaps truncated: section 1 ends beyond the end of the file", image.size + 1);
	bytes_done(&image);
}

/* Where a file is no ELF file, and where it is one that ends too early. */
static void beginnings(void **state)
{
	static const struct elf_part parts[] = {TEXT_PART};
	struct bytes image = {0}, other = {0};
	(void)state;
	make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	put_bytes(&other, image.data, image.size);
	other.data[EI_MAG3]++;
	check_refusal("another magic number", &other, other.size, LOCUS_ERR_NOT_ELF, "not an ELF file",
		      LOCUS_NO_OFFSET);
	check_refusal("part of the magic number", &image, SELFMAG - 1, LOCUS_ERR_NOT_ELF, "not an ELF file",
		      LOCUS_NO_OFFSET);
	for (size_t size = SELFMAG; size < EHDR; size++)
		check_refusal("part of the header", &image, size, LOCUS_ERR_BAD_ELF,
			      "the ELF header is damaged or truncated", 0);
	for (size_t size = EHDR; size < image.size; size++)
		check_refusal("part of the file", &image, size, LOCUS_ERR_BAD_ELF, NULL, 0);
	bytes_done(&image);
	bytes_done(&other);
}

/* A table of names without a last NUL is refused if it would be searched for more than four times the file's bytes. */
static void names_without_an_end(void **state)
{
	enum { UNENDED = 60, COUNT = 4 }; /* of sections, with the one of nothing and that of the names */
	static char names[UNENDED];
	memset(names, 'n', sizeof(names));
	static const struct elf_part parts[] = {TEXT_PART, {".names", SHT_STRTAB, 0, 0, names, sizeof(names), 0, 0}};
	struct bytes image = {0};
	struct elf_file *file;
	struct locus_error error;
	(void)state;
	make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	patch_number(&image, offsetof(Elf64_Ehdr, e_shstrndx), 2, 2);

	/* As many bytes as may be searched: then it is the names that cannot be read. */
	for (uint64_t stored = UNENDED - 1; stored <= UNENDED; stored++) {
		assert_int_equal(open_part(&image, image.size, stored, &file, &error), LOCUS_ERR_BAD_ELF);
		assert_string_equal(error.text, stored == UNENDED
							? "perhaps truncated: the name of section 1 cannot be read"
							: "the table of section names is damaged: its last 60 "
							  "bytes hold no end of a name");
	}
	names[UNENDED - 2] = 0; /* of which one byte is behind the last NUL */
	bytes_done(&image);
	make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	patch_number(&image, offsetof(Elf64_Ehdr, e_shstrndx), 2, 2);
	assert_int_equal(open_part(&image, image.size, 0, &file, &error), LOCUS_ERR_BAD_ELF);
	assert_string_equal(error.text,
			    "the table of section names is damaged: its last 1 bytes hold no end of a name");
	assert_int_equal(open_part(&image, image.size, 1, &file, &error), LOCUS_OK);
	elf_file_free(file);
	bytes_done(&image);
}

/* ---- Sections by their names ---- */

/* What a file has of each kind of section; the kinds that are not named have nothing. */
static void check_content(const char *name, const struct elf_file *file, enum debug_section which, const char *expected)
{
	for (enum debug_section i = 0; i < DEBUG_SECTION_COUNT; i++) {
		struct section *section = (struct section *)&file->sections[i];
		const char *content = i == which ? expected : "";
		assert_true(section->data || section->inflater); /* also of what is not there */
		if (section_need(section, section->size, NULL) != LOCUS_OK || section->size != strlen(content) ||
		    memcmp(section->data, content, section->size) != 0)
			fail_msg("%s: %s has %zu bytes", name, debug_section_name(i), section->size);
	}
}

static void section_names(void **state)
{
	static const struct {
		const char *name;
		bool is_split; /* the file has the split half of units alone */
		enum debug_section which;
	} cases[] = {
		{".debug_info", false, DEBUG_INFO},
		{".debug_abbrev", false, DEBUG_ABBREV},
		{".debug_line", false, DEBUG_LINE},
		{".debug_str", false, DEBUG_STR},
		{".debug_line_str", false, DEBUG_LINE_STR},
		{".debug_str_offsets", false, DEBUG_STR_OFFSETS},
		{".debug_addr", false, DEBUG_ADDR},
		{".debug_ranges", false, DEBUG_RANGES},
		{".debug_rnglists", false, DEBUG_RNGLISTS},
		{".debug_types", false, DEBUG_TYPES},
		{".debug_cu_index", false, DEBUG_CU_INDEX},
		{".debug_tu_index", false, DEBUG_TU_INDEX},
		{".debug_aranges", false, DEBUG_ARANGES},
		{".zdebug_line", false, DEBUG_LINE},
		{".debug_lin", false, DEBUG_SECTION_COUNT},
		{".debug_lines", false, DEBUG_SECTION_COUNT},
		{".debug_linf", false, DEBUG_SECTION_COUNT},
		{".Debug_line", false, DEBUG_SECTION_COUNT},
		{".zdebug-line", false, DEBUG_SECTION_COUNT},
		{".debug_", false, DEBUG_SECTION_COUNT},
		{".debug_info.dwo.and.very.much.more.of.it", false, DEBUG_SECTION_COUNT},
		{".debug_line.dwo", false, DEBUG_SECTION_COUNT},
		{".debug_.dwo", true, DEBUG_SECTION_COUNT},
		{".debug_line.dwo", true, DEBUG_LINE},
		{".debug_str_offsets.dwo", true, DEBUG_STR_OFFSETS},
		{".debug_line.dwp", true, DEBUG_SECTION_COUNT},
		{".debug_line", true, DEBUG_SECTION_COUNT},
		{".debug_cu_index", true, DEBUG_CU_INDEX},
		{".debug_tu_index", true, DEBUG_TU_INDEX},
		{".debug_cu_index.dwo", true, DEBUG_SECTION_COUNT},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct elf_part parts[] = {
			{cases[i].name, SHT_PROGBITS, 0, 0, "content", 7, 0, 0},
			{cases[i].is_split ? ".debug_info.dwo" : ".other", SHT_PROGBITS, 0, 0, NULL, 0, 0, 0},
			{.name = NULL}};
		struct elf_file *file = opened_parts(ET_EXEC, parts);
		assert_int_equal(file->is_split, cases[i].is_split);
		check_content(cases[i].name, file, cases[i].which, "content");
		assert_int_equal(elf_file_has_debug(file),
				 cases[i].which == DEBUG_INFO || cases[i].which == DEBUG_LINE);
		elf_file_free(file);
	}
}

/* A first unit's header up to its type: of 32 or 64 bits. */
#define UNIT32(version, type, name) "\7\0\0\0" version type name
#define UNIT64(version, type, name) "\xff\xff\xff\xff\7\0\0\0\0\0\0\0" version type name

/*
 * Of several sections of a kind the first that has something is taken, and one of type units only if there is no other.
 */
static void sections_of_type_units(void **state)
{
	static const struct {
		const char *name, *first, *second;
		size_t first_size, second_size;
		uint64_t first_flags, second_flags;
		bool is_second;
	} cases[] = {
		{"two that are alike", "one", "two", 3, 3, 0, 0, false},
		{"the first is empty", "", "two", 0, 3, 0, 0, true},
		{"the first is of a group", "one", "two", 3, 3, SHF_GROUP, 0, true},
		{"the second is of a group", "one", "two", 3, 3, 0, SHF_GROUP, false},
		{"both are of groups", "one", "two", 3, 3, SHF_GROUP, SHF_GROUP, false},
		{"a type unit first", UNIT32("\5\0", "\2", "1"), "two", 8, 3, 0, 0, true},
		{"a split type unit first", UNIT32("\5\0", "\6", "1"), "two", 8, 3, 0, 0, true},
		{"a type unit in 64-bit DWARF first", UNIT64("\5\0", "\2", "1"), "two", 16, 3, 0, 0, true},
		{"another unit in 64-bit DWARF first", UNIT64("\5\0", "\1", "1"), "two", 16, 3, 0, 0, false},
		{"another unit first", UNIT32("\5\0", "\1", "1"), "two", 8, 3, 0, 0, false},
		{"a unit of DWARF 4 first", UNIT32("\4\0", "\2", "1"), "two", 8, 3, 0, 0, false},
		{"a type unit that ends with its type", UNIT32("\5\0", "\2", ""), "two", 7, 3, 0, 0, true},
		{"a type unit cut off before its type", UNIT32("\5\0", "\2", ""), "two", 6, 3, 0, 0, false},
		{"two type units", UNIT32("\5\0", "\2", "1"), UNIT32("\5\0", "\2", "2"), 8, 8, 0, 0, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct elf_part parts[] = {{".debug_info", SHT_PROGBITS, cases[i].first_flags, 0, cases[i].first,
						  cases[i].first_size, 0, 0},
						 {".debug_info", SHT_PROGBITS, cases[i].second_flags, 0,
						  cases[i].second, cases[i].second_size, 0, 0},
						 {.name = NULL}};
		for (int is_relocatable = 0; is_relocatable < 2; is_relocatable++) {
			struct elf_file *file = opened_parts(is_relocatable ? ET_REL : ET_EXEC, parts);
			const struct section *info = &file->sections[DEBUG_INFO];
			const char *expected = cases[i].is_second ? cases[i].second : cases[i].first;
			size_t size = cases[i].is_second ? cases[i].second_size : cases[i].first_size;
			if (info->size != size || memcmp(info->data, expected, size) != 0)
				fail_msg("%s: %zu bytes", cases[i].name, info->size);
			elf_file_free(file);
		}
	}
}

/* A type unit looks so in .debug_info alone; and what has no bytes in the file is none. */
static void other_sections_that_stand_twice(void **state)
{
	static const struct elf_part parts[] = {
		{".debug_str", SHT_NOBITS, 0, 0, "zero", 4, 0, 0},
		{".debug_str", SHT_PROGBITS, 0, 0, UNIT32("\5\0", "\2", "1"), 8, 0, 0},
		{".debug_str", SHT_PROGBITS, 0, 0, "two", 4, 0, 0},
		{.name = NULL},
	};
	struct elf_file *file = opened_parts(ET_EXEC, parts);
	(void)state;
	assert_int_equal(file->sections[DEBUG_STR].size, 8);
	elf_file_free(file);
}

/*
 * Nothing of a split half is relocated, not even where the other half would be: so one mapping shows the file as it is,
 * for there may be more split files than a system lets be mapped twice.
 */
static void a_split_half_is_mapped_once(void **state)
{
	static const Elf64_Sym symbols[2] = {{0}, {.st_shndx = 2}};
	static const Elf64_Rela relocation = {.r_info = ELF64_R_INFO(1, R_PPC64_ADDR64), .r_addend = 0x1234};
	const struct elf_part parts[] = {
		{".debug_info.dwo", SHT_PROGBITS, 0, 0, "first", 5, 0, 0},
		{".opd", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0, NULL, 24, 0, 0},
		{".rela.opd", SHT_RELA, 0, 0, &relocation, sizeof(relocation), 4, sizeof(relocation)},
		{".symtab", SHT_SYMTAB, 0, 0, symbols, sizeof(symbols), 0, sizeof(symbols[0])},
	};
	char path[] = "/tmp/locus-elf-XXXXXX";
	struct bytes image = {0};
	struct elf_file *file;
	Elf64_Ehdr ehdr;
	int fd = mkstemp(path);
	(void)state;
	assert_true(fd >= 0);
	close(fd);
	make_elf(&image, ET_REL, EM_PPC64, parts, COUNT_OF(parts));
	memcpy(&ehdr, image.data, sizeof(ehdr));
	((Elf64_Shdr *)(image.data + ehdr.e_shoff))[3].sh_info = 2;
	write_file(path, &image);
	assert_int_equal(elf_file_open_split(path, &file, NULL), LOCUS_OK);
	assert_true(file->is_split);
	assert_null(file->bytes.map);
	assert_ptr_equal(file->bytes.image, file->bytes.data);
	assert_int_equal(file->bytes.size, image.size);
	assert_memory_equal(file->bytes.data, image.data, image.size);
	elf_file_free(file);
	bytes_done(&image);
	unlink(path);
}

/* Whether the split half of units is taken: by what sections there are, and by what is asked for. */
static void halves_of_split_units(void **state)
{
	static const struct {
		const char *first, *second;
		bool is_split, is_split_if_asked;
	} cases[] = {
		{".debug_info", ".debug_str", false, false},      {".debug_info.dwo", ".debug_str.dwo", true, true},
		{".debug_info", ".debug_info.dwo", false, true},  {".debug_info.dwo", ".debug_info", false, true},
		{".debug_line", ".debug_str.dwo", false, false},  {".zdebug_info.dwo", ".zdebug_str.dwo", true, true},
		{".zdebug_info", ".debug_info.dwo", false, true}, {".debug_info", ".zdebug_info.dwo", false, true},
	};
	char path[] = "/tmp/locus-elf-XXXXXX";
	int fd = mkstemp(path);
	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct elf_part parts[] = {{cases[i].first, SHT_PROGBITS, 0, 0, "first", 5, 0, 0},
						 {cases[i].second, SHT_PROGBITS, 0, 0, "second", 6, 0, 0}};
		struct bytes image = {0};
		make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
		write_file(path, &image);
		struct elf_file *in_memory = opened(&image);
		assert_int_equal(in_memory->is_split, cases[i].is_split);
		elf_file_free(in_memory);
		bytes_done(&image);
		for (int asked = 0; asked < 2; asked++) {
			struct elf_file *file;
			assert_int_equal((asked ? elf_file_open_split : elf_file_open)(path, &file, NULL), LOCUS_OK);
			if (file->is_split != (asked ? cases[i].is_split_if_asked : cases[i].is_split))
				fail_msg("%s and %s: %d", cases[i].first, cases[i].second, file->is_split);
			assert_string_equal(file->path, path);
			elf_file_free(file);
		}
	}
	unlink(path);
}

/* ---- Compressed sections ---- */

enum { INFLATED = 100 };

/* Puts bytes compressed with zlib. */
static void put_compressed(struct bytes *bytes, const void *plain, size_t size)
{
	static struct isal_zstream stream; /* too large for the stack */
	size_t room = 2 * size + 100;
	uint8_t *packed = malloc(room);
	assert_non_null(packed);
	isal_deflate_init(&stream);
	stream.gzip_flag = IGZIP_ZLIB;
	stream.end_of_stream = 1;
	stream.next_in = (uint8_t *)(uintptr_t)plain;
	stream.avail_in = (uint32_t)size;
	stream.next_out = packed;
	stream.avail_out = (uint32_t)room;
	assert_int_equal(isal_deflate(&stream), COMP_OK);
	put_bytes(bytes, packed, stream.total_out);
	free(packed);
}

/* A header, if it has a size, and `INFLATED` bytes compressed with zlib. */
static struct bytes compressed(const void *header, size_t header_size)
{
	uint8_t plain[INFLATED];
	struct bytes bytes = {0};
	memset(plain, 'p', sizeof(plain));
	put_bytes(&bytes, header, header_size);
	put_compressed(&bytes, plain, sizeof(plain));
	return bytes;
}

/* The size that .debug_str has once it is inflated; 0: the file is refused. `name`: of the section. */
static size_t inflated_size(const char *name, uint64_t flags, const struct bytes *content, uint64_t stored_size,
			    struct locus_error *error)
{
	const struct elf_part parts[] = {{name, SHT_PROGBITS, flags, 0, content->data, content->size, 0, 0}};
	struct bytes image = {0};
	struct elf_file *file;
	size_t size = 0;
	make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	if (open_part(&image, image.size, stored_size, &file, error) == LOCUS_OK) {
		struct section *str = &file->sections[DEBUG_STR];
		size = str->size;
		assert_int_equal(section_need(str, size, error), LOCUS_OK);
		if (size == INFLATED)
			for (size_t i = 0; i < size; i++)
				assert_int_equal(str->data[i], 'p');
	}
	elf_file_free(file);
	bytes_done(&image);
	return size;
}

static void compression_headers(void **state)
{
	static const struct {
		const char *name;
		Elf64_Chdr header;
		const char *message; /* NULL: it is read */
	} cases[] = {
		{"zlib", {ELFCOMPRESS_ZLIB, 0, INFLATED, 1}, NULL},
		{"no type", {0, 0, INFLATED, 1}, "section 1 has an unknown compression type 0"},
		{"another type", {3, 0, INFLATED, 1}, "section 1 has an unknown compression type 3"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bytes content = compressed(&cases[i].header, sizeof(cases[i].header));
		struct locus_error error;
		size_t size = inflated_size(".debug_str", SHF_COMPRESSED, &content, content.size, &error);
		if (size != (cases[i].message ? 0 : INFLATED) ||
		    (cases[i].message && strcmp(error.text, cases[i].message) != 0))
			fail_msg("%s: %zu bytes: %s", cases[i].name, size, error.text);
		bytes_done(&content);
	}
}

/* The older form, with a header of its own: without it, the bytes are taken as they are. */
static void older_compression(void **state)
{
	static const uint8_t header[] = {'Z', 'L', 'I', 'B', 0, 0, 0, 0, 0, 0, 0, INFLATED};
	struct locus_error error;
	struct bytes content = compressed(header, sizeof(header)), shorter = {.data = content.data, .size = 11},
		     plain = {0};
	(void)state;
	assert_int_equal(inflated_size(".zdebug_str", 0, &content, content.size, &error), INFLATED);
	assert_int_equal(inflated_size(".debug_str", 0, &content, content.size, &error), content.size);
	assert_int_equal(inflated_size(".zdebug_str", 0, &shorter, shorter.size, &error), 11);
	put_bytes(&plain, "ZLIb\0\0\0\0\0\0\0\4text", 16);
	assert_int_equal(inflated_size(".zdebug_str", 0, &plain, plain.size, &error), 16);
	bytes_done(&content);
	bytes_done(&plain);
}

/* A section of nothing but the header of either form. */
static struct bytes claim_of(bool is_older, uint64_t inflated)
{
	struct bytes claim = {.big = is_older};
	if (is_older) {
		put_bytes(&claim, "ZLIB", 4);
		put_number(&claim, inflated, 8);
	} else {
		const Elf64_Chdr header = {ELFCOMPRESS_ZLIB, 0, inflated, 1};
		put_bytes(&claim, &header, sizeof(header));
	}
	return claim;
}

/*
 * All debug sections together may claim 64 times the bytes of the file on its disk and 32 MiB more. What one of them
 * claims is held against its own size only after that, with another message.
 */
static void claims_of_too_much(void **state)
{
	enum { STORED = 1 << 10, MOST = 64 * STORED + (32 << 20) };
	static const struct {
		const char *name, *second;
		uint64_t size, second_size;
		const char *message; /* its beginning; NULL: the file is read */
	} cases[] = {
		{".debug_str", ".debug_line", MOST, 0, "a compressed section claims 33619968 bytes from 0"},
		{".debug_str", ".debug_line", MOST + 1, 0,
		 "its compressed sections have more inflated bytes than a file of its size can need: .debug_str says "
		 "33619969 from 24"},
		{".debug_line", ".debug_str", MOST, 1,
		 "its compressed sections have more inflated bytes than a file of its size can need: .debug_str says 1 "
		 "from 24"},
		{".debug_str.dwo", ".debug_line", MOST + 1, 0,
		 "its compressed sections have more inflated bytes than a file of its size can need: .debug_str.dwo "
		 "says 33619969 from 24"},
		{".zdebug_str", ".debug_line", MOST, 0, "a compressed section claims 33619968 bytes from 0"},
		{".zdebug_str", ".debug_line", MOST + 1, 0,
		 "its compressed sections have more inflated bytes than a file of its size can need: .zdebug_str says "
		 "33619969 from 12"},
		{".other", ".zother", MOST + 1, MOST + 1, NULL},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bytes first = claim_of(cases[i].name[1] == 'z', cases[i].size), image = {0};
		struct bytes second = claim_of(false, cases[i].second_size);
		const struct elf_part parts[] = {
			{cases[i].name, SHT_PROGBITS, cases[i].name[1] == 'z' ? 0 : SHF_COMPRESSED, 0, first.data,
			 first.size, 0, 0},
			{cases[i].second, SHT_PROGBITS, SHF_COMPRESSED, 0, second.data, second.size, 0, 0}};
		struct elf_file *file;
		struct locus_error error;
		make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
		enum locus_status status = open_part(&image, image.size, STORED, &file, &error);
		if (status != (cases[i].message ? LOCUS_ERR_BAD_ELF : LOCUS_OK) ||
		    (cases[i].message && strcmp(error.text, cases[i].message) != 0))
			fail_msg("%s and %s: status %d: %s", cases[i].name, cases[i].second, status, error.text);
		elf_file_free(file);
		bytes_done(&first);
		bytes_done(&second);
		bytes_done(&image);
	}
}

/* ---- Addresses of code, the build-id, and the file that changes ---- */

struct exec_case {
	const char *name;
	struct exec_range parts[4], segments[2]; /* start and size; sections in the order of the file */
	const char *expected;
};

static void exec_text(const struct elf_file *file, char *text, size_t size)
{
	size_t at = 0;
	text[0] = 0;
	for (uint32_t i = 0; i < file->exec_count; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%llx-%llx", i ? " " : "",
				       (unsigned long long)file->exec[i].start, (unsigned long long)file->exec[i].end);
}

/*
 * RULES A1: sections where there are some, else the segment. The segments are those that make_elf writes for the first
 * sections, put elsewhere.
 */
static void addresses_of_code(void **state)
{
	static const struct exec_case cases[] = {
		{"one", {{0x1000, 0x20}}, {{0x1000, 0x20}}, "1000-1020"},
		{"none of a size", {{0x1000, 0}}, {{0x1000, 0}}, ""},
		{"no section, but a segment", {{0x1000, 0}}, {{0x1000, 0x100}}, "1000-1100"},
		{"in the order of addresses",
		 {{0x3000, 8}, {0x1000, 8}, {0x2000, 8}},
		 {{0}},
		 "1000-1008 2000-2008 3000-3008"},
		{"in another order, with a segment",
		 {{0x3000, 8}, {0x1000, 8}},
		 {{0x1000, 0x100}, {0x3000, 8}},
		 "1000-1008 3000-3008"},
		{"that touch", {{0x1000, 8}, {0x1008, 8}}, {{0}}, "1000-1008 1008-1010"},
		{"that overlap by a byte", {{0x1000, 9}, {0x1008, 8}}, {{0}}, "1000-1010"},
		{"in each other", {{0x1000, 0x20}, {0x1008, 8}, {0x101f, 1}}, {{0}}, "1000-1020"},
		{"one more behind those that overlap",
		 {{0x1000, 9}, {0x1008, 8}, {0x2000, 1}},
		 {{0}},
		 "1000-1010 2000-2001"},
		{"up to the last address", {{UINT64_MAX - 8, 8}}, {{0}}, "fffffffffffffff7-ffffffffffffffff"},
		{"beyond the last address", {{UINT64_MAX - 8, 9}}, {{0}}, ""},
		{"a segment that ends where a section begins", {{0x1000, 8}}, {{0xff0, 0x10}}, "ff0-1000 1000-1008"},
		{"a segment with the first byte of a section", {{0x1000, 8}}, {{0xff0, 0x11}}, "1000-1008"},
		{"a segment that begins with a section", {{0x1000, 8}}, {{0x1000, 0x100}}, "1000-1008"},
		{"a segment behind the sections", {{0x1000, 8}}, {{0x1008, 0x100}}, "1000-1008 1008-1108"},
		{"a segment with the second of two sections",
		 {{0x1000, 8}, {0x3000, 8}},
		 {{0x2000, 0x1001}},
		 "1000-1008 3000-3008"},
		{"two segments", {{0x1000, 0}, {0x2000, 0}}, {{0x2000, 8}, {0x1000, 8}}, "1000-1008 2000-2008"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct elf_part parts[4] = {0};
		struct bytes image = {0};
		size_t count = 0;
		char text[200];
		for (; count < COUNT_OF(parts) && cases[i].parts[count].start; count++)
			parts[count] = (struct elf_part){
				".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, cases[i].parts[count].start, "", 0,
				0,       0};
		make_elf(&image, ET_EXEC, EM_X86_64, parts, count);
		Elf64_Ehdr ehdr;
		memcpy(&ehdr, image.data, sizeof(ehdr));
		for (size_t k = 0; k < count; k++) {
			Elf64_Phdr *phdr = (Elf64_Phdr *)(image.data + ehdr.e_phoff) + k;
			((Elf64_Shdr *)(image.data + ehdr.e_shoff))[k + 1].sh_size = cases[i].parts[k].end;
			phdr->p_vaddr = k < 2 ? cases[i].segments[k].start : 0;
			phdr->p_memsz = k < 2 ? cases[i].segments[k].end : 0;
		}
		struct elf_file *file = opened(&image);
		exec_text(file, text, sizeof(text));
		if (strcmp(text, cases[i].expected) != 0)
			fail_msg("%s: %s", cases[i].name, text);
		for (uint32_t k = 0; k < file->exec_count; k++) {
			const struct exec_range *range = &file->exec[k];
			bool is_after_another = k && range[-1].end == range->start;
			assert_ptr_equal(elf_file_exec(file, range->start), range);
			assert_ptr_equal(elf_file_exec(file, range->end - 1), range);
			assert_ptr_equal(elf_file_exec(file, range->start - 1), is_after_another ? range - 1 : NULL);
		}
		if (file->exec_count)
			assert_null(elf_file_exec(file, file->exec[file->exec_count - 1].end));
		elf_file_free(file);
		bytes_done(&image);
	}
}

/* What is not loaded, or is no code, has no addresses of code; and segments count in linked files alone. */
static void addresses_of_no_code(void **state)
{
	static const struct {
		uint64_t section_flags;
		uint32_t type, flags; /* of the segment */
		uint16_t file_type;
		const char *expected;
	} cases[] = {
		{SHF_ALLOC | SHF_EXECINSTR, PT_NULL, 0, ET_EXEC, "2000-2040"},
		{SHF_ALLOC, PT_NULL, 0, ET_EXEC, ""},
		{SHF_EXECINSTR, PT_NULL, 0, ET_EXEC, ""},
		{SHF_EXECINSTR, PT_LOAD, PF_X, ET_EXEC, "1000-1010"},
		{SHF_EXECINSTR, PT_LOAD, PF_R | PF_W, ET_EXEC, ""},
		{SHF_EXECINSTR, PT_DYNAMIC, PF_X, ET_EXEC, ""},
		{SHF_EXECINSTR, PT_LOAD, PF_X, ET_DYN, "1000-1010"},
		{SHF_EXECINSTR, PT_LOAD, PF_X, ET_REL, ""},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		/* Where there is no program header, one takes the place of the section's bytes. */
		const struct elf_part parts[] = {
			{".text", SHT_PROGBITS, cases[i].section_flags, 0x2000, NULL, 0x40, 0, 0}};
		struct bytes image = {0};
		char text[64];
		make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
		patch_number(&image, offsetof(Elf64_Ehdr, e_type), cases[i].file_type, 2);
		Elf64_Phdr *phdr = (Elf64_Phdr *)(image.data + EHDR);
		*phdr = (Elf64_Phdr){
			.p_type = cases[i].type, .p_flags = cases[i].flags, .p_vaddr = 0x1000, .p_memsz = 0x10};
		struct elf_file *file = opened(&image);
		exec_text(file, text, sizeof(text));
		if (strcmp(text, cases[i].expected) != 0)
			fail_msg("case %zu: %s", i, text);
		elf_file_free(file);
		bytes_done(&image);
	}
}

/* A note of a build-id is not searched for in notes of more than four times the file's bytes. */
static void notes_of_too_many_bytes(void **state)
{
	struct bytes note = {0}, image = {0};
	struct elf_file *file;
	struct locus_error error;
	(void)state;
	put_number(&note, 4, 4);
	put_number(&note, 4, 4);
	put_number(&note, NT_GNU_BUILD_ID, 4);
	put_string(&note, "GNU");
	put_bytes(&note, "\xab\xcd\xef\1", 4);
	const struct elf_part parts[] = {TEXT_PART,
					 {".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0, note.data, note.size, 0, 0},
					 {".note.other", SHT_NOTE, SHF_ALLOC, 0, note.data, note.size, 0, 0},
					 {".debug_str", SHT_PROGBITS, 0, 0, "none of a note", 15, 0, 0}};
	make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));

	/* Of two sections, and of a segment too that has as many bytes as one of them. */
	for (unsigned has_segment = 0; has_segment < 2; has_segment++) {
		uint64_t fits = (2 + has_segment) * note.size / 4;
		Elf64_Phdr *phdr = (Elf64_Phdr *)(image.data + EHDR);
		*phdr = (Elf64_Phdr){
			.p_type = has_segment ? PT_NOTE : PT_NULL, .p_offset = EHDR, .p_filesz = note.size};
		for (uint64_t stored = fits - 1; stored <= fits; stored++) {
			assert_int_equal(open_part(&image, image.size, stored, &file, &error), LOCUS_OK);
			assert_int_equal(file->build_id_size, stored == fits ? 4 : 0);
			if (stored == fits)
				assert_memory_equal(file->build_id, "\xab\xcd\xef\1", 4);
			elf_file_free(file);
		}
	}
	((Elf64_Phdr *)(image.data + EHDR))->p_filesz = 4 * image.size + 1; /* this one alone */
	file = opened(&image);
	assert_int_equal(file->build_id_size, 0);
	elf_file_free(file);
	bytes_done(&note);
	bytes_done(&image);
}

/* Of the same path: what was written to is noticed, and what took its place is another file. */
static void files_that_change(void **state)
{
	static const struct elf_part parts[] = {TEXT_PART};
	static const struct timespec times[][2] = {
		{{1000, 5}, {1000, 5}}, {{1001, 5}, {1001, 5}}, {{1000, 6}, {1000, 6}}};
	char path[] = "/tmp/locus-elf-XXXXXX", other[sizeof(path) + 4];
	struct bytes image = {0};
	struct elf_file *file;
	int fd = mkstemp(path);
	(void)state;
	assert_true(fd >= 0);
	snprintf(other, sizeof(other), "%s.new", path);
	make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	write_file(path, &image);
	assert_int_equal(futimens(fd, times[0]), 0);
	assert_int_equal(elf_file_open(path, &file, NULL), LOCUS_OK);
	assert_true(elf_file_is_unchanged(file));
	for (size_t i = 1; i < COUNT_OF(times); i++) {
		assert_int_equal(futimens(fd, times[i]), 0);
		assert_false(elf_file_is_unchanged(file));
	}
	put_u8(&image, 0);
	write_file(path, &image);
	assert_int_equal(futimens(fd, times[0]), 0);
	assert_false(elf_file_is_unchanged(file)); /* of another size */

	write_file(other, &image);
	assert_int_equal(rename(other, path), 0);
	assert_true(elf_file_is_unchanged(file)); /* of another number */
	unlink(path);
	assert_true(elf_file_is_unchanged(file));
	elf_file_free(file);
	close(fd);
	bytes_done(&image);
}

/* ---- Relocatable files ---- */

/*
 * The sections 1 to 3, of which the second is .debug_str twice, are text that relocations set to 0x11. `split`: they
 * are of the split half, which has nothing to relocate.
 */
static void relocated_sections(void **state)
{
	enum { ENTRIES = 2 * sizeof(Elf64_Rela) };
	static const Elf64_Rela entries[2] = {{0, ELF64_R_INFO(0, R_X86_64_32), 0x11},
					      {4, ELF64_R_INFO(0, R_X86_64_32), 0x12}};
	static const struct {
		const char *name;
		bool is_split;
		uint32_t target, type, second_target; /* of the entries; SHT_NULL: no second */
		uint64_t stored;
		const char *message; /* NULL: it is read */
		bool is_relocated;
	} cases[] = {
		{"of a debug section", false, 2, SHT_RELA, 0, ENTRIES, NULL, true},
		{"of a section that was not chosen", false, 3, SHT_RELA, 0, ENTRIES, NULL, false},
		{"of a section that is not read", false, 1, SHT_RELA, 0, ENTRIES, NULL, false},
		{"of the split half", true, 2, SHT_RELA, 0, ENTRIES, NULL, false},
		{"entries of another kind", false, 2, SHT_PROGBITS, 0, ENTRIES, NULL, false},
		{"of more bytes than the file", false, 2, SHT_RELA, 0, ENTRIES - 1,
		 "its relocations have more bytes than the file", false},
		{"twice, of as many bytes as the file", false, 2, SHT_RELA, 2, 2 * ENTRIES, NULL, true},
		{"twice, of more bytes than the file", false, 2, SHT_RELA, 2, 2 * ENTRIES - 1,
		 "its relocations have more bytes than the file", false},
		{"twice, of which one does not matter", false, 2, SHT_RELA, 1, ENTRIES, NULL, true},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *name = cases[i].is_split ? ".debug_str.dwo" : ".debug_str";
		const struct elf_part parts[] = {
			{cases[i].is_split ? ".debug_info.dwo" : ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0,
			 "12345678", 8, 0, 0},
			{name, SHT_PROGBITS, 0, 0, "abcdefgh", 8, 0, 0},
			{name, SHT_PROGBITS, 0, 0, "ABCDEFGH", 8, 0, 0},
			{".rela", cases[i].type, 0, 0, entries, sizeof(entries), 0, sizeof(*entries)},
			{".rela", SHT_RELA, 0, 0, entries, sizeof(entries), 0, sizeof(*entries)}};
		struct bytes image = {0};
		struct elf_file *file;
		struct locus_error error;
		make_elf(&image, ET_REL, EM_X86_64, parts, COUNT_OF(parts));
		Elf64_Ehdr ehdr;
		memcpy(&ehdr, image.data, sizeof(ehdr));
		Elf64_Shdr *shdrs = (Elf64_Shdr *)(image.data + ehdr.e_shoff);
		shdrs[4].sh_info = cases[i].target;
		shdrs[5].sh_info = cases[i].second_target;
		enum locus_status status = open_part(&image, image.size, cases[i].stored, &file, &error);
		if (status != (cases[i].message ? LOCUS_ERR_BAD_ELF : LOCUS_OK) ||
		    (cases[i].message && strcmp(error.text, cases[i].message) != 0))
			fail_msg("%s: status %d: %s", cases[i].name, status, error.text);
		if (file) {
			const char *expected = cases[i].is_relocated ? "\x11\0\0\0\x12\0\0" : "abcdefgh";
			assert_int_equal(file->sections[DEBUG_STR].size, 8);
			assert_memory_equal(file->sections[DEBUG_STR].data, expected, 8);
		}
		elf_file_free(file);
		bytes_done(&image);
	}
}

/* What is given back of a file comes back as the file has it, compressed or not: so relocated bytes are kept. */
static void relocated_bytes_are_kept(void **state)
{
	enum { SIZE = SECTION_GRANULE + 1 };
	static uint8_t str[SIZE];
	static const Elf64_Chdr header = {ELFCOMPRESS_ZLIB, 0, SIZE, 1};
	static const Elf64_Rela entry = {SIZE / 2, ELF64_R_INFO(0, R_X86_64_32), 0x11};
	struct bytes packed = {0};
	(void)state;
	put_bytes(&packed, &header, sizeof(header));
	put_compressed(&packed, str, sizeof(str));
	for (int is_packed = 0; is_packed < 2; is_packed++) {
		const struct elf_part parts[] = {
			{".debug_str", SHT_PROGBITS, is_packed ? SHF_COMPRESSED : 0, 0, is_packed ? packed.data : str,
			 is_packed ? packed.size : sizeof(str), 0, 0},
			{".rela.debug_str", SHT_RELA, 0, 0, &entry, sizeof(entry), 0, sizeof(entry)}};
		char path[] = "/tmp/locus-elf-XXXXXX";
		struct bytes image = {0};
		Elf64_Ehdr ehdr;
		struct elf_file *file;
		int fd = mkstemp(path);
		assert_true(fd >= 0);
		close(fd);
		make_elf(&image, ET_REL, EM_X86_64, parts, COUNT_OF(parts));
		memcpy(&ehdr, image.data, sizeof(ehdr));
		((Elf64_Shdr *)(image.data + ehdr.e_shoff))[2].sh_info = 1;
		write_file(path, &image);
		assert_int_equal(elf_file_open(path, &file, NULL), LOCUS_OK);
		struct section *section = &file->sections[DEBUG_STR];
		section_release(section, 0, SIZE);
		section_forget(section, SIZE);
		assert_int_equal(section_recall(section, 0, NULL), LOCUS_OK);
		assert_int_equal(section->data[SIZE / 2], 0x11);
		elf_file_free(file);
		unlink(path);
		bytes_done(&image);
	}
	bytes_done(&packed);
}

/*
 * A .debug_info of a MiB is relocated as it is read, a smaller one when the file is opened: with the same bytes,
 * compressed or not.
 */
static void a_large_debug_info(void **state)
{
	enum { LARGE = 1 << 20, STR_ENTRIES = 2, INFO_ENTRIES = 4 };
	static uint8_t info[LARGE];
	static const Elf64_Rela str_entry = {0, ELF64_R_INFO(0, R_X86_64_32), 0x13};
	static const Elf64_Rela entries[2] = {{0, ELF64_R_INFO(0, R_X86_64_32), 0x11},
					      {LARGE - 5, ELF64_R_INFO(0, R_X86_64_32), 0x12}};
	static const struct {
		size_t size;
		bool is_packed;
	} cases[] = {{LARGE - 1, false}, {LARGE, false}, {LARGE - 1, true}, {LARGE, true}};
	(void)state;
	for (size_t k = 0; k < COUNT_OF(cases); k++) {
		const size_t size = cases[k].size;
		const Elf64_Chdr header = {ELFCOMPRESS_ZLIB, 0, size, 1};
		struct bytes packed = {0}, image = {0};
		put_bytes(&packed, &header, sizeof(header));
		put_compressed(&packed, info, size);
		const struct elf_part parts[] = {
			{".debug_str", SHT_PROGBITS, 0, 0, "string", 7, 0, 0},
			{".rela.debug_str", SHT_RELA, 0, 0, &str_entry, sizeof(str_entry), 0, sizeof(str_entry)},
			{".debug_info", SHT_PROGBITS, cases[k].is_packed ? SHF_COMPRESSED : 0, 0,
			 cases[k].is_packed ? packed.data : info, cases[k].is_packed ? packed.size : size, 0, 0},
			{".rela.debug_info", SHT_RELA, 0, 0, entries, sizeof(entries), 0, sizeof(*entries)}};
		Elf64_Ehdr ehdr;
		make_elf(&image, ET_REL, EM_X86_64, parts, COUNT_OF(parts));
		memcpy(&ehdr, image.data, sizeof(ehdr));
		Elf64_Shdr *shdrs = (Elf64_Shdr *)(image.data + ehdr.e_shoff);
		shdrs[STR_ENTRIES].sh_info = STR_ENTRIES - 1;
		shdrs[INFO_ENTRIES].sh_info = INFO_ENTRIES - 1;
		struct elf_file *file = opened(&image);
		struct section *section = &file->sections[DEBUG_INFO];
		assert_int_equal(file->sections[DEBUG_STR].data[0], 0x13);
		assert_int_equal(file->info_relocations.count, size == LARGE ? COUNT_OF(entries) : 0);
		assert_int_equal(section_is_whole(section), size < LARGE);
		assert_int_equal(section_need(section, size, NULL), LOCUS_OK);
		assert_int_equal(section->size, size);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(section->data[i], i == 0 ? 0x11 : i == LARGE - 5 ? 0x12 : 0);
		elf_file_free(file);
		bytes_done(&image);
		bytes_done(&packed);
	}
}

/* Whether a damaged section begins with a type unit is not known: it is taken, so that the damage is told. */
static void a_damaged_debug_info_is_not_passed_over(void **state)
{
	struct bytes damaged = claim_of(false, 100);
	const struct elf_part parts[] = {
		{".debug_info", SHT_PROGBITS, SHF_COMPRESSED, 0, damaged.data, damaged.size, 0, 0},
		{".debug_info", SHT_PROGBITS, 0, 0, "two", 3, 0, 0},
		{.name = NULL}};
	struct elf_file *file = opened_parts(ET_REL, parts);
	(void)state;
	assert_int_equal(file->sections[DEBUG_INFO].size, 100);
	assert_int_equal(section_need(&file->sections[DEBUG_INFO], 1, NULL), LOCUS_ERR_BAD_ELF);
	elf_file_free(file);
	bytes_done(&damaged);
}

/* RULES A1: the sections of code, with the addresses that they were given. */
static void bases_of_sections(void **state)
{
	static const struct elf_part parts[] = {
		{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, NULL, 0x20, 0, 0},
		{".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0, NULL, 8, 0, 0},
		{".text.unlikely", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, NULL, 4, 0, 0},
		{.name = NULL}};
	static const struct section_base expected[] = {{".text", 0x10000, 0x20}, {".text.unlikely", 0x10028, 4}};
	struct elf_file *file = opened_parts(ET_REL, parts);
	(void)state;
	assert_int_equal(file->type, ET_REL);
	assert_int_equal(file->machine, EM_X86_64);
	assert_int_equal(file->class, ELFCLASS64);
	assert_int_equal(file->data, ELFDATA2LSB);
	assert_int_equal(file->swap, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	assert_int_equal(file->base_count, COUNT_OF(expected));
	for (size_t i = 0; i < COUNT_OF(expected); i++) {
		assert_string_equal(file->bases[i].name, expected[i].name);
		assert_int_equal(file->bases[i].base, expected[i].base);
		assert_int_equal(file->bases[i].size, expected[i].size);
	}
	elf_file_free(file);
	file = opened_parts(ET_EXEC, parts);
	assert_int_equal(file->base_count, 0); /* of a linked file none is needed */
	elf_file_free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_headers),
		cmocka_unit_test(holes_in_headers),
		cmocka_unit_test(debug_sections_without_bytes),
		cmocka_unit_test(an_empty_section_at_the_end),
		cmocka_unit_test(beginnings),
		cmocka_unit_test(names_without_an_end),
		cmocka_unit_test(section_names),
		cmocka_unit_test(sections_of_type_units),
		cmocka_unit_test(other_sections_that_stand_twice),
		cmocka_unit_test(a_split_half_is_mapped_once),
		cmocka_unit_test(halves_of_split_units),
		cmocka_unit_test(compression_headers),
		cmocka_unit_test(older_compression),
		cmocka_unit_test(claims_of_too_much),
		cmocka_unit_test(addresses_of_code),
		cmocka_unit_test(addresses_of_no_code),
		cmocka_unit_test(notes_of_too_many_bytes),
		cmocka_unit_test(files_that_change),
		cmocka_unit_test(relocated_sections),
		cmocka_unit_test(relocated_bytes_are_kept),
		cmocka_unit_test(a_large_debug_info),
		cmocka_unit_test(a_damaged_debug_info_is_not_passed_over),
		cmocka_unit_test(bases_of_sections),
	};
	return cmocka_run_group_tests_name("elf", tests, NULL, NULL);
}
