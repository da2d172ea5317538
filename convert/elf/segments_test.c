/* The segments that are loaded: each field as the program header has it, and no other kind of segment. */
#include "convert/elf/segments.h"

#include "convert/elf/open_elf_test.h"

enum { PARTS = 3, ANY_FLAGS = PF_R | PF_X | 0x100000 };

/* A file of three segments, as they are given. */
static struct bytes make_segments(uint16_t type, const Elf64_Phdr headers[PARTS])
{
	static const struct elf_part code = {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, "code", 4, 0, 0};
	const struct elf_part parts[PARTS] = {code, code, code};
	struct bytes image = {0};
	make_elf(&image, ET_EXEC, EM_X86_64, parts, PARTS);
	memcpy(image.data + sizeof(Elf64_Ehdr), headers, PARTS * sizeof(*headers));
	patch_number(&image, offsetof(Elf64_Ehdr, e_type), type, 2);
	return image;
}

static void loaded_segments(void **state)
{
	static const Elf64_Phdr load = {PT_LOAD, ANY_FLAGS, 1, 2, 3, 4, 5, 6}, other = {.p_type = PT_NOTE};
	static const struct {
		uint16_t type;
		const Elf64_Phdr *headers[PARTS];
		uint32_t count;
	} cases[] = {
		{ET_EXEC, {&load, &load, &load}, 3},   {ET_DYN, {&load, &other, &load}, 2},
		{ET_CORE, {&other, &load, &other}, 1}, {ET_EXEC, {&other, &other, &other}, 0},
		{ET_REL, {&load, &load, &load}, 0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		Elf64_Phdr headers[PARTS];
		for (size_t k = 0; k < PARTS; k++) {
			headers[k] = *cases[i].headers[k];
			headers[k].p_paddr = 100 + k; /* is not read */
		}
		struct bytes image = make_segments(cases[i].type, headers);
		struct elf_file *file = opened(&image);
		struct elf_segment *segments;
		uint32_t count;
		assert_int_equal(elf_file_segments(file, &segments, &count, NULL), LOCUS_OK);
		assert_int_equal(count, cases[i].count);
		for (uint32_t k = 0; k < count; k++) {
			assert_int_equal(segments[k].offset, load.p_offset);
			assert_int_equal(segments[k].addr, load.p_vaddr);
			assert_int_equal(segments[k].file_size, load.p_filesz);
			assert_int_equal(segments[k].memory_size, load.p_memsz);
			assert_int_equal(segments[k].flags, ANY_FLAGS);
		}
		free(segments);
		elf_file_free(file);
		bytes_done(&image);
	}
}

/* Headers that lie behind the end of the file are refused, and nothing is given. */
static void segments_that_cannot_be_read(void **state)
{
	static const Elf64_Phdr headers[PARTS] = {{.p_type = PT_LOAD}, {.p_type = PT_LOAD}, {.p_type = PT_LOAD}};
	struct bytes image = make_segments(ET_EXEC, headers);
	struct elf_segment *segments = NULL;
	uint32_t count = 99;
	struct locus_error error;
	(void)state;
	patch_number(&image, offsetof(Elf64_Ehdr, e_phoff), image.size - 2 * sizeof(Elf64_Phdr), 8);
	struct elf_file *file = opened(&image);
	assert_int_equal(elf_file_segments(file, &segments, &count, &error), LOCUS_ERR_BAD_ELF);
	assert_non_null(strstr(error.text, "perhaps truncated: "));
	assert_null(segments);
	assert_int_equal(count, 99);
	elf_file_free(file);
	bytes_done(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loaded_segments),
		cmocka_unit_test(segments_that_cannot_be_read),
	};
	return cmocka_run_group_tests_name("segments", tests, NULL, NULL);
}
