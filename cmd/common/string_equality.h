/* Whether two strings have the same bytes. */
#ifndef LOCUS_STRING_EQUALITY_H
#define LOCUS_STRING_EQUALITY_H

#include <stdbool.h>
#include <string.h>

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

#endif
