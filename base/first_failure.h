/*
 * Keeps the first failure of several threads, which is what their caller reports: of those at several places in an
 * input the one at the lowest, so that the same is told whatever the number of threads, and of those at one place the
 * one that came first.
 */
#ifndef LOCUS_FIRST_FAILURE_H
#define LOCUS_FIRST_FAILURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/short_lock.h"
#include "spec/status.h"

struct first_failure {
	/* SIZE_MAX: none. Set last; threads read it all the time, so it stays in the cache of each. */
	atomic_size_t place;
	struct short_lock lock; /* guards the fields below */
	enum locus_status status;
	struct locus_error error;
};

void first_failure_init(struct first_failure *failure);

/* Where a failure comes after all that have a place. */
#define FAILURE_LAST (SIZE_MAX - 1)

/* Keeps the failure if it is the first; LOCUS_OK is none. Safe from many threads, as is first_failure_is_noted. */
void first_failure_note(struct first_failure *failure, size_t place, enum locus_status status,
			const struct locus_error *error);

/* Whether one is noted at this place or before it: then what is there need not be looked at any more. */
bool first_failure_is_noted(struct first_failure *failure, size_t place);

/* Gives what was noted, once the threads are done; `failure` cannot be used any more. */
enum locus_status first_failure_done(struct first_failure *failure, struct locus_error *ret);

#endif
