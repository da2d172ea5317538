/*
 * What a conversion may cost: work and memory, held against the size of its input, so that a small file that is made to
 * cost much is refused and none that is honest is.
 *
 * A thread works for at most one budget at a time. It need not be passed on: array.h, arena.h and intern.h count what
 * they take, parallel.h hands it to its threads, and whoever repeats work that the input's size does not bound says so
 * with budget_spend. Where a budget is exceeded they fail as if memory were out, and budget_fail then says why.
 */
#ifndef LOCUS_BUDGET_H
#define LOCUS_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "spec/status.h"

enum {
	BUDGET_BYTES_PER_STEP = 8, /* of names, where they are compared, hashed or copied */
	BUDGET_TOLD_AT_ONCE = 1 << 16,
};

struct budget {
	_Atomic int64_t work_left; /* steps: each costs about as much as to read one attribute */
	_Atomic int64_t bytes_left;
	uint64_t bytes_given;        /* by the user; 0: as the input's size has it */
	_Atomic uint64_t input_size; /* of all files admitted */
	atomic_flag excess_lock;     /* set by the first to exceed it */
	_Atomic bool exceeded;       /* `excess` can be read */
	struct locus_error excess;
};

/* `bytes`: the memory that may be taken, whatever the input's size; 0: what honest input of its size can need. */
void budget_init(struct budget *budget, uint64_t bytes);

/* One file more is read, of `size` bytes: the budget grows by what these can need. Safe from many threads. */
void budget_admit(uint64_t size);

/* From now on the thread works for `budget`; NULL: for none, and nothing is counted. */
void budget_use(struct budget *budget);
struct budget *budget_used(void);

/*
 * What the thread is at, for the message: a literal that names it in the plural ("rows"), and where it is read from.
 * `file` (NULL: the input itself) and `section` are borrowed until the next call.
 */
void budget_at(const char *what, const char *file, const char *section, uint64_t offset);

/* Counts steps of work. False: that is more than the input can need. */
bool budget_spend(uint64_t steps);

/*
 * The same for steps that come a few at a time: *untold is the caller's, 0 at first, and the budget is told of many at
 * once.
 */
static inline bool budget_count(uint64_t *untold, uint64_t steps)
{
	*untold += steps;
	if (*untold < BUDGET_TOLD_AT_ONCE)
		return true;
	steps = *untold;
	*untold = 0;
	return budget_spend(steps);
}

/* Counts bytes that are taken and mostly kept; what is given back counts on. False: more than the input can need. */
bool budget_take(uint64_t bytes);

/*
 * Where the budget was exceeded, LOCUS_ERR_BAD_DWARF and what exceeded it first, also where that had no consequence;
 * else `status` and `error` as they are.
 */
enum locus_status budget_fail(struct budget *budget, enum locus_status status, struct locus_error *error);

#endif
