/* A lock guards the record: failures are rare, so threads never wait for it. */
#include "base/first_failure.h"

#include <stdint.h>

#include "base/short_lock.h"

void first_failure_init(struct first_failure *failure)
{
	*failure = (struct first_failure){.place = SIZE_MAX, .status = LOCUS_OK};
	short_lock_init(&failure->lock);
}

void first_failure_note(struct first_failure *failure, size_t place, enum locus_status status,
			const struct locus_error *error)
{
	if (status == LOCUS_OK)
		return;
	short_lock_take(&failure->lock);
	if (place < atomic_load(&failure->place)) {
		failure->status = status;
		failure->error = *error;
		atomic_store(&failure->place, place);
	}
	short_lock_release(&failure->lock);
}

bool first_failure_is_noted(struct first_failure *failure, size_t place)
{
	return atomic_load_explicit(&failure->place, memory_order_relaxed) <= place;
}

enum locus_status first_failure_done(struct first_failure *failure, struct locus_error *ret)
{
	short_lock_done(&failure->lock);
	if (failure->status != LOCUS_OK && ret)
		*ret = failure->error;
	return failure->status;
}
