/*
 * The usual spelling of a demangled name of C++, Rust or D: what programmers leave out in it, or write in another way,
 * becomes the same for names and for what is typed.
 */
#ifndef LOCUS_USUAL_NAME_H
#define LOCUS_USUAL_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { USUAL_NAME_SIZE_MAX = 4096, USUAL_NAME_ROOM = 4 * USUAL_NAME_SIZE_MAX };

/*
 * Writes the usual spelling to `ret`, which has USUAL_NAME_ROOM bytes, and returns its length; 0: the name is empty,
 * longer than USUAL_NAME_SIZE_MAX, or of Go. `language` is a DW_LANG code; 0: unknown.
 *
 * - std::__cxx11:: and other namespaces that the library alone knows are left out, ABI tags also;
 * - std::string is std::basic_string<char>, and so are the other types of characters and streams;
 * - arguments of templates that std:: adds by itself, as std::allocator<T>, are left out at the end of a list;
 * - const stands behind what it belongs to: const char* is char const*;
 * - Rust's f::<T> is f<T>, {{closure}} is {closure}, and $u20ac$ is the letter of that code; gcc's {anonymous} is
 *   (anonymous namespace); D's string is immutable(char)[];
 * - `without_versions`: namespaces inside of others that are called by a version, as inline ones are, are left out:
 *   lib::f for lib::v2::f, lib::_V2::f, or lib::abi_v3_11::f. Nothing for D.
 */
size_t usual_name(const char *name, size_t size, uint32_t language, bool without_versions, char *ret);

#endif
