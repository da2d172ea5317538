/* The layout is libdwfl's, so that addresses in object files are those that elfutils' tools give. */
#include "convert/elf/section_layout.h"

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fail.h"

enum { BASE = 0x10000 };

static uint64_t alignment_of(const GElf_Shdr *shdr)
{
	uint64_t align = shdr->sh_addralign;
	return align && !(align & (align - 1)) ? align : 1;
}

static uint64_t align_up(uint64_t address, uint64_t align)
{
	return (address + align - 1) & -align;
}

/*
 * Lays the sections out from *base on. If a section's alignment is larger than the base is aligned to, *base is raised
 * and false returned, as libdwfl does: the layout is to be done again, with fewer gaps.
 */
static bool lay_out_from(Elf *elf, uint64_t *base, uint64_t *ret_end)
{
	uint64_t end = *base;
	Elf_Scn *scn = NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		if (!gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_ALLOC))
			continue;
		uint64_t align = alignment_of(&shdr), next = align_up(end, align);
		bool is_first = end == *base;
		if (!is_first && (*base & (align - 1))) {
			*base = align_up(*base, align);
			return false;
		}

		/* The first section begins at the base itself, behind what its alignment leaves out. */
		if (is_first)
			*base = next;
		shdr.sh_addr = next;
		*ret_end = next + shdr.sh_size;
		if (next < end || *ret_end < next || !gelf_update_shdr(scn, &shdr)) {
			*ret_end = UINT64_MAX;
			return true;
		}
		end = *ret_end;
	}
	return true;
}

static uint64_t end_of_addresses(const GElf_Ehdr *ehdr)
{
	if (ehdr->e_machine == EM_MSP430) /* MSP430's larger models have 20 bits */
		return 1 << 20;
	return ehdr->e_ident[EI_CLASS] == ELFCLASS32 ? UINT64_C(1) << 32 : UINT64_MAX;
}

enum locus_status section_layout(Elf *elf, struct locus_error *error)
{
	GElf_Ehdr ehdr;
	if (!gelf_getehdr(elf, &ehdr))
		return LOCUS_OK; /* the file is refused when its identity is read */
	bool is_small = ehdr.e_machine == EM_AVR || ehdr.e_machine == EM_MSP430;
	uint64_t base = is_small ? 0 : BASE, end = base;
	while (!lay_out_from(elf, &base, &end))
		;
	return end < end_of_addresses(&ehdr)
		       ? LOCUS_OK
		       : locus_fail(error, LOCUS_ERR_BAD_ELF, "its sections are larger than its addresses reach");
}
