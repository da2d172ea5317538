/* The limit of the system, without what any command needs. */
#include "cmd/common/descriptors.h"

#include <limits.h>
#include <sys/resource.h>

unsigned descriptors_available(void)
{
	enum { SPARE = 24 }; /* standard streams, pipes, folders, and the files of one conversion */
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > UINT_MAX)
		return UINT_MAX;
	return limit.rlim_cur > SPARE ? (unsigned)limit.rlim_cur - SPARE : 1;
}
