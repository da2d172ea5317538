/*
 * A record of the program as it was is embedded with the .locus section. With it, a program that carries its symbols is
 * as good an input as before: it has the same size, the same digests and the same conversion. A record is only believed
 * if everything that embedding leaves unchanged still agrees with it.
 */
#include "convert/elf/embed_record.h"

#include <gelf.h>
#include <stddef.h>
#include <string.h>

#include "convert/elf/section_walk.h"

uint64_t embed_align(uint64_t offset)
{
	return (offset + EMBED_ALIGNMENT - 1) & ~(uint64_t)(EMBED_ALIGNMENT - 1);
}

/* Of several the last, which is the one that is read. */
static bool find_section(Elf *elf, GElf_Shdr *ret)
{
	bool found = false;
	for (struct section_walk at = section_walk_begin(elf); section_walk_next(&at);) {
		if (strcmp(at.name, EMBED_SECTION) != 0 || elf_ndxscn(at.scn) == at.names)
			continue;
		*ret = at.shdr;
		found = true;
	}
	return found;
}

/* Fills in the fields that the ELF header gives. False: it cannot be read. */
static bool read_header(Elf *elf, unsigned data, struct embed_record *program)
{
	union {
		Elf32_Ehdr ehdr32;
		Elf64_Ehdr ehdr64;
	} native;
	Elf_Data from = {
		.d_buf = program->header,
		.d_type = ELF_T_EHDR,
		.d_size = program->header_size,
		.d_version = EV_CURRENT,
	};
	Elf_Data to = {.d_buf = &native, .d_type = ELF_T_EHDR, .d_size = sizeof(native), .d_version = EV_CURRENT};
	if (!gelf_xlatetom(elf, &to, &from, data))
		return false;

	if (gelf_getclass(elf) == ELFCLASS64) {
		program->section_headers = native.ehdr64.e_shoff;
		program->section_headers_size = (uint64_t)native.ehdr64.e_shnum * native.ehdr64.e_shentsize;
	} else {
		program->section_headers = native.ehdr32.e_shoff;
		program->section_headers_size = (uint64_t)native.ehdr32.e_shnum * native.ehdr32.e_shentsize;
	}
	return true;
}

/* Whether two headers differ only in the place and number of the sections. */
static bool is_same_but_sections(bool is_64, const uint8_t *now, const uint8_t *before)
{
	size_t shoff = is_64 ? offsetof(Elf64_Ehdr, e_shoff) : offsetof(Elf32_Ehdr, e_shoff);
	size_t shoff_end = shoff + (is_64 ? sizeof(Elf64_Off) : sizeof(Elf32_Off));
	size_t shnum = is_64 ? offsetof(Elf64_Ehdr, e_shnum) : offsetof(Elf32_Ehdr, e_shnum);
	size_t shnum_end = shnum + sizeof(Elf64_Half), size = is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	return memcmp(now, before, shoff) == 0 && memcmp(now + shoff_end, before + shoff_end, shnum - shoff_end) == 0 &&
	       memcmp(now + shnum_end, before + shnum_end, size - shnum_end) == 0;
}

bool embed_record_find(Elf *elf, const uint8_t *image, uint64_t image_size, struct embed_record *ret)
{
	bool is_64 = gelf_getclass(elf) == ELFCLASS64;
	struct embed_record program = {.header_size = is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)};
	GElf_Shdr section = {0};
	if (!find_section(elf, &section) || section.sh_type == SHT_NOBITS || section.sh_offset > image_size ||
	    section.sh_size > image_size - section.sh_offset)
		return false;
	uint64_t at = embed_align(section.sh_offset + section.sh_size);
	if (at > image_size || image_size - at < 8 + program.header_size)
		return false;

	for (unsigned i = 8; i-- > 0;)
		program.size = program.size << 8 | image[at + i];
	memcpy(program.header, image + at + 8, program.header_size);
	if (program.size < program.header_size || program.size > section.sh_offset ||
	    embed_align(program.size) != section.sh_offset || !is_same_but_sections(is_64, image, program.header) ||
	    !read_header(elf, image[EI_DATA], &program))
		return false;
	*ret = program;
	return true;
}

uint64_t embed_record_put(const struct embed_record *program, uint8_t *record)
{
	for (unsigned i = 0; i < 8; i++)
		record[i] = (uint8_t)(program->size >> (8 * i));
	memcpy(record + 8, program->header, program->header_size);
	return 8 + program->header_size;
}
