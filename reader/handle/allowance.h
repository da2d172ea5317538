/* Limits the memory that a handle and its scratches hold together: every allocation of the reader is counted. */
#ifndef LOCUS_ALLOWANCE_H
#define LOCUS_ALLOWANCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "spec/status.h"

/* Shared by the threads that use a handle. */
struct locus_allowance {
	size_t max; /* bytes */
	atomic_size_t used;
};

/*
 * Allocates `size` bytes at the start of a cache line. `ret` is the address of a pointer of any type. LOCUS_ERR_LIMIT:
 * more than is allowed; LOCUS_ERR_MEMORY: more than there is. Freed by locus_allowance_free with the same allowance.
 */
enum locus_status locus_allowance_allocate(struct locus_allowance *allowance, size_t size, void *ret,
					   struct locus_error *error);

/*
 * Makes room in a list for one element behind `count`, of `element_size` bytes each: twice as much as before, where
 * there is none. `list` is the address of a pointer of any type, which is NULL at first, as *capacity is 0. A failure
 * leaves the list as it is.
 */
enum locus_status locus_allowance_grow(struct locus_allowance *allowance, void *list, size_t count, size_t *capacity,
				       size_t element_size, struct locus_error *error);

/* The size of an array; SIZE_MAX, which is always refused, where a machine of 32 bits has no such size. */
static inline size_t locus_array_size(uint64_t count, size_t element_size)
{
	return count > SIZE_MAX / element_size ? SIZE_MAX : (size_t)count * element_size;
}

/* What stands before each allocation, bytes. */
enum { LOCUS_ALLOWANCE_HEAD = 64 };

/*
 * Makes memory of a pool (pool.h) one that locus_allowance_free leaves alone. Returns where it begins behind its head;
 * locus_allowance_is_pooled is to be asked with that, or with what locus_allowance_allocate gave.
 */
void *locus_allowance_mark_pooled(void *memory);
bool locus_allowance_is_pooled(const void *memory);

/* NULL is fine. */
void locus_allowance_free(struct locus_allowance *allowance, void *memory);

/* Count memory that is allocated or freed by other means. LOCUS_ERR_LIMIT: it is above the limit, and not counted. */
enum locus_status locus_allowance_take(struct locus_allowance *allowance, size_t size, struct locus_error *error);
void locus_allowance_give(struct locus_allowance *allowance, size_t size);

#endif
