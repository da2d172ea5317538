/* Source files: converts indices of line tables to interned, normalised paths. */
#ifndef LOCUS_SOURCE_PATHS_H
#define LOCUS_SOURCE_PATHS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "convert/dwarf/unit.h"

/* A map as of -ffile-prefix-map: the beginning of a path, and its replacement (RULES F4). */
struct prefix_map {
	const char *old;
	size_t old_size;
	const char *new;
};

/* All the files of a conversion. */
struct source_paths {
	struct string_set *strings;
	struct intern_set set; /* of struct file_key */
	const struct prefix_map *maps;
	size_t map_count;
};

/* A path as it is written. Both are interned strings, so that equal paths have equal pointers. */
struct file_key {
	const char *directory; /* "": the name stands alone */
	const char *name;
};

/* `strings` and `maps`, the --prefix-map options, are borrowed. */
void source_paths_init(struct source_paths *files, struct string_set *strings, const struct prefix_map *maps,
		       size_t map_count);
void source_paths_done(struct source_paths *files);

/* Ids count from 1; 0 is an unknown file. */
#define FILE_UNKNOWN 0u

/*
 * The id of the file with index `index` in the unit's DIEs, or in its rows (then `unit` is the one whose line table it
 * is). An index out of range, or an unreadable name, gives FILE_UNKNOWN (RULES B11) and is counted in *bad_count. Out
 * of memory: INTERN_FAILED.
 */
uint32_t source_paths_id(struct source_paths *files, const struct unit *unit, uint64_t index, uint64_t *bad_count);

/* The same if the file has an id already; else FILE_UNKNOWN, and nothing is counted. */
static inline uint32_t source_paths_known(const struct unit *unit, uint64_t index)
{
	const struct unit *owner = unit->files_unit;
	bool is_listed = index < owner->lines.file_count;
	return is_listed ? atomic_load_explicit(&owner->file_ids[index], memory_order_relaxed) : FILE_UNKNOWN;
}

/* Like source_paths_id, for a path without a directory that it could be relative to. */
uint32_t source_paths_named(struct source_paths *files, const char *path);

/* The path with this id, which is not FILE_UNKNOWN. Stays while the set of strings does. */
const struct file_key *source_paths_get(const struct source_paths *files, uint32_t id);

#endif
