/* What tells one input from another, where it has no build-id or that is not trusted. */
#ifndef LOCUS_FILE_DIGEST_H
#define LOCUS_FILE_DIGEST_H

#include "convert/elf/carrier.h"
#include "convert/elf/elf.h"
#include "spec/kinds.h"

/*
 * The digest of all bytes of `file` as it lies on disk (LOCUS_DIGEST_BYTES), or of its headers: these say where
 * everything is, and cost nothing to look at. Of headers, what would lie beyond the file's end is left out. `before`:
 * what carrier_find found, whose digest it then is; NULL: the file carries nothing. False: out of memory.
 */
bool elf_file_digest(const struct elf_file *file, const struct carried_program *before, enum locus_digest_kind kind,
		     uint8_t ret[LOCUS_DIGEST_SIZE]);

#endif
