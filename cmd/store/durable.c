/*
 * To fsync each of many small files takes longer than to convert them, and compilers and linkers do not do it. syncfs
 * writes all of them at once, at the end of a batch.
 */
#include "cmd/store/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens the folder that a file is in; -1, with errno: that failed. */
static int open_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* A file system that does not support this, or is read-only, has nothing to write. */
static bool is_flushed(int result)
{
	return result == 0 || errno == EINVAL || errno == EROFS;
}

/* Notes the file system of `fd`, and owns `fd` then; if it was noted before, `fd` is closed. */
static bool note_file_system(struct durable *durable, int fd, dev_t device)
{
	for (size_t i = 0; i < durable->count; i++)
		if (durable->devices[i] == device) {
			close(fd);
			return true;
		}

	int *fds = realloc(durable->fds, (durable->count + 1) * sizeof(*fds));
	durable->fds = fds ? fds : durable->fds;
	dev_t *devices = fds ? realloc(durable->devices, (durable->count + 1) * sizeof(*devices)) : NULL;
	durable->devices = devices ? devices : durable->devices;
	if (!devices) {
		close(fd);
		errno = ENOMEM;
		return false;
	}
	fds[durable->count] = fd;
	devices[durable->count++] = device;
	return true;
}

bool durable_note(struct durable *durable, const char *output)
{
	struct stat folder;

	if (durable->durability == DURABLE_NONE)
		return true;
	int fd = open_folder(output);
	if (fd < 0)
		return false;
	if (durable->durability == DURABLE_BATCH && fstat(fd, &folder) == 0)
		return note_file_system(durable, fd, folder.st_dev);
	bool flushed = is_flushed(fsync(fd));
	int error = errno;
	close(fd);
	errno = error;
	return flushed;
}

bool durable_finish(struct durable *durable)
{
	int error = 0;

	for (size_t i = 0; i < durable->count; i++) {
		if (!is_flushed(syncfs(durable->fds[i])))
			error = errno;
		close(durable->fds[i]);
	}
	free(durable->fds);
	free(durable->devices);
	*durable = (struct durable){0};
	errno = error;
	return error == 0;
}
