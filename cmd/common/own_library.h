/* Libraries of the command's own, loaded when they are needed: what they bring takes longer to load than a lookup. */
#ifndef LOCUS_OWN_LIBRARY_H
#define LOCUS_OWN_LIBRARY_H

#include <stdbool.h>

/* `name` is the file's, `what` says in a message what it is. NULL: it could not be loaded; the reason was reported. */
void *own_library_open(const char *name, const char *what);

/* Stores the address of a function or a variable of the library in `ret`, a pointer to a pointer of its type. */
bool own_library_find(void *library, const char *name, void *ret);

#endif
