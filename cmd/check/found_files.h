/* The files that `locus check` judges: named ones, and those found in directories. */
#ifndef LOCUS_FOUND_FILES_H
#define LOCUS_FOUND_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* A file; or a path that could not be read, then `error` is an errno. */
struct found_file {
	char *path;
	size_t base; /* where the part of the path begins that is below the named directory; or the file's own name */
	int error;   /* 0: none */
	const char *text; /* what is wrong, if that is no errno; NULL: nothing */
	bool is_found;    /* in a directory: so it may be gone before it is read, and that is nothing to report */
};

struct found_files {
	struct found_file *list;
	size_t count;
	size_t room;
	bool clears; /* what killed conversions left beside what is found, and empty folders of a store, are removed */
};

/*
 * Adds the file `path`, whatever its name; or the .locus files in a directory and below, in the order of their names:
 * those whose name ends in .locus, and those of a store, which are named locus in a folder that is named by a build-id.
 * A directory without any is added as an error, unless it is a store, and so is what cannot be read. Folders in which a
 * conversion makes its output are passed over. Ends the program if memory is out.
 */
void found_files_add(struct found_files *files, const char *path);

void found_files_done(struct found_files *files);

#endif
