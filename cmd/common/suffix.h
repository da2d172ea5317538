/* What file names end in. */
#ifndef LOCUS_SUFFIX_H
#define LOCUS_SUFFIX_H

#include <stdbool.h>
#include <string.h>

/* Whether the name ends in the suffix, and is more than that. */
static inline bool has_suffix(const char *name, const char *suffix)
{
	size_t size = strlen(name), suffix_size = strlen(suffix);

	return size > suffix_size && strcmp(name + size - suffix_size, suffix) == 0;
}

#endif
