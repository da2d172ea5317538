/* Finds the symbols of modules, and remembers which were found and which were not. */
#include "cmd/modules/symbol_sources.h"

#include <dirent.h>
#include <errno.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/order.h"
#include "cmd/common/exit_code.h"
#include "cmd/common/file_magic.h"
#include "cmd/common/hex_digit.h"
#include "cmd/common/memory.h"
#include "cmd/common/report.h"
#include "cmd/common/string_compare.h"
#include "cmd/conversion/conversion.h"
#include "cmd/conversion/converter.h"
#include "cmd/store/lookup_file.h"
#include "cmd/store/symbol_cache.h"

enum {
	HEX_MAX = 2 * MODULE_BUILD_ID_MAX + 1,
	KEY_MAX = MODULE_PATH_MAX + HEX_MAX + 2,
	CANDIDATE_MAX = 2 * (MODULE_PATH_MAX + 1) + HEX_MAX,
	FETCH_MAX = 256,
	FILES_MAX = 1 << 14, /* ELF files that are known while they are closed */
	MESSAGES_MAX = 256,  /* the most messages about files and modules: a hostile text may name a million */
};

#define DEBUG_DIRECTORY "/usr/lib/debug"

/* A file or directory that --symbols or LOCUS_SYMBOLS names. */
struct given {
	const char *path;
	bool is_directory;
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	size_t build_id_size; /* 0: it has none; or it is an ELF file, whose build-id shows when it is converted */
	bool is_listed;       /* of a directory: it was read, and `entries` are those that may be a kernel's modules */
	struct dirent **entries;
	int entry_count; /* -1: it cannot be read */
};

struct given_list {
	struct given *items;
	size_t count;
};

/*
 * A file that a module was looked for in. An ELF file is known by what it is on the disk, so that it is converted once,
 * however many names a text has for it; that costs much more than to open a .locus file. While no module has it, it is
 * closed, and known for its build-id.
 */
struct tried_file {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec time; /* of the last change */
	bool is_last_resort;
	bool is_kept;  /* in `files`, for other modules */
	bool is_known; /* it was opened before; then what follows says what came of it */
	bool is_open;
	enum locus_status status;                  /* of the last time that it was opened, */
	struct locus_error error;                  /* and why that failed */
	uint8_t build_id[MODULE_BUILD_ID_MAX + 1]; /* of a longer one its beginning, which is no module's */
	size_t build_id_size;
	size_t module_count;        /* known modules that it answers for, and one while it is tried; 0: it is closed */
	struct symbol_file symbols; /* where it is open */
	size_t memory;              /* bytes that it may take, by the last question for another module */
};

/* A module that was asked for before. */
struct known_module {
	struct known_module *newer, *older; /* in the order of the last questions */
	struct tried_file *file;            /* that answers for it; NULL: no source has it */
	bool has_failed;                    /* a lookup in it, which was reported */
	struct module_name module;          /* its strings are in `key` and build_id */
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	char key[]; /* path, '\n', build-id in hexadecimal */
};

struct symbol_sources {
	const struct symbol_options *options;
	bool is_last_resort; /* no source has the module: its own symbol table will do */
	bool is_gone;        /* the module is not what is at its path now, and its build is unknown */
	struct given_list given, stores;
	char *stores_text;            /* the text that the paths of `stores` point into */
	char *cache;                  /* folder of the cache; NULL: none */
	char answered[CANDIDATE_MAX]; /* path of the file that answered last */
	void *known;                  /* tsearch tree by key */
	struct known_module *newest, *oldest;
	size_t known_count;
	void *files; /* tsearch tree of the ELF files that were tried */
	size_t file_count;
	size_t open_count;  /* of files */
	size_t open_memory; /* the sum of their `memory` */
	void *said;         /* tsearch tree of the messages written so far */
	size_t said_count;
	char **missing;
	size_t missing_count;
	size_t fetch_count; /* number of modules that debuginfod was asked for */
	bool more_missing;
	int code;
	char failure[LOCUS_ERROR_TEXT_SIZE]; /* why the last file tried for this module did not answer */
};

