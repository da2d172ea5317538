/* Lists of addresses without any twice. */
#ifndef LOCUS_UNIQUE_ADDRESSES_H
#define LOCUS_UNIQUE_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/order.h"

/* Sorts addresses, and drops those that repeat. Returns how many are left. */
static inline size_t unique_addresses(uint64_t *list, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(list, count, sizeof(*list), compare_uint64);
	for (size_t i = 0; i < count; i++)
		if (!kept || list[kept - 1] != list[i])
			list[kept++] = list[i];
	return kept;
}

#endif
