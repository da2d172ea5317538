/* Walks directories. What cannot be read is listed with the reason, so that it is reported. */
#include "cmd/check/found_files.h"

#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/common/memory.h"
#include "cmd/common/suffix.h"
#include "cmd/store/staging.h"
#include "cmd/store/symbol_store.h"

static void add(struct found_files *files, const char *path, size_t base, int error, const char *text)
{
	memory_reserve(&files->list, &files->room, files->count + 1, sizeof(*files->list));
	files->list[files->count++] = (struct found_file){memory_checked(strdup(path)), base, error, text, false};
}

/* Whether the path is that of a store's file: locus in a folder that is named by a build-id. */
static bool is_stored(const char *path)
{
	const char *slash = strrchr(path, '/'), *id = slash;

	if (!slash || strcmp(slash, "/locus") != 0)
		return false;
	while (id > path && id[-1] != '/')
		id--;
	return id < slash && strspn(id, "0123456789abcdef") == (size_t)(slash - id);
}

static bool is_wanted(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return has_suffix(name, ".locus") || is_stored(path);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Why a link leads to nothing, as an errno: fts does not say whether it dangles, or leads back to itself. */
static int link_problem(const char *path)
{
	struct stat ignored;

	return stat(path, &ignored) == 0 ? ENOENT : errno;
}

static void add_entry(struct found_files *files, FTS *tree, FTSENT *entry, size_t root_size)
{
	bool is_named = entry->fts_level == FTS_ROOTLEVEL;
	size_t id_size;
	const char *slash = strrchr(entry->fts_path, '/');
	size_t base = !is_named ? root_size + (entry->fts_path[root_size] == '/')
		      : slash   ? (size_t)(slash + 1 - entry->fts_path)
				: 0;

	switch (entry->fts_info) {
	case FTS_SL:
		/* A store may keep its files on another disk, where all who use it follow a link to them. */
		if (strcmp(entry->fts_name, "buildid") == 0) {
			fts_set(tree, entry, FTS_FOLLOW);
			break;
		}
		/* fall through */
	case FTS_F:
		if (is_named || is_wanted(entry->fts_path)) {
			add(files, entry->fts_path, base, 0, NULL);
			files->list[files->count - 1].is_found = !is_named;
		}
		break;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		if (is_named || entry->fts_errno != ENOENT) /* else it is gone since the directory was read */
			add(files, entry->fts_path, base, entry->fts_errno ? entry->fts_errno : ENOENT, NULL);
		break;
	case FTS_SLNONE:
		add(files, entry->fts_path, base, link_problem(entry->fts_path), NULL);
		break;
	case FTS_D:
		/* A conversion may be at an output there, or was killed and has left it. */
		if (is_named || !staging_may_be(entry->fts_name, entry->fts_statp->st_mode))
			break;
		fts_set(tree, entry, FTS_SKIP);
		if (files->clears)
			staging_remove_leftovers(entry->fts_path);
		break;
	case FTS_DP:
		if (files->clears && !is_named && store_folder_id(entry->fts_path, entry->fts_pathlen, &id_size))
			rmdir(entry->fts_path); /* which fails if something is in it */
		break;
	default:
		if (is_named || is_wanted(entry->fts_path))
			add(files, entry->fts_path, base, 0, "not a regular file");
	}
}

/* Whether the directory is a store or a cache, which may well be empty; else its path may be mistaken. */
static bool is_store(const char *path)
{
	struct stat folder;
	char *ids = memory_text("%s/buildid", path);
	bool is = stat(ids, &folder) == 0 && S_ISDIR(folder.st_mode);

	free(ids);
	return is;
}

void found_files_add(struct found_files *files, const char *path)
{
	char *root = memory_checked(strdup(path));
	char *const roots[] = {root, NULL};
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
	size_t before = files->count;
	FTSENT *entry;

	while (tree && (entry = fts_read(tree)) != NULL)
		add_entry(files, tree, entry, strlen(path));
	if (errno) /* of fts_open, or of the last fts_read, which makes it 0 at the end of the tree */
		add(files, path, 0, errno, NULL);
	if (tree)
		fts_close(tree);
	if (files->count == before && !is_store(path))
		add(files, path, 0, 0, "no .locus file in it");
	free(root);
}

void found_files_done(struct found_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->list[i].path);
	free(files->list);
	*files = (struct found_files){0};
}
