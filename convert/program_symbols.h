/* The symbols that name a program's code where DWARF does not (RULES E). */
#ifndef LOCUS_PROGRAM_SYMBOLS_H
#define LOCUS_PROGRAM_SYMBOLS_H

#include "convert/input_files.h"
#include "convert/symbols/symbols.h"

/*
 * Reads the most complete symbol table, near the given addresses as symbols_read does (NULL: everywhere), and adds the
 * symbols of MiniDebugInfo and linkage tables. Names may point into *ret_mini: if not NULL, it is freed by
 * elf_file_free after symbols_done, also on failure.
 */
enum locus_status program_symbols_read(const struct input_files *files, const struct range_list *of_interest,
				       struct symbols *ret, struct elf_file **ret_mini, struct locus_error *error);

#endif
