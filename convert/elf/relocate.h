/* Applies the relocations of a relocatable file's debug sections. */
#ifndef LOCUS_RELOCATE_H
#define LOCUS_RELOCATE_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "spec/status.h"

/* What the relocations of one file have in common. Zeroed before the first use; freed by relocator_done. */
struct relocator {
	Elf *elf; /* its sections have their addresses */
	GElf_Ehdr ehdr;
	size_t symbols_index;             /* the symbol table that `symbols` is of; 0: none yet */
	struct relocated_symbol *symbols; /* by index */
	size_t symbol_count;
};

void relocator_done(struct relocator *relocator);

/*
 * Applies the entries of the relocation section `scn` to the `size` bytes at `bytes`, the target's, which the file has
 * or which were inflated. `name` is the target's, for messages. LOCUS_ERR_BAD_ELF: an entry is outside the target, or
 * is against something that has an address and of a kind that is not known: what it leaves out would be answers left
 * out.
 */
enum locus_status relocate_section(struct relocator *relocator, Elf_Scn *scn, uint8_t *bytes, size_t size,
				   const char *name, struct locus_error *error);

#endif
