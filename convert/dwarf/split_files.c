/*
 * After link-time optimisation many skeletons may name one .dwo. The thread that needs it first opens it; others that
 * need the same one wait meanwhile. There may be several files of one name, such as one that an earlier build left
 * where this one was compiled: each skeleton gets the first of them that has its unit.
 */
#include "convert/dwarf/split_files.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/fail.h"
#include "base/order.h"
#include "base/same_file.h"
#include "convert/dwarf/companion.h"
#include "convert/dwarf/die_reference.h"
#include "convert/dwarf/split_unit.h"
#include "convert/dwarf/unit_open.h"

/* The name by which skeletons refer to a .dwo, and what was found of it. */
struct split_name {
	char *name; /* the directory of the compilation, a NUL, and DW_AT_dwo_name */
	size_t size;
	struct short_lock lock;                         /* guards the fields below */
	struct split_file *found[COMPANION_DWO_PLACES]; /* in the order of the places */
	unsigned found_count;
	unsigned place; /* the first that was not looked at yet */
	enum locus_status status;
	struct locus_error error; /* why what is at the first place that has something cannot be read */
};

/* Adds a file, which is owned from then on, even where this fails, and makes it ready to be read. */
static enum locus_status add_file(struct split_files *files, struct elf_file *elf, bool is_package,
				  struct split_file **ret, struct locus_error *error)
{
	struct split_file *split = calloc(1, sizeof(*split));
	if (!split) {
		elf_file_free(elf);
		return locus_fail_memory(error);
	}
	split->file = elf;
	split->is_package = split->is_input = is_package;
	dwarf_init(&split->dwarf, elf);
	split->dwarf.split = true;
	short_lock_take(&files->lock);
	split->next = files->first;
	files->first = split;
	short_lock_release(&files->lock);
	*ret = split;
	struct locus_error why = {0};
	enum locus_status status =
		files->is_survey ? split_unit_prepare(&split->dwarf, &why) : dwarf_prepare(&split->dwarf, &why);
	return status == LOCUS_OK ? status : locus_fail_at(error, status, why.offset, "%s: %s", elf->path, why.text);
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

static void close_skeletons(struct split_files *files)
{
	struct elf_file *file = files->skeletons.file;
	split_index_done(&files->skeletons);
	die_index_done(&files->skeletons);
	dwarf_done(&files->skeletons);
	elf_file_free(file);
}

/*
 * Opens the file with the skeletons a second time, to have all of them at hand: its own units are read in passing. The
 * caller has the lock.
 */
static enum locus_status open_skeletons(struct split_files *files, const struct dwarf *dwarf, struct locus_error *error)
{
	struct elf_file *file;
	enum locus_status status = files->skeletons.file ? LOCUS_OK : elf_file_open(dwarf->file->path, &file, error);
	if (files->skeletons.file || status != LOCUS_OK)
		return status;
	dwarf_init(&files->skeletons, file);
	files->skeletons.alt = dwarf->alt;
	status = dwarf_prepare_some(&files->skeletons, error);
	if (status == LOCUS_OK)
		status = dwarf_prepare_section(&files->skeletons, DEBUG_INFO, error);
	if (status != LOCUS_OK)
		close_skeletons(files);
	return status;
}

/* Where units of a .dwo refer to each other, what they declare is in files that only their skeletons name. */
static enum locus_status add_skeletons(struct split_files *files, struct split_file *split, const struct unit *skeleton,
				       struct locus_error *error)
{
	if (files->is_survey || !split->dwarf.abbrevs.refers_across)
		return LOCUS_OK;
	short_lock_take(&files->lock);
	enum locus_status status = open_skeletons(files, skeleton->dwarf, error);
	short_lock_release(&files->lock);
	split->dwarf.skeletons = &files->skeletons;
	return status;
}

/* RULES G1: the first of these files that has the unit. If there is none, what is wrong with the first one is told. */
static enum locus_status find_in(struct split_file *const *files, unsigned count, uint64_t id, struct split_file **ret,
				 struct locus_error *error)
{
	enum locus_status first = LOCUS_ERR_COMPANION;
	for (unsigned i = 0; i < count; i++) {
		enum locus_status status = split_unit_find(&files[i]->dwarf, id, i ? NULL : error);
		budget_note(status);
		if (status == LOCUS_OK) {
			*ret = files[i];
			return LOCUS_OK;
		}
		if (!i)
			first = status;
	}
	return first;
}

/* Opens what is at the next places, until there is a file. False: no place is left. The caller has the name's lock. */
static bool open_next(struct split_files *files, struct split_name *name, const struct unit *skeleton)
{
	unsigned before = name->found_count;
	while (name->found_count == before && name->place < COMPANION_DWO_PLACES) {
		struct elf_file *elf;
		struct split_file *split;
		struct locus_error error = {0};
		enum locus_status status = companion_dwo(files->path, skeleton, name->place++, &elf, &error);
		if (status == LOCUS_OK && elf)
			status = add_file(files, elf, false, &split, &error);
		if (status == LOCUS_OK && elf)
			status = add_skeletons(files, split, skeleton, &error);
		budget_note(status);
		if (status == LOCUS_OK && elf)
			name->found[name->found_count++] = split;
		if (status != LOCUS_OK && name->status == LOCUS_OK) {
			name->status = status;
			name->error = error;
		}
	}
	return name->found_count > before;
}

/* Says why no file of that name could be opened. */
static enum locus_status not_found(const struct split_name *name, const struct unit *skeleton,
				   struct locus_error *error)
{
	if (name->status == LOCUS_OK)
		return locus_fail(error, LOCUS_ERR_COMPANION,
				  "its split debug file %s was not found: keep it where it was built, or convert "
				  "with --dwp=FILE",
				  skeleton->dwo_name);
	return locus_fail_at(error, name->status, name->error.offset, "its split debug file %s", name->error.text);
}

/* Finds the .dwo that a skeleton names and that has its unit. */
static enum locus_status find_named(struct split_files *files, const struct unit *skeleton, struct split_file **ret,
				    struct locus_error *error)
{
	struct split_name *name = find_name(files, skeleton);
	if (!name) {
		budget_memory_out();
		return locus_fail_memory(error);
	}

