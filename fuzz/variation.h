/* Inputs a little different from a kept one: the same ones each time. */
#ifndef LOCUS_VARIATION_H
#define LOCUS_VARIATION_H

#include <stddef.h>
#include <stdint.h>

/* An input, and where it is changed: not within long runs of one byte, where nothing is said. Freed by varied_done. */
struct varied {
	const uint8_t *data; /* borrowed */
	size_t size;
	size_t *places;
	size_t place_count;
};

struct varied varied_new(const uint8_t *data, size_t size);
void varied_done(struct varied *varied);

enum { VARIATION_TEXT_SIZE = 80 };

struct variation {
	uint8_t *data; /* a block of exactly its size, so that a sanitizer sees a read beyond; freed by the caller */
	size_t size;
	char text[VARIATION_TEXT_SIZE]; /* what was changed: "byte 0x10 is 0x7f" */
};

/* How many there are, at most `max`: each change at each place, if these are so few. */
uint64_t variation_count(const struct varied *varied, unsigned max);

/* Makes variation `number` of `count`. The changes are spread over all places. */
struct variation variation_make(const struct varied *varied, uint64_t number, uint64_t count);

#endif
