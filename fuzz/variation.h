/* Inputs a little different from a kept one: the same ones each time. */
#ifndef LOCUS_VARIATION_H
#define LOCUS_VARIATION_H

#include <stddef.h>
#include <stdint.h>

enum { VARIATION_TEXT_SIZE = 80 };

struct variation {
	uint8_t *data; /* a block of exactly its size, so that a sanitizer sees a read beyond; freed by the caller */
	size_t size;
	char text[VARIATION_TEXT_SIZE]; /* what was changed: "byte 0x10 is 0x7f" */
};

/* How many there are of an input of `size` bytes, at most `max`: each change to each byte, if these are so few. */
uint64_t variation_count(size_t size, unsigned max);

/* Makes variation `number` of `count`. The changes are spread over all bytes. */
struct variation variation_make(const uint8_t *data, size_t size, uint64_t number, uint64_t count);

#endif
