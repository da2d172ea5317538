/*
 * A conversion reads its input in a process of its own, which SIGBUS may end. Build-ids and the members of archives are
 * read in the command's own process, which has other files to go on with.
 */
#include "cmd/conversion/mapped_call.h"

#include <setjmp.h>
#include <signal.h>

static sigjmp_buf leave;

static void on_missing_page(int number)
{
	(void)number;
	siglongjmp(leave, 1);
}

/* SA_NODEFER, because a jump leaves the handler: its own signal must not stay blocked. */
bool mapped_call(void (*function)(void *argument), void *argument)
{
	const struct sigaction action = {.sa_handler = on_missing_page, .sa_flags = SA_NODEFER};
	struct sigaction before;
	bool is_whole = false;

	sigaction(SIGBUS, &action, &before);
	if (sigsetjmp(leave, 0) == 0) {
		function(argument);
		is_whole = true;
	}
	sigaction(SIGBUS, &before, NULL);
	return is_whole;
}
