/* Memory for decoded blocks. */
#define _DEFAULT_SOURCE /* madvise */
#include "reader/decode.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Smaller blocks fault their pages in one by one: asking for them costs a system call. */
enum { POPULATED_MIN = 64 << 10 };

void *locus_decoded_allocate(size_t size, bool is_whole)
{
	uint8_t *memory =
		aligned_alloc(LOCUS_CACHE_LINE, (size + LOCUS_CACHE_LINE - 1) & ~(size_t)(LOCUS_CACHE_LINE - 1));
#ifdef MADV_POPULATE_WRITE /* Linux 5.14: has pages at half the cost of a fault for each */
	uintptr_t first = (uintptr_t)memory & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
	if (memory && is_whole && size >= POPULATED_MIN)
		madvise((void *)first, (uintptr_t)memory + size - first, MADV_POPULATE_WRITE);
#else
	(void)is_whole;
#endif
	return memory;
}
