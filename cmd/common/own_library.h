/* The command's own libraries, loaded when they are needed: loading what they depend on takes longer than a lookup. */
#ifndef LOCUS_OWN_LIBRARY_H
#define LOCUS_OWN_LIBRARY_H

#include <stdbool.h>

/*
 * Loads a library. `name` is its file's, `what` describes it in messages. NULL: it could not be loaded, and the reason
 * was reported.
 */
void *own_library_open(const char *name, const char *what);

/* Stores the address of a function or a variable of the library in `ret`, a pointer to a pointer of its type. */
bool own_library_find(void *library, const char *name, void *ret);

#endif
