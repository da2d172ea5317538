/* Reading a file in pieces, as the kernel may give it: this program's own pread decides how much that is. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader/handle/source.h"

enum { FILE_SIZE = 1000, INTERRUPTED_EVERY = 3 };

static char path[] = "/tmp/locus-source-test-XXXXXX";
static uint8_t bytes[FILE_SIZE];

static struct {
	ssize_t most;  /* bytes of one call; below 0: the call fails */
	int interrupt; /* every third call is */
	int calls;
} kernel;

ssize_t pread(int fd, void *ret, size_t size, off_t offset)
{
	(void)fd;
	kernel.calls++;
	if (kernel.interrupt && kernel.calls % INTERRUPTED_EVERY == 0) {
		errno = EINTR;
		return -1;
	}
	if (kernel.most < 0) {
		errno = EIO;
		return -1;
	}
	size_t left = offset < FILE_SIZE ? (size_t)(FILE_SIZE - offset) : 0;
	size = size < (size_t)kernel.most ? size : (size_t)kernel.most;
	size = size < left ? size : left;
	memcpy(ret, bytes + (offset < FILE_SIZE ? offset : 0), size);
	return (ssize_t)size;
}

/* What source.c calls, as it asks for 64 bits. Where all of the tree is built so, the function above is this one. */
#ifndef _FILE_OFFSET_BITS
ssize_t pread64(int fd, void *ret, size_t size, off_t offset)
{
	return pread(fd, ret, size, offset);
}
#endif

static int make_file(void **state)
{
	int fd = mkstemp(path);
	(void)state;
	for (size_t i = 0; i < FILE_SIZE; i++)
		bytes[i] = (uint8_t)(i * 7 + i / 256);
	int failed = write(fd, bytes, FILE_SIZE) != FILE_SIZE;
	close(fd);
	return failed;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void in_pieces(void **state)
{
	static const struct {
		uint64_t base, offset;
		size_t size;
	} ranges[] = {{0, 0, FILE_SIZE}, {0, 1, 998}, {0, 999, 1}, {0, 500, 0}, {100, 0, 900}, {100, 17, 300}};
	static const ssize_t pieces[] = {1, 7, 999, FILE_SIZE};
	struct locus_source source;
	(void)state;
	assert_int_equal(locus_source_open(&source, path, NULL), LOCUS_OK);
	assert_int_equal(source.size, FILE_SIZE);
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		for (size_t k = 0; k < 2 * sizeof(pieces) / sizeof(pieces[0]); k++) {
			uint8_t ret[FILE_SIZE + 1];
			memset(ret, 0xee, sizeof(ret));
			kernel.most = pieces[k / 2];
			kernel.interrupt = k % 2;
			source.base = ranges[i].base;
			assert_int_equal(locus_source_read(&source, ranges[i].offset, ret, ranges[i].size, NULL),
					 LOCUS_OK);
			assert_memory_equal(ret, bytes + ranges[i].base + ranges[i].offset, ranges[i].size);
			assert_int_equal(ret[ranges[i].size], 0xee);
		}
	locus_source_done(&source);
	assert_int_equal(source.fd, -1);
}

/* What does not come is an error that says where, never bytes of something else. */
static void that_cannot_be_read(void **state)
{
	struct locus_source source;
	struct locus_error error = {0};
	uint8_t ret[100];
	(void)state;
	kernel.interrupt = 0;
	assert_int_equal(locus_source_open(&source, path, &error), LOCUS_OK);
	kernel.most = -1;
	assert_int_equal(locus_source_read(&source, 10, ret, sizeof(ret), &error), LOCUS_ERR_IO);
	assert_non_null(strstr(error.text, "cannot read: Input/output error"));
	kernel.most = 30;
	assert_int_equal(locus_source_read(&source, FILE_SIZE - 50, ret, sizeof(ret), &error), LOCUS_ERR_TRUNCATED);
	assert_int_equal(error.offset, FILE_SIZE);
	errno = EINTR; /* of an earlier call: the end of the file is no interruption */
	assert_int_equal(locus_source_read(&source, FILE_SIZE, ret, 1, &error), LOCUS_ERR_TRUNCATED);
	locus_source_done(&source);
}

/* A program without standard input gets its first file as descriptor 0. */
static void as_descriptor_0(void **state)
{
	struct locus_source source;
	uint8_t ret[10];
	(void)state;
	int input = dup(0);
	kernel.most = FILE_SIZE;
	kernel.interrupt = 0;
	close(0);
	assert_int_equal(locus_source_open(&source, path, NULL), LOCUS_OK);
	assert_int_equal(source.fd, 0);
	assert_int_equal(locus_source_read(&source, 20, ret, sizeof(ret), NULL), LOCUS_OK);
	assert_memory_equal(ret, bytes + 20, sizeof(ret));
	locus_source_done(&source);
	assert_int_equal(fcntl(0, F_GETFD), -1); /* it is closed */
	if (input >= 0) {
		dup2(input, 0);
		close(input);
	}
}

static void that_cannot_be_opened(void **state)
{
	char pipe_path[sizeof(path) + 5];
	struct locus_source source;
	struct locus_error error = {0};
	(void)state;
	assert_int_equal(locus_source_open(&source, "/tmp/no such file", &error), LOCUS_ERR_IO);
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(error.text, "No such file"));
	assert_int_equal(locus_source_open(&source, "/tmp", &error), LOCUS_ERR_NOT_LOCUS);
	snprintf(pipe_path, sizeof(pipe_path), "%s.pipe", path);
	assert_int_equal(mkfifo(pipe_path, 0600), 0);
	assert_int_equal(locus_source_open(&source, pipe_path, &error), LOCUS_ERR_NOT_LOCUS); /* at once */
	unlink(pipe_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_pieces),
		cmocka_unit_test(that_cannot_be_read),
		cmocka_unit_test(that_cannot_be_opened),
		cmocka_unit_test(as_descriptor_0),
	};
	return cmocka_run_group_tests(tests, make_file, remove_file);
}
