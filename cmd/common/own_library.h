/* The command's own libraries, loaded when they are needed: loading what they depend on takes longer than a lookup. */
#ifndef LOCUS_OWN_LIBRARY_H
#define LOCUS_OWN_LIBRARY_H

#include <stdbool.h>

/* Called first of all, with the arguments of main, which are copied. */
void own_libraries_init(int argc, char **argv);

/*
 * Called before any of the functions below, and before anything is read from standard input or written: a command that
 * is linked statically cannot load libraries, and is here replaced by its twin, which can and begins anew. If the twin
 * is missing, that is reported, and the process ends.
 */
void own_libraries_want(void);

/*
 * Loads a library. `name` is its file's, `what` describes it in messages. NULL: it could not be loaded, and the reason
 * was reported.
 */
void *own_library_open(const char *name, const char *what);

/* Loads a library of the system's. NULL: it could not be loaded. */
void *system_library_open(const char *name);

/* Stores the address of a function or a variable of the library in `ret`, a pointer to a pointer of its type. */
bool own_library_find(void *library, const char *name, void *ret);

/* Why one of the two functions above failed the last time; valid until one is called again. */
const char *own_library_error(void);

#endif
