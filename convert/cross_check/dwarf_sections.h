/* The bytes of sections as libdw has them: those that it reads itself, inflated if they were compressed. */
#ifndef LOCUS_DWARF_SECTIONS_H
#define LOCUS_DWARF_SECTIONS_H

#include <elfutils/libdw.h>

#include "convert/elf/cursor.h"
#include "convert/elf/elf.h"

struct section_bytes {
	const uint8_t *data;
	size_t size; /* 0: there is no such section */
};

struct dwarf_sections {
	struct section_bytes of[DEBUG_SECTION_COUNT]; /* those of strings up to their last NUL */
	bool swap;                                    /* they are of the other byte order than this machine's */
	Elf_Scn *packed;                              /* one that libdw should have inflated, and did not; NULL: none */
	const char *packed_name;                      /* its name */
	bool is_divided;                              /* units are in further sections too, which libdw does not read */
	bool is_split;                                /* they are those of split units (.dwo) */
};

/* Finds the sections of `dwarf`, which stay libdw's. Each section of its file is a step of the budget. */
void dwarf_sections_find(struct dwarf_sections *ret, Dwarf *dwarf);

/* A cursor at `offset`, which may be behind the end; then it is bad. `swap`: numbers are of the other byte order. */
struct cursor section_bytes_cursor(const struct section_bytes *bytes, bool swap, uint64_t offset);
struct cursor dwarf_sections_cursor(const struct dwarf_sections *sections, enum debug_section which, uint64_t offset);

/* A string of .debug_str or .debug_line_str; NULL: there is none at `offset`. */
const char *dwarf_sections_string(const struct dwarf_sections *sections, enum debug_section which, uint64_t offset);

#endif
