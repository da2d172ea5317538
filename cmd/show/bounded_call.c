/*
 * One timer ticks for as long as the process lives, because to set a timer for each call would take longer than most
 * calls. A call during which it ticks twice has run for at least a whole period.
 */
#include "cmd/show/bounded_call.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

enum {
	TICK_NS = 20 * 1000 * 1000,
	TICKS_MAX = 2,    /* ticks of a call */
	TICKS_SPARE = 32, /* ticks of all calls */
	/* For so many calls, one more tick: that is 20 microseconds for each, and most calls take one or two. */
	CALLS_PER_TICK = 1024,
};

static sigjmp_buf leave;
static volatile sig_atomic_t is_running, ticks, all_ticks;

static void on_tick(int number)
{
	(void)number;
	if (!is_running)
		return;
	all_ticks++;
	if (++ticks >= TICKS_MAX)
		siglongjmp(leave, 1);
}

/* SA_NODEFER, because a jump leaves the handler: its own signal must not stay blocked. */
static bool start_ticking(void)
{
	const struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART | SA_NODEFER};
	const struct itimerspec period = {{0, TICK_NS}, {0, TICK_NS}};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGVTALRM};
	timer_t timer;

	return sigaction(SIGVTALRM, &action, NULL) == 0 && timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0 &&
	       timer_settime(timer, 0, &period, NULL) == 0;
}

bool bounded_call(void (*function)(void *argument), void *argument)
{
	static bool is_ticking;
	static uint64_t call_count;

	if ((!is_ticking && !start_ticking()) || (uint64_t)all_ticks > TICKS_SPARE + call_count / CALLS_PER_TICK)
		return false;
	is_ticking = true;
	call_count++;
	if (sigsetjmp(leave, 0)) {
		is_running = 0;
		return false;
	}
	ticks = 0;
	is_running = 1;
	function(argument);
	is_running = 0;
	return true;
}
