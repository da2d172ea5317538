/* Names for the entries of procedure linkage tables: puts@plt (RULES E4). */
#ifndef LOCUS_PLT_H
#define LOCUS_PLT_H

#include "convert/symbols/symbols.h"

/*
 * Adds a symbol for each entry of `file`'s tables that a relocation names. LOCUS_ERR_BAD_ELF: its tables, or their
 * relocations, have more bytes than the file, since they share them; LOCUS_ERR_MEMORY, also where the budget is
 * exceeded.
 */
enum locus_status plt_add_symbols(struct symbols *symbols, struct elf_file *file, struct locus_error *error);

#endif
