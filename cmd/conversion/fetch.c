/*
 * Fetches from debuginfod. Its client library keeps files in a cache that other tools share. It loads a TLS library,
 * which takes longer than a lookup, so it is only loaded when something is missing.
 */
#include "cmd/conversion/fetch.h"

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/common/memory.h"
#include "cmd/common/own_library.h"
#include "cmd/common/report.h"
#include "cmd/common/status_line.h"
#include "cmd/common/stop_signals.h"
#include "cmd/conversion/converter.h"

enum {
	TIMEOUT_S = 90, /* the default of libdebuginfod, if DEBUGINFOD_TIMEOUT is not set */
	DRAW_AFTER_S = 1,
};

static bool is_forbidden, is_quiet;

void fetch_forbid(void)
{
	is_forbidden = true;
}

void fetch_be_quiet(void)
{
	is_quiet = true;
}

enum fetch_access fetch_access(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (is_forbidden)
		return FETCH_FORBIDDEN;
	return urls && urls[strspn(urls, " ")] ? FETCH_POSSIBLE : FETCH_NO_SERVER;
}

/* ---- The library ---- */

struct library {
	__typeof__(debuginfod_begin) *begin;
	__typeof__(debuginfod_end) *end;
	__typeof__(debuginfod_find_debuginfo) *find_debuginfo;
	__typeof__(debuginfod_set_progressfn) *set_progress;
};

static bool load(struct library *ret)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	return library && own_library_find(library, "debuginfod_begin", &ret->begin) &&
	       own_library_find(library, "debuginfod_end", &ret->end) &&
	       own_library_find(library, "debuginfod_find_debuginfo", &ret->find_debuginfo) &&
	       own_library_find(library, "debuginfod_set_progressfn", &ret->set_progress);
}

/* ---- How far it is ---- */

/* The library gives its callback no argument; a process fetches only one file. */
static struct {
	time_t start;
	time_t moved;        /* when the last bytes came */
	long done;           /* bytes, or before a server has answered, calls */
	int64_t seconds_max; /* of all that the process asks; 0: none */
	bool is_drawn;
	bool has_begun; /* a server has answered and sends the file */
	bool is_silent; /* no bytes came for too long, so the transfer was given up */
	bool is_late;   /* it took longer than seconds_max, so it was given up */
	bool is_large;  /* it has more bytes than DEBUGINFOD_MAXSIZE, so it was given up */
} progress;

static volatile sig_atomic_t is_stopped;

static void on_stop(int number)
{
	(void)number;
	is_stopped = 1;
}

static time_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void draw(long done, long size)
{
	bool is_small = (size > 0 ? size : done) < 1 << 20;
	int shift = is_small ? 10 : 20;

	if (is_quiet || !status_line_is_possible() || now_s() - progress.start < DRAW_AFTER_S)
		return;
	if (size > 0)
		status_line_draw("debuginfod: %ld of %ld %s", done >> shift, size >> shift, is_small ? "KiB" : "MiB");
	else if (size < 0)
		status_line_draw("debuginfod: %ld %s", done >> shift, is_small ? "KiB" : "MiB");
	else
		status_line_draw("debuginfod: asking");
	progress.is_drawn = true;
}

static long timeout_s(void)
{
	const char *text = getenv("DEBUGINFOD_TIMEOUT");
	long timeout = text ? strtol(text, NULL, 10) : 0;

	return timeout > 0 ? timeout : TIMEOUT_S;
}

/* The library holds what a server says of the size against this, but not what comes where it says nothing. */
static long size_max(void)
{
	const char *text = getenv("DEBUGINFOD_MAXSIZE");
	long size = text ? strtol(text, NULL, 10) : 0;

	return size > 0 ? size : LONG_MAX;
}

/*
 * Called repeatedly while the library waits. Until a server has answered, `done` only counts calls, and `size` is 0;
 * then `done` counts bytes, and where the server does not say the size, as it need not, `size` is -1, or with other
 * versions of the library 0. Returning not 0 gives up: the library limits how slow a transfer may be, but not how long
 * it takes to begin.
 */
static int on_progress(debuginfod_client *client, long done, long size)
{
	(void)client;
	if (size ? done != progress.done : done > progress.done + 1)
		progress.moved = now_s();
	progress.done = done;
	progress.has_begun = size != 0;
	draw(done, size);
	progress.is_silent = now_s() - progress.moved > timeout_s();
	progress.is_late = progress.seconds_max && now_s() - progress.start >= progress.seconds_max;
	progress.is_large = size && done > size_max();
	return progress.is_silent || progress.is_late || progress.is_large || is_stopped;
}

static void begin_progress(void)
{
	progress.moved = now_s();
	progress.done = 0;
	progress.is_drawn = progress.has_begun = progress.is_silent = progress.is_late = progress.is_large = false;
}

static void end_progress(void)
{
	if (progress.is_drawn)
		status_line_erase();
}

/* ---- Fetching ---- */

/*
 * A server may send any file, as may a network that wants a log-in first, so the build-id of what it sent is checked.
 */
static bool is_asked_for(const struct locus_missing *missing, const char *path)
{
	uint8_t id[LOCUS_MISSING_ID_MAX];
	size_t size = sizeof(id);

	return converter_build_id(path, id, &size, NULL) == LOCUS_OK && size == missing->build_id_size &&
	       memcmp(id, missing->build_id, size) == 0;
}

enum {
	CACHE_COUNT = 4,
};

