/* The folders that an output is in. */
#ifndef LOCUS_FOLDERS_H
#define LOCUS_FOLDERS_H

#include <stdbool.h>

/*
 * Makes the folder `root`, but not those that it is in, and the folders below it that the file at `path` is in, which
 * begins with `root` and a slash. What is there already stays. False, with errno: that failed.
 */
bool folders_make(const char *root, const char *path);

#endif
