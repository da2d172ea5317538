/*
 * libdw opens whatever a skeleton names, waits for it if it is a pipe, and opens it again for each skeleton. So what it
 * may open is opened and judged here before.
 */
#include "convert/cross_check/skeleton.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/fail.h"
#include "base/mix64.h"
#include "base/path.h"
#include "convert/cross_check/libdw_file.h"

enum { OPENED = 1 << 16 }; /* bytes that libdw takes for a file, besides its content */

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	return dwarf_formstring(dwarf_attr(die, name, &attribute));
}

/* Adds a file's size to the budget when it is first met. False: out of memory, or beyond the budget. */
static bool admit_once(struct admitted_files *files, const struct stat *facts)
{
	uint32_t at, hash = (uint32_t)mix64(facts->st_ino + 31 * facts->st_dev);
	if (!hash_slots_reserve(&files->slots, files->count) ||
	    !array_reserve(&files->files, &files->room, files->count + UINT64_C(1), sizeof(*files->files)))
		return false;
	struct hash_slot *slots = files->slots.slots;
	HASH_SLOTS_FIND(at, &files->slots, hash,
			files->files[slots[at].index - 1].inode == facts->st_ino &&
				files->files[slots[at].index - 1].device == facts->st_dev);
	if (slots[at].index)
		return true;
	files->files[files->count] = (struct admitted_file){facts->st_dev, facts->st_ino};
	slots[at] = (struct hash_slot){hash, ++files->count};
	budget_admit((uint64_t)facts->st_size);
	return true;
}

/* Opens the file as libdw will, counts what that costs, and closes it. */
static enum locus_status try_open(const char *path, struct locus_error *error)
{
	struct elf_file *elf = NULL;
	struct libdw_file file = {0};
	struct unit_loads loads = {0};
	enum locus_status status = elf_file_open_split(path, &elf, error);
	if (status == LOCUS_OK)
		status = libdw_file_open(&file, elf, path, false, &loads, error);
	if (status == LOCUS_OK && !budget_take(elf->bytes.stored_size + OPENED))
		status = locus_fail_memory(error);
	libdw_file_close(&file);
	unit_loads_done(&loads);
	elf_file_free(elf);
	budget_at("entries", NULL, ".debug_info", 0);
	return status;
}

/* Judges what stands at this path; where nothing does, libdw looks elsewhere. */
static enum locus_status judge_place(struct admitted_files *files, const char *directory, const char *name,
				     struct locus_error *error)
{
	const char *parts[] = {directory, name};
	char *path = path_join(parts, 2);
	struct locus_error cause = {.offset = LOCUS_NO_OFFSET};
	struct stat facts;
	enum locus_status status = path ? LOCUS_OK : locus_fail_memory(error);

	/* A pipe or a device would make libdw wait, and a file may cost more than the budget has. */
	if (path && stat(path, &facts) == 0) {
		if (!S_ISREG(facts.st_mode))
			status = locus_fail(error, LOCUS_ERR_COMPANION, "its split debug file %s is not a regular file",
					    path);
		else if (!admit_once(files, &facts))
			status = locus_fail_memory(error);
		else if ((status = try_open(path, &cause)) != LOCUS_OK)
			status = locus_fail(error, status, "its split debug file: %s", cause.text);
	}
	free(path);
	return status;
}

/* libdw looks beside the file, and then in the directory of compilation. */
static enum locus_status judge_places(struct admitted_files *files, Dwarf_Die *skeleton, const char *path,
				      struct locus_error *error)
{
	const char *name = string_of(skeleton, DW_AT_dwo_name);
	if (!name)
		name = string_of(skeleton, DW_AT_GNU_dwo_name);
	if (!name)
		return LOCUS_OK;
	char *real = realpath(path, NULL);
	if (!real && errno == ENOMEM)
		return locus_fail_memory(error);
	char *beside = path_directory(real ? real : path);
	enum locus_status status = beside ? judge_place(files, beside, name, error) : locus_fail_memory(error);
	if (status == LOCUS_OK)
		status = judge_place(files, string_of(skeleton, DW_AT_comp_dir), name, error);
	free(beside);
	free(real);
	return status;
}

enum locus_status skeleton_open_split(struct admitted_files *files, Dwarf_CU *cu, Dwarf_Die *skeleton, const char *path,
				      Dwarf_Die *ret, struct locus_error *error)
{
	uint8_t type;
	Dwarf_Die die, split = {0};
	enum locus_status status = judge_places(files, skeleton, path, error);
	if (status != LOCUS_OK)
		return status;
	errno = 0;
	if (dwarf_cu_info(cu, NULL, &type, &die, &split, NULL, NULL, NULL) == 0 && split.cu) {
		*ret = split;
		return LOCUS_OK;
	}
	return libdw_lacked_memory()
		       ? locus_fail_memory(error)
		       : locus_fail(error, LOCUS_ERR_COMPANION, "libdw did not find its split debug files");
}

void admitted_files_done(struct admitted_files *files)
{
	free(files->files);
	hash_slots_done(&files->slots);
	*files = (struct admitted_files){0};
}
