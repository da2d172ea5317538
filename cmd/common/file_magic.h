/* What a file begins with. */
#ifndef LOCUS_FILE_MAGIC_H
#define LOCUS_FILE_MAGIC_H

#include <stdbool.h>

#define FILE_MAGIC_ELF "\177ELF"

/* Whether the file begins with `magic`, of at most 8 bytes; `unknown` where it cannot be opened. No pipe is waited for.
 */
bool file_begins_with(const char *path, const char *magic, bool unknown);

#endif
