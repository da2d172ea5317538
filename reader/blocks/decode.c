/* Memory for decoded blocks. */
#define _DEFAULT_SOURCE /* madvise */
#include "reader/blocks/decode.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"

/* Smaller blocks fault their pages in one by one: asking for them costs a system call. */
enum { POPULATED_MIN = 64 << 10 };

/* Has the pages of a block at once, at half the cost of a fault for each. */
static void populate(const uint8_t *memory, size_t size)
{
#ifdef MADV_POPULATE_WRITE /* Linux 5.14 */
	uintptr_t first = (uintptr_t)memory & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
	madvise((void *)first, (uintptr_t)memory + size - first, MADV_POPULATE_WRITE);
#else
	(void)memory;
	(void)size;
#endif
}

enum locus_status locus_decoded_allocate(struct locus *locus, size_t size, struct locus_want want, bool is_whole,
					 void *ret, struct locus_error *error)
{
	uint8_t *memory = NULL;
	enum locus_status status = LOCUS_OK;
	if (size > UINT32_MAX) /* what struct locus_decoded can say */
		return locus_fail(error, LOCUS_ERR_LIMIT, "a block takes more than 4 GiB of memory");
	if (want.is_kept && is_whole)
		memory = locus_pool_take(&locus->pool, &locus->allowance, size);
	if (!memory)
		status = locus_allowance_allocate(&locus->allowance, size, &memory, error);
	if (status != LOCUS_OK)
		return status;
	if (is_whole && size >= POPULATED_MIN)
		populate(memory, size);
	memcpy(ret, &memory, sizeof(memory));
	return LOCUS_OK;
}
