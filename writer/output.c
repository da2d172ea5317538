/* The file is written beside its target under another name, then renamed onto it. */
#include "writer/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

enum { NAME_TRIES = 1000 };

static enum locus_status fail_system(struct locus_error *error, const char *what)
{
	return locus_fail_system(error, LOCUS_ERR_OUTPUT, what);
}

/* The size of the directory part of a path, its last slash included; 0: the current directory. */
static size_t directory_size(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (size_t)(slash - path) + 1 : 0;
}

static enum locus_status check_directory(const char *path, struct locus_error *error)
{
	size_t size = directory_size(path);
	char *directory = size ? strndup(path, size) : strdup("./");
	if (!directory)
		return locus_fail_memory(error);
	int failed = access(directory, W_OK | X_OK);
	free(directory);
	return failed ? fail_system(error, "write to the output's directory") : LOCUS_OK;
}

enum locus_status locus_output_init(struct locus_output *output, const char *path, struct locus_error *error)
{
	struct stat info;
	*output = (struct locus_output){.fd = -1};
	if (!path)
		return LOCUS_OK;
	bool exists = !stat(path, &info);
	if (exists && !S_ISREG(info.st_mode))
		return locus_fail(error, LOCUS_ERR_OUTPUT, "cannot write: the output is not a regular file");
	if (!exists && errno != ENOENT)
		return fail_system(error, "write");
	output->path = exists ? realpath(path, NULL) : strdup(path);
	if (!output->path)
		return fail_system(error, "write");
	return check_directory(output->path, error);
}

void locus_output_done(struct locus_output *output)
{
	if (output->fd >= 0)
		close(output->fd);
	if (output->temporary)
		unlink(output->temporary);
	free(output->temporary);
	free(output->path);
	locus_buffer_done(&output->memory);
	*output = (struct locus_output){.fd = -1};
}

enum locus_status locus_output_create(struct locus_output *output, struct locus_error *error)
{
	static atomic_uint counter;
	if (!output->path)
		return LOCUS_OK;
	size_t size = directory_size(output->path);
	char *name = malloc(size + 64);
	if (!name)
		return locus_fail_memory(error);

	memcpy(name, output->path, size);
	for (unsigned i = 0; i < NAME_TRIES && output->fd < 0; i++) {
		snprintf(name + size, 64, ".locus-%ld-%u.tmp", (long)getpid(), atomic_fetch_add(&counter, 1));
		output->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (output->fd < 0 && errno != EEXIST)
			break;
	}

	if (output->fd < 0) {
		free(name);
		return fail_system(error, "create the temporary file");
	}
	output->temporary = name;
	return LOCUS_OK;
}

static enum locus_status keep_parts(struct locus_output *output, const struct iovec *parts, unsigned count,
				    struct locus_error *error)
{
	for (unsigned i = 0; i < count; i++)
		locus_buffer_put(&output->memory, parts[i].iov_base, parts[i].iov_len);
	return output->memory.failed ? locus_fail_memory(error) : LOCUS_OK;
}

enum locus_status locus_output_write_parts(struct locus_output *output, struct iovec *parts, unsigned count,
					   struct locus_error *error)
{
	if (!output->path)
		return keep_parts(output, parts, count, error);
	while (count) {
		ssize_t written = writev(output->fd, parts, (int)count);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return fail_system(error, "write");

		/* Go on behind what is written. */
		size_t size = (size_t)written;
		for (; count && size >= parts->iov_len; parts++, count--)
			size -= parts->iov_len;
		if (count) {
			parts->iov_base = (char *)parts->iov_base + size;
			parts->iov_len -= size;
		}
	}
	return LOCUS_OK;
}

enum locus_status locus_output_write(struct locus_output *output, const void *data, size_t size,
				     struct locus_error *error)
{
	struct iovec part = {(void *)(uintptr_t)data, size};
	return size ? locus_output_write_parts(output, &part, 1, error) : LOCUS_OK;
}

enum locus_status locus_output_commit(struct locus_output *output, bool sync, struct locus_error *error)
{
	if (!output->path)
		return LOCUS_OK;
	if (sync && fsync(output->fd) && errno != EINVAL && errno != EROFS)
		return fail_system(error, "write");
	int fd = output->fd;
	output->fd = -1;
	if (close(fd))
		return fail_system(error, "write");
	if (rename(output->temporary, output->path))
		return fail_system(error, "rename the temporary file");
	free(output->temporary);
	output->temporary = NULL;
	return LOCUS_OK;
}
