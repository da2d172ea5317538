/* Numbers mixed until they look random: for the slots of hash tables, and for samples that are the same everywhere. */
#ifndef LOCUS_MIX64_H
#define LOCUS_MIX64_H

#include <stdint.h>

/*
 * Spreads each bit of `value` over all 64. No two values give the same result.
 * Source: splitmix64, in Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
 */
static inline uint64_t mix64(uint64_t value)
{
	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

/*
 * What the hashes of a table's keys, or a sequence of random numbers, begin with: where the table is, which is another
 * place in each run. Whoever makes a file could otherwise choose keys that all lead to one slot, and each would be
 * compared with all those before it.
 */
static inline uint64_t hash_seed(const void *table)
{
	return (uintptr_t)table;
}

/* The next number of the random sequence that `state` stands for; any number begins one. Source: as above. */
static inline uint64_t random_next(uint64_t *state)
{
	return mix64(*state += UINT64_C(0x9e3779b97f4a7c15));
}

#endif
