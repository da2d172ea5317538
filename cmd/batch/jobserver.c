/* Tokens are read without waiting, and written back as they were. */
#include "cmd/batch/jobserver.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The text behind the last `name` in MAKEFLAGS; NULL: it is not there. GNU make documents that the last one counts. */
static const char *last_value(const char *flags, const char *name)
{
	const char *found = NULL;

	for (const char *at = strstr(flags, name); at; at = strstr(at + 1, name))
		found = at + strlen(name);
	return found;
}

/* What is no pipe is another file that has the number or the path by now: nothing must be written to it. */
static bool is_pipe(int fd)
{
	struct stat found;

	return fstat(fd, &found) == 0 && S_ISFIFO(found.st_mode);
}

/*
 * Opens a pipe again through /proc. So it can be read without waiting, while others that use it still wait: waiting is
 * a property of the open file and not of the descriptor.
 */
static int open_again(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

static void open_fifo(struct jobserver *jobserver, const char *value)
{
	char path[PATH_MAX];
	size_t size = strcspn(value, " ");

	if (size >= sizeof(path))
		return;
	memcpy(path, value, size);
	path[size] = '\0';
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && !is_pipe(fd)) {
		close(fd);
		return;
	}
	jobserver->read_fd = jobserver->write_fd = fd;
}

static void open_pipe(struct jobserver *jobserver, const char *value)
{
	int read_fd, write_fd;

	/* make gives negative descriptors to commands that it does not let take part. */
	if (sscanf(value, "%d,%d", &read_fd, &write_fd) != 2 || !is_pipe(read_fd) || !is_pipe(write_fd))
		return;
	jobserver->read_fd = open_again(read_fd);
	jobserver->write_fd = write_fd;
}

void jobserver_init(struct jobserver *jobserver)
{
	const char *flags = getenv("MAKEFLAGS");
	const char *value = flags ? last_value(flags, "--jobserver-auth=") : NULL;

	*jobserver = (struct jobserver){.read_fd = -1, .write_fd = -1};
	if (flags && !value)
		value = last_value(flags, "--jobserver-fds="); /* before make 4.2 */
	if (!value)
		return;
	if (strncmp(value, "fifo:", 5) == 0)
		open_fifo(jobserver, value + 5);
	else
		open_pipe(jobserver, value);
}

bool jobserver_is_offered(const struct jobserver *jobserver)
{
	return jobserver->read_fd >= 0;
}

bool jobserver_take(struct jobserver *jobserver)
{
	char token;
	ssize_t size;

	if (!jobserver_is_offered(jobserver))
		return true;
	if (jobserver->token_count == sizeof(jobserver->tokens))
		return false;
	do
		size = read(jobserver->read_fd, &token, 1);
	while (size < 0 && errno == EINTR);
	if (size != 1)
		return false;
	jobserver->tokens[jobserver->token_count++] = token;
	return true;
}

void jobserver_give(struct jobserver *jobserver)
{
	ssize_t size;

	if (!jobserver_is_offered(jobserver) || jobserver->token_count == 0)
		return;
	jobserver->token_count--;
	do
		size = write(jobserver->write_fd, &jobserver->tokens[jobserver->token_count], 1);
	while (size < 0 && errno == EINTR);
}

void jobserver_done(struct jobserver *jobserver)
{
	while (jobserver->token_count)
		jobserver_give(jobserver);
	if (jobserver->read_fd >= 0)
		close(jobserver->read_fd);
	jobserver->read_fd = -1;
}
