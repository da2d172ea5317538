/* The version that a linker puts behind a symbol's name, as in memcpy@@GLIBC_2.14. */
#ifndef LOCUS_SYMBOL_VERSION_H
#define LOCUS_SYMBOL_VERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * Whether it is the name of an entry of a linkage table: puts@plt, which is no version of puts, but that through which
 * other code calls it (RULES E4).
 */
static inline bool ends_in_plt(const char *name, size_t size)
{
	static const char plt[] = "@plt";
	const size_t plt_size = sizeof(plt) - 1;
	return size > plt_size && memcmp(name + size - plt_size, plt, plt_size) == 0;
}

/* The size of a name without its version: all of it where it has none. */
static inline size_t size_without_version(const char *name, size_t size)
{
	const char *at = size ? memchr(name, '@', size) : NULL;
	if (!at || at == name || ends_in_plt(name, size))
		return size;
	return (size_t)(at - name);
}

#endif
