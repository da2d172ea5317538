/* An ELF file: its identity, debug sections, executable addresses and links to companion files. */
#ifndef LOCUS_ELF_H
#define LOCUS_ELF_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "convert/elf/debug_section.h"
#include "convert/elf/file_bytes.h"
#include "convert/elf/relocate.h"
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
	DEBUG_CU_INDEX, /* of a .dwp */
	DEBUG_TU_INDEX,
	DEBUG_ARANGES, /* asked where only some units are read */
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
	struct file_bytes bytes; /* the whole file; of a relocatable one its own where it was changed */
	Elf *elf;

	uint16_t machine;
	uint16_t type;
	uint8_t class;           /* ELFCLASS32 or 64 */
	uint8_t data;            /* ELFDATA2LSB or MSB */
	bool is_split;           /* the sections are of the split half of units: a .dwo, a .dwp */
	bool swap;               /* of the other byte order than this machine's */
	const uint8_t *build_id; /* inside the file; size 0: none */
	size_t build_id_size;

	struct exec_range *exec; /* RULES A1: sorted, disjoint */
	uint32_t exec_count, exec_room;
	struct section_base *bases;
	uint32_t base_count, base_room;

	struct section sections[DEBUG_SECTION_COUNT];

	/* Of a relocatable file; what a large .debug_info is relocated by as it is read. */
	struct relocator relocator;
	struct relocation_windows info_relocations;
};

/*
 * Opens `path`. Inflates nothing yet. Errors: LOCUS_ERR_IO, LOCUS_ERR_NOT_ELF, LOCUS_ERR_BAD_ELF.
 * A file without debug information opens well; elf_file_has_debug tells. Freed by elf_file_free.
 */
enum locus_status elf_file_open(const char *path, struct elf_file **ret, struct locus_error *error);

/* As elf_file_open, but where a file has both halves of split units, the sections are the split half's. */
enum locus_status elf_file_open_split(const char *path, struct elf_file **ret, struct locus_error *error);
/* As elf_file_open, of bytes that are there already: they are taken over, failed or not. `path` is for messages. */
enum locus_status elf_file_open_bytes(const char *path, struct file_bytes *bytes, struct elf_file **ret,
				      struct locus_error *error);
void elf_file_free(struct elf_file *file);

/* False where the file was written to since it was opened: what was read of it may be of two minds. */
bool elf_file_is_unchanged(const struct elf_file *file);

/* ".debug_line": as the file's sections of that kind are called, but for a .dwo suffix. */
const char *debug_section_name(enum debug_section which);

bool elf_file_has_debug(const struct elf_file *file);

/* The executable range that `addr` is in, or NULL. */
const struct exec_range *elf_file_exec(const struct elf_file *file, uint64_t addr);

#endif
