/* The version that a linker puts behind a symbol's name, as in memcpy@@GLIBC_2.14. */
#ifndef LOCUS_SYMBOL_VERSION_H
#define LOCUS_SYMBOL_VERSION_H

#include <stddef.h>
#include <string.h>

/*
 * The size of a name without its version: all of it where it has none. puts@plt is no version of puts, but the entry of
 * the linkage table through which other code calls it (RULES E4).
 */
static inline size_t size_without_version(const char *name, size_t size)
{
	static const char plt[] = "@plt";
	size_t plt_size = sizeof(plt) - 1;
	const char *at = size ? memchr(name, '@', size) : NULL;
	if (!at || at == name || (size > plt_size && memcmp(name + size - plt_size, plt, plt_size) == 0))
		return size;
	return (size_t)(at - name);
}

#endif
