/* Compares the name in a mangled name with the name that DWARF gives. */
#ifndef LOCUS_MANGLED_NAME_H
#define LOCUS_MANGLED_NAME_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the function of a mangled name (is_mangled) is called `name`: an identifier, ~IDENTIFIER or operator…,
 * perhaps with template arguments behind it, or <lambda…>. Namespaces, classes, arguments and suffixes of compilers are
 * not compared. False for symbols that are not a function itself, such as thunks, for names of more than 16 KiB, and
 * for those that were made to be parsed over and over.
 */
bool mangled_name_is(const char *mangled, const char *name);

/* The most work that mangled_name_is may do, in steps of the budget. */
uint64_t mangled_name_steps(const char *mangled);

#endif
