/* Applies the relocations of a relocatable file's debug sections. */
#ifndef LOCUS_RELOCATE_H
#define LOCUS_RELOCATE_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "spec/status.h"

/* What the relocations of one file have in common. Zeroed before the first use; freed by relocator_done. */
struct relocator {
	Elf *elf;              /* whose sections have got their addresses */
	const uint8_t *mapped; /* the mapped file, whose memory can be given back; NULL: it is not mapped */
	size_t mapped_size;
	GElf_Ehdr ehdr;
	size_t symbols_index;             /* the symbol table that `symbols` is of; 0: none yet */
	struct relocated_symbol *symbols; /* by index */
	size_t symbol_count;
};

void relocator_done(struct relocator *relocator);

/*
 * Applies the entries of the relocation section `scn` to the `size` bytes at `bytes`, which are all of its target.
 * `name` is the target's, for messages. LOCUS_ERR_BAD_ELF: an entry is outside the target, against a symbol that is not
 * in the table, or of an unknown kind and against something that has an address; to pass over such an entry would lose
 * answers.
 */
enum locus_status relocate_section(struct relocator *relocator, Elf_Scn *scn, uint8_t *bytes, size_t size,
				   const char *name, struct locus_error *error);

/*
 * The entries of one relocation section, which are applied as its target is read in pieces, from front to back. Zeroed
 * before relocation_stream_open; `name` and the relocator are borrowed. Nothing needs to be freed.
 */
struct relocation_stream {
	struct relocator *relocator;
	const char *name;
	size_t symbols_index; /* of the symbol table that the entries refer to */
	Elf_Data *entries;
	bool has_addends;
	bool in_file;       /* the entries are in the mapped file, and not in a copy */
	size_t count, next; /* of entries; the index of the first that was not applied */
	size_t released;    /* bytes of entries whose memory was given back */
};

/*
 * Prepares a section. *ret_can: its entries are in the order of their places, as compilers write them, and can be
 * applied so. If not, relocate_section applies them.
 */
enum locus_status relocation_stream_open(struct relocation_stream *stream, struct relocator *relocator, Elf_Scn *scn,
					 size_t target_size, const char *name, bool *ret_can,
					 struct locus_error *error);

/* The functions of a struct section_patch; `context` is a struct relocation_stream. */
enum locus_status relocation_stream_apply(void *context, uint8_t *bytes, size_t offset, size_t size, size_t room,
					  struct locus_error *error);
void relocation_stream_rewind(void *context);

#endif