static void *allocate(size_t count, size_t size)
{
	return memory_checked(calloc(count ? count : 1, size));
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void *insert(void **tree, void *item, int (*compare)(const void *, const void *))
{
	void **found = memory_checked(tsearch(item, tree, compare));

	return *found;
}

/* ---- Build-ids ---- */

size_t build_id_parse(struct locus_string text, uint8_t ret[MODULE_BUILD_ID_MAX])
{
	if (text.size % 2 || text.size > 2 * MODULE_BUILD_ID_MAX)
		return 0;
	for (size_t i = 0; i < text.size; i += 2) {
		int high = hex_digit(text.data[i]), low = hex_digit(text.data[i + 1]);
		if (high < 0 || low < 0)
			return 0;
		ret[i / 2] = (uint8_t)(high << 4 | low);
	}
	return text.size / 2;
}

/* Of one that is longer than a module's, as a file may have any, so many bytes. */
static void build_id_text(struct locus_string build_id, char ret[HEX_MAX])
{
	size_t size = build_id.size < MODULE_BUILD_ID_MAX ? build_id.size : MODULE_BUILD_ID_MAX;

	for (size_t i = 0; i < size; i++)
		snprintf(ret + 2 * i, 3, "%02x", (unsigned char)build_id.data[i]);
	ret[2 * size] = '\0';
}

/* ---- Messages ---- */

static void say_once(struct symbol_sources *sources, const char *file, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say_once(struct symbol_sources *sources, const char *file, const char *format, ...)
{
	char text[KEY_MAX + 512];
	va_list arguments;
	int used = snprintf(text, sizeof(text), "%s: ", file);

	va_start(arguments, format);
	vsnprintf(text + used, sizeof(text) - (size_t)used, format, arguments);
	va_end(arguments);
	if (sources->said_count > MESSAGES_MAX || tfind(text, &sources->said, compare_text))
		return;
	if (sources->said_count++ == MESSAGES_MAX) {
		report(NULL, "further messages about files of symbols are left out");
		return;
	}
	report(file, "%s", text + used);
	char *copy = strdup(text);
	if (!copy || insert(&sources->said, copy, compare_text) != copy)
		free(copy);
}

/* The name of a module in messages. */
static void module_text(const struct module_name *module, char ret[KEY_MAX])
{
	char id[HEX_MAX];

	build_id_text(module->build_id, id);
	if (module->path.size && module->build_id.size)
		snprintf(ret, KEY_MAX, "%.*s (%s)", (int)module->path.size, module->path.data, id);
	else if (module->path.size)
		snprintf(ret, KEY_MAX, "%.*s", (int)module->path.size, module->path.data);
	else
		snprintf(ret, KEY_MAX, "%s", id);
}

/* ---- One file that may have the module ---- */

/* Notes why a file does not answer, and says it where it is a failure: a module that is no program has no symbols. */
static void note_failure(struct symbol_sources *sources, const struct module_name *module, const char *path,
			 enum locus_status status, const struct locus_error *error)
{
	bool is_no_program = status == LOCUS_ERR_NOT_LOCUS && string_is(module->path, path);

	snprintf(sources->failure, sizeof(sources->failure), "%s", error_text(status, error));
	if (status == LOCUS_ERR_NO_DEBUG || status == LOCUS_ERR_NOT_ELF || status == LOCUS_ERR_COMPANION ||
	    is_no_program)
		return;
	say_once(sources, path, "%s", sources->failure);
	sources->code = EXIT_FAILED;
}

static void note_mismatch(struct symbol_sources *sources, const char *path, struct locus_string has,
			  const struct module_name *module)
{
	char name[KEY_MAX], id[HEX_MAX];

	module_text(module, name);
	build_id_text(has, id);
	snprintf(sources->failure, sizeof(sources->failure), "what was found is of another build");
	if (has.size)
		say_once(sources, path, "not used for %s: its build-id is %s", name, id);
	else
		say_once(sources, path, "not used for %s: it has no build-id", name);
	sources->code = EXIT_FAILED;
}

/*
 * Notes why what is at a path is not opened: a loop of links, what may not be looked at, or a pipe. A directory may
 * have the name of a module, and where there is nothing, nothing is noted.
 */
static void note_unusable(struct symbol_sources *sources, const char *path)
{
	enum { REASON_MAX = 80 };
	struct stat found;
	const char *reason = "not a regular file";

	if (stat(path, &found) == 0) {
		if (S_ISDIR(found.st_mode))
			return;
	} else if (errno == ELOOP || errno == EACCES) {
		reason = strerror(errno);
	} else {
		return;
	}
	snprintf(sources->failure, sizeof(sources->failure), "%.*s: %s", (int)sizeof(sources->failure) - REASON_MAX,
		 path, reason);
}

static int compare_files(const void *a, const void *b)
{
	const struct tried_file *left = a, *right = b;
	int orders[] = {order_of(left->inode, right->inode),
			order_of(left->device, right->device),
			order_of((uint64_t)left->size, (uint64_t)right->size),
			order_of((uint64_t)left->time.tv_sec, (uint64_t)right->time.tv_sec),
			order_of((uint64_t)left->time.tv_nsec, (uint64_t)right->time.tv_nsec),
			order_of(left->is_last_resort, right->is_last_resort)};
	size_t i = 0;

	while (i + 1 < sizeof(orders) / sizeof(orders[0]) && !orders[i])
		i++;
	return orders[i];
}

/* Finds the file among those that were tried before, or makes an entry for it, which is not open. */
static struct tried_file *find_file(struct symbol_sources *sources, const struct stat *found)
{
	struct tried_file *file = allocate(1, sizeof(*file)), *known;

	file->device = found->st_dev;
	file->inode = found->st_ino;
	file->size = found->st_size;
	file->time = found->st_mtim;
	file->is_last_resort = sources->is_last_resort;
	known = insert(&sources->files, file, compare_files);
	if (known != file) {
		free(file);
		return known;
	}
	file->is_kept = true;
	sources->file_count++;
	return file;
}

static void forget_file(struct symbol_sources *sources, struct tried_file *file)
{
	if (file->is_kept) {
		tdelete(file, &sources->files, compare_files);
		sources->file_count--;
	}
	file->is_kept = false;
}

/* Opens a file for the first module that it may answer for. Of a .locus file each module has a handle of its own. */
static void open_file(struct symbol_sources *sources, struct tried_file *file, const char *path)
{
	file->is_known = true;
	error_clear(&file->error);
	file->status =
		symbol_file_open(path, file->is_last_resort, &sources->options->labels, &file->symbols, &file->error);
	if (file->status != LOCUS_OK)
		return;
	file->is_open = true;
	sources->open_count++;
	file->build_id_size = file->symbols.info->build_id.size;
	if (file->build_id_size > sizeof(file->build_id))
		file->build_id_size = sizeof(file->build_id);
	if (file->build_id_size)
		memcpy(file->build_id, file->symbols.info->build_id.data, file->build_id_size);
	if (!file->symbols.partial)
		forget_file(sources, file);
}

/* To be called for each module that has no use for the file any more. */
static void release_file(struct symbol_sources *sources, struct tried_file *file)
{
	if (--file->module_count)
		return;
	if (file->is_open) {
		sources->open_memory -= file->memory;
		file->memory = 0;
		symbol_file_close(&file->symbols);
		sources->open_count--;
		file->is_open = false;
	}
	if (sources->file_count > FILES_MAX)
		forget_file(sources, file);
	if (!file->is_kept)
		free(file);
}

static struct locus_string build_id_of(const struct tried_file *file)
{
	return (struct locus_string){(const char *)file->build_id, file->build_id_size};
}

static bool may_be(const struct tried_file *file, const struct module_name *module)
{
	return !module->build_id.size || strings_are_equal(module->build_id, build_id_of(file));
}

/* Opens the file if it exists and is the module's. */
static bool try_file(struct symbol_sources *sources, const struct module_name *module, const char *path,
		     struct tried_file **ret)
{
	struct stat found;

	if (stat(path, &found) != 0 || !S_ISREG(found.st_mode)) {
		note_unusable(sources, path);
		return false;
	}
	struct tried_file *file = find_file(sources, &found);
	if (!file->module_count && (!file->is_known || (file->status == LOCUS_OK && may_be(file, module))))
		open_file(sources, file, path);
	file->module_count++;
	if (file->status != LOCUS_OK) {
		note_failure(sources, module, path, file->status, &file->error);
	} else if (!may_be(file, module)) {
		note_mismatch(sources, path, build_id_of(file), module);
	} else {
		snprintf(sources->answered, sizeof(sources->answered), "%s", path);
		*ret = file;
		return true;
	}
	release_file(sources, file);
	return false;
}

static bool try_format(struct symbol_sources *sources, const struct module_name *module, struct tried_file **ret,
		       const char *format, ...) __attribute__((format(printf, 4, 5)));

static bool try_format(struct symbol_sources *sources, const struct module_name *module, struct tried_file **ret,
		       const char *format, ...)
{
	char path[CANDIDATE_MAX];
	va_list arguments;
	int size;

	va_start(arguments, format);
	size = vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	return size < (int)sizeof(path) && try_file(sources, module, path, ret);
}

/* ---- The sources ---- */

static struct locus_string base_name(struct locus_string path)
{
	const char *slash = path.size ? memrchr(path.data, '/', path.size) : NULL;
	size_t skipped = slash ? (size_t)(slash + 1 - path.data) : 0;

	return (struct locus_string){path.data + skipped, path.size - skipped};
}

static bool remove_suffix(struct locus_string *name, const char *suffix)
{
	size_t size = strlen(suffix);

	if (name->size <= size || memcmp(name->data + name->size - size, suffix, size) != 0)
		return false;
	name->size -= size;
	return true;
}

/* The kernel calls the module of snd-pcm.ko snd_pcm: compares names so. */
static bool same_kernel_module(struct locus_string a, struct locus_string b)
{
	if (a.size != b.size)
		return false;
	for (size_t i = 0; i < a.size; i++) {
		char left = a.data[i] == '-' ? '_' : a.data[i], right = b.data[i] == '-' ? '_' : b.data[i];
		if (left != right)
			return false;
	}
	return true;
}

/* Whether a file is named after a kernel's module: snd-pcm.ko, which may be compressed, a debug file, or converted. */
static bool is_kernel_module_named(struct locus_string file, struct locus_string name)
{
	static const char *const packed[] = {".xz", ".zst", ".gz"};

	remove_suffix(&file, ".locus");
	remove_suffix(&file, ".debug");
	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
		remove_suffix(&file, packed[i]);
	return remove_suffix(&file, ".ko") && same_kernel_module(file, name);
}

/*
 * Whether a file is named after the module: app, app.debug and app.locus for /usr/bin/app; a kernel's by its version.
 */
static bool is_named_after(const char *path, const struct module_name *module)
{
	static const char kernel[] = "vmlinux";
	struct locus_string file = base_name((struct locus_string){path, strlen(path)});
	struct locus_string name = base_name(module->path);

	if (name.size == 0)
		return false;
	if (is_kernel_module_named(file, name))
		return true;
	remove_suffix(&file, ".locus");
	if (strings_are_equal(file, name))
		return true;
	remove_suffix(&file, ".debug");
	if (name.size == strlen(kernel) && file.size > name.size && file.data[name.size] == '-')
		file.size = name.size;
	return strings_are_equal(file, name);
}

/* Whether a directory's entry may be a kernel's module. */
static int is_of_kernel(const struct dirent *entry)
{
	return strstr(entry->d_name, ".ko") != NULL;
}

/*
 * Searches a directory for the file of a kernel's module, of which a text has the name alone. The directory is read
 * once, in order, so that it is the same file each time where several have the name.
 */
static bool try_kernel_module(struct symbol_sources *sources, const struct module_name *module, struct given *given,
			      struct tried_file **ret)
{
	struct locus_string name = module->path;

	if (!name.size || memchr(name.data, '/', name.size) || memchr(name.data, '.', name.size))
		return false;
	if (!given->is_listed)
		given->entry_count = scandir(given->path, &given->entries, is_of_kernel, alphasort);
	given->is_listed = true;
	for (int i = 0; i < given->entry_count; i++) {
		const char *file = given->entries[i]->d_name;
		if (is_kernel_module_named((struct locus_string){file, strlen(file)}, name) &&
		    try_format(sources, module, ret, "%s/%s", given->path, file))
			return true;
	}
	return false;
}

/*
 * Searches a directory: a store, a folder of files by name, a file system of another machine, or the files of debug
 * packages.
 */
static bool try_directory(struct symbol_sources *sources, const struct module_name *module, struct given *given,
			  struct tried_file **ret)
{
	struct locus_string base = base_name(module->path);
	const char *directory = given->path;
	char id[HEX_MAX];

	build_id_text(module->build_id, id);
	if (id[0] && try_format(sources, module, ret, "%s/buildid/%s/locus", directory, id))
		return true;
	if (base.size && (try_format(sources, module, ret, "%s/%.*s.locus", directory, (int)base.size, base.data) ||
			  try_format(sources, module, ret, "%s/%.*s", directory, (int)base.size, base.data)))
		return true;
	if (try_kernel_module(sources, module, given, ret))
		return true;
	if (base.size != module->path.size &&
	    (try_format(sources, module, ret, "%s/%.*s.locus", directory, (int)module->path.size, module->path.data) ||
	     try_format(sources, module, ret, "%s/%.*s", directory, (int)module->path.size, module->path.data)))
		return true;
	return id[0] && try_format(sources, module, ret, "%s/.build-id/%.2s/%s.debug", directory, id, id + 2);
}

static bool try_given_file(struct symbol_sources *sources, const struct module_name *module, const struct given *given,
			   struct tried_file **ret)
{
	struct locus_string id = {(const char *)given->build_id, given->build_id_size};
	bool is_named = is_named_after(given->path, module);

	if (id.size && module->build_id.size && !strings_are_equal(id, module->build_id)) {
		if (is_named)
			note_mismatch(sources, given->path, id, module);
		return false;
	}
	if (!is_named && !(id.size && module->build_id.size))
		return false;
	return try_file(sources, module, given->path, ret);
}

static bool try_list(struct symbol_sources *sources, const struct module_name *module, const struct given_list *list,
		     struct tried_file **ret)
{
	for (size_t i = 0; i < list->count; i++) {
		struct given *given = &list->items[i];
		if (given->is_directory ? try_directory(sources, module, given, ret)
					: try_given_file(sources, module, given, ret))
			return true;
	}
	return false;
}

static bool try_given(struct symbol_sources *sources, const struct module_name *module, struct tried_file **ret)
{
	return try_list(sources, module, &sources->given, ret);
}

static bool try_beside(struct symbol_sources *sources, const struct module_name *module, struct tried_file **ret)
{
	return module->path.size && !sources->is_gone &&
	       try_format(sources, module, ret, "%.*s.locus", (int)module->path.size, module->path.data);
}

static bool try_stores(struct symbol_sources *sources, const struct module_name *module, struct tried_file **ret)
{
	return try_list(sources, module, &sources->stores, ret);
}

static bool try_cache(struct symbol_sources *sources, const struct module_name *module, struct tried_file **ret)
{
	char id[HEX_MAX], *path;
	bool is_found;

	if (!sources->cache || !module->build_id.size)
		return false;
	build_id_text(module->build_id, id);
	path = symbol_cache_find(sources->cache, id);
	is_found = path && try_file(sources, module, path, ret);
	free(path);
	return is_found;
}

/* Opens an ELF file with the module's build-id, from the cache if there is one; or a .locus file. */
static bool try_elf(struct symbol_sources *sources, const struct module_name *module, const char *path,
		    struct tried_file **ret)
{
	const struct locus_convert_options options = lookup_file_options();
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	size_t size = sizeof(build_id);
	const char *problem = NULL;
	char *kept = NULL;
	bool is_found;

	if (sources->cache && is_regular_file(path) && converter_load() && converter_build_id(path, build_id, &size) &&
	    strings_are_equal((struct locus_string){(const char *)build_id, size}, module->build_id))
		kept = symbol_cache_get(sources->cache, path, &options, &problem);
	if (problem)
		say_once(sources, sources->cache, "the cache cannot be used: %s", problem);
	is_found = try_file(sources, module, kept ? kept : path, ret);
	free(kept);
	return is_found;
}

static bool try_module_itself(struct symbol_sources *sources, const struct module_name *module, struct tried_file **ret)
{
	char path[MODULE_PATH_MAX + 1];

	snprintf(path, sizeof(path), "%.*s", (int)module->path.size, module->path.size ? module->path.data : "");
	return path[0] && !sources->is_gone && try_elf(sources, module, path, ret);
}

static bool try_debug_directory(struct symbol_sources *sources, const struct module_name *module,
				struct tried_file **ret)
{
	char id[HEX_MAX], path[sizeof(DEBUG_DIRECTORY) + HEX_MAX + 32];

	build_id_text(module->build_id, id);
	snprintf(path, sizeof(path), DEBUG_DIRECTORY "/.build-id/%.2s/%s.debug", id, id[0] ? id + 2 : "");
	return id[0] && try_elf(sources, module, path, ret);
}

/* Asks debuginfod by build-id alone: what a module at its path lacks was fetched when that was tried. */
static bool try_debuginfod(struct symbol_sources *sources, const struct module_name *module, struct tried_file **ret)
{
	struct locus_missing missing = {LOCUS_MISSING_DEBUG, .build_id_size = module->build_id.size};

	/* A text may name any number of modules, each of which would be a question to a server. */
	if (!missing.build_id_size || missing.build_id_size > sizeof(missing.build_id) ||
	    sources->fetch_count >= FETCH_MAX || !converter_load())
		return false;
	memcpy(missing.build_id, module->build_id.data, missing.build_id_size);
	sources->fetch_count++;
	char *path = conversion_fetch(&missing);
	bool is_found = path && try_elf(sources, module, path, ret);
	free(path);
	return is_found;
}

/* The sources, in the order in which they are asked. */
static const struct source {
	const char *name; /* shown by --verbose */
	bool (*try)(struct symbol_sources *, const struct module_name *, struct tried_file **);
} source_table[] = {
	{"--symbols", try_given},       {"a file beside it", try_beside},         {"LOCUS_SYMBOLS", try_stores},
	{"the cache", try_cache},       {"the module itself", try_module_itself}, {"a debug file", try_debug_directory},
	{"debuginfod", try_debuginfod},
};

/*
 * Whether a directory that --symbols names has the module at its whole path, as the file system of another machine has:
 * gives that file's path.
 */
static bool find_below_given(const struct symbol_sources *sources, struct locus_string path, char ret[CANDIDATE_MAX])
{
	static const char *const suffixes[] = {".locus", ""};

	for (size_t i = 0; i < sources->given.count && path.data[0] == '/'; i++) {
		const struct given *given = &sources->given.items[i];
		for (size_t k = 0; given->is_directory && k < sizeof(suffixes) / sizeof(suffixes[0]); k++) {
			int size = snprintf(ret, CANDIDATE_MAX, "%s%.*s%s", given->path, (int)path.size, path.data,
					    suffixes[k]);
			if (size < CANDIDATE_MAX && is_regular_file(ret))
				return true;
		}
	}
	return false;
}

/*
 * The module with the build-id of the file at its path, if none is known. A build-id alone finds symbols for stripped
 * libraries, or for copies in perf's cache. It is stored in `ret_id`. Where the user has given that machine's files,
 * the file of this one is another.
 */
static struct module_name complete(const struct symbol_sources *sources, const struct module_name *module,
				   uint8_t ret_id[MODULE_BUILD_ID_MAX])
{
	struct module_name whole = *module;
	size_t size = MODULE_BUILD_ID_MAX;
	char path[CANDIDATE_MAX];

	if (module->build_id.size || !module->path.size || module->path.size > MODULE_PATH_MAX)
		return whole;
	bool is_given = find_below_given(sources, module->path, path);
	if (!is_given && sources->is_gone)
		return whole;
	if (!is_given)
		snprintf(path, sizeof(path), "%.*s", (int)module->path.size, module->path.data);
	if (symbol_file_read_build_id(path, ret_id, &size) ||
	    (is_regular_file(path) && converter_load() && converter_build_id(path, ret_id, &size)))
		whole.build_id = (struct locus_string){(const char *)ret_id, size};
	return whole;
}

static void say_source(const struct symbol_sources *sources, const struct module_name *module, const char *source)
{
	char name[KEY_MAX];

	module_text(module, name);
	report(name, "symbols from %s: %s", source, sources->answered);
}

static bool ask_sources(struct symbol_sources *sources, const struct module_name *named, struct tried_file **ret)
{
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	struct module_name stripped = *named;

	sources->is_gone = remove_suffix(&stripped.path, " (deleted)") && !named->build_id.size;
	const struct module_name completed = complete(sources, &stripped, build_id), *module = &completed;
	snprintf(sources->failure, sizeof(sources->failure), "%s",
		 sources->is_gone ? "it was deleted or replaced, and a file at its path is another"
				  : "nothing was found");
	for (size_t i = 0; i < sizeof(source_table) / sizeof(source_table[0]); i++) {
		if (!source_table[i].try(sources, module, ret))
			continue;
		if (sources->options->verbose)
			say_source(sources, module, source_table[i].name);
		return true;
	}
	sources->is_last_resort = sources->options->symbols_only;
	bool is_found = sources->is_last_resort && try_module_itself(sources, module, ret);
	sources->is_last_resort = false;
	return is_found;
}

/* ---- What was asked for already ---- */

static int compare_known(const void *a, const void *b)
{
	const struct known_module *left = a, *right = b;

	return strcmp(left->key, right->key);
}

static void unlink_known(struct symbol_sources *sources, struct known_module *known)
{
	*(known->newer ? &known->newer->older : &sources->newest) = known->older;
	*(known->older ? &known->older->newer : &sources->oldest) = known->newer;
}

static void link_newest(struct symbol_sources *sources, struct known_module *known)
{
	known->newer = NULL;
	known->older = sources->newest;
	*(sources->newest ? &sources->newest->newer : &sources->oldest) = known;
	sources->newest = known;
}

static void forget(struct symbol_sources *sources, struct known_module *known)
{
	unlink_known(sources, known);
	tdelete(known, &sources->known, compare_known);
	sources->known_count--;
	if (known->file)
		release_file(sources, known->file);
	free(known);
}

/* The module with an open file that was asked for longest ago; NULL: there is none. */
static struct known_module *oldest_open(const struct symbol_sources *sources)
{
	struct known_module *known = sources->oldest;

	while (known && !known->file)
		known = known->newer;
	return known;
}

/* How many modules may be open: each takes a descriptor, and conversions and the text need some, too. */
static size_t open_max(void)
{
	enum { DESCRIPTORS_SPARE = 24 };
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= OPEN_MAX + DESCRIPTORS_SPARE)
		return OPEN_MAX;
	return limit.rlim_cur > DESCRIPTORS_SPARE ? (size_t)limit.rlim_cur - DESCRIPTORS_SPARE : 1;
}

/* Makes room for one more. */
static void make_room(struct symbol_sources *sources)
{
	if (sources->known_count >= KNOWN_MAX)
		forget(sources, sources->oldest);
	while (sources->open_count >= open_max())
		forget(sources, oldest_open(sources));
}

/* Notes what the module takes that was asked for last: no other's memory has changed since it was noted. */
static void note_memory(struct symbol_sources *sources)
{
	struct known_module *known = sources->newest;

	if (!known || !known->file)
		return;
	sources->open_memory -= known->file->memory;
	known->file->memory = symbol_file_memory(&known->file->symbols);
	sources->open_memory += known->file->memory;
}

/* Closes files until the memory of those that are open is within its bound, but for that of the module asked for. */
static void bound_memory(struct symbol_sources *sources)
{
	size_t memory_max = sources->options->memory_max ? sources->options->memory_max : OPEN_MEMORY_MAX;

	for (struct known_module *known; sources->open_memory > memory_max && (known = oldest_open(sources)) != NULL;)
		forget(sources, known);
}

static void note_missing(struct symbol_sources *sources, const struct module_name *module)
{
	char name[KEY_MAX], text[KEY_MAX + LOCUS_ERROR_TEXT_SIZE + 32];

	if (sources->missing_count == MESSAGES_MAX) {
		sources->more_missing = true;
		return;
	}
	module_text(module, name);
	snprintf(text, sizeof(text), "no symbols for %s: %s", name, sources->failure);
	for (size_t i = 0; i < sources->missing_count; i++) {
		if (strcmp(sources->missing[i], text) == 0)
			return;
	}
	char *copy = strdup(text);
	if (copy)
		sources->missing[sources->missing_count++] = copy;
}

static struct known_module *new_known(const struct module_name *module)
{
	char id[HEX_MAX];

	build_id_text(module->build_id, id);
	struct known_module *known = allocate(1, sizeof(*known) + module->path.size + strlen(id) + 2);
	if (module->path.size)
		memcpy(known->key, module->path.data, module->path.size);
	known->key[module->path.size] = '\n';
	strcpy(known->key + module->path.size + 1, id);
	if (module->build_id.size)
		memcpy(known->build_id, module->build_id.data, module->build_id.size);
	known->module.path = (struct locus_string){known->key, module->path.size};
	known->module.build_id = (struct locus_string){(const char *)known->build_id, module->build_id.size};
	return known;
}

/* Finds or makes the entry of the module, and makes it the newest. */
static struct known_module *ask(struct symbol_sources *sources, const struct module_name *module)
{
	struct known_module *known = new_known(module);
	struct known_module *const *earlier = tfind(known, &sources->known, compare_known);

	note_memory(sources);
	if (earlier) {
		free(known);
		known = *earlier;
		unlink_known(sources, known);
		link_newest(sources, known);
		return known;
	}
	make_room(sources);
	if (ask_sources(sources, &known->module, &known->file))
		bound_memory(sources);
	else
		note_missing(sources, &known->module);
	insert(&sources->known, known, compare_known);
	sources->known_count++;
	link_newest(sources, known);
	return known;
}

/* No file has a NUL in its path, and what is known of modules is found by strings that a NUL would end. */
static bool can_be_asked_for(const struct module_name *module)
{
	struct locus_string path = module->path;

	return (path.size || module->build_id.size) && path.size <= MODULE_PATH_MAX &&
	       !(path.size && memchr(path.data, '\0', path.size)) && module->build_id.size <= MODULE_BUILD_ID_MAX;
}

struct symbol_file *symbol_sources_find(struct symbol_sources *sources, const struct module_name *module)
{
	struct known_module *known = sources->newest;

	if (!can_be_asked_for(module))
		return NULL;
	if (!known || !strings_are_equal(known->module.path, module->path) ||
	    !strings_are_equal(known->module.build_id, module->build_id))
		known = ask(sources, module);
	return known->file ? &known->file->symbols : NULL;
}

/* Whether the directory has a file of this name, as try_directory looks for one. Nothing is opened. */
static bool directory_has(const char *directory, struct locus_string name)
{
	static const char *const suffixes[] = {".locus", ""};
	char path[CANDIDATE_MAX];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		int size = snprintf(path, sizeof(path), "%s/%.*s%s", directory, (int)name.size, name.data, suffixes[i]);
		if (size < (int)sizeof(path) && is_regular_file(path))
			return true;
	}
	return false;
}

