/*
 * Preloaded, makes allocations fail: the one with the number FAIL_AT, and with FAIL_ALL every later one too. Children
 * count on from where they were forked.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_long passed;
static long fail_at = -1;
static bool fail_all;

__attribute__((constructor)) static void read_environment(void)
{
	const char *at = getenv("FAIL_AT");
	fail_all = getenv("FAIL_ALL") != NULL;
	fail_at = at ? atol(at) : -1;
}

static bool fails(void)
{
	if (fail_at < 0)
		return false;
	long number = atomic_fetch_add(&passed, 1);
	if (fail_all ? number < fail_at : number != fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
	return fails() ? NULL : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __libc_memalign(alignment, size);
}
