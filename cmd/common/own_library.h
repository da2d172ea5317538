/* The command's own libraries, loaded when they are needed: loading what they depend on takes longer than a lookup. */
#ifndef LOCUS_OWN_LIBRARY_H
#define LOCUS_OWN_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* A function or a variable of a library, and the pointer to it, of any type, that becomes its address. */
struct own_symbol {
	const char *name;
	void *pointer;
};

/* One of the command's own libraries: it must be of the command's version. */
struct own_library {
	const char *name;    /* of its file */
	const char *what;    /* describes it in messages */
	const char *version; /* the name of the array of characters that has its LOCUS_VERSION */
	const struct own_symbol *symbols;
	size_t symbol_count;
};

/* Loads the library and sets the pointers. False: that failed, all are NULL, and the reason was reported. */
bool own_library_load(const struct own_library *library);

/*
 * Stores the address of a function or a variable of a library that dlopen has opened in `ret`, a pointer to a pointer
 * of its type. False: the library has none of that name; then the pointer is NULL.
 */
bool own_library_find(void *library, const char *name, void *ret);

#endif
