/* Puts a .locus file into the program it was made from, as a section of its own. */
#ifndef LOCUS_EMBED_H
#define LOCUS_EMBED_H

#include "spec/status.h"

/*
 * Replaces the .locus file at `made` by a copy of the ELF file at `program` that carries it in a section `.locus`,
 * which is not loaded and which strip keeps. Every other byte of the program stays as it is and where it is, but for
 * the header's place and number of sections; the section's bytes, the names of sections and their table are added
 * behind them, and so is a record of what the program was (convert/elf/carrier.h). A .locus section that was put there
 * in this way before is replaced.
 *
 * LOCUS_ERR_BAD_ELF, LOCUS_ERR_UNSUPPORTED: the program cannot take one. Where it fails, `made` is as it was.
 */
enum locus_status embed(const char *program, const char *made, struct locus_error *error);

#endif
