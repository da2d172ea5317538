/* Demangling for display (RULES D4), bounded in time and memory for every name. */
#ifndef LOCUS_DEMANGLE_H
#define LOCUS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/show/cxxname.h"

/* Whether `name` looks like a mangled name. `language` is a DW_LANG code; 0: unknown. */
bool may_demangle(const char *name, size_t size, uint32_t language);

/* Whether it would be demangled as a name of D, which it then is, also where the language is unknown. */
bool is_mangled_d(const char *name, size_t size, uint32_t language);

/*
 * Demangles `name` into `ret`, of DEMANGLED_SIZE_MAX bytes, and returns the length; 0: it is not mangled, or is too
 * long or too deep to be shown.
 */
size_t demangle(const char *name, size_t size, uint32_t language, char *ret);

#endif
