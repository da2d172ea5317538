/*
 * Companion files. A candidate counts only if it matches (RULES G1): by build-id where both have one, else by the
 * link's CRC-32; it must be of the same machine and class. A link from a file to itself is ignored (RULES G2).
 */
#include "convert/dwarf/companion.h"

#include <isa-l/crc.h> /* the CRC-32 of .gnu_debuglink, at memory speed */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/path.h"

static const char *const default_dirs[] = {"/usr/lib/debug"};

static const char *const *search_dirs(const struct companion_options *options, size_t *ret_count)
{
	*ret_count = options->debug_dir_count ? options->debug_dir_count : 1;
	return options->debug_dir_count ? options->debug_dirs : default_dirs;
}

static bool same_build_id(const struct elf_file *file, const uint8_t *id, size_t size)
{
	return file->build_id_size == size && memcmp(file->build_id, id, size) == 0;
}

static uint32_t file_crc(const struct elf_file *file)
{
	return file->map ? crc32_gzip_refl(0, file->map, file->map_size) : 0;
}

/* Opens `path` if there is such a file and it is of the machine and class of `like`. NULL: not that. */
static struct elf_file *open_like(const char *path, const struct elf_file *like)
{
	struct elf_file *file;
	if (path_same_file(path, like->path) || elf_file_open(path, &file, NULL) != LOCUS_OK)
		return NULL;
	if (file->machine == like->machine && file->class == like->class)
		return file;
	elf_file_free(file);
	return NULL;
}

/* DIR/.build-id/xx/yyyy.debug. Malloc'd. */
static char *build_id_path(const char *dir, const uint8_t *id, size_t size, const char *suffix)
{
	size_t room = strlen(dir) + 2 * size + strlen(suffix) + sizeof "/.build-id//";
	char *path = malloc(room);
	if (!path)
		return NULL;
	int at = snprintf(path, room, "%s/.build-id/%02x/", dir, id[0]);
	for (size_t i = 1; i < size; i++)
		at += snprintf(path + at, room - (size_t)at, "%02x", id[i]);
	snprintf(path + at, room - (size_t)at, "%s", suffix);
	return path;
}

static struct elf_file *find_by_build_id(const struct elf_file *like, const uint8_t *id, size_t size,
					 const struct companion_options *options)
{
	size_t count;
	const char *const *dirs = search_dirs(options, &count);
	struct elf_file *found = NULL;
	for (size_t i = 0; size > 1 && !found && i < count; i++) {
		char *path = build_id_path(dirs[i], id, size, ".debug");
		found = path ? open_like(path, like) : NULL;
		free(path);
		if (found && !same_build_id(found, id, size)) {
			elf_file_free(found);
			found = NULL;
		}
	}
	return found;
}

/* RULES G1: the build-id where both have one, else the CRC-32. */
static bool matches_link(const struct elf_file *candidate, const struct elf_file *file, uint32_t crc)
{
	if (candidate->build_id_size && file->build_id_size)
		return same_build_id(candidate, file->build_id, file->build_id_size);
	return file_crc(candidate) == crc;
}

static struct elf_file *try_link(const struct elf_file *file, const char *prefix, const char *directory,
				 const char *name, uint32_t crc)
{
	size_t room = strlen(prefix) + strlen(directory) + strlen(name) + 3;
	char *path = malloc(room);
	if (!path)
		return NULL;
	snprintf(path, room, "%s%s%s", prefix, directory, name);
	struct elf_file *candidate = open_like(path, file);
	free(path);
	if (candidate && !matches_link(candidate, file, crc)) {
		elf_file_free(candidate);
		return NULL;
	}
	return candidate;
}

/* RULES G2. */
static bool links_to_itself(const struct elf_file *file, const char *name)
{
	char *directory = path_directory(file->path);
	const char *parts[] = {directory, name};
	char *path = directory ? path_join(parts, 2) : NULL;
	bool itself = path && path_same_file(path, file->path);
	free(path);
	free(directory);
	return itself;
}

/* GDB's order: beside the file, in .debug beside it, and under each debug directory at the file's own place. */
static struct elf_file *find_by_link(const struct elf_file *file, const char *name, uint32_t crc,
				     const struct companion_options *options)
{
	size_t count;
	const char *const *dirs = search_dirs(options, &count);
	char *real = realpath(file->path, NULL);
	char *directory = path_directory(real ? real : file->path);
	struct elf_file *found = NULL;
	if (directory) {
		found = try_link(file, directory, "", name, crc);
		found = found ? found : try_link(file, directory, ".debug/", name, crc);
		for (size_t i = 0; !found && i < count; i++)
			found = try_link(file, dirs[i], directory, name, crc);
		for (size_t i = 0; !found && i < count; i++)
			found = try_link(file, dirs[i], "/", name, crc);
	}
	free(directory);
	free(real);
	return found;
}

