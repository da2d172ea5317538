/* Finds a variable of a program or library, for what sanitizers ask: .locus files have none. */
#ifndef LOCUS_FIND_VARIABLE_H
#define LOCUS_FIND_VARIABLE_H

#include <stdint.h>

#include "convert/locus_convert.h"

/*
 * What locus_elf_variable does, in a process of its own, because the file may be hostile. `ret` is zeroed where there
 * is no variable, or the file is no readable ELF file. The converter is loaded.
 */
enum locus_status find_variable(const char *path, uint64_t address, struct locus_elf_variable *ret,
				struct locus_error *error);

#endif
