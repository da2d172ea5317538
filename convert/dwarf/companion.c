/*
 * Finds companion files. A candidate must match (RULES G1): by build-id if both files have one, else by the link's
 * CRC-32; and it must be of the same machine and class. A link from a file to itself is ignored (RULES G2).
 */
#include "convert/dwarf/companion.h"

#include <errno.h>
#include <gelf.h>
#include <isa-l/crc.h> /* the CRC-32 of .gnu_debuglink, at memory speed */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/fail.h"
#include "base/hex_text.h"
#include "base/path.h"
#include "base/same_file.h"
#include "convert/elf/links.h"
#include "convert/elf/mini_debug.h"
#include "convert/elf/section_walk.h"

static const char *const default_dirs[] = {"/usr/lib/debug"};

/* A search for a companion, and what to report if it fails. */
struct search {
	const struct companion_options *options;
	const struct elf_file *like; /* the file that it belongs to, whose machine and class it must have; never the
					file itself (RULES G2) */
	const uint8_t *id;           /* a build-id, or the checksum of .debug_sup */
	size_t id_size;
	bool has_crc; /* of a debug link; it decides if one of the two files has no id */
	uint32_t crc;
	struct locus_error other; /* why the first candidate that is there is not it; an empty text: none is there */
};

static const char *const *search_dirs(const struct companion_options *options, size_t *ret_count)
{
	*ret_count = options->debug_dir_count ? options->debug_dir_count : 1;
	return options->debug_dir_count ? options->debug_dirs : default_dirs;
}

static uint32_t file_crc(const struct elf_file *file)
{
	return crc32_gzip_refl(0, file->bytes.image, file->bytes.image_size);
}

/*
 * RULES G1: compares the ids if both have one, else the CRC-32. A file that is mostly holes was not built, and is not
 * read for its CRC, which would take minutes.
 */
static bool matches(const struct search *search, const struct elf_file *candidate)
{
	if (search->id_size && (candidate->build_id_size || !search->has_crc))
		return links_have_id(candidate, search->id, search->id_size);
	bool has_holes = candidate->bytes.stored_size < candidate->bytes.image_size;
	return search->has_crc && !has_holes && file_crc(candidate) == search->crc;
}

static bool is_like(const struct elf_file *file, const struct elf_file *like)
{
	return file->machine == like->machine && file->class == like->class;
}

/* What differs between the candidate and the file that is searched for; NULL: nothing. */
static const char *difference(const struct search *search, const struct elf_file *candidate)
{
	if (!is_like(candidate, search->like))
		return "machine";
	if (matches(search, candidate))
		return NULL;
	return search->id_size && (candidate->build_id_size || !search->has_crc) ? "build-id" : "CRC-32";
}

/*
 * Whether there is a file that has bytes: neither a folder, nor one of the empty files by which debuginfod's clients
 * note that no server has a file.
 */
static bool has_bytes(const char *path)
{
	struct stat facts;
	return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size;
}

/*
 * Opens the file at `path` if it is the one that is searched for; NULL: it is not. Frees `path`, which is NULL if
 * memory is out.
 */
static struct elf_file *try_path(struct search *search, char *path)
{
	struct elf_file *file = NULL;
	struct locus_error why = {0};
	if (!path)
		budget_memory_out();
	bool is_other = path && !paths_are_same_file(path, search->like->path);
	enum locus_status status = is_other ? elf_file_open(path, &file, &why) : LOCUS_ERR_IO;
	budget_note(status);
	const char *differs = status == LOCUS_OK ? difference(search, file) : NULL;
	bool is_first = !search->other.text[0];
	if (is_first && differs)
		locus_fail(&search->other, status, "%s is of another build: its %s differs", path, differs);
	else if (is_first && is_other && status != LOCUS_OK && has_bytes(path))
		locus_fail(&search->other, status, "%s: %s", path, why.text);

	free(path);
	if (differs) {
		elf_file_free(file);
		file = NULL;
	}
	return file;
}

/*
 * Makes the path DIR/MIDDLE, two hexadecimal digits for each byte of the id, which has some, SUFFIX. `split`: with a /
 * behind the first byte. Malloc'd; NULL: memory is out.
 */
static char *id_path(const struct search *search, const char *dir, const char *middle, bool split, const char *suffix)
{
	char *path, *hex = malloc(2 * search->id_size + 1);
	const int head = split ? 2 : 0; /* digits in front of the / */
	if (!hex)
		return NULL;
	hex_text(search->id, search->id_size, hex);
	if (asprintf(&path, "%s/%s%.*s%s%s%s", dir, middle, head, hex, split ? "/" : "", hex + head, suffix) < 0)
		path = NULL;
	free(hex);
	return path;
}

