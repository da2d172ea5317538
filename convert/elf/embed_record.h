/* Programs in which a .locus section was embedded: what they were before. */
#ifndef LOCUS_EMBED_RECORD_H
#define LOCUS_EMBED_RECORD_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#define EMBED_SECTION ".locus"

enum {
	EMBED_ALIGNMENT = 8,
	EMBED_HEADER_MAX = 64, /* bytes of an ELF header, of either class */
};

/*
 * The program before the section was added: its first `size` bytes, but with this header. Behind the section, at the
 * next multiple of EMBED_ALIGNMENT, the file has a record of it: the size in eight bytes, lowest first, and the
 * header.
 */
struct embed_record {
	uint64_t size;
	uint8_t header[EMBED_HEADER_MAX];
	uint64_t header_size;
	uint64_t section_headers; /* offset of these in the file */
	uint64_t section_headers_size;
};

enum { EMBED_RECORD_MAX = 8 + EMBED_HEADER_MAX };

/* The next multiple of EMBED_ALIGNMENT. */
uint64_t embed_align(uint64_t offset);

/*
 * Finds what the program was before a .locus section was added to it; `image` is its file. False: none was added, or
 * the program was changed afterwards, by strip for instance, so that it cannot be known.
 */
bool embed_record_find(Elf *elf, const uint8_t *image, uint64_t image_size, struct embed_record *ret);

/* Writes the record to `record`, which has room for EMBED_RECORD_MAX bytes. Returns its size. */
uint64_t embed_record_put(const struct embed_record *program, uint8_t *record);

#endif
