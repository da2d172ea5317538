/*
 * Preloaded, makes one call of a kind fail: of the calls named FAIL_CALL the one with the number FAIL_AT, with the
 * errno FAIL_ERRNO. The calls are counted in the file FAIL_COUNT, which all processes share: a confined child can write
 * to no file, but to memory that was mapped before. A negative FAIL_AT only counts.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long *count;
static const char *kind = "";
static long fail_at = -1;
static int fail_errno = EIO;

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("FAIL_COUNT"), *at = getenv("FAIL_AT"), *number = getenv("FAIL_ERRNO");
	int fd = path ? open(path, O_RDWR) : -1;
	if (fd < 0)
		return;
	void *page = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		return;
	count = page;
	kind = getenv("FAIL_CALL");
	fail_at = at ? atol(at) : -1;
	fail_errno = number ? atoi(number) : EIO;
}

static bool fails(const char *name)
{
	if (!count || strcmp(name, kind) != 0 || atomic_fetch_add(count, 1) != fail_at)
		return false;
	errno = fail_errno;
	return true;
}

/* Defines a function that fails on demand and else does what the next library does. */
#define WRAP(type, failure, name, parameters, arguments)        \
	type name parameters                                    \
	{                                                       \
		static type(*real) parameters;                  \
		if (!real) {                                    \
			void *found = dlsym(RTLD_NEXT, #name);  \
			memcpy(&real, &found, sizeof(real));    \
		}                                               \
		return fails(#name) ? failure : real arguments; \
	}

WRAP(ssize_t, -1, read, (int fd, void *data, size_t size), (fd, data, size))
WRAP(ssize_t, -1, write, (int fd, const void *data, size_t size), (fd, data, size))
WRAP(ssize_t, -1, pread, (int fd, void *data, size_t size, off_t at), (fd, data, size, at))
WRAP(ssize_t, -1, pread64, (int fd, void *data, size_t size, off64_t at), (fd, data, size, at))
WRAP(ssize_t, -1, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
WRAP(int, -1, fsync, (int fd), (fd))
WRAP(int, -1, syncfs, (int fd), (fd))
WRAP(int, -1, rename, (const char *from, const char *to), (from, to))
WRAP(int, -1, renameat2, (int from_folder, const char *from, int to_folder, const char *to, unsigned flags),
     (from_folder, from, to_folder, to, flags))
WRAP(int, -1, chmod, (const char *path, mode_t mode), (path, mode))
WRAP(char *, NULL, mkdtemp, (char *path), (path))
WRAP(pid_t, -1, fork, (void), ())
WRAP(int, -1, pipe2, (int fds[2], int flags), (fds, flags))
WRAP(void *, MAP_FAILED, mmap, (void *at, size_t size, int access, int flags, int fd, off_t offset),
     (at, size, access, flags, fd, offset))

int open(const char *path, int flags, ...)
{
	static int (*real)(const char *, int, ...);
	va_list arguments;
	va_start(arguments, flags);
	mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	if (!real) {
		void *found = dlsym(RTLD_NEXT, "open");
		memcpy(&real, &found, sizeof(real));
	}
	return fails("open") ? -1 : real(path, flags, mode);
}

/* Only for files that are written to may this tell of something that is lost. They are closed all the same. */
int close(int fd)
{
	static int (*real)(int);
	struct stat file;
	bool is_kind = count && strcmp(kind, "close") == 0;
	bool is_written = is_kind && fstat(fd, &file) == 0 && S_ISREG(file.st_mode) &&
			  (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
	if (!real) {
		void *found = dlsym(RTLD_NEXT, "close");
		memcpy(&real, &found, sizeof(real));
	}
	int closed = real(fd);
	return is_written && fails("close") ? -1 : closed;
}
