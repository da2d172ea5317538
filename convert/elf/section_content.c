/* Asks libelf, and tells the budget where errno says that memory was out. */
#include "convert/elf/section_content.h"

#include <errno.h>
#include <stddef.h>

#include "base/budget.h"

/* Whether there is an answer, and one of all that there is: without memory libelf may give the content's size alone. */
static bool noted(bool is_there)
{
	return errno == ENOMEM ? budget_memory_out() : is_there;
}

Elf_Data *section_content(Elf_Scn *scn)
{
	errno = 0;
	Elf_Data *data = elf_getdata(scn, NULL);
	return noted(data) ? data : NULL;
}

Elf_Data *section_raw_content(Elf_Scn *scn)
{
	errno = 0;
	Elf_Data *data = elf_rawdata(scn, NULL);
	return noted(data) ? data : NULL;
}

bool section_compression(Elf_Scn *scn, GElf_Chdr *ret)
{
	errno = 0;
	return noted(gelf_getchdr(scn, ret));
}

bool section_relocation(Elf_Data *entries, int index, bool has_addends, GElf_Rela *ret)
{
	GElf_Rel rel;
	if (has_addends)
		return gelf_getrela(entries, index, ret) != NULL;
	if (!gelf_getrel(entries, index, &rel))
		return false;
	*ret = (GElf_Rela){.r_offset = rel.r_offset, .r_info = rel.r_info};
	return true;
}
