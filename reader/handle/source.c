/*
 * Where a file's bytes come from: a descriptor read on demand, or memory.
 *
 * Files are read, not mapped: one that is cut short while it is open then gives an error and not a signal.
 */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include "reader/handle/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

enum { READ_MAX = 1 << 30 };

static enum locus_status fail_open(struct locus_error *error)
{
	return locus_fail(error, LOCUS_ERR_IO, "%s", strerror(errno));
}

enum locus_status locus_source_open(struct locus_source *source, const char *path, struct locus_error *error)
{
	struct stat info;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a pipe is not waited for */
	if (fd < 0)
		return fail_open(error);
	enum locus_status status = LOCUS_OK;
	if (fstat(fd, &info))
		status = fail_open(error);
	else if (!S_ISREG(info.st_mode))
		status = locus_fail_at(error, LOCUS_ERR_NOT_LOCUS, LOCUS_NO_OFFSET,
				       S_ISDIR(info.st_mode) ? "a directory, not a file" : "not a regular file");
	if (status != LOCUS_OK) {
		close(fd);
		return status;
	}
	*source = (struct locus_source){.fd = fd, .size = (uint64_t)info.st_size};
	return LOCUS_OK;
}

void locus_source_done(struct locus_source *source)
{
	if (source->fd >= 0)
		close(source->fd);
	source->fd = -1;
}

enum locus_status locus_source_read(const struct locus_source *source, uint64_t offset, void *ret, size_t size,
				    struct locus_error *error)
{
	char *at = ret;
	if (source->fd < 0) {
		memcpy(ret, source->memory + source->base + offset, size);
		return LOCUS_OK;
	}

	while (size) {
		ssize_t count =
			pread(source->fd, at, size < READ_MAX ? size : READ_MAX, (off_t)(source->base + offset));
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return locus_fail_system(error, LOCUS_ERR_IO, "read");
		if (count == 0)
			return locus_fail_at(error, LOCUS_ERR_TRUNCATED, offset, "the file was cut short while open");
		at += count;
		offset += (uint64_t)count;
		size -= (size_t)count;
	}
	return LOCUS_OK;
}
