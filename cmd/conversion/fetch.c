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
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/hex_text.h"
#include "cmd/common/memory.h"
#include "cmd/common/own_library.h"
#include "cmd/common/report.h"
#include "cmd/common/status_line.h"
#include "cmd/common/stop_signals.h"
#include "cmd/conversion/converter.h"
#include "cmd/conversion/fetch_cache.h"
#include "cmd/conversion/fetch_log.h"

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
	__typeof__(debuginfod_get_url) *get_url;
	__typeof__(debuginfod_set_progressfn) *set_progress;
	__typeof__(debuginfod_set_verbose_fd) *set_verbose_fd;
};

static struct library library;

static bool load(void)
{
	void *handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	return handle && own_library_find(handle, "debuginfod_begin", &library.begin) &&
	       own_library_find(handle, "debuginfod_end", &library.end) &&
	       own_library_find(handle, "debuginfod_find_debuginfo", &library.find_debuginfo) &&
	       own_library_find(handle, "debuginfod_get_url", &library.get_url) &&
	       own_library_find(handle, "debuginfod_set_progressfn", &library.set_progress) &&
	       own_library_find(handle, "debuginfod_set_verbose_fd", &library.set_verbose_fd);
}

/* ---- How far it is ---- */

/* The library gives its callback no argument; a process fetches only one file. */
static struct {
	time_t start;
	time_t moved;        /* when the last bytes came */
	long done;           /* bytes, or before a server has answered, calls */
	int64_t seconds_max; /* of all that the process asks; 0: none */
	bool is_drawn;
	bool is_asked;  /* somebody is asked, and not only the cache */
	bool has_begun; /* a server has sent bytes of the file, or of what it takes for that */
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
	else if (progress.has_begun)
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
	if (size ? done != progress.done : done > progress.done + 1)
		progress.moved = now_s();
	progress.done = done;
	progress.is_asked = true;
	progress.has_begun = library.get_url(client) != NULL;
	draw(done, size);
	progress.is_silent = now_s() - progress.moved > timeout_s();
	progress.is_late = progress.seconds_max && now_s() - progress.start >= progress.seconds_max;
	progress.is_large = progress.has_begun && done > size_max();
	return progress.is_silent || progress.is_late || progress.is_large || is_stopped;
}