static bool list_has(const struct given_list *list, const struct module_name *module)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct given *given = &list->items[i];
		if (given->is_directory ? directory_has(given->path, module->path)
					: is_named_after(given->path, module))
			return true;
	}
	return false;
}

bool symbol_sources_is_given(const struct symbol_sources *sources, struct locus_string name)
{
	const struct module_name module = {.path = name};

	return name.size && name.size <= MODULE_PATH_MAX && !memchr(name.data, '/', name.size) &&
	       (list_has(&sources->given, &module) || list_has(&sources->stores, &module));
}

struct symbol_file *symbol_sources_only(struct symbol_sources *sources)
{
	const struct given *only = sources->given.count == 1 ? sources->given.items : NULL;
	struct module_name module = {.path = {only ? only->path : NULL, only ? strlen(only->path) : 0}};

	return only && !only->is_directory ? symbol_sources_find(sources, &module) : NULL;
}

void symbol_sources_report_failure(struct symbol_sources *sources, enum locus_status status,
				   const struct locus_error *error)
{
	char name[KEY_MAX];

	sources->code = EXIT_FAILED;
	if (sources->newest->has_failed)
		return;
	sources->newest->has_failed = true;
	module_text(&sources->newest->module, name);
	say_once(sources, name, "%s", error_text(status, error));
}

