/* Depfiles: they tell make and ninja what outputs were made of (--depfile). */
#ifndef LOCUS_DEPFILE_H
#define LOCUS_DEPFILE_H

#include <stdbool.h>
#include <stddef.h>

/* Text that more is added to at its end. */
struct depfile_text {
	char *bytes;
	size_t size, room;
};

/* A file of rules in make's language. Zeroed, except for `path`, before the first rule; freed by depfile_done. */
struct depfile {
	const char *path; /* where it goes; NULL: none is wanted, and nothing is done */
	struct depfile_text rules;
	struct depfile_text made; /* the paths of outputs, each ended by a NUL */
	char problem[512];        /* why it cannot be written; empty: nothing prevents it */
};

/*
 * Adds the rule that `output` was made of these files: paths, each ended by a NUL, the program's first. The others also
 * get rules without prerequisites, as compilers write with -MP, so that make goes on when one of them is gone. Ends the
 * program if memory is out.
 */
void depfile_add(struct depfile *depfile, const char *output, const char *paths, size_t paths_size);

/* Says that the output was made, and so is to be removed where the depfile cannot be written. */
void depfile_add_made(struct depfile *depfile, const char *output);

/* Removes the outputs that were made: the file will not be written, because the program is about to end. */
void depfile_give_up(const struct depfile *depfile);

/*
 * Writes the file and puts it in place, in one step, if there are rules. False: that failed, which was reported, and
 * the outputs that were made were removed, as compilers do: with them there, a build would take them for finished, and
 * never know what they were made of.
 */
bool depfile_write(struct depfile *depfile);
void depfile_done(struct depfile *depfile);

#endif
