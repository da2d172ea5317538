/* Differences as they are packed: of either sign, mostly small. */
#ifndef LOCUS_FOLD_H
#define LOCUS_FOLD_H

#include <stdint.h>

/* A number that is small if the difference, which is modulo 2^32, is near 0. */
static inline uint32_t fold_difference(uint32_t difference)
{
	return difference << 1 ^ (0 - (difference >> 31));
}

static inline uint32_t unfold_difference(uint32_t number)
{
	return number >> 1 ^ (0 - (number & 1));
}

#endif
