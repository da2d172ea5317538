/* Demangling at display (RULES D4), bounded in time and memory whatever the name. */
#ifndef LOCUS_DEMANGLE_H
#define LOCUS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/common/cxxname.h"

/* Whether `name` looks like one to demangle. `language` is a DW_LANG code, 0 unknown. */
bool may_demangle(const char *name, size_t size, uint32_t language);

/*
 * Demangles `name` into `ret`, of DEMANGLED_SIZE_MAX bytes, and returns the length; 0: not a mangled name, or one
 * that is longer, or deeper, than can be shown.
 */
size_t demangle(const char *name, size_t size, uint32_t language, char *ret);

#endif
