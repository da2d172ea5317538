/* Paths of members of archives: ARCHIVE(MEMBER). Both parts may have brackets of their own. */
#ifndef LOCUS_MEMBER_PATH_H
#define LOCUS_MEMBER_PATH_H

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Whether the file is a static archive, thin ones included; false if it cannot be opened. Does not wait for a pipe. */
static inline bool path_is_archive(const char *path)
{
	char magic[8];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return false;
	bool is_read = read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic);
	close(fd);
	return is_read &&
	       (memcmp(magic, "!<arch>\n", sizeof(magic)) == 0 || memcmp(magic, "!<thin>\n", sizeof(magic)) == 0);
}

/*
 * The size of ARCHIVE: it ends before the first '(' with an archive's path before it or, where there is no such
 * archive, before the last one. So the name of a member may have any brackets, and costs nothing. 0: the path has
 * another form.
 */
static inline size_t member_path_archive_size(const char *path)
{
	const size_t path_size = strlen(path);
	char archive[PATH_MAX];
	size_t size = 0;

	if (!path_size || path[path_size - 1] != ')')
		return 0;
	for (const char *open = strchr(path, '('); open; open = strchr(open + 1, '(')) {
		size = (size_t)(open - path);
		if (size >= sizeof(archive))
			continue;
		memcpy(archive, path, size);
		archive[size] = '\0';
		if (path_is_archive(archive))
			break;
	}
	return size;
}

#endif
