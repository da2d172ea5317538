/*
 * A descriptor that is closed would be the number of the next file opened, which was written to like a terminal then.
 */
#include "cmd/common/standard_files.h"

#include <fcntl.h>
#include <signal.h>

static void hold_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
	}
}

void standard_files_prepare(void)
{
	hold_descriptors();
	signal(SIGPIPE, SIG_IGN); /* write fails with EPIPE instead (see report_finish) */
	signal(SIGXFSZ, SIG_IGN); /* and with EFBIG, as on a full disk */
}
