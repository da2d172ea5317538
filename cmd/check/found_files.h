/* The files that `locus check` is to judge: those named, and those found in directories. */
#ifndef LOCUS_FOUND_FILES_H
#define LOCUS_FOUND_FILES_H

#include <stddef.h>

/* One file, or a place that could not be read: then `error` is an errno. */
struct found_file {
	char *path;
	size_t base;      /* where in the path the part begins that is below what was named, or the file's own name */
	int error;        /* 0: none */
	const char *text; /* what is wrong, where that is no errno; NULL: nothing */
};

struct found_files {
	struct found_file *list;
	size_t count;
	size_t room;
};

/*
 * Adds `path`, whatever its name, or the .locus files in a directory and below, in the order of their names: those
 * whose name ends in .locus, and a store's, which are named locus. A directory that holds none is added as an error,
 * and so is what cannot be read. Ends the program where memory is out.
 */
void found_files_add(struct found_files *files, const char *path);

void found_files_done(struct found_files *files);

#endif
