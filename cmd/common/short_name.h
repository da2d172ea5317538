/* Names as a person would say them: std::vector<int, std::allocator<int> >::size() const is std::vector::size. */
#ifndef LOCUS_SHORT_NAME_H
#define LOCUS_SHORT_NAME_H

#include <stddef.h>

/*
 * Writes the demangled name without template arguments, parameter lists and return type to `ret`, of `size` bytes or
 * more, and returns its length. What is not closed, or would leave nothing, is kept as it is.
 */
size_t short_name(const char *name, size_t size, char *ret);

#endif
