/* The file is opened without waiting, because a path may lead to a pipe. */
#include "cmd/common/file_magic.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool file_begins_with(const char *path, const char *magic, bool unknown)
{
	char bytes[8];
	size_t size = strlen(magic);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return unknown;
	bool does = read(fd, bytes, size) == (ssize_t)size && memcmp(bytes, magic, size) == 0;
	close(fd);
	return does;
}
