/* Sorting by address. */
#ifndef LOCUS_SORT_H
#define LOCUS_SORT_H

#include <stddef.h>
#include <stdint.h>

struct sort_key {
	uint64_t addr;
	uint32_t value; /* what it stands for */
};

/* Sorts *keys with the help of *scratch, which has as much room; the two may change roles. Equal addresses stay in
 * their order. */
void sort_keys(struct sort_key **keys, struct sort_key **scratch, uint32_t count);

/* As qsort, for elements that begin with an address (uint64_t) and that `compare` orders by it first. As stable as
 * qsort. */
void sort_by_address(void *array, size_t count, size_t element_size, int (*compare)(const void *, const void *));

#endif
