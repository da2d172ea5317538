/* Paths, joined as text. */
#ifndef LOCUS_PATH_H
#define LOCUS_PATH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Joins and normalises (RULES F1 to F3) into a malloc'd string. `parts` are applied as if by cd, one after another; a
 * part may be NULL or empty. NULL: out of memory. The file system is not asked.
 */
char *path_join(const char *const *parts, size_t count);

/* Whether a path begins with a Windows root (RULES F2): `X:\`, `X:/` or `\\`. */
bool path_is_windows(const char *path);

/* The directory of a path, with its '/'; "" for a bare name. Malloc'd; NULL: out of memory. */
char *path_directory(const char *path);

#endif
