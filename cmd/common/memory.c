/* Ends the command when memory is out. */
#include "cmd/common/memory.h"

#include <stdlib.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/report.h"

void *memory_checked(void *memory)
{
	if (!memory) {
		report(NULL, "out of memory");
		exit(EXIT_FAILED);
	}
	return memory;
}
