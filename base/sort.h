/* Sorting by address. */
#ifndef LOCUS_SORT_H
#define LOCUS_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Stands for an element of an array. */
struct sort_key {
	uint32_t element; /* its index */
	uint32_t value;   /* the caller's */
};

/*
 * Sorts *keys by the addresses of their elements, each of which begins with one (uint64_t); those with equal addresses
 * stay in their order. *scratch has room for as many; afterwards the two pointers may be exchanged.
 */
void sort_keys(struct sort_key **keys, struct sort_key **scratch, uint32_t count, const void *elements,
	       size_t element_size);

/*
 * The same as qsort, but faster, for elements that begin with an address (uint64_t), by which `compare` orders first.
 * It takes at most 1.5 MiB, unless very many addresses are equal.
 */
void sort_by_address(void *array, size_t count, size_t element_size, int (*compare)(const void *, const void *));

/* Sorts addresses, and drops those that repeat. Returns how many are left. */
uint32_t sort_unique(uint64_t *addrs, uint32_t count);

#endif