	enum locus_status status;
	short_lock_take(&name->lock);
	do
		status = find_in(name->found, name->found_count, skeleton->id, ret, error);
	while (status != LOCUS_OK && open_next(files, name, skeleton));
	if (status == LOCUS_OK)
		(*ret)->is_input = true;
	else if (!name->found_count)
		status = not_found(name, skeleton, error);
	short_lock_release(&name->lock);
	return status;
}

/* Finds the file that has a skeleton's unit. */
static enum locus_status find_file(struct split_files *files, const struct unit *skeleton, struct split_file **ret,
				   struct locus_error *error)
{
	enum locus_status status = find_in(files->packages, files->package_count, skeleton->id, ret, error);
	if (status == LOCUS_OK || files->only_packages)
		return status;
	if (!files->package_count && files->other_status == LOCUS_OK)
		return find_named(files, skeleton, ret, error);
	if (find_named(files, skeleton, ret, NULL) == LOCUS_OK)
		return LOCUS_OK;
	return files->other_status == LOCUS_OK ? status
					       : locus_fail_at(error, files->other_status, files->other.offset,
							       "its package of split units %s", files->other.text);
}

enum locus_status split_files_add_packages(struct split_files *files, struct companion_packages *packages,
					   struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	files->other_status = packages->other_status;
	files->other = packages->other;
	for (int i = 0; i < COMPANION_DWP_PLACES && status == LOCUS_OK; i++) {
		struct elf_file *package = packages->files[i];
		packages->files[i] = NULL;
		if (package)
			status = add_file(files, package, true, &files->packages[files->package_count], error);
		files->package_count += package && status == LOCUS_OK;
	}
	return status;
}

enum locus_status split_files_open_unit(struct split_files *files, const struct unit *skeleton, struct unit *ret,
					struct locus_error *error)
{
	struct split_file *split;
	enum locus_status status = find_file(files, skeleton, &split, error);
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
			status = find_file(files, &unit, &split, error);
	}
	unit_done(&unit);
	return status;
}

const char *split_files_changed(const struct split_files *files)
{
	for (const struct split_file *split = files->first; split; split = split->next)
		if (split->is_input && !elf_file_is_unchanged(split->file))
			return split->file->path;
	return NULL;
}

bool split_files_have(const struct split_files *files, const char *path)
{
	for (const struct split_file *split = files->first; split; split = split->next)
		if (paths_are_same_file(split->file->path, path))
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
	close_skeletons(files);
	tdestroy(files->names, free_name);
	short_lock_done(&files->lock);
}
