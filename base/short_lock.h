/*
 * Locks that are mostly held for less time than it takes to put a thread to sleep: a thread that finds one taken waits
 * awake for a moment before it sleeps (base/awake.h). Where a lock is held long, that moment is all that is lost.
 */
#ifndef LOCUS_SHORT_LOCK_H
#define LOCUS_SHORT_LOCK_H

#include <pthread.h>
#include <stdbool.h>

struct short_lock {
	pthread_mutex_t mutex;
};

void short_lock_init(struct short_lock *lock);
void short_lock_done(struct short_lock *lock);

void short_lock_take(struct short_lock *lock);
bool short_lock_try(struct short_lock *lock); /* false: it is taken */
void short_lock_release(struct short_lock *lock);

#endif
