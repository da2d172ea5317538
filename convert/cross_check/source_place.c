/* Paths are joined from what libdw says, and mapped here once more, so that conversion is not asked about itself. */
#include "convert/cross_check/source_place.h"

#include <dwarf.h>
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

/* The path of a file as it is shown, malloc'd; NULL: no memory, or beyond the budget. `directory` may be NULL. */
static char *shown_path(const struct evidence *evidence, const char *directory, const char *name)
{
	const char *parts[] = {directory, name};
	char *joined = path_join(parts, 2);
	if (joined && budget_spend(strlen(joined) / BUDGET_BYTES_PER_STEP))
		return map_path(evidence, joined);
	free(joined);
	return NULL;
}

/*
 * RULES F1. A relative path is in the directory of its compilation, unless libdw has put that in front already. It does
 * so for some versions of DWARF, and behind a relative directory one cannot see whether it did: so both are right.
 */
static bool make_paths(const struct evidence *evidence, const struct source_file *file, char *ret[2])
{
	ret[0] = ret[1] = NULL;
	if (!file->name || !*file->name)
		return true;
	ret[0] = shown_path(evidence, NULL, file->name);
	ret[1] = shown_path(evidence, file->directory, file->name);
	return ret[0] && ret[1];
}

static bool load_files(struct tree_unit *unit)
{
	if (!unit->files && dwarf_getsrcfiles(&unit->die, &unit->files, &unit->file_count) != 0)
		unit->file_count = 0;
	return unit->files != NULL;
}

struct source_file source_file_of_unit(struct evidence *evidence, uint32_t unit_index, uint64_t number)
{
	struct tree_unit *unit = &evidence->tree.units[unit_index];
	Dwarf_Attribute attribute;
	if (!load_files(unit) || number >= unit->file_count || (number == 0 && unit->version < 5))
		return (struct source_file){0};
	return (struct source_file){
		.name = dwarf_filesrc(unit->files, number, NULL, NULL),
		.directory = dwarf_formstring(dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute)),
	};
}

struct source_file source_file_of_table(struct evidence *evidence, uint32_t table_index, uint64_t number)
{
	struct table_place *table = &evidence->lines.tables[table_index];
	Dwarf_Off next;
	Dwarf_CU *cu = NULL;
	Dwarf_Lines *lines;
	size_t line_count;
	if (table->unit != UINT32_MAX)
		return source_file_of_unit(evidence, table->unit, number);
	if (!table->files && dwarf_next_lines(evidence->dwarf, table->offset, &next, &cu, &table->files,
					      &table->file_count, &lines, &line_count) != 0)
		table->file_count = 0;
	bool is_known = table->files && number < table->file_count;
	return (struct source_file){.name = is_known ? dwarf_filesrc(table->files, number, NULL, NULL) : NULL};
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
	return make_paths(evidence, file, ret->paths);
}

void source_place_done(struct source_place *place)
{
	free(place->paths[0]);
	free(place->paths[1]);
	*place = (struct source_place){0};
}

static bool is_same_path(const char *path, const char *other)
{
	return path && other ? strcmp(path, other) == 0 : !path && !other;
}

bool source_place_is(const struct source_place *place, const struct locus_claim *claim,
		     const struct locus_claimed_frame *frame)
{
	return (is_same_path(place->paths[0], frame->path) || is_same_path(place->paths[1], frame->path)) &&
	       place->line == frame->line && (!claim->has_columns || place->column == frame->column);
}
