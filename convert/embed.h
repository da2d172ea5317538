/* Puts a .locus file into the program it was made from, as a section of its own. */
#ifndef LOCUS_EMBED_H
#define LOCUS_EMBED_H

#include <stdbool.h>

#include "spec/status.h"

/*
 * Replaces the .locus file at `made` by a copy of the ELF file at `program` that carries it in a section `.locus`,
 * which is not loaded and which strip keeps. Every other byte of the program stays where it is, except for the place
 * and number of sections in its header. Behind them are added: the section, a record of the program as it was
 * (convert/elf/embed_record.h), the names of sections and the table of sections. A .locus section that was added in
 * this way before is replaced. Linkers leave out that of an object file. With `sync` its bytes are on the disk before
 * it is put in place.
 *
 * LOCUS_ERR_BAD_ELF, LOCUS_ERR_UNSUPPORTED: the program cannot carry one. LOCUS_ERR_OUTPUT: among others, `made`.elf,
 * where the copy is written before it is moved, is there already. On failure both are as they were.
 */
enum locus_status embed(const char *program, const char *made, bool sync, struct locus_error *error);

#endif
