/* Whether two strings have the same bytes, and else which comes first. */
#ifndef LOCUS_STRING_COMPARE_H
#define LOCUS_STRING_COMPARE_H

#include <stdbool.h>
#include <string.h>

#include "base/order.h"
#include "reader/locus.h"

static inline bool strings_are_equal(struct locus_string a, struct locus_string b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* The same for a text that ends in NUL. */
static inline bool string_is(struct locus_string string, const char *text)
{
	return strings_are_equal(string, (struct locus_string){text, strlen(text)});
}

/* The order of two strings by their bytes; of two of which one begins the other, the shorter comes first. */
static inline int compare_strings(struct locus_string a, struct locus_string b)
{
	size_t shorter = a.size < b.size ? a.size : b.size;
	int order = shorter ? memcmp(a.data, b.data, shorter) : 0;

	return order ? order : order_of(a.size, b.size);
}

#endif
