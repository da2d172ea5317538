/*
 * A private directory beside an output, in which the output is made, so that a killed conversion leaves no half-written
 * output.
 */
#ifndef LOCUS_STAGING_H
#define LOCUS_STAGING_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct staging {
	DIR *directory; /* open from the start, because removing its content must not need memory; NULL: not made */
	char path[PATH_MAX]; /* path of the directory */
	char file[PATH_MAX]; /* path of the file to write in it */
};

/* Whether a directory may be one of these, by its name and mode: what is in it is no output yet, and soon gone. */
bool staging_may_be(const char *name, mode_t mode);

/*
 * Makes the directory beside `output`. False, with errno, of which staging_problem says what it means: that failed, or
 * `output` is something that a file may not take the place of.
 */
bool staging_init(struct staging *staging, const char *output);
const char *staging_problem(int error);

/*
 * Removes what killed runs left beside `output`, as staging_init does. A folder that was just searched is not searched
 * again.
 */
void staging_remove_leftovers(const char *output);

/*
 * The same as staging_init for a program that would only end when a signal comes (stop_signals.h), or that calls exit
 * where memory is out: before it ends, the directory is removed. One at a time, until staging_done; only a file that is
 * named `file` may be made in it.
 */
bool staging_init_guarded(struct staging *staging, const char *output);

/*
 * Gives the file the mode of another one; but where the two have not the same owner and group, not the bits by which it
 * would run as its own. False, with errno: that failed.
 */
bool staging_take_mode(const struct staging *staging, const struct stat *like);

/*
 * Replaces `output` by the file, in one step. It keeps its mode and, as far as this process may give them, its owner
 * and its extended attributes. False, with errno: that failed.
 */
bool staging_commit(const struct staging *staging, const char *output);

/* Whether the file and `output` have the same bytes. False also if that cannot be found out. */
bool staging_is_same(const struct staging *staging, const char *output);

/* Removes the directory with its content. */
void staging_done(struct staging *staging);

#endif
