/* The one binary search of all folders. */
#ifndef LOCUS_BINARY_SEARCH_H
#define LOCUS_BINARY_SEARCH_H

#include <stddef.h>

/*
 * Sets `at` to the first index in [from, end) for which `holds`, an expression of `at`, is true; to `end` if it never
 * is. Once true, it must stay true for all later indices. This is a macro, so that the comparison is compiled into
 * the loop: many of these loops run for every address, and a function called for each step would take most of the time.
 */
#define SEARCH_FIRST(at, from, end, holds)                                                  \
	for (size_t search_low = (from), search_high = (end);                               \
	     (at) = search_low + (search_high - search_low) / 2, search_low < search_high;) \
		if (holds)                                                                  \
			search_high = (at);                                                 \
		else                                                                        \
			search_low = (at) + 1

#endif
