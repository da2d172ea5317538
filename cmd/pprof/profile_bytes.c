/* Compressed bytes are inflated up to the size that a real profile could have. */
#include "cmd/pprof/profile_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* next_in then leads to bytes that stay as they are */
#include <zlib.h>

#include "cmd/common/patient_io.h"

enum {
	PIECE_SIZE = 1 << 18,
	GZIP_FORMAT = 16, /* zlib.h: what is added to the bits of the window to ask for gzip's format */
	MEMORY_LEVEL = 8, /* zlib.h: the default */

	/* Profiles compress to a third, at most to a tenth. */
	UNPACKED_PER_BYTE = 24,
	UNPACKED_SPARE = 16 << 20,
};

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
		ssize_t got = patient_read(fd, read_bytes->bytes + read_bytes->size, PIECE_SIZE);
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

	if (inflateInit2(&stream, MAX_WBITS + GZIP_FORMAT) != Z_OK)
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

static bool write_all(int fd, const uint8_t *bytes, size_t size, char error[PROFILE_ERROR_SIZE])
{
	return patient_write(fd, bytes, size) || profile_fail(error, "%s", strerror(errno));
}

bool profile_bytes_write(int fd, const uint8_t *bytes, size_t size, char error[PROFILE_ERROR_SIZE])
{
	static uint8_t packed[PIECE_SIZE];
	const uint8_t *end = bytes + size;
	z_stream stream = {.next_in = bytes};
	int code = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_FORMAT, MEMORY_LEVEL,
				Z_DEFAULT_STRATEGY);
	bool is_written = code == Z_OK || profile_fail(error, "out of memory");

	while (is_written && code != Z_STREAM_END) {
		size_t left = (size_t)(end - stream.next_in);
		stream.avail_in = left < PIECE_SIZE ? (unsigned)left : PIECE_SIZE;
		stream.next_out = packed;
		stream.avail_out = PIECE_SIZE;
		code = deflate(&stream, stream.avail_in == left ? Z_FINISH : Z_NO_FLUSH);
		is_written = write_all(fd, packed, PIECE_SIZE - stream.avail_out, error);
	}
	deflateEnd(&stream);
	return is_written;
}
