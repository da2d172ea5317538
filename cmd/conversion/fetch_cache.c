/*
 * Where no server has a file, the library makes a file of 0 bytes in its place, and does not ask again for ten minutes.
 * It does so too where a server could not answer.
 */
#include "cmd/conversion/fetch_cache.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hex_text.h"
#include "cmd/common/memory.h"

enum {
	NOTE_IS_SURE_S = 1,
	PAUSE_NS = 20000000,
};

/* The folder's path (debuginfod(8)), freed with free. One of early versions counts where none is named. */
static char *folder_path(void)
{
	const char *home = getenv("HOME") ? getenv("HOME") : "/";
	const char *path = getenv("DEBUGINFOD_CACHE_PATH"), *xdg = getenv("XDG_CACHE_HOME");
	struct stat found;

	if (path && path[0])
		return memory_text("%s", path);
	char *early = memory_text("%s/.debuginfod_client_cache", home);
	if (stat(early, &found) == 0)
		return early;
	free(early);
	return xdg && xdg[0] ? memory_text("%s/debuginfod_client", xdg)
			     : memory_text("%s/.cache/debuginfod_client", home);
}

bool fetch_cache_is_there(void)
{
	char *folder = folder_path();
	struct stat found;
	bool is_found = stat(folder, &found) == 0;

	free(folder);
	return is_found;
}

/* Looks for a note. Returns its path, freed with free; NULL: there is none. */
static char *find_note(const struct locus_missing *missing, struct stat *ret_facts)
{
	char id[2 * LOCUS_MISSING_ID_MAX + 1], *folder = folder_path();

	hex_text(missing->build_id, missing->build_id_size, id);
	char *path = memory_text("%s/%s/debuginfo", folder, id);
	free(folder);
	if (lstat(path, ret_facts) == 0 && S_ISREG(ret_facts->st_mode) && ret_facts->st_size == 0)
		return path;
	free(path);
	return NULL;
}

void fetch_cache_remove_note(const struct locus_missing *missing)
{
	struct stat facts;
	char *path = find_note(missing, &facts);

	if (path)
		unlink(path);
	free(path);
}

bool fetch_cache_note_goes(const struct locus_missing *missing, const volatile sig_atomic_t *is_stopped)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	struct stat facts;
	char *path;

	while ((path = find_note(missing, &facts)) != NULL) {
		int64_t age = (int64_t)time(NULL) - facts.st_mtim.tv_sec;
		free(path);
		if (age < 0 || age > NOTE_IS_SURE_S || *is_stopped)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}
