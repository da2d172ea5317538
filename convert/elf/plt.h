/* Names for the entries of procedure linkage tables: puts@plt (RULES E4). */
#ifndef LOCUS_PLT_H
#define LOCUS_PLT_H

#include "convert/elf/symbols.h"

/* Adds a symbol for each entry of `file`'s tables that a relocation names. False: out of memory. */
bool plt_add_symbols(struct symbols *symbols, struct elf_file *file);

#endif
