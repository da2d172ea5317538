/* For tests: writes small ELF files (64 bits, little-endian) of sections made by hand. */
#ifndef LOCUS_MAKE_ELF_TEST_H
#define LOCUS_MAKE_ELF_TEST_H

#include <elf.h>

#include "base/toolkit_test.h"

struct elf_part {
	const char *name;
	uint32_t type;
	uint64_t flags;
	uint64_t addr;
	const void *data; /* NULL: `size` zero bytes */
	size_t size;
	uint32_t link; /* 1 is the first part */
	uint64_t entry_size;
};

static inline void align(struct bytes *b, size_t to)
{
	while (b->size % to)
		put_u8(b, 0);
}

/* Section headers for nothing, the parts, and their names; a program header for each executable part unless `type` is
 * ET_REL. */
static inline void make_elf(struct bytes *out, uint16_t type, uint16_t machine, const struct elf_part *parts,
			    size_t count)
{
	Elf64_Ehdr ehdr = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = type,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (uint16_t)(count + 2),
		.e_shstrndx = (uint16_t)(count + 1),
	};
	Elf64_Shdr *shdrs = calloc(count + 2, sizeof(*shdrs));
	struct bytes names = {0};
	for (size_t i = 0; i < count; i++)
		ehdr.e_phnum += type != ET_REL && (parts[i].flags & SHF_EXECINSTR);
	ehdr.e_phoff = ehdr.e_phnum ? sizeof(ehdr) : 0;
	put_bytes(out, &ehdr, sizeof(ehdr));
	size_t phdr_at = out->size;
	for (size_t i = 0; i < ehdr.e_phnum * sizeof(Elf64_Phdr); i++)
		put_u8(out, 0);
	put_u8(&names, 0);
	for (size_t i = 0; i < count; i++) {
		align(out, 8);
		shdrs[i + 1] = (Elf64_Shdr){
			.sh_name = (uint32_t)names.size,
			.sh_type = parts[i].type,
			.sh_flags = parts[i].flags,
			.sh_addr = parts[i].addr,
			.sh_offset = out->size,
			.sh_size = parts[i].size,
			.sh_link = parts[i].link,
			.sh_addralign = 1,
			.sh_entsize = parts[i].entry_size,
		};
		put_string(&names, parts[i].name);
		if (type != ET_REL && (parts[i].flags & SHF_EXECINSTR)) {
			Elf64_Phdr phdr = {
				.p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_offset = out->size,
				.p_vaddr = parts[i].addr,
				.p_filesz = parts[i].size,
				.p_memsz = parts[i].size,
				.p_align = 1,
			};
			memcpy(out->data + phdr_at, &phdr, sizeof(phdr));
			phdr_at += sizeof(phdr);
		}
		if (parts[i].data)
			put_bytes(out, parts[i].data, parts[i].size);
		else
			for (size_t k = 0; k < parts[i].size; k++)
				put_u8(out, 0);
	}
	shdrs[count + 1] = (Elf64_Shdr){
		.sh_name = (uint32_t)names.size, .sh_type = SHT_STRTAB, .sh_offset = out->size, .sh_addralign = 1};
	put_string(&names, ".shstrtab");
	shdrs[count + 1].sh_size = names.size;
	put_bytes(out, names.data, names.size);
	align(out, 8);
	ehdr.e_shoff = out->size;
	memcpy(out->data, &ehdr, sizeof(ehdr));
	put_bytes(out, shdrs, (count + 2) * sizeof(*shdrs));
	free(shdrs);
	bytes_done(&names);
}

static inline void write_file(const char *path, const struct bytes *content)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	if (content->size)
		assert_int_equal(fwrite(content->data, 1, content->size, file), content->size);
	assert_int_equal(fclose(file), 0);
}

#endif
