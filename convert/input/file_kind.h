/* Says what a file is that is not an ELF file, and what to do with it. */
#ifndef LOCUS_FILE_KIND_H
#define LOCUS_FILE_KIND_H

#include <stddef.h>
#include <stdint.h>

/* The text ends a message, as "not an ELF file, but ...". `size` may be 0. */
const char *file_kind_text(const uint8_t *bytes, size_t size);

#endif
