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

enum { KNOWN_PATHS = 1024 };

/*
 * What one thread needs to find ids. Units name the same headers again and again, since DWARF 5 by strings that stand
 * once in the file, so the thread remembers by their addresses what it found lately: paths need not be joined, nor
 * tables searched that other threads change. Zeroed but for `paths`; nothing is to be freed. For the strings of one
 * conversion, whose sections stay where they are.
 */
struct path_finder {
	struct source_paths *paths; /* shared */
	struct known_path {
		const char *compilation, *directory; /* NULL: none */
		const char *name;                    /* NULL: no path is remembered here */
		uint32_t id;
	} known[KNOWN_PATHS]; /* by hash; what comes later replaces what is there */
	uint64_t work;        /* not counted in the budget yet */
};

/*
 * The id of the file with index `index` in the unit's DIEs, or in its rows (then `unit` is the one whose line table it
 * is). An index out of range, or an unreadable name, gives FILE_UNKNOWN (RULES B11) and is counted in *bad_count. Out
 * of memory: INTERN_FAILED.
 */
uint32_t source_paths_id(struct path_finder *finder, const struct unit *unit, uint64_t index, uint64_t *bad_count);

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
