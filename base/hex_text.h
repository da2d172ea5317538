/* Bytes as text: two hexadecimal digits each, as build-ids are written. */
#ifndef LOCUS_HEX_TEXT_H
#define LOCUS_HEX_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes two lowercase digits for each byte, and a zero behind the last. `ret` has room for 2 * size + 1 characters.
 * Returns where the zero is.
 */
static inline char *hex_text(const void *bytes, size_t size, char *ret)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *from = (const uint8_t *)bytes;
	for (size_t i = 0; i < size; i++) {
		*ret++ = digits[from[i] >> 4];
		*ret++ = digits[from[i] & 15];
	}
	*ret = '\0';
	return ret;
}

#endif
