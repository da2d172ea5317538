/*
 * read and write that wait, also where the descriptor does not: a program that waits for many things at once may have
 * made its end of a stream, and so ours, non-blocking. To make ours blocking again would change that program's, too.
 */
#ifndef LOCUS_PATIENT_IO_H
#define LOCUS_PATIENT_IO_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

/* Whether a call that failed with errno is to be made again, after a wait for `events` where it would have to wait. */
static inline bool patient_goes_on(int fd, short events)
{
	struct pollfd polled = {.fd = fd, .events = events};
	int error = errno;

	if (error == EAGAIN)
		poll(&polled, 1, -1);
	errno = error;
	return error == EAGAIN || error == EINTR;
}

static inline ssize_t patient_read(int fd, void *data, size_t size)
{
	ssize_t done;

	do
		done = read(fd, data, size);
	while (done < 0 && patient_goes_on(fd, POLLIN));
	return done;
}

/* Writes all of it. False, with errno: that failed, perhaps behind a part of it. */
static inline bool patient_write(int fd, const void *data, size_t size)
{
	const char *bytes = data;

	while (size) {
		ssize_t done = write(fd, bytes, size);
		if (done < 0 && !patient_goes_on(fd, POLLOUT))
			return false;
		if (done > 0) {
			bytes += done;
			size -= (size_t)done;
		}
	}
	return true;
}

#endif
