/* What outputs were made of, told to make and ninja: --depfile. */
#ifndef LOCUS_DEPFILE_H
#define LOCUS_DEPFILE_H

#include <stdbool.h>
#include <stddef.h>

/* A file of rules in make's language. Zeroed, but for `path`, before the first; freed by depfile_done. */
struct depfile {
	const char *path; /* where it is to be; NULL: nobody wants one, and nothing is done */
	char *text;
	size_t size, room;
	const char *problem; /* why it cannot be written; NULL: it can */
};

/*
 * Adds the rule that `output` was made of these files: paths, each ended by a NUL, the program's first. The others get
 * rules without prerequisites, so that make goes on where one is no longer there, as compilers write them with -MP.
 * Ends the program where memory is out.
 */
void depfile_add(struct depfile *depfile, const char *output, const char *paths, size_t paths_size);

/* Puts the file in place, in one step, where there are rules. False: it failed, which was reported. */
bool depfile_write(struct depfile *depfile);
void depfile_done(struct depfile *depfile);

#endif
