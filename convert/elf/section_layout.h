/* Gives the sections of a relocatable file addresses, as if it were linked by itself (RULES A1). */
#ifndef LOCUS_SECTION_LAYOUT_H
#define LOCUS_SECTION_LAYOUT_H

#include <libelf.h>

#include "spec/status.h"

/*
 * Lays the loaded sections one behind the other, from 0x10000 on, so that no code is at a low address by chance; from 0
 * on for machines whose addresses have 16 bits. The addresses are written into the section headers, which must be
 * writable memory. LOCUS_ERR_BAD_ELF: the address space is too small.
 */
enum locus_status section_layout(Elf *elf, struct locus_error *error);

#endif