/* One of the folders in which the library may keep its files (debuginfod(8)). NULL: this one is not used. */
static char *cache_folder(size_t index)
{
	const char *home = getenv("HOME") ? getenv("HOME") : "";
	const char *path = getenv("DEBUGINFOD_CACHE_PATH"), *xdg = getenv("XDG_CACHE_HOME");
	const struct {
		const char *base, *folder;
	} places[CACHE_COUNT] = {{path && path[0] ? path : NULL, ""},
				 {home, "/.debuginfod_client_cache"},
				 {xdg && xdg[0] ? xdg : NULL, "/debuginfod_client"},
				 {home, "/.cache/debuginfod_client"}};

	return places[index].base ? memory_text("%s%s", places[index].base, places[index].folder) : NULL;
}

/* The library makes its folder, but not the one that this is in, as that of HOME where a service has none. */
static bool has_cache(void)
{
	struct stat found;
	bool is_found = false;

	for (size_t i = 0; i < CACHE_COUNT && !is_found; i++) {
		char *folder = cache_folder(i);
		is_found = folder && stat(folder, &found) == 0;
		free(folder);
	}
	return is_found;
}

/*
 * A transfer that was given up or broke off is noted by the library as a file of 0 bytes, as where no server has it:
 * for ten minutes nobody would ask again. That note is removed.
 */
static void forget_miss(const struct locus_missing *missing)
{
	char hex[2 * LOCUS_MISSING_ID_MAX + 1] = "";
	struct stat note;

	for (size_t i = 0; i < missing->build_id_size; i++)
		sprintf(hex + 2 * i, "%02x", missing->build_id[i]);
	for (size_t i = 0; i < CACHE_COUNT; i++) {
		char *folder = cache_folder(i);
		if (!folder)
			continue;
		char *path = memory_text("%s/%s/debuginfo", folder, hex);
		if (lstat(path, &note) == 0 && S_ISREG(note.st_mode) && note.st_size == 0)
			unlink(path);
		free(path);
		free(folder);
	}
}

/* Asks the servers in DEBUGINFOD_URLS. *ret_is_other: what the cache had, or the first one sent, is another file. */
static enum locus_status ask(const struct library *library, const struct locus_missing *missing, char **ret,
			     bool *ret_is_other, struct locus_error *error)
{
	debuginfod_client *client = library->begin();
	char *path = NULL;

	*ret_is_other = false;
	if (!client)
		return error_fail(error, LOCUS_ERR_UNSUPPORTED, " could not be asked: out of memory");
	begin_progress();
	library->set_progress(client, on_progress);
	int fd = library->find_debuginfo(client, missing->build_id, (int)missing->build_id_size, &path);
	library->end(client);
	end_progress();

	if (fd < 0 && (progress.has_begun || progress.is_late || progress.is_silent || is_stopped))
		forget_miss(missing);
	if (progress.is_late)
		return error_fail(error, LOCUS_ERR_UNSUPPORTED,
				  " could not be asked: it took longer than --timeout allows: %u s",
				  (unsigned)progress.seconds_max);
	if (progress.is_silent)
		return error_fail(error, LOCUS_ERR_UNSUPPORTED, " could not be asked: %s", strerror(ETIMEDOUT));
	if (fd == -EFBIG || (fd < 0 && progress.is_large))
		return error_fail(error, LOCUS_ERR_COMPANION, " has one that is larger than DEBUGINFOD_MAXSIZE allows");
	if (fd == -ENOENT && !has_cache())
		return error_fail(error, LOCUS_ERR_UNSUPPORTED,
				  " has no folder to keep files in: set DEBUGINFOD_CACHE_PATH");
	if (fd == -ENOENT && progress.has_begun) /* which the library does not tell from the next case */
		return error_fail(error, LOCUS_ERR_COMPANION, " has it, but broke off while it sent it");
	if (fd == -ENOENT)
		return error_fail(error, LOCUS_ERR_COMPANION, " does not have it");
	if (fd < 0)
		return error_fail(error, LOCUS_ERR_UNSUPPORTED, " could not be asked: %s", strerror(-fd));
	close(fd);
	if (!is_asked_for(missing, path)) {
		unlink(path); /* no server would be asked again, and other tools would take it from the cache */
		free(path);
		*ret_is_other = true;
		return error_fail(error, LOCUS_ERR_COMPANION, " has a file of another build for it");
	}
	*ret = path;
	return LOCUS_OK;
}

/*
 * Asks each server by itself, because of several the library takes what comes first, such as the page by which a
 * network wants a log-in, and does not ask the others then; or none, if another program has left that in the cache.
 * False: none sends the file.
 */
static bool ask_singly(const struct library *library, const struct locus_missing *missing, char **ret)
{
	char *urls = memory_text("%s", getenv("DEBUGINFOD_URLS")), *rest = urls, *url;
	struct locus_error ignored;
	bool is_found = false, is_other;

	while (!is_found && !progress.is_late && !is_stopped && (url = strsep(&rest, " ")) != NULL) {
		if (!url[0])
			continue;
		setenv("DEBUGINFOD_URLS", url, 1);
		is_found = ask(library, missing, ret, &is_other, &ignored) == LOCUS_OK;
		if (!is_found)
			forget_miss(missing); /* that it is missing there says nothing of the next server */
	}
	free(urls);
	return is_found;
}

enum locus_status fetch(const struct locus_missing *missing, unsigned seconds_max, char **ret,
			struct locus_error *error)
{
	struct library library;
	bool is_other;

	/* What has come so far is a file in the cache, which the library removes, and nobody else ever does. */
	stop_signals_catch(on_stop, NULL);
	if (!load(&library))
		return error_fail(error, LOCUS_ERR_UNSUPPORTED, " could not be asked: %s", dlerror());
	progress.start = now_s();
	progress.seconds_max = seconds_max;
	enum locus_status status = ask(&library, missing, ret, &is_other, error);
	return is_other && ask_singly(&library, missing, ret) ? LOCUS_OK : status;
}
