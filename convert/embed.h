/* Puts a .locus file into the program it was made from, as a section of its own. */
#ifndef LOCUS_EMBED_H
#define LOCUS_EMBED_H

#include <stdbool.h>
#include <stddef.h>

#include "spec/status.h"

/*
 * Writes to `output` a copy of the ELF file at `program` that carries the .locus file `made` in a section `.locus`,
 * which is not loaded and which strip keeps. Every other byte of the program stays where it is, except for the place
 * and number of sections in its header. Behind them are added: the section, a record of the program as it was
 * (convert/elf/embed_record.h), the names of sections and the table of sections. A .locus section that was added in
 * this way before is replaced. Linkers leave out that of an object file. The copy appears whole and at once, where the
 * program itself may be; with `sync` its bytes are on the disk before.
 *
 * LOCUS_ERR_BAD_ELF, LOCUS_ERR_UNSUPPORTED: the program cannot carry one. LOCUS_ERR_OUTPUT: `output` cannot be written.
 * On failure it is as it was.
 */
enum locus_status embed(const char *program, const void *made, size_t made_size, const char *output, bool sync,
			struct locus_error *error);

#endif
