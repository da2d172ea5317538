/*
 * libdw itself looks for a .dwo at two places alone, opens what it finds there whatever that is, waits for it if it is
 * a pipe, and opens it again for each skeleton. So it is not asked to: each file is judged and opened here, once.
 */
#include "convert/cross_check/split_dwarfs.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"
#include "base/fail.h"
#include "base/mix64.h"
#include "base/order.h"
#include "base/path.h"

enum {
	OPENED = 1 << 15,     /* bytes that libdw takes for a file, besides its content: half as many were measured */
	BLOCK = 4096,         /* what a file takes at least where it is stored, and so is budgeted for */
	MAPPED_MAX = 1 << 15, /* files; half of the mappings that Linux lets a process have */
};

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	return dwarf_formstring(dwarf_attr(die, name, &attribute));
}

/* Opens the file by libdw, and counts what that costs. */
static enum locus_status open_file(struct libdw_file *file, const char *path, struct locus_error *error)
{
	struct elf_file *elf = NULL;
	struct unit_loads loads = {0};
	enum locus_status status = elf_file_open_split(path, &elf, error);
	if (status == LOCUS_OK)
		status = libdw_file_open(file, elf, path, false, &loads, error);
	if (status == LOCUS_OK && !file->sections.is_split && elf->sections[DEBUG_INFO].size)
		status = locus_fail(error, LOCUS_ERR_UNSUPPORTED,
				    "%s: split units are beside others in it, of which libdw reads the others alone",
				    path);
	if (status == LOCUS_OK && !budget_take(elf->bytes.stored_size + OPENED))
		status = locus_fail_memory(error);
	if (status == LOCUS_OK)
		libdw_file_let_go(file);
	unit_loads_done(&loads);
	elf_file_free(elf);
	budget_at("entries", NULL, ".debug_info", 0);
	return status;
}

static int compare_halves(const void *x, const void *y)
{
	const struct split_half *a = x, *b = y;
	if (a->id != b->id)
		return order_of(a->id, b->id);
	return order_of((uintptr_t)a->die.addr, (uintptr_t)b->die.addr);
}

/* Lists the split units of an opened file. False: out of memory, or beyond the budget. */
static bool list_units(struct split_dwarf *split)
{
	Dwarf_CU *cu = NULL;
	uint8_t type;
	struct split_half half;
	while (dwarf_get_units(split->file.dwarf, cu, &cu, NULL, &type, &half.die, NULL) == 0) {
		if (!budget_spend(1))
			return false;
		if (type != DW_UT_split_compile || dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &half.id, NULL, NULL) != 0)
			continue;
		if (!array_reserve(&split->halves, &split->half_room, split->half_count + UINT64_C(1),
				   sizeof(*split->halves)))
			return false;
		split->halves[split->half_count++] = half;
	}
	if (split->half_count)
		qsort(split->halves, split->half_count, sizeof(*split->halves), compare_halves);
	return true;
}

/* Gives the file at `path`, which is opened when it is first met. NULL: out of memory, or beyond the budget. */
static const struct split_dwarf *open_once(struct split_dwarfs *splits, const char *path, const struct stat *facts,
					   Dwarf_OOM end)
{
	uint32_t at, hash = (uint32_t)mix64(facts->st_ino + 31 * facts->st_dev);
	if (!hash_slots_reserve(&splits->slots, splits->count) ||
	    !array_reserve(&splits->files, &splits->room, splits->count + UINT64_C(1), sizeof(*splits->files)))
		return NULL;
	struct hash_slot *slots = splits->slots.slots;
	HASH_SLOTS_FIND(at, &splits->slots, hash,
			splits->files[slots[at].index - 1].inode == facts->st_ino &&
				splits->files[slots[at].index - 1].device == facts->st_dev);
	if (slots[at].index)
		return &splits->files[slots[at].index - 1];

	/* It is counted before it is opened, so that it is closed whatever happens. */
	struct split_dwarf *split = &splits->files[splits->count++];
	slots[at] = (struct hash_slot){hash, splits->count};
	*split = (struct split_dwarf){.device = facts->st_dev, .inode = facts->st_ino, .file.end = end};
	split->file.is_copied = splits->count > MAPPED_MAX;
	budget_admit(facts->st_size > BLOCK ? (uint64_t)facts->st_size : BLOCK);
	split->status = open_file(&split->file, path, &split->error);
	if (split->status == LOCUS_OK && !list_units(split))
		return NULL;
	return split->status == LOCUS_ERR_MEMORY ? NULL : split;
}

