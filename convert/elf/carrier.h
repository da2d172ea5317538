/* A program that carries its symbols in a section of its own, and what it was before it did. */
#ifndef LOCUS_CARRIER_H
#define LOCUS_CARRIER_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#define CARRIER_SECTION ".locus"

enum {
	CARRIER_ALIGNMENT = 8,
	CARRIER_HEADER_MAX = 64, /* bytes of an ELF header, of either class */
};

/*
 * The program as it was: its first `size` bytes, with this header in front. Behind the section, at the next multiple of
 * CARRIER_ALIGNMENT, the carrier has a record of it: the size in eight bytes, lowest first, and the header.
 */
struct carried_program {
	uint64_t size;
	uint8_t header[CARRIER_HEADER_MAX];
	uint64_t header_size;
	uint64_t section_headers; /* offset of these in the file */
	uint64_t section_headers_size;
};

enum { CARRIER_RECORD_MAX = 8 + CARRIER_HEADER_MAX };

/* The next multiple of CARRIER_ALIGNMENT. */
uint64_t carrier_align(uint64_t offset);

/*
 * What the program, whose file is `image`, was before a .locus section was added to it. False: none was, or it was
 * changed since, by strip for instance, so that this cannot be told.
 */
bool carrier_find(Elf *elf, const uint8_t *image, uint64_t image_size, struct carried_program *ret);

/* Puts the record into `record`, which has room for CARRIER_RECORD_MAX bytes. Returns its size. */
uint64_t carrier_put(const struct carried_program *program, uint8_t *record);

#endif
