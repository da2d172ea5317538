/* Each folder is made after the one that it is in. */
#include "cmd/common/folders.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool make(const char *folder)
{
	return mkdir(folder, 0777) == 0 || errno == EEXIST;
}

bool folders_make(const char *root, const char *path)
{
	char folder[PATH_MAX];

	if (!make(root))
		return false;
	for (const char *slash = strchr(path + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		if (snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path) >= (int)sizeof(folder)) {
			errno = ENAMETOOLONG;
			return false;
		}
		if (!make(folder))
			return false;
	}
	return true;
}
