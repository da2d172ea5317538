/* Paths are joined, normalised and mapped as text; the file system is never asked (RULES F). */
#include "convert/unit/source_paths.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/mix64.h"
#include "base/path.h"

void source_paths_init(struct source_paths *files, struct string_set *strings, const struct prefix_map *maps,
		       size_t map_count)
{
	files->strings = strings;
	files->maps = maps;
	files->map_count = map_count;
	intern_set_init(&files->set, sizeof(struct file_key));
}

void source_paths_done(struct source_paths *files)
{
	intern_set_done(&files->set);
}

const struct file_key *source_paths_get(const struct source_paths *files, uint32_t id)
{
	return intern_get(&files->set, id - 1);
}

/* Whether `path` begins with the map's prefix, up to the end of a component. */
static bool map_applies(const struct prefix_map *map, const char *path)
{
	if (!map->old_size || strncmp(path, map->old, map->old_size) != 0)
		return false;
	char after = path[map->old_size];
	return after == 0 || after == '/' || after == '\\' || map->old[map->old_size - 1] == '/';
}

/* RULES F4: the longest prefix is replaced, once. Frees `path`. */
static char *map_prefix(const struct source_paths *files, char *path)
{
	const struct prefix_map *best = NULL;
	for (size_t i = 0; i < files->map_count; i++)
		if (map_applies(&files->maps[i], path) && (!best || files->maps[i].old_size > best->old_size))
			best = &files->maps[i];
	if (!best)
		return path;
	size_t new_size = strlen(best->new);
	char *mapped = malloc(new_size + strlen(path + best->old_size) + 1);
	if (mapped) {
		memcpy(mapped, best->new, new_size);
		strcpy(mapped + new_size, path + best->old_size);
	}
	free(path);
	return mapped;
}

enum { PATH_BYTES_PER_STEP = 2 }; /* a path is read several times, component by component */

/* Interns a path, and frees it. */
static uint32_t intern_path(struct source_paths *files, char *path)
{
	uint32_t id = INTERN_FAILED;
	path = path ? map_prefix(files, path) : NULL;
	if (!path || !budget_spend(strlen(path) / PATH_BYTES_PER_STEP)) {
		free(path);
		return INTERN_FAILED;
	}

	const char *slash = path_is_windows(path) ? NULL : strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t directory_size = slash ? (size_t)(slash - path) + (slash == path) : 0;
	struct file_key key = {
		.directory = string_put(files->strings, path, directory_size),
		.name = string_put(files->strings, name, strlen(name)),
	};
	if (key.directory && key.name)
		id = intern_put(&files->set, &key);
	free(path);
	return id == INTERN_FAILED ? INTERN_FAILED : id + 1;
}

/*
 * Whether two directories are equal. Each file of each unit asks that, and they may have megabytes: so it is counted.
 * When the budget is exceeded the conversion fails, whatever is answered.
 */
static bool is_same_directory(struct path_finder *finder, const char *a, const char *b)
{
	return a == b || (a && budget_count(&finder->work, strlen(a) / BUDGET_BYTES_PER_STEP) && strcmp(a, b) == 0);
}

/*
 * RULES F1: a relative name is in its directory, a relative directory in the compilation's. Since DWARF 5 that is also
 * directory 0 of the table. It mostly repeats DW_AT_comp_dir, and may otherwise be relative to it. *ret_lasts: the
 * parts stay where they are, as what line tables name does. DW_AT_comp_dir may stand in memory that the next unit
 * overwrites.
 */
static struct known_path parts_of(struct path_finder *finder, const struct unit *unit, const struct line_header *lines,
				  const struct line_file *file, bool *ret_lasts)
{
	const char *first = lines->version >= 5 && lines->directory_count ? lines->directories[0] : NULL;
	struct known_path parts = {.compilation = unit->comp_dir, .name = file->name};
	if (file->directory < lines->directory_count)
		parts.directory = lines->directories[file->directory];
	if (!parts.compilation || is_same_directory(finder, first, parts.compilation)) {
		if (parts.directory == first)
			parts.directory = NULL;
		parts.compilation = first;
	}
	*ret_lasts = parts.compilation == first;
	return parts;
}

/* Where the thread remembers a path of these parts. */
static struct known_path *place_of(struct path_finder *finder, const struct known_path *parts)
{
	uint64_t compilation = (uintptr_t)parts->compilation, directory = (uintptr_t)parts->directory;
	return &finder->known[mix64((uintptr_t)parts->name + 3 * directory + 5 * compilation) % KNOWN_PATHS];
}

/* The id of the path that the parts are joined to. `lasts`: as parts_of says. */
static uint32_t find_path(struct path_finder *finder, const struct known_path *parts, bool lasts)
{
	struct known_path *known = place_of(finder, parts);
	if (lasts && known->name == parts->name && known->directory == parts->directory &&
	    known->compilation == parts->compilation)
		return known->id;
	const char *const joined[] = {parts->compilation, parts->directory, parts->name};
	uint32_t id = intern_path(finder->paths, path_join(joined, 3));
	if (lasts && id != INTERN_FAILED) {
		*known = *parts;
		known->id = id;
	}
	return id;
}

uint32_t source_paths_id(struct path_finder *finder, const struct unit *unit, uint64_t index, uint64_t *bad_count)
{
	const struct unit *owner = unit->files_unit;
	const struct line_header *lines = &owner->lines;
	if (index == 0 && lines->version < 5)
		return FILE_UNKNOWN;
	if (!lines->version || index >= lines->file_count || !lines->files[index].name || !*lines->files[index].name) {
		(*bad_count)++;
		return FILE_UNKNOWN;
	}

	uint32_t known = source_paths_known(unit, index);
	if (known != FILE_UNKNOWN)
		return known;
	bool lasts;
	const struct known_path parts = parts_of(finder, owner, lines, &lines->files[index], &lasts);
	uint32_t id = find_path(finder, &parts, lasts);
	if (id != INTERN_FAILED)
		atomic_store_explicit(&owner->file_ids[index], id, memory_order_relaxed);
	return id;
}

uint32_t source_paths_named(struct source_paths *files, const char *path)
{
	char *joined = path_join(&path, 1);
	if (joined && !*joined) {
		free(joined);
		return FILE_UNKNOWN;
	}
	return intern_path(files, joined);
}
