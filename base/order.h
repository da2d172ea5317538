/* The order of two numbers, as functions that compare for qsort give it. */
#ifndef LOCUS_ORDER_H
#define LOCUS_ORDER_H

#include <stdint.h>

/* Less than, equal to or greater than 0, as `a` is less than, equal to or greater than `b`. */
static inline int order_of(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Compares two numbers of type uint64_t, for qsort and its like. */
static inline int compare_uint64(const void *a, const void *b)
{
	return order_of(*(const uint64_t *)a, *(const uint64_t *)b);
}

#endif
