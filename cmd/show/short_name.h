/*
 * Short names, as people would say them: std::vector<int, std::allocator<int> >::size() const becomes
 * std::vector::size.
 */
#ifndef LOCUS_SHORT_NAME_H
#define LOCUS_SHORT_NAME_H

#include <stddef.h>

#include "cmd/show/name_walk.h"

/*
 * Writes the demangled name without template arguments, parameters and return type to `ret`, of at least `size` bytes,
 * and returns its length. What says that it is a thunk, or something else that the compiler made for the function,
 * stays before it. Brackets that are not closed, or whose removal would leave nothing, are kept.
 */
size_t short_name(const char *name, size_t size, enum name_separator separator, char *ret);

/*
 * Finds the function's own name in the demangled one, of which it is a part: without what it is in, parameters and
 * return type, but with template arguments, as debug information has it: `size<int>` of `int a::b::size<int>() const`.
 */
const char *own_name(const char *name, size_t size, enum name_separator separator, size_t *ret_size);

#endif
