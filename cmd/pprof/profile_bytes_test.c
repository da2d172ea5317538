/* What a profile's file has comes back whole, whatever its size; what is damaged or inflates without end is refused. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "cmd/pprof/profile_bytes.h"

enum { PIECE = 1 << 18 /* bytes read, or inflated, at a time */ };

struct data {
	uint8_t *bytes;
	size_t size;
};

/* Bytes that do not compress, and do not begin as gzip's do. */
static struct data noise(size_t size)
{
	struct data data = {malloc(size + 1), size};
	uint32_t state = 1;

	for (size_t i = 0; i < size; i++) {
		state = state * 1664525 + 1013904223;
		data.bytes[i] = (uint8_t)(state >> 24);
	}
	data.bytes[0] = 'x';
	return data;
}

static struct data packed(struct data data)
{
	size_t bound = compressBound(data.size) + 32;
	struct data ret = {malloc(bound), 0};
	z_stream stream = {.next_in = data.bytes, .avail_in = (unsigned)data.size};

	stream.next_out = ret.bytes;
	stream.avail_out = (unsigned)bound;
	assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	ret.size = stream.total_out;
	deflateEnd(&stream);
	return ret;
}

static struct data joined(struct data left, struct data right)
{
	struct data ret = {malloc(left.size + right.size + 1), left.size + right.size};

	memcpy(ret.bytes, left.bytes, left.size);
	memcpy(ret.bytes + left.size, right.bytes, right.size);
	return ret;
}

/* Reads a file that has the data; the message of a failure is in `error`. */
static bool read_back(struct data data, struct profile_bytes *ret, char error[PROFILE_ERROR_SIZE])
{
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(fwrite(data.bytes, 1, data.size, file), data.size);
	rewind(file);
	strcpy(error, "no message");
	errno = EINTR; /* what interrupted a call before says nothing of this one */
	bool is_read = profile_bytes_read(fileno(file), ret, error);
	fclose(file);
	return is_read;
}

static void check_read(struct data file, struct data expected)
{
	struct profile_bytes got;
	char error[PROFILE_ERROR_SIZE];

	if (!read_back(file, &got, error))
		fail_msg("%zu bytes that are %zu: %s", file.size, expected.size, error);
	assert_int_equal(got.stored_size, file.size);
	assert_int_equal(got.size, expected.size);
	assert_memory_equal(got.bytes, expected.bytes, expected.size);
	free(got.bytes);
}

static void check_refused(struct data file, const char *reason)
{
	struct profile_bytes got;
	char error[PROFILE_ERROR_SIZE];

	assert_false(read_back(file, &got, error));
	assert_string_equal(error, reason);
}

static void any_size_comes_back(void **state)
{
	static const size_t sizes[] = {
		0, 1, 2, 3, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 2 * PIECE + 1, 5 * PIECE + 7};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct data whole = noise(sizes[i]), file = packed(whole);
		check_read(whole, whole);
		check_read(file, whole);
		free(whole.bytes);
		free(file.bytes);
	}
}

/* gzip's mark is two bytes; one of them alone is no mark. */
static void what_is_not_packed_is_left_as_it_is(void **state)
{
	static const struct {
		const char *text;
		size_t size;
	} plain[] = {{"\x1f", 1}, {"\x1f\x8c", 2}, {"\x1e\x8b", 2}, {"x\x1f\x8b", 3}};

	(void)state;
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		struct data data = {(uint8_t *)plain[i].text, plain[i].size};
		check_read(data, data);
	}
	check_refused((struct data){(uint8_t *)"\x1f\x8b", 2}, "it is cut off");
}

static void streams_follow_each_other_and_nothing_else_counts(void **state)
{
	struct data first = noise(1000), second = noise(PIECE), both = joined(first, second);
	struct data one = packed(first), other = packed(second), file = joined(one, other);
	const struct data junk = {(uint8_t *)"\x1f junk", 6}, half = {(uint8_t *)"\x1f\x8b", 2};

	(void)state;
	check_read(file, both);
	struct data with_junk = joined(file, junk), with_half = joined(file, half);
	check_read(with_junk, both);
	check_refused(with_half, "it is cut off");

	struct data *all[] = {&first, &second, &both, &one, &other, &file, &with_junk, &with_half};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		free(all[i]->bytes);
}

static void no_beginning_of_a_stream_is_a_whole_one(void **state)
{
	struct data whole = noise(300), file = packed(whole);

	(void)state;
	for (size_t size = 2; size < file.size; size++)
		check_refused((struct data){file.bytes, size}, "it is cut off");
	file.bytes[file.size - 8] ^= 1;
	check_refused(file, "incorrect data check");
	file.bytes[file.size - 8] ^= 1;
	file.bytes[2] ^= 1;
	check_refused(file, "unknown compression method");
	free(whole.bytes);
	free(file.bytes);
}

