/* Recognises files by their first bytes. */
#ifndef LOCUS_FILE_MAGIC_H
#define LOCUS_FILE_MAGIC_H

#include <stdbool.h>

#include "spec/format.h"

#define FILE_MAGIC_ELF   "\177ELF"
#define FILE_MAGIC_LOCUS LOCUS_MAGIC
#define FILE_MAGIC_GZIP  "\37\213"
#define FILE_MAGIC_XZ    "\3757zXZ"
#define FILE_MAGIC_ZSTD  "\50\265\57\375"
#define FILE_MAGIC_PERF  "PERFILE2"

/*
 * Whether the file begins with `magic`, of at most 8 bytes; `unknown` if it cannot be opened. Does not wait for a pipe.
 */
bool file_begins_with(const char *path, const char *magic, bool unknown);

#endif
