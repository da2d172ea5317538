/*
 * Where a standard descriptor is closed, the next file that is opened would get its number, and messages would be
 * written into that file. What takes its place is there in every container, and can be neither read nor written.
 */
#include "cmd/common/standard_files.h"

#include <fcntl.h>
#include <signal.h>

static void hold_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			open("/", O_PATH);
	}
}

void standard_files_prepare(void)
{
	hold_descriptors();
	signal(SIGPIPE, SIG_IGN); /* write fails with EPIPE instead (see report_finish) */
	signal(SIGXFSZ, SIG_IGN); /* and with EFBIG, as on a full disk */
}
