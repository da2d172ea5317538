/* Whether two paths lead to one file. */
#ifndef LOCUS_SAME_FILE_H
#define LOCUS_SAME_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

/* Whether both paths lead to the same file, which is there. */
static inline bool paths_are_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

#endif