/* Finds the split unit of that id. */
static bool find_unit(const struct split_dwarf *split, uint64_t id, Dwarf_Die *ret)
{
	uint32_t at;
	SEARCH_FIRST(at, 0, split->half_count, split->halves[at].id >= id);
	if (at == split->half_count || split->halves[at].id != id)
		return false;
	*ret = split->halves[at].die;
	return true;
}

/* A skeleton, and what is wrong with what stands at the first of the places that has something else than its unit. */
struct search {
	uint64_t id;
	Dwarf_OOM end;
	Dwarf_Die *ret;
	enum locus_status status;
	struct locus_error error;
};

/* Looks at one place; *ret_found: the unit is there. False: out of memory, or beyond the budget. */
static bool look_at(struct split_dwarfs *splits, const char *path, struct search *search, bool *ret_found)
{
	struct stat facts;
	struct locus_error *error = search->status == LOCUS_OK ? &search->error : NULL;
	enum locus_status status = LOCUS_OK;
	if (stat(path, &facts) != 0)
		return true;
	if (S_ISREG(facts.st_mode)) {
		const struct split_dwarf *split = open_once(splits, path, &facts, search->end);
		if (!split)
			return false;
		*ret_found = split->status == LOCUS_OK && find_unit(split, search->id, search->ret);
		if (split->status != LOCUS_OK)
			status = locus_fail(error, split->status, "its split debug file: %s", split->error.text);
		else if (!*ret_found)
			status =
				locus_fail(error, LOCUS_ERR_COMPANION,
					   "its split debug file %s is of another build: it lacks the unit's id", path);
	} else {
		status = locus_fail(error, LOCUS_ERR_COMPANION, "its split debug file %s is not a regular file", path);
	}
	if (search->status == LOCUS_OK)
		search->status = status;
	return budget_is_left();
}

/* Looks where the file was built, and then in the folder `beside`. False as above. */
static bool look_from(struct split_dwarfs *splits, const char *directory, const char *beside, const char *name,
		      struct search *search, bool *ret_found)
{
	const char *slash = strrchr(name, '/');
	const char *const places[][2] = {{directory, name}, {beside, slash ? slash + 1 : name}, {beside, name}};
	bool memory = true;
	for (size_t i = 0; memory && !*ret_found && i < sizeof(places) / sizeof(*places); i++) {
		char *path = path_join(places[i], 2);
		memory = path && look_at(splits, path, search, ret_found);
		free(path);
	}
	return memory;
}

enum locus_status split_dwarfs_find(struct split_dwarfs *splits, const struct libdw_file *file, Dwarf_CU *cu,
				    Dwarf_Die *skeleton, Dwarf_Die *ret, struct locus_error *error)
{
	const char *directory = string_of(skeleton, DW_AT_comp_dir), *name = string_of(skeleton, DW_AT_dwo_name);
	struct search search = {.end = file->end, .ret = ret};
	bool found = false;
	if (!name)
		name = string_of(skeleton, DW_AT_GNU_dwo_name);
	if (!name || dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &search.id, NULL, NULL) != 0)
		return locus_fail(error, LOCUS_ERR_COMPANION, "a unit does not name its split debug file");

	/* The program may be known by a symbolic link. */
	char *real = realpath(splits->program, NULL), *beside = path_directory(splits->program);
	char *real_beside = real ? path_directory(real) : NULL;
	bool memory = (real || errno != ENOMEM) && beside && (!real || real_beside) &&
		      look_from(splits, directory, beside, name, &search, &found) &&
		      (found || !real || look_from(splits, directory, real_beside, name, &search, &found));
	free(real_beside);
	free(beside);
	free(real);
	if (!memory)
		return locus_fail_memory(error);
	if (found)
		return LOCUS_OK;
	return search.status == LOCUS_OK
		       ? locus_fail(error, LOCUS_ERR_COMPANION, "its split debug file %s was not found", name)
		       : locus_fail(error, search.status, "%s", search.error.text);
}

void split_dwarfs_done(struct split_dwarfs *splits)
{
	for (uint32_t i = 0; i < splits->count; i++) {
		libdw_file_close(&splits->files[i].file);
		free(splits->files[i].halves);
	}
	free(splits->files);
	hash_slots_done(&splits->slots);
	*splits = (struct split_dwarfs){0};
}