/* The file the caller named, held against the build-id of what it belongs to. */
static enum locus_status open_named(const char *path, const struct elf_file *file, struct elf_file **ret,
				    struct locus_error *error)
{
	struct elf_file *named;
	struct locus_error why = {0};
	enum locus_status status = elf_file_open(path, &named, &why);
	if (status != LOCUS_OK)
		return locus_fail_at(error, status, why.offset, "debug file %s: %s", path, why.text);
	bool matches = named->machine == file->machine && named->class == file->class;
	if (matches && named->build_id_size && file->build_id_size)
		matches = same_build_id(named, file->build_id, file->build_id_size);
	if (!matches) {
		elf_file_free(named);
		return locus_fail(error, LOCUS_ERR_COMPANION,
				  "debug file %s belongs to another build: build-id or machine differ", path);
	}
	*ret = named;
	return LOCUS_OK;
}

enum locus_status companion_debug(const struct elf_file *file, const struct companion_options *options,
				  struct elf_file **ret, struct locus_error *error)
{
	uint32_t crc;
	size_t count;
	const char *const *dirs = search_dirs(options, &count);
	if (options->debug_file)
		return open_named(options->debug_file, file, ret, error);
	const char *link = elf_file_debuglink(file, &crc);
	if (link && links_to_itself(file, link))
		link = NULL;
	struct elf_file *found = find_by_build_id(file, file->build_id, file->build_id_size, options);
	if (!found && link)
		found = find_by_link(file, link, crc, options);
	if (found) {
		*ret = found;
		return LOCUS_OK;
	}
	if (link)
		return locus_fail(
			error, LOCUS_ERR_NO_DEBUG,
			"no debug information in it, and its debug file %s was not found in %s%s: install it, or "
			"name it with --debug",
			link, dirs[0], count > 1 ? " and the other directories" : "");
	return locus_fail(error, LOCUS_ERR_NO_DEBUG,
			  "no debug information: build with -g, or name a debug file with --debug");
}

enum locus_status companion_alt(const struct elf_file *debug, const struct companion_options *options,
				struct elf_file **ret, struct locus_error *error)
{
	const uint8_t *id;
	size_t id_size;
	const char *link = elf_file_altlink(debug, &id, &id_size);
	*ret = NULL;
	if (!link)
		return LOCUS_OK;
	char *directory = path_directory(debug->path);
	const char *parts[] = {directory, options->alt_file ? NULL : link};
	char *path = options->alt_file ? strdup(options->alt_file) : path_join(parts, 2);
	struct elf_file *found = path ? open_like(path, debug) : NULL;
	free(path);
	free(directory);
	if (found && !same_build_id(found, id, id_size)) {
		elf_file_free(found);
		found = NULL;
	}
	if (!found && !options->alt_file)
		found = find_by_build_id(debug, id, id_size, options);
	if (!found)
		return locus_fail(
			error, LOCUS_ERR_COMPANION,
			"its alternate debug file %s was not found or is of another build: name it with --alt",
			options->alt_file ? options->alt_file : link);
	*ret = found;
	return LOCUS_OK;
}

enum locus_status companion_dwp(const char *input, const struct elf_file *debug,
				const struct companion_options *options, struct elf_file **ret,
				struct locus_error *error)
{
	const char *bases[] = {input, debug->path};
	*ret = NULL;
	if (options->dwp_file) {
		struct locus_error why = {0};
		enum locus_status status = elf_file_open(options->dwp_file, ret, &why);
		return status == LOCUS_OK
			       ? status
			       : locus_fail_at(error, status, why.offset, "%s: %s", options->dwp_file, why.text);
	}
	for (int i = 0; i < 2 && !*ret; i++) {
		size_t room = strlen(bases[i]) + sizeof ".dwp";
		char *path = malloc(room);
		if (!path)
			return locus_fail_memory(error);
		snprintf(path, room, "%s.dwp", bases[i]);
		*ret = open_like(path, debug);
		free(path);
	}
	return LOCUS_OK;
}

enum locus_status companion_dwo(const char *input, const struct unit *skeleton, struct elf_file **ret,
				struct locus_error *error)
{
	char *directory = path_directory(input);
	const char *name = skeleton->dwo_name, *slash = strrchr(name, '/');
	const char *as_built[] = {skeleton->comp_dir, name};
	const char *beside[] = {directory, slash ? slash + 1 : name};
	const char *under[] = {directory, name};
	const char *const *places[] = {as_built, beside, under};
	struct elf_file *found = NULL;
	for (int i = 0; i < 3 && !found; i++) {
		char *path = path_join(places[i], 2);
		found = path ? open_like(path, skeleton->dwarf->file) : NULL;
		free(path);
	}
	free(directory);
	if (!found)
		return locus_fail(
			error, LOCUS_ERR_COMPANION,
			"its split debug file %s was not found: keep it where it was built, or name a package with "
			"--dwp",
			name);
	*ret = found;
	return LOCUS_OK;
}