static void begin_progress(void)
{
	progress.moved = now_s();
	progress.done = 0;
	progress.is_drawn = progress.is_asked = progress.has_begun = false;
	progress.is_silent = progress.is_late = progress.is_large = false;
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

/*
 * What is amiss with the library's cache, from its error; NULL: the error is about something else. Where it can make no
 * file in the folder for a build-id, it tries a second time, with a name that is not one any more: EINVAL.
 */
static const char *trouble_with_cache(int code)
{
	static const int codes[] = {EACCES, EPERM, EROFS, ENOSPC, EDQUOT, ENOTDIR, EEXIST, ELOOP, ENAMETOOLONG};

	if (code == EINVAL && !progress.is_asked)
		return "no file can be made there";
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (code == codes[i])
			return strerror(code);
	return code == ENOENT && !fetch_cache_is_there() ? strerror(code) : NULL;
}

/* Says why there is no file, from the library's error and the answers of the servers. */
static enum locus_status explain(int code, const struct fetch_answers *answers, struct locus_error *error)
{
	const char *trouble = trouble_with_cache(code);

	if (progress.is_late)
		return error_fail(error, LOCUS_ERR_UNSUPPORTED,
				  " could not be asked: it took longer than --timeout allows: %u s",
				  (unsigned)progress.seconds_max);
	if (progress.is_silent)
		return error_fail(error, LOCUS_ERR_UNSUPPORTED, " could not be asked: %s", strerror(ETIMEDOUT));
	if (code == EFBIG || progress.is_large)
		return error_fail(error, LOCUS_ERR_COMPANION, " has one that is larger than DEBUGINFOD_MAXSIZE allows");
	if (code == EIO && progress.has_begun)
		return error_fail(error, LOCUS_ERR_UNSUPPORTED,
				  " has it, but it could not be kept: is the disk of the cache full?");
	if (code == ETIME)
		return error_fail(error, progress.has_begun ? LOCUS_ERR_COMPANION : LOCUS_ERR_UNSUPPORTED,
				  " is slower than DEBUGINFOD_MAXTIME or DEBUGINFOD_TIMEOUT allows");
	if (trouble) /* perhaps only with this file, which another user has fetched */
		return error_fail(error, LOCUS_ERR_COMPANION, " has no cache: set DEBUGINFOD_CACHE_PATH (%s)", trouble);
	if (progress.has_begun && (code == ENOENT || code == ECONNRESET))
		return error_fail(error, LOCUS_ERR_COMPANION, " has it, but broke off while it sent it");
	if (progress.has_begun) /* for one, its signature is not as DEBUGINFOD_URLS wants it */
		return error_fail(error, LOCUS_ERR_COMPANION, " has one that cannot be taken: %s", strerror(code));
	if (code == EINVAL || code == ENOSYS)
		return error_fail(error, LOCUS_ERR_UNSUPPORTED,
				  " could not be asked: not all in DEBUGINFOD_URLS is a URL");
	if (answers->all_lack)
		return error_fail(error, LOCUS_ERR_COMPANION, " does not have it");
	if (answers->reason && answers->some_lack)
		return error_fail(error, LOCUS_ERR_COMPANION, " could not be asked everywhere: %s", answers->reason);
	if (answers->reason)
		return error_fail(error, code == ENOENT ? LOCUS_ERR_COMPANION : LOCUS_ERR_UNSUPPORTED,
				  " could not be asked: %s", answers->reason);
	if (code == ENOENT && !progress.is_asked)
		return error_fail(error, LOCUS_ERR_COMPANION, " was asked for it minutes ago, and did not send it");
	if (code == ENOENT)
		return error_fail(error, LOCUS_ERR_COMPANION, " does not have it, or could not be asked");
	return error_fail(error, LOCUS_ERR_UNSUPPORTED, " could not be asked: %s", strerror(code));
}

/*
 * Asks through the library. Returns its file or, below 0, its error, and how the servers answered. The log goes to
 * memory, unless the user wants to read it.
 */
static int find(debuginfod_client *client, const struct locus_missing *missing, char **ret_path,
		struct fetch_answers *ret_answers)
{
	char id[2 * LOCUS_MISSING_ID_MAX + 1];
	bool is_for_user = getenv("DEBUGINFOD_VERBOSE") != NULL;
	int log = is_for_user ? -1 : memfd_create("debuginfod", MFD_CLOEXEC);

	if (!is_for_user)
		library.set_verbose_fd(client, log);
	begin_progress();
	library.set_progress(client, on_progress);
	int found = library.find_debuginfo(client, missing->build_id, (int)missing->build_id_size, ret_path);
	progress.has_begun = library.get_url(client) != NULL;
	end_progress();

	*ret_answers = (struct fetch_answers){0};
	FILE *lines = log >= 0 ? fdopen(log, "r") : NULL;
	if (lines) {
		hex_text(missing->build_id, missing->build_id_size, id);
		rewind(lines);
		*ret_answers = fetch_log_read(lines, id);
		fclose(lines);
	}
	return found;
}

/* Asks the servers in DEBUGINFOD_URLS. *ret_is_other: what the cache had, or the first one sent, is another file. */
static enum locus_status ask(const struct locus_missing *missing, char **ret, bool *ret_is_other,
			     struct locus_error *error)
{
	debuginfod_client *client = library.begin();
	struct fetch_answers answers;
	char *path = NULL;

	*ret_is_other = false;
	if (!client)
		return error_fail(error, LOCUS_ERR_UNSUPPORTED, " could not be asked: out of memory");
	int fd = find(client, missing, &path, &answers);
	if (fd == -ENOENT && !progress.is_asked && fetch_cache_is_there() &&
	    fetch_cache_note_goes(missing, &is_stopped))
		fd = find(client, missing, &path, &answers);
	library.end(client);

	enum locus_status status = LOCUS_OK;
	if (fd < 0) {
		if (progress.is_asked && !answers.all_lack)
			fetch_cache_remove_note(missing);
		status = explain(-fd, &answers, error);
	} else {
		close(fd);
		*ret_is_other = !is_asked_for(missing, path);
	}
	free(answers.reason);
	if (*ret_is_other) {
		unlink(path); /* no server would be asked again, and other tools would take it from the cache */
		free(path);
		return error_fail(error, LOCUS_ERR_COMPANION, " has a file of another build for it");
	}
	*ret = path;
	return status;
}

/* Whether a word of DEBUGINFOD_URLS is no server, but says how the signatures of those behind it are checked. */
static bool is_rule(const char *word)
{
	return strncmp(word, "ima:", 4) == 0;
}

/*
 * Asks each server by itself, because of several the library takes what comes first, such as the page by which a
 * network wants a log-in, and does not ask the others then; or none, if another program has left that in the cache.
 * Each is asked by the rules for signatures that stand before it. False: none sends the file.
 */
static bool ask_singly(const struct locus_missing *missing, char **ret)
{
	char *urls = memory_text("%s", getenv("DEBUGINFOD_URLS")), *rest = urls, *word;
	char *rules = memory_text("%s", "");
	struct locus_error ignored;
	bool is_found = false, is_other;

	while (!is_found && !progress.is_late && !is_stopped && (word = strsep(&rest, " ")) != NULL) {
		if (!word[0])
			continue;
		char *words = memory_text("%s%s ", rules, word);
		if (is_rule(word)) {
			free(rules);
			rules = words;
			continue;
		}
		setenv("DEBUGINFOD_URLS", words, 1);
		is_found = ask(missing, ret, &is_other, &ignored) == LOCUS_OK;
		if (!is_found)
			fetch_cache_remove_note(missing); /* that it is missing there says nothing of the next server */
		free(words);
	}
	free(rules);
	free(urls);
	return is_found;
}

/* Whether DEBUGINFOD_URLS has no more than one server. */
static bool has_one_server(void)
{
	char *urls = memory_text("%s", getenv("DEBUGINFOD_URLS")), *rest = urls, *word;
	size_t count = 0;

	while ((word = strsep(&rest, " ")) != NULL)
		count += word[0] && !is_rule(word);
	free(urls);
	return count <= 1;
}

enum locus_status fetch(const struct locus_missing *missing, unsigned seconds_max, char **ret,
			struct locus_error *error)
{
	bool is_other;

	/* What has come so far is a file in the cache, which the library removes, and nobody else ever does. */
	stop_signals_catch(on_stop, NULL);
	if (!load())
		return error_fail(error, LOCUS_ERR_UNSUPPORTED, " could not be asked: %s", dlerror());
	progress.start = now_s();
	progress.seconds_max = seconds_max;
	enum locus_status status = ask(missing, ret, &is_other, error);

	/* Where the only server has just sent it, it would do so again. Where the cache had it, nobody was asked. */
	bool is_settled = !is_other || (progress.has_begun && has_one_server());
	return !is_settled && ask_singly(missing, ret) ? LOCUS_OK : status;
}
