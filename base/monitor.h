/*
 * A lock, and waiting for changes to what it guards. A thread waits awake first (base/awake.h), because the next change
 * mostly comes soon.
 */
#ifndef LOCUS_MONITOR_H
#define LOCUS_MONITOR_H

#include <stdatomic.h>

#include "base/short_lock.h"

struct monitor {
	struct short_lock lock;
	pthread_cond_t changed;
	atomic_uint changes; /* number of them; written with the lock held */
};

void monitor_init(struct monitor *monitor);
void monitor_done(struct monitor *monitor);

void monitor_enter(struct monitor *monitor);
void monitor_leave(struct monitor *monitor);

/*
 * Leaves the monitor, waits for a change, and enters again. It may return without a change, and when another thread has
 * already reacted to the change, so it is called in a loop.
 */
void monitor_wait(struct monitor *monitor);

/*
 * Tells of a change: monitor_tell_one wakes one thread that sleeps, for a change that any one of them can use, and
 * monitor_tell_all wakes all. Threads that wait awake see either. The caller has entered.
 */
void monitor_tell_one(struct monitor *monitor);
void monitor_tell_all(struct monitor *monitor);

#endif