/*
 * Searches where debuginfod's clients keep what they fetched (debuginfod(8)): in the folder that is named or, where
 * none is, in that of early versions, if there is one, and in that of later ones.
 */
static struct elf_file *find_fetched(struct search *search)
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	bool has_home = home && *home;
	if (own && *own)
		return try_path(search, id_path(search, own, "", false, "/debuginfo"));
	struct elf_file *found = NULL;
	if (has_home)
		found = try_path(search, id_path(search, home, ".debuginfod_client_cache/", false, "/debuginfo"));
	if (!found && cache && *cache)
		return try_path(search, id_path(search, cache, "debuginfod_client/", false, "/debuginfo"));
	if (!found && has_home)
		return try_path(search, id_path(search, home, ".cache/debuginfod_client/", false, "/debuginfo"));
	return found;
}

/* Searches .build-id of each debug directory, then what debuginfod's clients fetched. */
static struct elf_file *find_by_id(struct search *search)
{
	size_t count;
	const char *const *dirs = search_dirs(search->options, &count);
	struct elf_file *found = NULL;
	for (size_t i = 0; search->id_size > 1 && !found && i < count; i++)
		found = try_path(search, id_path(search, dirs[i], ".build-id/", true, ".debug"));
	return found || search->id_size < 2 ? found : find_fetched(search);
}

static struct elf_file *try_joined(struct search *search, const char *a, const char *b, const char *c)
{
	char *path;
	if (asprintf(&path, "%s%s%s", a, b, c) < 0)
		path = NULL;
	return try_path(search, path);
}

/* RULES G2. */
static bool links_to_itself(const struct elf_file *file, const char *name)
{
	char *directory = path_directory(file->path);
	const char *parts[] = {directory, name};
	char *path = directory ? path_join(parts, 2) : NULL;
	bool itself = path && paths_are_same_file(path, file->path);
	free(path);
	free(directory);
	return itself;
}

/*
 * The path without symbolic links; as it is where it leads to no file, as that of a member of an archive. Malloc'd;
 * NULL: out of memory.
 */
static char *real_path(const char *path)
{
	char *real = realpath(path, NULL);
	if (!real && errno != ENOMEM)
		real = strdup(path);
	if (!real)
		budget_memory_out();
	return real;
}

/* Searches beside a path, in .debug beside it, and under each debug directory at the same place. */
static struct elf_file *find_near(struct search *search, const char *path, const char *name)
{
	size_t count;
	const char *const *dirs = search_dirs(search->options, &count);
	char *directory = path_directory(path);
	struct elf_file *found = directory ? try_joined(search, directory, "", name) : NULL;
	if (!found && directory)
		found = try_joined(search, directory, ".debug/", name);
	for (size_t i = 0; !found && directory && *directory == '/' && i < count; i++)
		found = try_joined(search, dirs[i], directory, name);
	free(directory);
	return found;
}

/* Searches in GDB's order: where the file lies, and then where the path is by which it was reached. */
static struct elf_file *find_by_link(struct search *search, const char *name)
{
	size_t count;
	const char *const *dirs = search_dirs(search->options, &count), *path = search->like->path;
	char *real = real_path(path);
	struct elf_file *found = real ? find_near(search, real, name) : NULL;
	if (!found && real && strcmp(real, path) != 0)
		found = find_near(search, path, name);
	for (size_t i = 0; !found && i < count; i++)
		found = try_joined(search, dirs[i], "/", name);
	free(real);
	return found;
}

/*
 * Opens the file that the caller named, and checks it by the id of the file that it belongs to, or else by the debug
 * link's CRC-32.
 */
static enum locus_status open_named(struct search *search, const char *path, struct elf_file **ret,
				    struct locus_error *error)
{
	struct elf_file *named;
	struct locus_error why = {0};
	enum locus_status status = elf_file_open(path, &named, &why);
	if (status != LOCUS_OK)
		return locus_fail_at(error, status, why.offset, "debug file %s: %s", path, why.text);
	bool comparable = search->has_crc || (search->id_size && named->build_id_size);
	const char *differs = comparable || !is_like(named, search->like) ? difference(search, named) : NULL;
	if (!differs) {
		*ret = named;
		return LOCUS_OK;
	}
	elf_file_free(named);
	return locus_fail(error, LOCUS_ERR_COMPANION, "debug file %s belongs to another build: its %s differs", path,
			  differs);
}

