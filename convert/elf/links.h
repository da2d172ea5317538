/* What a file says of its companions: the debug link, the link to an alternate or supplementary file, its own ids. */
#ifndef LOCUS_LINKS_H
#define LOCUS_LINKS_H

#include "convert/elf/cursor.h"
#include "convert/elf/elf.h"

/* The bytes of a section as the file has them. False: there is no such section, or nothing of it is in the file. */
bool links_find_section(const struct elf_file *file, const char *wanted, struct cursor *ret);

/* .gnu_debuglink: a file name inside the file and its CRC-32. NULL: none. */
const char *links_debug(const struct elf_file *file, uint32_t *ret_crc);

/* A link to the file that holds what several share. Path and id are inside the file that links. */
struct alternate_link {
	const char *path;  /* NULL: there is a link, but it is damaged */
	const uint8_t *id; /* the build-id of what it names, or its checksum where .debug_sup is used */
	size_t id_size;
};

/* .gnu_debugaltlink, or .debug_sup (DWARF 5, 7.3.6). False: none. */
bool links_alternate(const struct elf_file *file, struct alternate_link *ret);

/* Whether the file is what links with this id mean: by build-id, or by what .debug_sup says that it is. */
bool links_have_id(const struct elf_file *file, const uint8_t *id, size_t id_size);

#endif
