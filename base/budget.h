/*
 * Limits what a conversion may cost: its work and memory are bounded by the size of its input. So a small file that was
 * made to cost much is refused, and honest files are not.
 *
 * A thread works for at most one budget at a time, which functions need not pass on: array.h, arena.h and intern.h
 * count the memory they take, and parallel.h hands the budget to its threads. Code whose work the input's size does not
 * bound counts its steps with budget_spend. When the budget is exceeded, these functions fail as if memory were out,
 * and budget_fail then says why.
 */
#ifndef LOCUS_BUDGET_H
#define LOCUS_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "spec/status.h"

enum {
	BUDGET_BYTES_PER_STEP = 8,        /* where names are compared, hashed or copied */
	BUDGET_COUNTED_AT_ONCE = 1 << 16, /* steps; see budget_count */
};

struct budget {
	_Atomic int64_t work_left; /* steps: each costs about as much as to read one attribute */
	_Atomic int64_t bytes_left;
	uint64_t bytes_given;        /* by the user; 0: the input's size decides */
	_Atomic uint64_t input_size; /* of all files admitted */
	atomic_flag excess_lock;     /* set by the first thread that exceeds it */
	_Atomic bool exceeded;       /* these two can be read */
	enum locus_status excess_status;
	struct locus_error excess;
	_Atomic bool memory_out; /* see budget_memory_out */
};

/* `bytes`: the memory that may be taken, whatever the input's size; 0: as much as honest input of its size needs. */
void budget_init(struct budget *budget, uint64_t bytes);

/* Grows the budget for another file of `size` bytes that is read. Safe from many threads. */
void budget_admit(uint64_t size);

/* Makes `budget` the one that this thread works for; NULL: none, and nothing is counted. */
void budget_use(struct budget *budget);
struct budget *budget_used(void);

/*
 * Says, for the message, what the thread is reading: a literal in the plural ("rows"), and where that is.
 * `file` (NULL: the input itself) and `section` are borrowed until the next call.
 */
void budget_at(const char *what, const char *file, const char *section, uint64_t offset);

/* Counts steps of work. False: the budget is exceeded. */
bool budget_spend(uint64_t steps);

/* Whether there is work left. To be asked behind functions that count steps and cannot say that these were too many. */
static inline bool budget_is_left(void)
{
	return budget_spend(0);
}

/*
 * The same for steps that come a few at a time: they are collected in *uncounted, the caller's, which is 0 at first,
 * and counted many at once.
 */
static inline bool budget_count(uint64_t *uncounted, uint64_t steps)
{
	*uncounted += steps;
	if (*uncounted < BUDGET_COUNTED_AT_ONCE)
		return true;
	steps = *uncounted;
	*uncounted = 0;
	return budget_spend(steps);
}

/* Counts bytes of memory; those that are freed still count. False: the budget is exceeded. */
bool budget_take(uint64_t bytes);

/*
 * Notes that memory is out, so that the conversion fails at its end. A function that can only say whether something is
 * there may then say that it is not. Always false. The containers of base/ call it.
 */
bool budget_memory_out(void);

/* Notes it if that is what the status says, which its caller passes on to nobody. */
void budget_note(enum locus_status status);

/*
 * If the budget was exceeded, LOCUS_ERR_LIMIT where it is the user's bound and else LOCUS_ERR_BAD_DWARF, and in `error`
 * where that happened first, even if the conversion went on; if memory was out at any time, LOCUS_ERR_MEMORY; otherwise
 * `status`, and `error` as it is.
 */
enum locus_status budget_fail(struct budget *budget, enum locus_status status, struct locus_error *error);

#endif
