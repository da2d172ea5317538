/*
 * Adler-32 (RFC 1950, 9) of bytes that are summed in parts, by whichever thread has a part and in any order: each byte
 * counts by itself, as often as its distance from the end says.
 */
#ifndef LOCUS_ADLER_PARTS_H
#define LOCUS_ADLER_PARTS_H

#include <stddef.h>
#include <stdint.h>

/* Of the parts added so far; zeroed before the first. */
struct adler_parts {
	uint64_t size;      /* bytes */
	uint32_t low, high; /* without what the checksum adds for its start at 1 */
};

/* The sum of a part by itself. It takes the time; the others take none. */
uint32_t adler_of_part(const uint8_t *bytes, size_t size);

/* Adds a part of `size` bytes, behind which the whole has `behind` more. */
void adler_parts_add(struct adler_parts *parts, uint32_t sum, size_t size, uint64_t behind);

/* The checksum, once all parts are added. */
uint32_t adler_parts_value(const struct adler_parts *parts);

#endif