void symbol_sources_report_misfit(struct symbol_sources *sources)
{
	char name[KEY_MAX];

	module_text(&sources->newest->module, name);
	say_once(sources, name, "functions are elsewhere in its symbols than in the text, which is of another build");
	sources->code = EXIT_FAILED;
}

/* ---- Beginning and end ---- */

/* Reads the build-id of a .locus or ELF file. False: it has none, or is no such file. */
static bool read_build_id(const char *path, uint8_t *ret, size_t *size)
{
	if (symbol_file_read_build_id(path, ret, size))
		return true;
	return file_begins_with(path, FILE_MAGIC_ELF, false) && converter_load() && converter_build_id(path, ret, size);
}

static void look_at_given(struct given *given, const char *path)
{
	struct stat found;

	*given = (struct given){.path = path};
	given->is_directory = stat(path, &found) == 0 && S_ISDIR(found.st_mode);
	given->build_id_size = sizeof(given->build_id);
	if (!read_build_id(path, given->build_id, &given->build_id_size))
		given->build_id_size = 0;
}

static void add_given(struct given_list *list, const char *path)
{
	list->items = memory_checked(realloc(list->items, (list->count + 1) * sizeof(*list->items)));
	look_at_given(&list->items[list->count++], path);
}

/* Why what is at a path can have no symbols, as a directory, a .locus file and an ELF file can; NULL: it can. */
static const char *why_no_symbols(const char *path, struct locus_error *error)
{
	struct lookup_file file;
	struct stat found;

	if (stat(path, &found) != 0)
		return strerror(errno);
	if (S_ISDIR(found.st_mode))
		return NULL;
	if (!S_ISREG(found.st_mode))
		return "neither a regular file nor a directory";
	error_clear(error);
	enum locus_status status = lookup_file_open(&file, path, NULL, error);
	lookup_file_close(&file);
	return status == LOCUS_OK ? NULL : error_text(status, error);
}

