/* Finds a section of a linked file by its name: .locus files know only those of relocatable files by name. */
#include <string.h>

#include "convert/elf/elf.h"
#include "convert/locus_convert.h"

static bool find_section(Elf *elf, const char *wanted, uint64_t *ret_start, uint64_t *ret_size)
{
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
		const char *name = gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		if (!name || strcmp(name, wanted) != 0)
			continue;
		*ret_start = header.sh_addr;
		*ret_size = header.sh_size;
		return true;
	}
	return false;
}

bool locus_elf_section(const char *path, const char *name, uint64_t *ret_start, uint64_t *ret_size)
{
	struct elf_file *file;

	if (elf_file_open(path, &file, NULL) != LOCUS_OK)
		return false;
	bool is_found = find_section(file->elf, name, ret_start, ret_size);
	elf_file_free(file);
	return is_found;
}
