/* An ELF file: its identity, debug sections, executable addresses and links to companion files. */
#ifndef LOCUS_ELF_H
#define LOCUS_ELF_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/elf/debug_section.h"
#include "convert/elf/relocate.h"
#include "convert/input/file_bytes.h"
#include "spec/status.h"

enum debug_section {
	DEBUG_INFO,
	DEBUG_ABBREV,
	DEBUG_LINE,
	DEBUG_STR,
	DEBUG_LINE_STR,
	DEBUG_STR_OFFSETS,
	DEBUG_ADDR,
	DEBUG_RANGES,
	DEBUG_RNGLISTS,
	DEBUG_TYPES,
	DEBUG_CU_INDEX, /* the indexes of a .dwp */
	DEBUG_TU_INDEX,
	DEBUG_ARANGES, /* read only if few units are wanted */
	DEBUG_SECTION_COUNT,
};

/* Addresses [start, end) of executable code. */
struct exec_range {
	uint64_t start;
	uint64_t end;
};

/* A section of a relocatable file, at the base it was given (RULES A1). The name is owned by the file. */
struct section_base {
	const char *name;
	uint64_t base;
	uint64_t size;
};

struct elf_file {
	char *path;
	struct file_bytes bytes; /* the whole file; of a relocatable one, a private copy of what was changed */
	Elf *elf;

	uint16_t machine;
	uint16_t type;
	uint8_t class;           /* ELFCLASS32 or 64 */
	uint8_t data;            /* ELFDATA2LSB or MSB */
	bool is_split;           /* the sections are those of the split half of units: in a .dwo or .dwp */
	bool swap;               /* its byte order is not this machine's */
	const uint8_t *build_id; /* inside the file; size 0: none */
	size_t build_id_size;

	struct exec_range *exec; /* RULES A1: sorted, disjoint */
	uint32_t exec_count, exec_room;
	struct section_base *bases;
	uint32_t base_count, base_room;

	struct section sections[DEBUG_SECTION_COUNT];

	/* of a relocatable file: what a large .debug_info is relocated with, as it is read */
	struct relocator relocator;
	struct relocation_stream info_relocations;
};

/*
 * Opens `path`. Inflates nothing yet. Errors: LOCUS_ERR_IO, LOCUS_ERR_NOT_ELF, LOCUS_ERR_BAD_ELF.
 * A file without debug information opens well; elf_file_has_debug tells. Freed by elf_file_free.
 */
enum locus_status elf_file_open(const char *path, struct elf_file **ret, struct locus_error *error);

/*
 * Like elf_file_open; if `path` is a member of an archive, its header is thought to be at `header` (file_bytes_open).
 */
enum locus_status elf_file_open_member(const char *path, uint64_t header, struct elf_file **ret,
				       struct locus_error *error);
/* Like elf_file_open; of a file with both halves of split units, it takes the split half's sections. */
enum locus_status elf_file_open_split(const char *path, struct elf_file **ret, struct locus_error *error);
/* Like elf_file_open, for bytes in memory, which it takes over, also if it fails. `path` is for messages. */
enum locus_status elf_file_open_bytes(const char *path, struct file_bytes *bytes, struct elf_file **ret,
				      struct locus_error *error);
void elf_file_free(struct elf_file *file);

/* False: the file was written to since it was opened, and what was read may be partly old, partly new. */
bool elf_file_is_unchanged(const struct elf_file *file);

/* The name of a debug section, without a .dwo suffix: ".debug_line". */
const char *debug_section_name(enum debug_section which);

bool elf_file_has_debug(const struct elf_file *file);

/* Makes it a file that has no debug information but line tables, if it has these. */
void elf_file_keep_lines(struct elf_file *file);

/*
 * The bit of an address of code that says which instructions it has, and is no part of the address (RULES A4): set for
 * Thumb, MIPS16 and microMIPS. 0: the machine has none.
 */
static inline uint64_t elf_file_mode_bit(const struct elf_file *file)
{
	return file->machine == EM_ARM || file->machine == EM_MIPS;
}

/* The executable range that `addr` is in, or NULL. */
const struct exec_range *elf_file_exec(const struct elf_file *file, uint64_t addr);

#endif
