/*
 * What libelf reads of a section's content. It copies what does not lie aligned, or has the other byte order; where it
 * has no memory for a copy, it gives none then and later, which must not look like a damaged section.
 */
#ifndef LOCUS_SECTION_CONTENT_H
#define LOCUS_SECTION_CONTENT_H

#include <gelf.h>
#include <stdbool.h>

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2 /* newer than libelf 0.188 */
#endif

/* As elf_getdata, elf_rawdata and gelf_getchdr. If memory is out, the budget is told (budget_memory_out). */
Elf_Data *section_content(Elf_Scn *scn);
Elf_Data *section_raw_content(Elf_Scn *scn);
bool section_compression(Elf_Scn *scn, GElf_Chdr *ret);

/* Entry `index` of a relocation section's content; without addends they are 0. False: there is no such entry. */
bool section_relocation(Elf_Data *entries, int index, bool has_addends, GElf_Rela *ret);

#endif
