/* zlib's files read what gzip has compressed and what it has not alike. */
#include "cmd/pprof/profile_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { PIECE_SIZE = 1 << 18, WRITE_MAX = 1 << 30 /* bytes of one call, which takes an unsigned int */ };

/* What went wrong with the file: the system's reason where it has one, or zlib's. */
static bool fail_as(char error[PROFILE_ERROR_SIZE], gzFile file)
{
	int code;
	const char *text = gzerror(file, &code);

	return profile_fail(error, "%s", code == Z_ERRNO ? strerror(errno) : text);
}

/* zlib closes what it was given; the caller's file stays open. */
static gzFile open_copy(int fd, const char *mode, char error[PROFILE_ERROR_SIZE])
{
	int copy = dup(fd);
	gzFile file = copy < 0 ? NULL : gzdopen(copy, mode);

	if (!file) {
		profile_fail(error, "%s", strerror(copy < 0 ? errno : ENOMEM));
		if (copy >= 0)
			close(copy);
	}
	return file;
}

static bool read_all(gzFile file, uint8_t **bytes, size_t *size, char error[PROFILE_ERROR_SIZE])
{
	size_t capacity = 0;

	for (;;) {
		if (capacity - *size < PIECE_SIZE) {
			capacity = capacity ? 2 * capacity : 2 * PIECE_SIZE;
			uint8_t *grown = realloc(*bytes, capacity);
			if (!grown)
				return profile_fail(error, "out of memory");
			*bytes = grown;
		}
		int got = gzread(file, *bytes + *size, PIECE_SIZE);
		if (got < 0)
			return fail_as(error, file);
		if (got == 0)
			break;
		*size += (size_t)got;
		if (*size > PROFILE_SIZE_MAX)
			return profile_fail(error, "it inflates to more than 256 MiB, which no real profile does");
	}
	/* A file that ends within its compressed data tells so only when it is asked. */
	int code;
	gzerror(file, &code);
	return code == Z_BUF_ERROR ? profile_fail(error, "it is cut off") : true;
}

bool profile_bytes_read(int fd, uint8_t **ret, size_t *ret_size, char error[PROFILE_ERROR_SIZE])
{
	gzFile file = open_copy(fd, "rb", error);
	uint8_t *bytes = NULL;
	size_t size = 0;

	if (!file)
		return false;
	bool is_read = read_all(file, &bytes, &size, error);
	gzclose_r(file);
	if (!is_read) {
		free(bytes);
		return false;
	}
	*ret = bytes;
	*ret_size = size;
	return true;
}

bool profile_bytes_write(int fd, const uint8_t *bytes, size_t size, char error[PROFILE_ERROR_SIZE])
{
	gzFile file = open_copy(fd, "wb", error);

	if (!file)
		return false;
	for (size_t at = 0, piece; at < size; at += piece) {
		piece = size - at < WRITE_MAX ? size - at : WRITE_MAX;
		if (gzwrite(file, bytes + at, (unsigned)piece) <= 0) {
			fail_as(error, file);
			gzclose_w(file);
			return false;
		}
	}
	return gzclose_w(file) == Z_OK ? true : profile_fail(error, "%s", strerror(errno));
}
