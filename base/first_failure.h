/* Keeps the first failure of several threads, which is what their caller reports. */
#ifndef LOCUS_FIRST_FAILURE_H
#define LOCUS_FIRST_FAILURE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/short_lock.h"
#include "spec/status.h"

struct first_failure {
	atomic_bool is_noted;   /* set last; threads read it all the time, so it stays in the cache of each */
	struct short_lock lock; /* guards the fields below */
	enum locus_status status;
	struct locus_error error;
};

void first_failure_init(struct first_failure *failure);

/* Keeps the failure if it is the first; LOCUS_OK is none. Safe from many threads, as is first_failure_is_noted. */
void first_failure_note(struct first_failure *failure, enum locus_status status, const struct locus_error *error);
bool first_failure_is_noted(struct first_failure *failure);

/* Gives what was noted, once the threads are done; `failure` cannot be used any more. */
enum locus_status first_failure_done(struct first_failure *failure, struct locus_error *ret);

#endif
