/* Compares the name in a mangled name with the name that DWARF gives. */
#ifndef LOCUS_MANGLED_NAME_H
#define LOCUS_MANGLED_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether the function of a mangled name (is_mangled) is called `name`: an identifier, ~IDENTIFIER or operator…,
 * perhaps with template arguments behind it, or <lambda…>; in D this, ~this or this(this), too. Namespaces, classes,
 * arguments and suffixes of compilers are not compared. False for symbols that are not a function itself, such as
 * thunks, for names of more than 16 KiB, and for those that were made to be parsed over and over.
 */
bool mangled_name_is(const char *mangled, const char *name);

/* A part of a name, which it shares with every mangled name of C++, or of Rust's older kind, that has it. */
struct name_word {
	const char *text; /* in the name, or static */
	size_t size;      /* 0: none, so that it may be the name of any mangled one */
};

/* The word of a name that DWARF gives. */
struct name_word name_word(const char *name);

/*
 * The hash (XXH3 with that seed) of the word that a name must have to be that of a mangled name (_Z…). False: no name
 * with a word is.
 */
bool mangled_name_word(const char *mangled, uint64_t seed, uint64_t *ret);

/* The most work that mangled_name_is or mangled_name_word may do, in steps of the budget. */
uint64_t mangled_name_steps(const char *mangled);

#endif