/*
 * A path on the command line that can have no symbols is a failure. A variable may be set for other machines, too, so
 * there it is only a message.
 */
static void add_named(struct symbol_sources *sources, const char *path)
{
	struct locus_error error;
	const char *reason = why_no_symbols(path, &error);

	if (reason) {
		say_once(sources, path, "%s", reason);
		sources->code = EXIT_FAILED;
	}
	add_given(&sources->given, path);
}

static void add_store(struct symbol_sources *sources, const char *path)
{
	struct locus_error error;
	const char *reason = why_no_symbols(path, &error);

	if (reason)
		report(path, "LOCUS_SYMBOLS names it: %s", reason);
	add_given(&sources->stores, path);
}

/* The value of an environment variable; NULL: unset or empty. */
static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] ? value : NULL;
}

struct symbol_sources *symbol_sources_new(const struct symbol_options *options)
{
	struct symbol_sources *sources = allocate(1, sizeof(*sources));
	const char *stores = variable("LOCUS_SYMBOLS");

	sources->options = options;
	sources->missing = allocate(MESSAGES_MAX, sizeof(*sources->missing));
	for (size_t i = 0; i < options->given_count; i++)
		add_named(sources, options->given[i]);
	sources->stores_text = stores ? memory_checked(strdup(stores)) : NULL;
	for (char *rest = sources->stores_text, *path; (path = strsep(&rest, ":")) != NULL;) {
		if (path[0])
			add_store(sources, path);
	}
	sources->cache = symbol_cache_asked_for();
	return sources;
}

static void free_list(struct given_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		for (int k = 0; k < list->items[i].entry_count; k++)
			free(list->items[i].entries[k]);
		free(list->items[i].entries);
	}
	free(list->items);
}

void symbol_sources_free(struct symbol_sources *sources)
{
	while (sources->newest)
		forget(sources, sources->newest);
	for (size_t i = 0; i < sources->missing_count; i++)
		free(sources->missing[i]);
	tdestroy(sources->said, free);
	tdestroy(sources->files, free);
	free(sources->missing);
	free_list(&sources->given);
	free_list(&sources->stores);
	free(sources->stores_text);
	free(sources->cache);
	free(sources);
}

void symbol_sources_report_missing(const struct symbol_sources *sources)
{
	for (size_t i = 0; i < sources->missing_count; i++)
		report(NULL, "%s", sources->missing[i]);
	if (sources->more_missing)
		report(NULL, "there are more modules without symbols; the first %d are listed", MESSAGES_MAX);
}

int symbol_sources_code(const struct symbol_sources *sources)
{
	return sources->code;
}
