/* libdw opens whatever a skeleton names, waits for it if it is a pipe, and opens it again for each skeleton. */
#include "convert/cross_check/skeleton.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/budget.h"
#include "base/fail.h"
#include "base/path.h"

enum { OPENED = 1 << 16 }; /* bytes that libdw takes for a file, besides its content */

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	return dwarf_formstring(dwarf_attr(die, name, &attribute));
}

/* Whether what stands at this path is a file, or nothing does: then libdw looks elsewhere. */
static enum locus_status check_is_file(const char *directory, const char *name, struct locus_error *error)
{
	const char *parts[] = {directory, name};
	char *path = path_join(parts, 2);
	struct stat facts;
	if (!path)
		return locus_fail_memory(error);
	bool is_file = stat(path, &facts) != 0 || S_ISREG(facts.st_mode);
	enum locus_status status =
		is_file ? LOCUS_OK
			: locus_fail(error, LOCUS_ERR_COMPANION, "its split debug file %s is not a regular file", path);
	free(path);
	return status;
}

/* libdw looks beside the file, and then in the directory of compilation. */
static enum locus_status check_places(Dwarf_Die *skeleton, const char *path, struct locus_error *error)
{
	const char *name = string_of(skeleton, DW_AT_dwo_name);
	if (!name)
		name = string_of(skeleton, DW_AT_GNU_dwo_name);
	if (!name)
		return LOCUS_OK;
	char *real = realpath(path, NULL), *beside = path_directory(real ? real : path);
	enum locus_status status = beside ? check_is_file(beside, name, error) : locus_fail_memory(error);
	if (status == LOCUS_OK)
		status = check_is_file(string_of(skeleton, DW_AT_comp_dir), name, error);
	free(beside);
	free(real);
	return status;
}

enum locus_status skeleton_open_split(Dwarf_CU *cu, Dwarf_Die *skeleton, const char *path, Dwarf_Die *ret,
				      struct locus_error *error)
{
	uint8_t type;
	size_t size = 0;
	Dwarf_Die die, split = {0};
	enum locus_status status = check_places(skeleton, path, error);
	if (status != LOCUS_OK)
		return status;
	if (dwarf_cu_info(cu, NULL, &type, &die, &split, NULL, NULL, NULL) != 0 || !split.cu)
		return locus_fail(error, LOCUS_ERR_COMPANION, "libdw did not find its split debug files");
	elf_rawfile(dwarf_getelf(dwarf_cu_getdwarf(split.cu)), &size);
	if (!budget_take(size + OPENED))
		return locus_fail_memory(error);
	*ret = split;
	return LOCUS_OK;
}