/* A file inflates to 16 MiB and 24 bytes for each of its own, and no further. */
static void what_a_file_may_inflate_to_grows_with_it(void **state)
{
	enum { SPARE = 16 << 20, PER_BYTE = 24, MORE = 1 << 20 };
	const size_t size = SPARE + PER_BYTE * (size_t)(MORE / PER_BYTE);
	struct data zeros = {calloc(1, size + 1), size}, exact = packed(zeros);
	char reason[PROFILE_ERROR_SIZE];

	(void)state;
	/* What is behind the stream belongs to the file, so that there are as many bytes as there must be. */
	struct data file = {calloc(1, MORE), (size - SPARE) / PER_BYTE};
	assert_in_range(exact.size, 1, file.size);
	memcpy(file.bytes, exact.bytes, exact.size);
	check_read(file, zeros);
	file.size--;
	snprintf(reason, sizeof(reason), "it inflates to more than %zu bytes, which no real profile of its size does",
		 size - PER_BYTE);
	check_refused(file, reason);
	free(zeros.bytes);
	free(exact.bytes);
	free(file.bytes);
}

static void what_cannot_be_read_is_said(void **state)
{
	struct profile_bytes got;
	char error[PROFILE_ERROR_SIZE];
	int folder = open("/", O_RDONLY);

	(void)state;
	assert_false(profile_bytes_read(folder, &got, error));
	assert_string_equal(error, strerror(EISDIR));
	close(folder);
	assert_false(profile_bytes_read(-1, &got, error));
	assert_string_equal(error, strerror(EBADF));
}

static void what_is_written_is_packed_and_the_file_stays_open(void **state)
{
	struct data whole = noise(3 * PIECE);
	FILE *file = tmpfile();
	char error[PROFILE_ERROR_SIZE];
	struct profile_bytes got;

	(void)state;
	assert_true(profile_bytes_write(fileno(file), whole.bytes, whole.size, error));
	assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
	assert_true(profile_bytes_read(fileno(file), &got, error));
	assert_int_equal(got.size, whole.size);
	assert_memory_equal(got.bytes, whole.bytes, whole.size);
	assert_int_not_equal(got.stored_size, whole.size);
	free(got.bytes);

	/* Nothing is a stream of nothing. */
	assert_int_equal(ftruncate(fileno(file), 0), 0);
	assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
	assert_true(profile_bytes_write(fileno(file), whole.bytes, 0, error));
	assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
	assert_true(profile_bytes_read(fileno(file), &got, error));
	assert_int_equal(got.size, 0);
	assert_true(got.stored_size > 0);
	free(got.bytes);
	fclose(file);
	free(whole.bytes);
}

static void what_cannot_be_written_is_said(void **state)
{
	struct data whole = noise(3 * PIECE);
	char error[PROFILE_ERROR_SIZE];
	int full = open("/dev/full", O_WRONLY);

	(void)state;
	assert_false(profile_bytes_write(-1, whole.bytes, whole.size, error));
	assert_string_equal(error, strerror(EBADF));
	assert_false(profile_bytes_write(full, whole.bytes, whole.size, error));
	assert_string_equal(error, strerror(ENOSPC));
	/* So few bytes are written only at the end. */
	assert_false(profile_bytes_write(full, whole.bytes, 10, error));
	assert_string_equal(error, strerror(ENOSPC));
	close(full);
	free(whole.bytes);
}

/* Both ends of a pipe are made so by whoever waits for many things at once. */
static void streams_that_do_not_wait_are_waited_for(void **state)
{
	struct data whole = noise(3 * PIECE);
	char error[PROFILE_ERROR_SIZE];
	struct profile_bytes got;
	int ends[2], status;

	(void)state;
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	pid_t writer = fork();
	if (writer == 0) {
		close(ends[0]);
		usleep(50000); /* there is nothing to read yet, and then, for a pipe, too much to write */
		_exit(profile_bytes_write(ends[1], whole.bytes, whole.size, error) ? 0 : 1);
	}
	close(ends[1]);
	bool is_read = profile_bytes_read(ends[0], &got, error);
	close(ends[0]);
	assert_int_equal(waitpid(writer, &status, 0), writer);
	assert_true(is_read);
	assert_int_equal(status, 0);
	assert_int_equal(got.size, whole.size);
	assert_memory_equal(got.bytes, whole.bytes, whole.size);
	free(got.bytes);
	free(whole.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_size_comes_back),
		cmocka_unit_test(what_is_not_packed_is_left_as_it_is),
		cmocka_unit_test(streams_follow_each_other_and_nothing_else_counts),
		cmocka_unit_test(no_beginning_of_a_stream_is_a_whole_one),
		cmocka_unit_test(what_a_file_may_inflate_to_grows_with_it),
		cmocka_unit_test(what_cannot_be_read_is_said),
		cmocka_unit_test(what_is_written_is_packed_and_the_file_stays_open),
		cmocka_unit_test(what_cannot_be_written_is_said),
		cmocka_unit_test(streams_that_do_not_wait_are_waited_for),
	};

	return cmocka_run_group_tests_name("bytes of profiles", tests, NULL, NULL);
}
