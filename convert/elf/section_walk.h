/* The named sections of a file, one after the other. */
#ifndef LOCUS_SECTION_WALK_H
#define LOCUS_SECTION_WALK_H

#include <gelf.h>
#include <stdbool.h>

struct section_walk {
	Elf *elf;     /* NULL: there is none with a name */
	size_t names; /* index of the section of names */
	Elf_Scn *scn; /* the section that the walk is at; NULL: before the first */
	GElf_Shdr shdr;
	const char *name; /* belongs to libelf */
};

/* To be moved onto the first section. If the file does not say where names are, none has a name. */
static inline struct section_walk section_walk_begin(Elf *elf)
{
	struct section_walk walk = {0};
	if (elf_getshdrstrndx(elf, &walk.names) == 0)
		walk.elf = elf;
	return walk;
}

/* Moves on, over sections whose header or name cannot be read. False: there is no further one. */
static inline bool section_walk_next(struct section_walk *walk)
{
	do {
		walk->scn = walk->elf ? elf_nextscn(walk->elf, walk->scn) : NULL;
		bool is_readable = walk->scn && gelf_getshdr(walk->scn, &walk->shdr);
		walk->name = is_readable ? elf_strptr(walk->elf, walk->names, walk->shdr.sh_name) : NULL;
	} while (walk->scn && !walk->name);
	return walk->name;
}

#endif
