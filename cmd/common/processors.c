/* More than JOB_MAX of them are used by no command. */
#include "cmd/common/processors.h"

#include "base/affinity.h"

unsigned processor_count(void)
{
	unsigned count = affinity_count();
	return count < JOB_MAX ? count : JOB_MAX;
}
