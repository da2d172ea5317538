/* Where sections of object files are put: behind each other from libdwfl's base on, each at its alignment. RULES A1. */
#include "convert/elf/section_layout.h"

#include <gelf.h>

#include "convert/elf/make_elf_test.h"

enum { PARTS_MAX = 4, BASE = 0x10000 };

struct part {
	uint64_t size, align;
	bool is_loaded;
};

/* A relocatable file of such sections, laid out. Freed by image_done. */
struct image {
	struct bytes bytes;
	Elf *elf;
};

static enum locus_status lay_out(struct image *image, uint16_t machine, const struct part *parts, size_t count)
{
	struct elf_part made[PARTS_MAX] = {0};
	*image = (struct image){0};
	for (size_t i = 0; i < count; i++)
		made[i] = (struct elf_part){".part", SHT_NOBITS, parts[i].is_loaded ? SHF_ALLOC : 0, 0, "", 0, 0, 0};
	make_elf(&image->bytes, ET_REL, machine, made, count);
	Elf64_Ehdr ehdr;
	memcpy(&ehdr, image->bytes.data, sizeof(ehdr));
	for (size_t i = 0; i < count; i++) {
		Elf64_Shdr *shdr = (Elf64_Shdr *)(image->bytes.data + ehdr.e_shoff) + i + 1;
		shdr->sh_size = parts[i].size;
		shdr->sh_addralign = parts[i].align;
	}
	elf_version(EV_CURRENT);
	image->elf = elf_memory((char *)image->bytes.data, image->bytes.size);
	assert_non_null(image->elf);
	return section_layout(image->elf, NULL);
}

/* How many of a case's parts are given. */
static size_t part_count(const struct part parts[PARTS_MAX])
{
	size_t count = 0;
	while (count < PARTS_MAX && (parts[count].size || parts[count].align))
		count++;
	return count;
}

static void image_done(struct image *image)
{
	elf_end(image->elf);
	bytes_done(&image->bytes);
}

static uint64_t address_of(const struct image *image, size_t part)
{
	GElf_Shdr shdr;
	assert_non_null(gelf_getshdr(elf_getscn(image->elf, part + 1), &shdr));
	return shdr.sh_addr;
}

static void behind_each_other(void **state)
{
	static const struct {
		const char *name;
		uint16_t machine;
		struct part parts[PARTS_MAX];
		uint64_t expected[PARTS_MAX];
	} cases[] = {
		{"none", EM_X86_64, {{0}}, {0}},
		{"one after another",
		 EM_X86_64,
		 {{0x10, 1, true}, {0x20, 1, true}, {5, 1, true}},
		 {BASE, BASE + 0x10, BASE + 0x30}},
		{"at their alignment",
		 EM_X86_64,
		 {{1, 16, true}, {1, 16, true}, {1, 4, true}, {1, 64, true}},
		 {BASE, BASE + 16, BASE + 20, BASE + 64}},
		{"just aligned", EM_X86_64, {{16, 16, true}, {16, 16, true}}, {BASE, BASE + 16}},
		{"what is not loaded has no address",
		 EM_X86_64,
		 {{8, 8, true}, {0x1000, 1, false}, {8, 8, true}},
		 {BASE, 0, BASE + 8}},
		{"an alignment of 0, and one that is none", EM_X86_64, {{3, 0, true}, {4, 12, true}}, {BASE, BASE + 3}},
		{"the base is raised for a later section",
		 EM_X86_64,
		 {{0x10, 1, true}, {0x10, 0x20000, true}},
		 {0x20000, 0x40000}},
		{"the first section's alignment is above the base's",
		 EM_X86_64,
		 {{0x10, 0x40000, true}, {0x10, 0x20000, true}},
		 {0x40000, 0x60000}},
		{"an empty section raises the base too",
		 EM_X86_64,
		 {{0, 0x20000, true}, {0x10, 0x40000, true}},
		 {0x20000, 0x40000}},
		{"a small machine's begin at 0", EM_MSP430, {{0x10, 2, true}, {0x10, 2, true}}, {0, 0x10}},
		{"another small machine's", EM_AVR, {{3, 1, true}, {2, 2, true}}, {0, 4}},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct image image;
		size_t count = part_count(cases[i].parts);
		assert_int_equal(lay_out(&image, cases[i].machine, cases[i].parts, count), LOCUS_OK);
		for (size_t k = 0; k < count; k++)
			if (address_of(&image, k) != cases[i].expected[k])
				fail_msg("%s: section %zu is at 0x%llx", cases[i].name, k,
					 (unsigned long long)address_of(&image, k));
		image_done(&image);
	}
}

