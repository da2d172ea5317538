/* A mutex that is tried again and again before a thread sleeps for it. */
#include "base/short_lock.h"

#include "base/awake.h"

void short_lock_init(struct short_lock *lock)
{
	pthread_mutex_init(&lock->mutex, NULL);
}

void short_lock_done(struct short_lock *lock)
{
	pthread_mutex_destroy(&lock->mutex);
}

static bool take_if_free(void *lock)
{
	return short_lock_try(lock);
}

/* A thread by itself finds no lock taken; for it, the C library's own way is the fastest. */
void short_lock_take(struct short_lock *lock)
{
	if (awake_is_shared()) {
		if (short_lock_try(lock) || awake_until(take_if_free, lock))
			return;
		awake_pause();
		pthread_mutex_lock(&lock->mutex);
		awake_resume();
	} else {
		pthread_mutex_lock(&lock->mutex);
	}
}

bool short_lock_try(struct short_lock *lock)
{
	return pthread_mutex_trylock(&lock->mutex) == 0;
}

void short_lock_release(struct short_lock *lock)
{
	pthread_mutex_unlock(&lock->mutex);
}
