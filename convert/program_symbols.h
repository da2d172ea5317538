/* All that names a program's code where DWARF does not (RULES E). */
#ifndef LOCUS_PROGRAM_SYMBOLS_H
#define LOCUS_PROGRAM_SYMBOLS_H

#include "convert/elf/symbols.h"
#include "convert/input_files.h"

/*
 * Reads the symbol table that says most, near these addresses as symbols_read has it (NULL: everywhere), with what
 * MiniDebugInfo and linkage tables add to it. *ret_mini, where not NULL, has names in it: it is freed by elf_file_free
 * after symbols_done, also where this fails.
 */
enum locus_status program_symbols_read(const struct input_files *files, const struct range_list *near,
				       struct symbols *ret, struct elf_file **ret_mini, struct locus_error *error);

#endif
