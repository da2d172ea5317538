/*
 * A process that needs a missing file makes it in a folder of its own, and puts it in place in one step. So two
 * processes may do the same work, but never see half a file. A file's modification time is that of its last use; a file
 * that is removed while it is read stays readable.
 */
#include "cmd/store/symbol_cache.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/common/memory.h"
#include "cmd/common/processors.h"
#include "cmd/common/report.h"
#include "cmd/conversion/conversion.h"
#include "cmd/conversion/converter.h"
#include "cmd/store/staging.h"
#include "cmd/store/symbol_store.h"

enum { LEVEL = 3 };

char *symbol_cache_asked_for(void)
{
	const char *folder = getenv("LOCUS_CACHE");

	return folder && folder[0] ? memory_checked(strdup(folder)) : NULL;
}

char *symbol_cache_folder(void)
{
	const char *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *ret = symbol_cache_asked_for();

	if (ret)
		return ret;
	if (caches && caches[0] == '/')
		return memory_text("%s/locus", caches);
	return home && home[0] ? memory_text("%s/.cache/locus", home) : NULL;
}

/* ---- Keeping it small ---- */

struct entry {
	struct timespec used;
	uint64_t size;
	char *path;
};

struct entries {
	struct entry *entries;
	size_t count;
	uint64_t size;
};

/*
 * A folder without a file is of a process that makes it now, or was killed. What the latter left would never be removed
 * if nobody asked for that program again.
 */
static void add_entry(struct entries *entries, char *path)
{
	struct stat found;
	bool is_there = stat(path, &found) == 0;

	if (!is_there) {
		staging_remove_leftovers(path);
		store_remove_unused(path);
	}
	if (!is_there || !S_ISREG(found.st_mode)) {
		free(path);
		return;
	}
	entries->entries = memory_checked(realloc(entries->entries, (entries->count + 1) * sizeof(*entries->entries)));
	entries->entries[entries->count++] = (struct entry){found.st_mtim, (uint64_t)found.st_size, path};
	entries->size += (uint64_t)found.st_size;
}

static int compare_use(const void *a, const void *b)
{
	const struct timespec *x = &((const struct entry *)a)->used, *y = &((const struct entry *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* Removes the files that were unused longest, until the rest fits, but not the file at `kept`. */
static void remove_oldest(const char *folder, const char *kept)
{
	struct entries entries = {0};
	const struct dirent *found;
	char *ids = memory_text("%s/buildid", folder);
	DIR *directory = opendir(ids);
	while (directory && (found = readdir(directory)) != NULL)
		if (store_is_build_id(found->d_name))
			add_entry(&entries, store_path(folder, found->d_name));
	if (directory)
		closedir(directory);

	/* From the file unused longest on, until the others fit. */
	if (entries.count)
		qsort(entries.entries, entries.count, sizeof(*entries.entries), compare_use);
	for (size_t i = 0; i < entries.count; i++) {
		struct entry *entry = &entries.entries[i];
		if (entries.size > SYMBOL_CACHE_BYTES_MAX && strcmp(entry->path, kept) != 0 &&
		    unlink(entry->path) == 0) {
			entries.size -= entry->size;
			store_remove_unused(entry->path);
		}
		free(entry->path);
	}
	free(entries.entries);
	free(ids);
}

/* ---- Filling it ---- */

/* Makes the folders that a cache is in, for its user alone, as the XDG Base Directory Specification asks. */
static void make_parents(const char *folder)
{
	char *path = memory_text("%s", folder);

	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700); /* which fails if it is there; what else can be amiss shows when the cache is made */
		*slash = '/';
	}
	free(path);
}

/*
 * Converts to `output` in the folder, unless that is fresh by the question. False: there is no usable file. What is
 * wrong with the ELF file is found again by whoever converts it without the cache.
 */
static bool convert_to(const char *folder, const char *path, const char *output,
		       const struct locus_convert_options *library, const struct freshness_question *question,
		       struct locus_error *problem)
{
	struct locus_convert_options options = *library;
	struct locus_convert_result result;
	struct freshness freshness;
	struct locus_error error;
	struct staging staging;

	make_parents(folder);
	if (!store_staging_init(&staging, folder, output)) {
		error_fail(problem, LOCUS_ERR_OUTPUT, "%s", strerror(errno));
		store_remove_unused(output);
		return false;
	}
	options.output = staging.file;
	options.destination = output;
	options.job_count = processor_count();
	options.level = LEVEL;
	enum locus_status status = conversion_run(path, &options, question, &result, &freshness, &error);
	bool is_made = status == LOCUS_OK;
	if (status == LOCUS_ERR_OUTPUT)
		error_fail(problem, status, "%s", error_text(status, &error));
	if (is_made) {
		converter()->result_done(&result);
		is_made = freshness.is_fresh || staging_commit(&staging, output);
		if (!is_made)
			error_fail(problem, LOCUS_ERR_OUTPUT, "%s", strerror(errno));
	}
	staging_done(&staging);
	store_remove_unused(output);
	return is_made;
}

char *symbol_cache_get(const char *folder, const char *path, const struct locus_convert_options *options,
		       struct locus_error *problem)
{
	char hex[STORE_HEX_MAX + 1];

	error_clear(problem);
	/* Others ask by the build-id alone, which tells neither of symbols alone nor of a file that was named. */
	if (options->symbols_only || options->debug_file)
		return NULL;
	if (!folder || !converter_load() || store_read_build_id(path, hex, NULL) != LOCUS_OK || !hex[0])
		return NULL;
	char *output = store_path(folder, hex);
	const struct freshness_question question = {
		.file = output, .elf = path, .options = options, .look = LOOK_AT_TIMES_FIRST};
	struct timespec now;
	freshness_clock(&now);
	if (freshness_is_plain(&question)) {
		freshness_touch(output, &now);
		return output;
	}
	child_catch_signals(); /* so that what is half made is removed even after a signal */
	bool is_made = convert_to(folder, path, output, options, &question, problem);
	if (child_is_stopped())
		child_raise_stop();
	child_release_signals();
	if (is_made) {
		freshness_touch(output, &now);
		remove_oldest(folder, output);
		return output;
	}
	free(output);
	return NULL;
}

char *symbol_cache_find(const char *folder, const char *hex)
{
	char *path = store_path(folder, hex);

	if (access(path, R_OK) == 0 && converter_load() && store_is_current(path, hex))
		return path;
	free(path);
	return NULL;
}
