/* What a name begins and ends with. */
#ifndef LOCUS_NAME_ENDS_H
#define LOCUS_NAME_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* False, too, of a name that is no longer than `start`: what compilers put before a name has the name behind it. */
static inline bool name_starts_with(const char *name, size_t size, const char *start)
{
	size_t length = strlen(start);

	return size > length && memcmp(name, start, length) == 0;
}

/* The same of what they put behind it. */
static inline bool name_ends_with(const char *name, size_t size, const char *end)
{
	size_t length = strlen(end);

	return size > length && memcmp(name + size - length, end, length) == 0;
}

#endif
