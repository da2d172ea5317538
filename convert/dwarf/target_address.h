/* Addresses of the program as its debug information has them, in the program's own size. */
#ifndef LOCUS_TARGET_ADDRESS_H
#define LOCUS_TARGET_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/* The highest address of `size` bytes, which are 1, 2, 4 or 8. */
static inline uint64_t address_max(uint8_t size)
{
	return size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

/* Whether a linker or compiler wrote `addr` for code that is gone: the highest address, or the one below (RULES A2). */
static inline bool address_is_dead(uint64_t addr, uint8_t size)
{
	return addr == address_max(size) || addr == address_max(size) - 1;
}

#endif
