/*
 * A limit below what a program needs is no error to the system: it ends the program by SIGSEGV wherever the stack
 * happens to be full. Parsing a long mangled name takes most of it.
 */
#include "cmd/common/stack_limit.h"

#include <sys/resource.h>

bool stack_limit_suffices(void)
{
	const rlim_t wanted = (rlim_t)STACK_KIB_MIN << 10;
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= wanted)
		return true;
	limit.rlim_cur = wanted;
	return setrlimit(RLIMIT_STACK, &limit) == 0;
}
