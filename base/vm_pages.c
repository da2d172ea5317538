/* Most of this is advice to the kernel: where it is not followed, only time is lost. */
#include "base/vm_pages.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Bytes. To ask the kernel costs as much as one fault, also where there is nothing to do; and a small block of malloc's
 * is mostly one that was used before.
 */
enum { POPULATED_MIN = 16 << 10 };

static uintptr_t page_mask(void)
{
	return (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
}

void pages_release(const uint8_t *data, size_t from, size_t to)
{
	uintptr_t mask = page_mask();
	uintptr_t first = ((uintptr_t)data + from + mask) & ~mask;
	uintptr_t last = ((uintptr_t)data + to) & ~mask;
	if (first < last)
		madvise((void *)first, last - first, MADV_DONTNEED);
}

void pages_populate(void *data, size_t size)
{
#ifdef MADV_POPULATE_WRITE /* Linux 5.14 */
	if (size < POPULATED_MIN)
		return;
	uintptr_t first = (uintptr_t)data & ~page_mask();
	madvise((void *)first, (uintptr_t)data + size - first, MADV_POPULATE_WRITE);
#else
	(void)data;
	(void)size;
#endif
}

bool pages_move(void *from, void *to, size_t size)
{
#ifdef MREMAP_DONTUNMAP /* Linux 5.7 */
	if (mremap(from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to) != MAP_FAILED)
		return true;
#endif
	/* mremap may have unmapped `to` before it failed. */
	madvise(from, size, MADV_DONTNEED);
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
	return mmap(to, size, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED;
}

/*
 * Where a byte of a file is read, the kernel maps all pages of the same 64 KiB that are in its cache. That takes three
 * fourths of the time of MADV_POPULATE_READ, which visits each page by itself.
 */
void pages_map(const uint8_t *data, size_t size)
{
	enum { MAPPED_AROUND = 64 << 10 };
	for (size_t at = 0; at < size; at += MAPPED_AROUND)
		(void)*(const volatile uint8_t *)(data + at);
}

void *pages_zeroed(size_t count, size_t size)
{
	void *zeroed = calloc(count, size);
	if (zeroed)
		pages_populate(zeroed, count * size);
	return zeroed;
}
