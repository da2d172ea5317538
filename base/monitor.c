/* Changes are counted, so that a thread which waits awake sees one without the lock. */
#include "base/monitor.h"

#include "base/awake.h"

void monitor_init(struct monitor *monitor)
{
	short_lock_init(&monitor->lock);
	pthread_cond_init(&monitor->changed, NULL);
	atomic_init(&monitor->changes, 0);
}

void monitor_done(struct monitor *monitor)
{
	pthread_cond_destroy(&monitor->changed);
	short_lock_done(&monitor->lock);
}

void monitor_enter(struct monitor *monitor)
{
	short_lock_take(&monitor->lock);
}

void monitor_leave(struct monitor *monitor)
{
	short_lock_release(&monitor->lock);
}

/* A wait for the first change after `seen` of them. */
struct wait {
	struct monitor *monitor;
	unsigned seen;
};

static bool is_over(void *context)
{
	const struct wait *wait = context;
	return atomic_load_explicit(&wait->monitor->changes, memory_order_relaxed) != wait->seen;
}

void monitor_wait(struct monitor *monitor)
{
	struct wait wait = {monitor, atomic_load_explicit(&monitor->changes, memory_order_relaxed)};
	monitor_leave(monitor);
	awake_until(is_over, &wait);
	monitor_enter(monitor);
	if (is_over(&wait))
		return;
	awake_pause();
	pthread_cond_wait(&monitor->changed, &monitor->lock.mutex);
	awake_resume();
}

static void count_change(struct monitor *monitor)
{
	atomic_fetch_add_explicit(&monitor->changes, 1, memory_order_relaxed);
}

void monitor_tell_one(struct monitor *monitor)
{
	count_change(monitor);
	pthread_cond_signal(&monitor->changed);
}

void monitor_tell_all(struct monitor *monitor)
{
	count_change(monitor);
	pthread_cond_broadcast(&monitor->changed);
}
