/*
 * Names of languages in which letter case says nothing: Ada, Fortran and Pascal. What debug information calls
 * pkg__proc and __geometry_MOD_area, programmers write as Pkg.Proc and geometry::area.
 */
#ifndef LOCUS_CASELESS_NAME_H
#define LOCUS_CASELESS_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CASELESS_SIZE_MAX = 4096, CASELESS_ROOM = 2 * CASELESS_SIZE_MAX };

/* `language` is a DW_LANG code. */
bool language_is_caseless(uint32_t language);

/*
 * Writes a function's name, of up to CASELESS_SIZE_MAX bytes, as people write it, in small letters, and returns its
 * length. `ret` has CASELESS_ROOM bytes. Of Ada the _ada_ of a main program, the number of an overloaded subprogram,
 * and the letters for a task's body and for what belongs to a protected object are left out.
 */
size_t caseless_name(const char *name, size_t size, uint32_t language, char *ret);

/* The same of what somebody wrote: an operator of Ada, Pkg."+", becomes what it is called in names, pkg.oadd. */
size_t caseless_text(const char *text, size_t size, uint32_t language, char *ret);

#endif
