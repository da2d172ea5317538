/* Compressed bytes are inflated up to the size that a real profile could have. */
#include "cmd/pprof/profile_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
	PIECE_SIZE = 1 << 18,

	/* Profiles compress to a third, at most to a tenth. */
	UNPACKED_PER_BYTE = 24,
	UNPACKED_SPARE = 16 << 20,
};

/* Gives the system's reason for a failure, if it has one, or zlib's. */
static bool fail_as(char error[PROFILE_ERROR_SIZE], gzFile file)
{
	int code;
	const char *text = gzerror(file, &code);

	return profile_fail(error, "%s", code == Z_ERRNO ? strerror(errno) : text);
}

/* zlib closes the descriptor that it gets, so it gets a copy. */
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

/* A growing run of bytes. */
struct growing {
	uint8_t *bytes;
	size_t size, capacity;
};

/* Makes room for another piece. */
static bool grow(struct growing *growing, char error[PROFILE_ERROR_SIZE])
{
	if (growing->capacity - growing->size >= PIECE_SIZE)
		return true;
	size_t capacity = growing->capacity ? 2 * growing->capacity : 2 * PIECE_SIZE;
	uint8_t *grown = realloc(growing->bytes, capacity);

	if (!grown)
		return profile_fail(error, "out of memory");
	growing->bytes = grown;
	growing->capacity = capacity;
	return true;
}

static bool read_all(int fd, struct growing *read_bytes, char error[PROFILE_ERROR_SIZE])
{
	while (grow(read_bytes, error)) {
		ssize_t got = read(fd, read_bytes->bytes + read_bytes->size, PIECE_SIZE);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return profile_fail(error, "%s", strerror(errno));
		if (got == 0)
			return true;
		read_bytes->size += (size_t)got;
		if (read_bytes->size > PROFILE_SIZE_MAX)
			return profile_fail(error, "it is larger than 256 MiB, which no real profile is");
	}
	return false;
}

static bool is_packed(const uint8_t *bytes, size_t size)
{
	return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

/* A file may consist of several gzip streams, one after the other. */
static bool inflate_all(z_stream *stream, struct growing *inflated, size_t size_max, char error[PROFILE_ERROR_SIZE])
{
	while (grow(inflated, error)) {
		stream->next_out = inflated->bytes + inflated->size;
		stream->avail_out = PIECE_SIZE;
		int code = inflate(stream, Z_NO_FLUSH);
		inflated->size += PIECE_SIZE - stream->avail_out;
		if (inflated->size > size_max)
			return profile_fail(
				error, "it inflates to more than %zu bytes, which no real profile of its size does",
				size_max);

		/* Behind the end of a stream another one may begin; what is no stream is left alone. */
		if (code == Z_STREAM_END && !is_packed(stream->next_in, stream->avail_in))
			return true;
		if (code == Z_STREAM_END)
			code = inflateReset(stream);
		if (code == Z_BUF_ERROR)
			return profile_fail(error, "it is cut off");
		if (code != Z_OK)
			return profile_fail(error, "%s", stream->msg ? stream->msg : zError(code));
	}
	return false;
}

/* Replaces the bytes by the compressed ones. */
static bool unpack(struct growing *file, char error[PROFILE_ERROR_SIZE])
{
	size_t bound = UNPACKED_SPARE + UNPACKED_PER_BYTE * file->size;
	struct growing inflated = {0};
	z_stream stream = {.next_in = file->bytes, .avail_in = (unsigned)file->size};

	/* zlib.h: 16 added to the bits of the window asks for gzip's format. */
	if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK)
		return profile_fail(error, "out of memory");
	bool is_whole = inflate_all(&stream, &inflated, bound < PROFILE_SIZE_MAX ? bound : PROFILE_SIZE_MAX, error);
	inflateEnd(&stream);
	free(file->bytes);
	*file = inflated;
	return is_whole;
}

bool profile_bytes_read(int fd, struct profile_bytes *ret, char error[PROFILE_ERROR_SIZE])
{
	struct growing file = {0};
	bool is_read = read_all(fd, &file, error);
	size_t stored_size = file.size;

	if (is_read && is_packed(file.bytes, file.size))
		is_read = unpack(&file, error);
	if (!is_read) {
		free(file.bytes);
		return false;
	}
	*ret = (struct profile_bytes){file.bytes, file.size, stored_size};
	return true;
}

bool profile_bytes_write(int fd, const uint8_t *bytes, size_t size, char error[PROFILE_ERROR_SIZE])
{
	gzFile file = open_copy(fd, "wb", error);

	if (!file)
		return false;
	if (gzfwrite(bytes, 1, size, file) != size) {
		fail_as(error, file);
		gzclose_w(file);
		return false;
	}
	return gzclose_w(file) == Z_OK ? true : profile_fail(error, "%s", strerror(errno));
}
