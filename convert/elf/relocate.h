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
	const uint8_t
		*mapped; /* the file where it is mapped, so that memory of it can be given back; NULL: it is not */
	size_t mapped_size;
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

/*
 * The entries of one relocation section, applied a window of their target at a time, from its front. Zeroed before
 * relocation_windows_open; `name` and the relocator are borrowed. Needs nothing to be freed.
 */
struct relocation_windows {
	struct relocator *relocator;
	const char *name;
	size_t symbols_index; /* of the symbol table that the entries are against */
	Elf_Data *entries;
	bool has_addends;
	bool in_file;       /* and not in a copy */
	size_t count, next; /* of entries; the first that was not applied */
	size_t released;    /* bytes of entries behind, whose memory was given back */
};

/*
 * *ret_can: the entries can be applied so, which are then in the order of their places, as compilers write them. If
 * not, relocate_section takes them.
 */
enum locus_status relocation_windows_open(struct relocation_windows *windows, struct relocator *relocator, Elf_Scn *scn,
					  size_t target_size, const char *name, bool *ret_can,
					  struct locus_error *error);

/* As struct section_patch has them; `context` is a struct relocation_windows. */
enum locus_status relocation_windows_apply(void *context, uint8_t *bytes, size_t offset, size_t size, size_t room,
					   struct locus_error *error);
void relocation_windows_rewind(void *context);

#endif
