/* A private directory beside an output file, where it is made, so that a killed conversion leaves nothing behind. */
#ifndef LOCUS_STAGING_H
#define LOCUS_STAGING_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>

struct staging {
	DIR *directory;      /* open from the start: to remove what is in it must not need memory; NULL: not there */
	char path[PATH_MAX]; /* the directory's */
	char file[PATH_MAX]; /* in it: where to write */
};

/* Makes the directory beside `output`. False, with errno, where that fails. */
bool staging_init(struct staging *staging, const char *output);

/* Puts the file in the place of `output`, in one step. False, with errno, where that fails. */
bool staging_commit(const struct staging *staging, const char *output);

/* Whether the file has the bytes of the one at `output`. False also where that cannot be told. */
bool staging_is_same(const struct staging *staging, const char *output);

/* Removes the directory and whatever is still in it. */
void staging_done(struct staging *staging);

#endif
