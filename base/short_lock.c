#include "base/short_lock.h"

void short_lock_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
	pthread_mutex_init(lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
}
