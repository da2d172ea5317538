/* Prints C++ names from libiberty's tree of them, in a fraction of the time that libiberty takes. */
#ifndef LOCUS_CXXNAME_H
#define LOCUS_CXXNAME_H

#include <stdbool.h>
#include <stddef.h>

/* The longest text that a name may demangle to. */
enum { DEMANGLED_SIZE_MAX = 1 << 14 };

/*
 * Demangles `mangled` into `ret`, of DEMANGLED_SIZE_MAX bytes; the size is 0 if these are too few. False: it is no C++
 * name, or one that libiberty may print in another way, so libiberty must be asked. Only for one thread.
 */
bool cxx_name(const char *mangled, char *ret, size_t *ret_size);

#endif
