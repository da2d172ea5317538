/* A private directory beside an output file. Being on the same file system, its file can be renamed into place. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/jobs/staging.h"

static bool is_other_than_file(const char *path)
{
	struct stat existing;

	return stat(path, &existing) == 0 && !S_ISREG(existing.st_mode);
}

bool staging_init(struct staging *staging, const char *output)
{
	const char *slash = strrchr(output, '/');
	int parent_size = slash ? (int)(slash - output + 1) : 0;
	int size, error;

	staging->directory = NULL;
	/* A rename would put a file in the place of /dev/null. */
	if (is_other_than_file(output)) {
		errno = EEXIST;
		return false;
	}
	size = snprintf(staging->file, sizeof(staging->file), "%.*s.locus-XXXXXX/out", parent_size, output);
	if (size >= (int)sizeof(staging->file)) {
		errno = ENAMETOOLONG;
		return false;
	}
	staging->file[size - 4] = '\0';
	if (!mkdtemp(staging->file))
		return false;
	strcpy(staging->path, staging->file);
	staging->file[size - 4] = '/';
	staging->directory = opendir(staging->path);
	if (staging->directory)
		return true;
	error = errno;
	rmdir(staging->path);
	errno = error;
	return false;
}

bool staging_commit(const struct staging *staging, const char *output)
{
	return rename(staging->file, output) == 0;
}

static bool same_bytes(int a, int b)
{
	char bytes_a[1 << 16], bytes_b[sizeof(bytes_a)];
	ssize_t size_a, size_b;

	do {
		size_a = read(a, bytes_a, sizeof(bytes_a));
		size_b = read(b, bytes_b, sizeof(bytes_b));
		if (size_a < 0 || size_a != size_b || memcmp(bytes_a, bytes_b, (size_t)size_a) != 0)
			return false;
	} while (size_a > 0);
	return true;
}

bool staging_is_same(const struct staging *staging, const char *output)
{
	int a = open(staging->file, O_RDONLY | O_CLOEXEC), b = open(output, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat file_a, file_b;
	bool is_same = a >= 0 && b >= 0 && fstat(a, &file_a) == 0 && fstat(b, &file_b) == 0 &&
		       S_ISREG(file_b.st_mode) && file_a.st_size == file_b.st_size && same_bytes(a, b);

	if (a >= 0)
		close(a);
	if (b >= 0)
		close(b);
	return is_same;
}

void staging_done(struct staging *staging)
{
	struct dirent *entry;

	if (!staging->directory)
		return;
	while ((entry = readdir(staging->directory)) != NULL) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(dirfd(staging->directory), entry->d_name, 0);
	}
	closedir(staging->directory);
	rmdir(staging->path);
	staging->directory = NULL;
}
