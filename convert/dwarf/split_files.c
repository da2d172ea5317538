/*
 * After link-time optimisation many skeletons may name one .dwo. The thread that needs it first opens it; others that
 * need the same one wait meanwhile, and get the same file, or the same failure.
 */
#include "convert/dwarf/split_files.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/fail.h"
#include "base/order.h"
#include "base/path.h"
#include "convert/dwarf/companion.h"
#include "convert/dwarf/die_reference.h"
#include "convert/dwarf/split_unit.h"
#include "convert/dwarf/unit_open.h"

/* The name by which skeletons refer to a .dwo, and what came of opening it. */
struct split_name {
	char *name; /* the directory of the compilation, a NUL, and DW_AT_dwo_name */
	size_t size;
	struct short_lock lock; /* guards the fields below */
	struct split_file *split;
	enum locus_status status;
	struct locus_error error;
};

/* Adds a file, which is owned from then on, even where this fails, and makes it ready to be read. */
static enum locus_status add_file(struct split_files *files, struct elf_file *elf, struct split_file **ret,
				  struct locus_error *error)
{
	struct split_file *split = calloc(1, sizeof(*split));
	if (!split) {
		elf_file_free(elf);
		return locus_fail_memory(error);
	}
	split->file = elf;
	dwarf_init(&split->dwarf, elf);
	split->dwarf.split = true;
	short_lock_take(&files->lock);
	split->next = files->first;
	files->first = split;
	short_lock_release(&files->lock);
	*ret = split;
	return files->is_survey ? LOCUS_OK : dwarf_prepare(&split->dwarf, error);
}

static int compare_names(const void *x, const void *y)
{
	const struct split_name *a = x, *b = y;
	if (a->size != b->size)
		return order_of(a->size, b->size);
	return memcmp(a->name, b->name, a->size);
}

static void free_name(void *node)
{
	struct split_name *name = node;
	short_lock_done(&name->lock);
	free(name->name);
	free(name);
}

static struct split_name *new_name(const struct unit *skeleton)
{
	const char *directory = skeleton->comp_dir ? skeleton->comp_dir : "";
	size_t directory_size = strlen(directory) + 1, size = directory_size + strlen(skeleton->dwo_name);
	struct split_name *name = budget_take(size) ? calloc(1, sizeof(*name)) : NULL;
	if (!name || !(name->name = malloc(size + 1))) {
		free(name);
		return NULL;
	}
	memcpy(name->name, directory, directory_size);
	strcpy(name->name + directory_size, skeleton->dwo_name);
	name->size = size;
	short_lock_init(&name->lock);
	return name;
}

/* Finds or makes the entry of the .dwo that a skeleton names. NULL: out of memory. */
static struct split_name *find_name(struct split_files *files, const struct unit *skeleton)
{
	struct split_name *name = new_name(skeleton), **found;
	if (!name)
		return NULL;
	short_lock_take(&files->lock);
	found = tsearch(name, &files->names, compare_names);
	short_lock_release(&files->lock);
	if (!found || *found != name)
		free_name(name);
	return found ? *found : NULL;
}

/* Opens the .dwo that a skeleton names, unless it was opened before. */
static enum locus_status find_named(struct split_files *files, const struct unit *skeleton, struct split_file **ret,
				    struct locus_error *error)
{
	struct split_name *name = find_name(files, skeleton);
	struct elf_file *elf;
	if (!name)
		return locus_fail_memory(error);

	short_lock_take(&name->lock);
	if (!name->split && name->status == LOCUS_OK) {
		name->status = companion_dwo(files->path, skeleton, &elf, &name->error);
		if (name->status == LOCUS_OK)
			name->status = add_file(files, elf, &name->split, &name->error);
	}

	*ret = name->split;
	enum locus_status status = name->status;
	if (status != LOCUS_OK && error)
		*error = name->error;
	short_lock_release(&name->lock);
	return status;
}

enum locus_status split_files_add_package(struct split_files *files, struct elf_file *package,
					  struct locus_error *error)
{
	return add_file(files, package, &files->package, error);
}

enum locus_status split_files_open_unit(struct split_files *files, const struct unit *skeleton, struct unit *ret,
					struct locus_error *error)
{
	struct split_file *split = files->package;
	enum locus_status status = split ? LOCUS_OK : find_named(files, skeleton, &split, error);
	return status == LOCUS_OK ? split_unit_open(&split->dwarf, skeleton->id, skeleton, ret, error) : status;
}

enum locus_status split_files_find_all(struct split_files *files, struct dwarf *dwarf, struct locus_error *error)
{
	struct section *info = dwarf_section(dwarf, DEBUG_INFO);
	struct unit unit = {0};
	struct split_file *split;
	enum locus_status status = dwarf_prepare_some(dwarf, error);
	if (status == LOCUS_OK)
		status = dwarf_prepare_section(dwarf, DEBUG_INFO, error);
	for (uint64_t at = 0; status == LOCUS_OK && at < info->size; at = unit.end) {
		status = unit_open_die(&unit, dwarf, at, NULL, error);
		if (status == LOCUS_OK && unit.has_code && unit.dwo_name)
			status = find_named(files, &unit, &split, error);
	}
	unit_done(&unit);
	return status;
}

const char *split_files_changed(const struct split_files *files)
{
	for (const struct split_file *split = files->first; split; split = split->next)
		if (!elf_file_is_unchanged(split->file))
			return split->file->path;
	return NULL;
}

bool split_files_have(const struct split_files *files, const char *path)
{
	for (const struct split_file *split = files->first; split; split = split->next)
		if (path_same_file(split->file->path, path))
			return true;
	return false;
}

void split_files_init(struct split_files *files, const char *path)
{
	*files = (struct split_files){.path = path};
	short_lock_init(&files->lock);
}

void split_files_done(struct split_files *files)
{
	for (struct split_file *split = files->first, *next; split; split = next) {
		next = split->next;
		split_index_done(&split->dwarf);
		die_index_done(&split->dwarf);
		dwarf_done(&split->dwarf);
		elf_file_free(split->file);
		free(split);
	}
	tdestroy(files->names, free_name);
	short_lock_done(&files->lock);
}
