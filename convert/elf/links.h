/*
 * A file's links to its companions: to a debug file and to an alternate or supplementary file; and its own identity for
 * such links.
 */
#ifndef LOCUS_LINKS_H
#define LOCUS_LINKS_H

#include "convert/elf/cursor.h"
#include "convert/elf/elf.h"

/* The bytes of a section as the file has them. False: there is no such section, or nothing of it is in the file. */
bool links_find_section(const struct elf_file *file, const char *wanted, struct cursor *ret);

/* .gnu_debuglink: a file name inside the file and its CRC-32. NULL: none. */
const char *links_debug(const struct elf_file *file, uint32_t *ret_crc);

/*
 * A link to a file with debug information that several files share. Path and id point into the file that has the link.
 */
struct alternate_link {
	const char *path;  /* NULL: there is a link, but it is damaged */
	const uint8_t *id; /* the build-id of the file it names; with .debug_sup its checksum */
	size_t id_size;
	bool is_supplement; /* the link is .debug_sup */
};

/* .gnu_debugaltlink, or .debug_sup (DWARF 5, 7.3.6). False: none. */
bool links_alternate(const struct elf_file *file, struct alternate_link *ret);

/* Whether a link with this id means this file: by its build-id or its .debug_sup. */
bool links_have_id(const struct elf_file *file, const uint8_t *id, size_t id_size);

#endif
