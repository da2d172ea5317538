/*
 * The checksum's low half is the sum of all bytes, and 1; its high half is the sum of what the low half was after each
 * byte. So a part adds its low half once for itself, and to the high half once for each byte that follows.
 */
#include "convert/elf/adler_parts.h"

#include <libdeflate.h>

enum { MODULUS = 65521 };

uint32_t adler_of_part(const uint8_t *bytes, size_t size)
{
	return libdeflate_adler32(0, bytes, size);
}

void adler_parts_add(struct adler_parts *parts, uint32_t sum, size_t size, uint64_t behind)
{
	uint64_t low = sum & 0xffff, high = sum >> 16;
	parts->low = (uint32_t)((parts->low + low) % MODULUS);
	parts->high = (uint32_t)((parts->high + high + behind % MODULUS * low) % MODULUS);
	parts->size += size;
}

uint32_t adler_parts_value(const struct adler_parts *parts)
{
	uint64_t low = (parts->low + UINT64_C(1)) % MODULUS, high = (parts->high + parts->size % MODULUS) % MODULUS;
	return (uint32_t)(high << 16 | low);
}
