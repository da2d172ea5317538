/* MiniDebugInfo: a symbol table that distributions leave in stripped programs, in .gnu_debugdata. */
#ifndef LOCUS_MINI_DEBUG_H
#define LOCUS_MINI_DEBUG_H

#include "convert/elf/elf.h"

/* Whether the file has it. */
bool mini_debug_is_there(const struct elf_file *file);

/*
 * Opens the ELF file in the section, which is compressed with xz. *ret is NULL if there is none; freed by
 * elf_file_free. LOCUS_ERR_BAD_ELF: the section is damaged.
 */
enum locus_status mini_debug_open(const struct elf_file *file, struct elf_file **ret, struct locus_error *error);

#endif
