/* Programs that carry a .locus section: what they were before it was added. */
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
 * The program before the section was added: its first `size` bytes, but with this header. Behind the section, at the
 * next multiple of CARRIER_ALIGNMENT, the file has a record of it: the size in eight bytes, lowest first, and the
 * header.
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
 * Finds what the program was before a .locus section was added to it; `image` is its file. False: none was added, or
 * the program was changed afterwards, by strip for instance, so that it cannot be known.
 */
bool carrier_find(Elf *elf, const uint8_t *image, uint64_t image_size, struct carried_program *ret);

/* Writes the record to `record`, which has room for CARRIER_RECORD_MAX bytes. Returns its size. */
uint64_t carrier_put(const struct carried_program *program, uint8_t *record);

#endif
