/* Paths are joined and mapped here once more, so that conversion is not asked about itself. */
#include "convert/cross_check/source_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/path.h"

/* RULES F4. Takes over `path`. */
static char *map_path(const struct evidence *evidence, char *path)
{
	const char *best = NULL;
	size_t best_size = 0;
	for (size_t i = 0; i < evidence->prefix_map_count; i++) {
		const char *map = evidence->prefix_maps[i];
		size_t size = strcspn(map, "=");
		bool applies = strncmp(path, map, size) == 0 &&
			       (path[size] == 0 || path[size] == '/' || path[size] == '\\' || map[size - 1] == '/');
		if (size > best_size && applies) {
			best = map;
			best_size = size;
		}
	}

	char *mapped = NULL;
	if (!best)
		return path;
	if (asprintf(&mapped, "%s%s", best + best_size + 1, path + best_size) < 0)
		mapped = NULL;
	free(path);
	return mapped;
}

/*
 * RULES F1: the path of a file as it is shown, malloc'd; NULL: no memory, or beyond the budget. A relative name is in
 * its directory, and a relative directory in that of the compilation.
 */
static char *shown_path(const struct evidence *evidence, const struct source_file *file)
{
	const char *parts[] = {file->compilation, file->directory, file->name};
	char *joined = path_join(parts, 3);
	if (joined && budget_spend(strlen(joined) / BUDGET_BYTES_PER_STEP))
		return map_path(evidence, joined);
	free(joined);
	return NULL;
}

/*
 * Since DWARF 5, a table's directory 0 is the compilation's written out, and may be relative to what the unit says. It
 * mostly is the same once more.
 */
static struct source_file file_of(struct evidence *evidence, uint32_t table, const char *compilation, uint64_t number)
{
	const struct plain_files *files = line_tables_files(&evidence->lines, table);
	if (!files || number >= files->file_count)
		return (struct source_file){0};
	const struct plain_file *file = &files->files[number];
	const char *first = files->version >= 5 && files->directory_count ? files->directories[0] : NULL;
	const char *directory = file->directory < files->directory_count ? files->directories[file->directory] : NULL;
	if (!compilation)
		compilation = first;
	if (directory && directory == first && strcmp(first, compilation) == 0)
		directory = NULL;
	return (struct source_file){.name = file->name, .directory = directory, .compilation = compilation};
}

struct source_file source_file_of_unit(struct evidence *evidence, uint32_t unit_index, uint64_t number)
{
	const struct tree_unit *unit = &evidence->tree.units[unit_index];
	uint32_t table = line_tables_find(&evidence->lines, unit->line_offset);
	return table != UINT32_MAX ? file_of(evidence, table, unit->directory, number) : (struct source_file){0};
}

struct source_file source_file_of_table(struct evidence *evidence, uint32_t table, uint64_t number)
{
	uint32_t unit = evidence->lines.tables[table].unit;
	return file_of(evidence, table, unit != UINT32_MAX ? evidence->tree.units[unit].directory : NULL, number);
}

/* A line or column of 32 bits; 0, unknown: it is larger. */
static uint32_t small(uint64_t number)
{
	return number < UINT32_MAX ? (uint32_t)number : 0;
}

bool source_place_make(const struct evidence *evidence, const struct source_file *file, uint64_t line, uint64_t column,
		       struct source_place *ret)
{
	*ret = (struct source_place){.line = small(line)};
	ret->column = ret->line ? small(column) : 0;
	if (!file->name || !*file->name)
		return true;
	ret->path = shown_path(evidence, file);
	return ret->path != NULL;
}

void source_place_done(struct source_place *place)
{
	free(place->path);
	*place = (struct source_place){0};
}

static bool is_same_path(const char *path, const char *other)
{
	return path && other ? strcmp(path, other) == 0 : !path && !other;
}

bool source_place_is(const struct source_place *place, const struct locus_claim *claim,
		     const struct locus_claimed_frame *frame)
{
	return is_same_path(place->path, frame->path) && place->line == frame->line &&
	       (!claim->has_columns || place->column == frame->column);
}