/* Sizes that no address space holds: refused, whatever their sum wraps to. */
static void too_large(void **state)
{
	static const struct {
		const char *name;
		uint16_t machine;
		struct part parts[PARTS_MAX];
		enum locus_status expected;
	} cases[] = {
		{"all but the last address", EM_X86_64, {{UINT64_MAX - BASE - 1, 1, true}}, LOCUS_OK},
		{"up to the last address", EM_X86_64, {{UINT64_MAX - BASE, 1, true}}, LOCUS_ERR_BAD_ELF},
		{"beyond it", EM_X86_64, {{UINT64_MAX - BASE + 1, 1, true}}, LOCUS_ERR_BAD_ELF},
		{"a sum that wraps", EM_X86_64, {{UINT64_MAX - 1, 1, true}}, LOCUS_ERR_BAD_ELF},
		{"two that wrap together",
		 EM_X86_64,
		 {{UINT64_MAX / 2, 1, true}, {UINT64_MAX / 2 + 2, 1, true}, {16, 1, true}},
		 LOCUS_ERR_BAD_ELF},
		{"an alignment that wraps",
		 EM_X86_64,
		 {{UINT64_MAX - BASE - 16, 1, true}, {1, 1 << 16, true}},
		 LOCUS_ERR_BAD_ELF},
		{"20 bits are not enough", EM_MSP430, {{1 << 20, 1, true}}, LOCUS_ERR_BAD_ELF},
		{"20 bits are enough", EM_MSP430, {{(1 << 20) - 1, 1, true}}, LOCUS_OK},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct image image;
		size_t count = part_count(cases[i].parts);
		if (lay_out(&image, cases[i].machine, cases[i].parts, count) != cases[i].expected)
			fail_msg("%s", cases[i].name);
		image_done(&image);
	}
}

/* A file of 32 bits with one section that is loaded: its last address must be one of theirs. */
static enum locus_status lay_out_32(uint32_t size)
{
	struct {
		Elf32_Ehdr ehdr;
		Elf32_Shdr shdrs[2];
	} file = {
		.ehdr = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
			 .e_type = ET_REL,
			 .e_machine = EM_386,
			 .e_version = EV_CURRENT,
			 .e_shoff = sizeof(Elf32_Ehdr),
			 .e_ehsize = sizeof(Elf32_Ehdr),
			 .e_shentsize = sizeof(Elf32_Shdr),
			 .e_shnum = 2},
		.shdrs[1] = {.sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC, .sh_size = size, .sh_addralign = 1},
	};
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory((char *)&file, sizeof(file));
	assert_non_null(elf);
	enum locus_status status = section_layout(elf, NULL);
	elf_end(elf);
	return status;
}

static void addresses_of_32_bits(void **state)
{
	(void)state;
	assert_int_equal(lay_out_32(0x1000), LOCUS_OK);
	assert_int_equal(lay_out_32(UINT32_MAX - BASE), LOCUS_OK);
	assert_int_equal(lay_out_32(UINT32_MAX - BASE + 1), LOCUS_ERR_BAD_ELF);
	assert_int_equal(lay_out_32(UINT32_MAX), LOCUS_ERR_BAD_ELF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(behind_each_other),
		cmocka_unit_test(too_large),
		cmocka_unit_test(addresses_of_32_bits),
	};
	return cmocka_run_group_tests_name("section_layout", tests, NULL, NULL);
}
