/* Arrays that grow. */
#ifndef LOCUS_ARRAY_H
#define LOCUS_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The slow path of array_reserve. */
bool array_grow(void *array, uint32_t *room, uint64_t count, size_t element_size);

/*
 * Makes room for `count` elements in *array, which has room for *room of them and was malloc'd or is NULL; `array` is
 * the address of the pointer. False: out of memory, beyond the budget (base/budget.h), or more than UINT32_MAX / 2
 * elements; the array is then as it was.
 */
static inline bool array_reserve(void *array, uint32_t *room, uint64_t count, size_t element_size)
{
	return count <= *room || array_grow(array, room, count, element_size);
}

#endif