/* The first bytes of an id are shown: enough to look it up. `ret` has room for any. */
enum { ID_TEXT_SIZE = 2 * 20 + 1 };
static const char *id_text(const struct search *search, char *ret)
{
	const size_t shown = ID_TEXT_SIZE / 2;
	hex_text(search->id, search->id_size < shown ? search->id_size : shown, ret);
	return ret;
}

static bool has_section_of(const struct elf_file *file, uint32_t type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	while ((scn = elf_nextscn(file->elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == type)
			return true;
	return false;
}

static bool has_section_named(const struct elf_file *file, const char *name)
{
	for (struct section_walk at = section_walk_begin(file->elf); section_walk_next(&at);)
		if (strcmp(at.name, name) == 0)
			return true;
	return false;
}

/* Says what the file has instead of debug information; *ret_has_names: symbols that --symbols-only can use. */
static const char *what_it_has(const struct elf_file *file, bool *ret_has_names)
{
	size_t section_count;
	*ret_has_names = true;
	if (mini_debug_is_there(file))
		return "no debug information but MiniDebugInfo, which only names functions";
	if (has_section_of(file, SHT_SYMTAB))
		return "no debug information, only a symbol table";
	*ret_has_names = has_section_of(file, SHT_DYNSYM);
	if (elf_getshdrnum(file->elf, &section_count) == 0 && section_count <= 1)
		return "no section headers, and so no debug information";
	return "no debug information";
}

static void note_missing(const struct search *search, enum locus_missing_kind kind)
{
	struct locus_missing *missing = search->options->missing;
	if (!missing || search->id_size < 2 || search->id_size > sizeof(missing->build_id))
		return;
	missing->kind = kind;
	missing->build_id_size = search->id_size;
	memcpy(missing->build_id, search->id, search->id_size);
}

/* Says what was not found, where it was searched, and what helps. `link`: the debug link; NULL: none. */
static enum locus_status no_debug_file(const struct search *search, const char *link, struct locus_error *error)
{
	enum { LINK_SHOWN = 48, DIR_SHOWN = 64 };
	char id[ID_TEXT_SIZE];
	size_t count;
	bool has_names;
	const char *dir = search_dirs(search->options, &count)[0], *more = count > 1 ? " and others" : "";
	const char *has = what_it_has(search->like, &has_names);
	const char *or_names = has_names ? " or --symbols-only" : "";

	/* The more is known of what is missing, the more the message says. */
	if (search->like->type == ET_CORE)
		return locus_fail(error, LOCUS_ERR_NO_DEBUG,
				  "a core file has no debug information: convert the programs and libraries it maps");
	if (has_section_named(search->like, ".gnu.debuglto_.debug_info"))
		return locus_fail(
			error, LOCUS_ERR_NO_DEBUG,
			"its code and debug information are gcc's own, for link-time optimisation: convert what is "
			"linked from it");
	if (has_section_named(search->like, ".stab"))
		return locus_fail(
			error, LOCUS_ERR_NO_DEBUG,
			"its debug information is stabs, and only DWARF is read: build with -gdwarf or another "
			"compiler, or convert with --debug=FILE%s",
			or_names);
	if (search->other.text[0])
		return locus_fail(error, LOCUS_ERR_NO_DEBUG, "%s, and %s", has, search->other.text);
	if (search->id_size)
		return locus_fail(
			error, LOCUS_ERR_NO_DEBUG,
			"%s; none for build-id %s in %.*s%s%s%.*s: install it, %sor convert with --debug=FILE%s", has,
			id_text(search, id), DIR_SHOWN, dir, more, link ? ", no " : "", LINK_SHOWN, link ? link : "",
			link ? "" : "build with -g, ", or_names);
	if (link)
		return locus_fail(error, LOCUS_ERR_NO_DEBUG,
				  "%s, and its debug file %.*s was not found in %.*s%s: install it, or convert "
				  "with --debug=FILE%s",
				  has, LINK_SHOWN, link, DIR_SHOWN, dir, more, or_names);
	return locus_fail(error, LOCUS_ERR_NO_DEBUG, "%s: build with -g, or convert with --debug=FILE%s", has,
			  or_names);
}

enum locus_status companion_debug(const struct elf_file *file, const struct companion_options *options,
				  struct elf_file **ret, struct locus_error *error)
{
	struct search search = {.options = options, .like = file, .id = file->build_id, .id_size = file->build_id_size};
	const char *link = links_debug(file, &search.crc);
	enum locus_status status = LOCUS_OK;
	if (link && links_to_itself(file, link))
		link = NULL;
	search.has_crc = link != NULL;
	if (options->debug_file)
		return open_named(&search, options->debug_file, ret, error);

	*ret = find_by_id(&search);
	if (!*ret && link)
		*ret = find_by_link(&search, link);
	if (!*ret) {
		note_missing(&search, LOCUS_MISSING_DEBUG);
		status = no_debug_file(&search, link, error);
	}
	return status;
}

/* Debian keeps alternate files in .dwz/<triplet>/ of the debug directory, and links to them there. */
static struct elf_file *find_in_dwz(struct search *search, const char *link)
{
	size_t count;
	const char *const *dirs = search_dirs(search->options, &count);
	const char *place = strstr(link, "/.dwz/");
	struct elf_file *found = NULL;
	for (size_t i = 0; place && !found && i < count; i++)
		found = try_joined(search, dirs[i], place, "");
	return found;
}

/* Searches at the link's place from `path`. */
static struct elf_file *find_beside(struct search *search, const char *path, const char *link)
{
	char *directory = path_directory(path);
	const char *parts[] = {directory, link};
	struct elf_file *found = directory ? try_path(search, path_join(parts, 2)) : NULL;
	free(directory);
	return found;
}

/* A debug file may be found through a symbolic link, while its own link counts from where the file really is. */
static struct elf_file *find_alternate(struct search *search, const struct elf_file *debug, const char *link)
{
	char *real = real_path(debug->path);
	struct elf_file *found = find_beside(search, debug->path, link);
	if (!found && real)
		found = find_beside(search, real, link);
	free(real);
	if (!found)
		found = find_by_id(search);
	return found ? found : find_in_dwz(search, link);
}

/* Checks that the alternate file that the caller named can be read. */
static enum locus_status check_named_alternate(const char *path, struct locus_error *error)
{
	struct elf_file *file = NULL;
	struct locus_error why = {0};
	enum locus_status status = elf_file_open(path, &file, &why);
	if (status == LOCUS_OK)
		elf_file_free(file);
	return status == LOCUS_OK
		       ? status
		       : locus_fail_at(error, status, why.offset, "alternate debug file %s: %s", path, why.text);
}

/* Says what was not found. `wanted`: the file that the caller named or, without one, that the link names. */
static enum locus_status no_alternate_file(const struct search *search, const char *wanted, struct locus_error *error)
{
	char id[ID_TEXT_SIZE];
	bool is_named = search->options->alt_file;
	if (!is_named)
		note_missing(search, LOCUS_MISSING_ALTERNATE);
	if (search->other.text[0])
		return locus_fail(error, LOCUS_ERR_COMPANION,
				  "its alternate debug file %s; it needs the one with id %s", search->other.text,
				  id_text(search, id));
	enum locus_status status = is_named ? check_named_alternate(wanted, error) : LOCUS_OK;
	if (status != LOCUS_OK)
		return status;
	return locus_fail(
		error, LOCUS_ERR_COMPANION,
		"its alternate debug file %s with id %s was not found: install it, or convert with --alt=FILE", wanted,
		id_text(search, id));
}

enum locus_status companion_alt(const struct elf_file *debug, const struct companion_options *options,
				struct elf_file **ret, struct locus_error *error)
{
	struct alternate_link link;
	*ret = NULL;
	/*
	 * A program that was stripped may have kept the link, which nothing in it needs. Others of a batch may need the
	 * file that is named, so it must be there all the same.
	 */
	if (!elf_file_has_debug(debug) || !links_alternate(debug, &link))
		return options->alt_file ? check_named_alternate(options->alt_file, error) : LOCUS_OK;
	if (!link.path)
		return locus_fail(error, LOCUS_ERR_BAD_ELF, "its link to an alternate debug file is damaged");
	/* RULES G1: no file can be told to be the right one. */
	if (!link.id_size)
		return locus_fail(error, LOCUS_ERR_BAD_ELF,
				  "its link to the alternate debug file %s is damaged: it has no id", link.path);

	struct search search = {.options = options, .like = debug, .id = link.id, .id_size = link.id_size};
	const char *wanted = options->alt_file ? options->alt_file : link.path;
	*ret = options->alt_file ? try_path(&search, strdup(wanted)) : find_alternate(&search, debug, wanted);
	return *ret ? LOCUS_OK : no_alternate_file(&search, wanted, error);
}

/*
 * Opens the split half of units at `path`, which must have the machine and class of `like` (RULES G1). What is no whole
 * file of this kind, because it is still being written or a disk was full, is as one that is missing (RULES G3).
 */
static enum locus_status open_split(const char *path, const struct elf_file *like, struct elf_file **ret,
				    struct locus_error *error)
{
	struct elf_file *file;
	struct locus_error why = {0};
	enum locus_status status = elf_file_open_split(path, &file, &why);
	budget_note(status);
	if (status != LOCUS_OK && status != LOCUS_ERR_IO && status != LOCUS_ERR_MEMORY)
		status = LOCUS_ERR_COMPANION;
	if (status != LOCUS_OK)
		return locus_fail_at(error, status, why.offset, "%s: %s", path, why.text);
	if (file->is_split && is_like(file, like)) {
		*ret = file;
		return LOCUS_OK;
	}
	status = locus_fail(error, LOCUS_ERR_COMPANION,
			    file->is_split ? "%s belongs to another build: its machine differs"
					   : "%s has no split debug information",
			    path);
	elf_file_free(file);
	return status;
}

/* The same for the package that the caller named; a failure says that it is about this file. */
static enum locus_status open_named_package(const char *path, const struct elf_file *like, struct elf_file **ret,
					    struct locus_error *error)
{
	struct locus_error why = {0};
	enum locus_status status = open_split(path, like, ret, &why);
	return status == LOCUS_OK ? status
				  : locus_fail_at(error, status, why.offset, "its package of split units %s", why.text);
}

/* Opens a package that may be at `path`. Of files there that cannot be opened so, the first failure is kept. */
static void open_package(const char *path, const struct elf_file *like, struct elf_file **ret,
			 struct companion_packages *packages)
{
	struct locus_error why;
	enum locus_status status = open_split(path, like, ret, &why);
	bool is_absent = status == LOCUS_ERR_IO && access(path, F_OK) != 0;
	if (status == LOCUS_OK || is_absent || packages->other_status != LOCUS_OK)
		return;
	packages->other_status = status == LOCUS_ERR_IO ? LOCUS_ERR_COMPANION : status;
	packages->other = why;
}

enum locus_status companion_dwp(const char *input, const struct elf_file *debug,
				const struct companion_options *options, struct companion_packages *ret,
				struct locus_error *error)
{
	if (options->dwp_file)
		return open_named_package(options->dwp_file, debug, &ret->files[0], error);
	char *real_input = real_path(input), *real_debug = real_path(debug->path);
	const char *bases[COMPANION_DWP_PLACES] = {input, real_input, debug->path, real_debug};
	enum locus_status status = real_input && real_debug ? LOCUS_OK : locus_fail_memory(error);
	for (int i = 0; i < COMPANION_DWP_PLACES && status == LOCUS_OK; i++) {
		char *path = NULL;
		bool is_known = false;
		if (asprintf(&path, "%s.dwp", bases[i]) < 0) {
			status = locus_fail_memory(error);
			break;
		}
		for (int k = 0; k < i; k++)
			is_known |= ret->files[k] && paths_are_same_file(path, ret->files[k]->path);
		if (!is_known)
			open_package(path, debug, &ret->files[i], ret);
		free(path);
	}
	free(real_input);
	free(real_debug);
	return status;
}

enum locus_status companion_dwo(const char *input, const struct unit *skeleton, unsigned place, struct elf_file **ret,
				struct locus_error *error)
{
	enum { FIRST_REAL = 3 }; /* from this place on, beside the file that a symbolic link leads to */
	char *real = place < FIRST_REAL ? strdup(input) : real_path(input);
	char *directory = real ? path_directory(real) : NULL;
	const char *name = skeleton->dwo_name, *slash = strrchr(name, '/');
	const char *as_built[] = {skeleton->comp_dir, name};
	const char *beside[] = {directory, slash ? slash + 1 : name};
	const char *under[] = {directory, name};
	const char *const *places[COMPANION_DWO_PLACES] = {as_built, beside, under, beside, under};
	char *path = directory ? path_join(places[place], 2) : NULL;
	*ret = NULL;
	enum locus_status status =
		path ? open_split(path, skeleton->dwarf->file, ret, error) : locus_fail_memory(error);
	if (status == LOCUS_ERR_IO)
		status = access(path, F_OK) == 0 ? LOCUS_ERR_COMPANION : LOCUS_OK;
	free(path);
	free(directory);
	free(real);
	return status;
}
