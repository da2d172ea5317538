/* What a mangled name calls its function, held against the name that DWARF gives. */
#ifndef LOCUS_MANGLED_NAME_H
#define LOCUS_MANGLED_NAME_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the function of a mangled name (is_mangled) is called `name`: an identifier, ~IDENTIFIER or operator…, which
 * may have template arguments behind it, or <lambda…>. Namespaces, classes, arguments and compilers' suffixes are not
 * compared. Symbols that are no function's own, such as thunks, are called nothing, and so are those of more than 16
 * KiB and those that are made to be read again and again.
 */
bool mangled_name_is(const char *mangled, const char *name);

/* The work that mangled_name_is may take, in steps of the budget. */
uint64_t mangled_name_steps(const char *mangled);

#endif
