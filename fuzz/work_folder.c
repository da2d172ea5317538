/* The folder's descriptor is moved to a fixed number, so that its path is always the same. */
#include "fuzz/work_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

enum { FOLDER = 100 };
static char folder[PATH_MAX];

static void remove_folder(void)
{
	DIR *entries = fdopendir(FOLDER);
	for (struct dirent *entry; entries && (entry = readdir(entries));)
		unlinkat(FOLDER, entry->d_name, 0);
	if (entries)
		closedir(entries);
	rmdir(folder);
}

void work_folder_make(void)
{
	if (folder[0])
		return;
	const char *temporary = getenv("TMPDIR");
	if (!temporary)
		temporary = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
	snprintf(folder, sizeof(folder), "%s/locus-fuzz-XXXXXX", temporary);
	HOLD(mkdtemp(folder));
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	HOLD(fd >= 0 && dup3(fd, FOLDER, O_CLOEXEC) == FOLDER && close(fd) == 0);
	atexit(remove_folder);
}

void work_file_write(const char *path, const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	HOLD(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0);
}
