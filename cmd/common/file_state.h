/* Whether a file is still what it was. */
#ifndef LOCUS_FILE_STATE_H
#define LOCUS_FILE_STATE_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Whether what stat said of a path at two times is of one file that was not written to in between. Its ctime is not
 * compared: that changes, too, where a hard link to it is made or removed.
 */
static inline bool file_state_is_same(const struct stat *then, const struct stat *now)
{
	return then->st_dev == now->st_dev && then->st_ino == now->st_ino && then->st_size == now->st_size &&
	       then->st_mtim.tv_sec == now->st_mtim.tv_sec && then->st_mtim.tv_nsec == now->st_mtim.tv_nsec;
}

#endif
