/* Digests identify an input that has no build-id, or whose build-id is not trusted. */
#ifndef LOCUS_FILE_DIGEST_H
#define LOCUS_FILE_DIGEST_H

#include "convert/elf/elf.h"
#include "convert/elf/embed_record.h"
#include "spec/kinds.h"

/*
 * Computes the digest of all bytes of `file` as it lies on disk (LOCUS_DIGEST_BYTES), or of its headers, which say
 * where everything is and are read anyway. Headers that would lie beyond the file's end are left out. `before`: the
 * program that embed_record_find found, whose digest it then is; NULL: the file carries none. False: out of memory.
 */
bool elf_file_digest(const struct elf_file *file, const struct embed_record *before, enum locus_digest_kind kind,
		     uint8_t ret[LOCUS_DIGEST_SIZE]);

#endif
