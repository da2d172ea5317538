/* Names of Ada as they are written: pkg.proc for the pkg__proc of GNAT's debug information. */
#ifndef LOCUS_ADA_NAME_H
#define LOCUS_ADA_NAME_H

#include <stddef.h>

/*
 * Writes the name to `ret`, of at least `size` bytes, and returns its length: with dots between its components, and
 * without the _ada_ of a main program and the number of an overloaded subprogram.
 */
size_t ada_name(const char *name, size_t size, char *ret);

#endif
