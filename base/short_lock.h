/* Locks that are held for less time than it takes to put a thread to sleep. */
#ifndef LOCUS_SHORT_LOCK_H
#define LOCUS_SHORT_LOCK_H

#include <pthread.h>

/* Makes a mutex for which a thread that finds it taken tries some more times before it sleeps. */
void short_lock_init(pthread_mutex_t *lock);

#endif
