/* Finds the symbols of modules, and remembers which were found and which were not. */
#include "cmd/modules/symbol_sources.h"

#include <dirent.h>
#include <errno.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/memory.h"
#include "cmd/common/report.h"
#include "cmd/common/string_compare.h"
#include "cmd/conversion/conversion.h"
#include "cmd/conversion/converter.h"
#include "cmd/conversion/fetch.h"
#include "cmd/modules/known_modules.h"
#include "cmd/store/lookup_file.h"
#include "cmd/store/symbol_cache.h"

enum {
	CANDIDATE_MAX = 2 * (MODULE_PATH_MAX + 1) + BUILD_ID_TEXT_MAX,
	FETCH_MAX = 256,    /* as a message says */
	MESSAGES_MAX = 256, /* the most messages about files and modules: a hostile text may name a million */
};

#define DEBUG_DIRECTORY "/usr/lib/debug"

/* A file or directory that --symbols or LOCUS_SYMBOLS names. */
struct given {
	const char *path;
	bool is_directory;
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	size_t build_id_size; /* 0: it has none, or it cannot be read before the file is converted */
	bool is_listed;       /* of a directory: it was read, and `entries` are those that may be a kernel's modules */
	struct dirent **entries;
	int entry_count; /* -1: it cannot be read */
};

struct given_list {
	struct given *items;
	size_t count;
};

struct symbol_sources {
	const struct symbol_options *options;
	bool is_last_resort; /* no source has the module: its own symbol table will do */
	bool is_gone;        /* the module is not what is at its path now, and its build is unknown */
	struct given_list given, stores;
	char *stores_text;            /* the text that the paths of `stores` point into */
	char *cache;                  /* folder of the cache; NULL: none */
	char answered[CANDIDATE_MAX]; /* path of the file that answered last */
	struct known_modules known;
	void *said; /* tsearch tree of the messages written so far */
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

/* ---- Messages ---- */

static void say_once(struct symbol_sources *sources, const char *file, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say_once(struct symbol_sources *sources, const char *file, const char *format, ...)
{
	char message[MODULE_TEXT_MAX + 512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	/* A file that an argument names may have a path of any length. */
	char *text = memory_text("%s: %s", file, message);
	if (sources->said_count <= MESSAGES_MAX && !tfind(text, &sources->said, compare_text)) {
		if (sources->said_count++ < MESSAGES_MAX) {
			report(file, "%s", message);
			insert(&sources->said, text, compare_text);
			return;
		}
		report(NULL, "further messages about files of symbols are left out");
	}
	free(text);
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
	char name[MODULE_TEXT_MAX], id[BUILD_ID_TEXT_MAX];

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

/* Opens the file if it exists and is the module's. */
static bool try_file(struct symbol_sources *sources, const struct module_name *module, const char *path,
		     struct tried_file **ret)
{
	struct stat found;

	if (stat(path, &found) != 0 || !S_ISREG(found.st_mode)) {
		note_unusable(sources, path);
		return false;
	}
	struct tried_file *file = tried_files_find(&sources->known.files, &found, sources->is_last_resort);
	if (!file->module_count && (!file->is_known || (file->status == LOCUS_OK && tried_file_may_be(file, module))))
		tried_file_open(&sources->known.files, file, path, &sources->options->conversion,
				&sources->options->labels);
	file->module_count++;
	if (file->status != LOCUS_OK) {
		note_failure(sources, module, path, file->status, &file->error);
	} else if (!tried_file_may_be(file, module)) {
		note_mismatch(sources, path, tried_file_build_id(file), module);
	} else {
		snprintf(sources->answered, sizeof(sources->answered), "%s", path);
		*ret = file;
		return true;
	}
	tried_file_release(&sources->known.files, file);
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
		if (file_is_kernel_module((struct locus_string){file, strlen(file)}, name) &&
		    try_format(sources, module, ret, "%s/%s", given->path, file))
			return true;
	}
	return false;
}

/* What a file may have behind the name of its module, in the order in which these are tried. */
static const char *const name_suffixes[] = {".locus", "", ".debug"};

/* Searches a directory for a file with the name or path of the module. */
static bool try_name(struct symbol_sources *sources, const struct module_name *module, const char *directory,
		     struct locus_string name, struct tried_file **ret)
{
	for (size_t i = 0; name.size && i < sizeof(name_suffixes) / sizeof(name_suffixes[0]); i++) {
		if (try_format(sources, module, ret, "%s/%.*s%s", directory, (int)name.size, name.data,
			       name_suffixes[i]))
			return true;
	}
	return false;
}

/*
 * Searches a directory: a store, a folder of files by name, a file system of another machine, or the files of debug
 * packages. Of a store and of such packages it may also be the folder within that has the build-ids.
 */
static bool try_directory(struct symbol_sources *sources, const struct module_name *module, struct given *given,
			  struct tried_file **ret)
{
	struct locus_string base = path_base_name(module->path);
	const char *directory = given->path;
	char id[BUILD_ID_TEXT_MAX];

	build_id_text(module->build_id, id);
	if (id[0] && (try_format(sources, module, ret, "%s/buildid/%s/locus", directory, id) ||
		      try_format(sources, module, ret, "%s/%s/locus", directory, id)))
		return true;
	if (try_name(sources, module, directory, base, ret) || try_kernel_module(sources, module, given, ret))
		return true;
	if (base.size != module->path.size && try_name(sources, module, directory, module->path, ret))
		return true;
	return id[0] && (try_format(sources, module, ret, "%s/.build-id/%.2s/%s.debug", directory, id, id + 2) ||
			 try_format(sources, module, ret, "%s/%.2s/%s.debug", directory, id, id + 2));
}

static bool try_given_file(struct symbol_sources *sources, const struct module_name *module, const struct given *given,
			   struct tried_file **ret)
{
	struct locus_string id = {(const char *)given->build_id, given->build_id_size};
	bool is_named = file_is_named_after(given->path, module);

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
	char id[BUILD_ID_TEXT_MAX], *path;
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
	struct locus_error problem;
	char *kept = NULL;
	bool is_found;

	error_clear(&problem);
	if (sources->cache && is_regular_file(path) && converter_load() &&
	    converter_build_id(path, build_id, &size, NULL) == LOCUS_OK && size &&
	    strings_are_equal((struct locus_string){(const char *)build_id, size}, module->build_id))
		kept = symbol_cache_get(sources->cache, path, &options, &problem);
	if (problem.text[0])
		say_once(sources, sources->cache, "the cache cannot be used: %s", problem.text);
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
	char id[BUILD_ID_TEXT_MAX], path[sizeof(DEBUG_DIRECTORY) + BUILD_ID_TEXT_MAX + 32];

	build_id_text(module->build_id, id);
	snprintf(path, sizeof(path), DEBUG_DIRECTORY "/.build-id/%.2s/%s.debug", id, id[0] ? id + 2 : "");
	return id[0] && try_elf(sources, module, path, ret);
}

/* Adds to why the module has no symbols what the servers answered. */
static void add_to_failure(struct symbol_sources *sources, const char *answer)
{
	size_t used = strlen(sources->failure);

	snprintf(sources->failure + used, sizeof(sources->failure) - used, "; debuginfod%s", answer);
}

/* Asks debuginfod by build-id alone: what a module at its path lacks was fetched when that was tried. */
static bool try_debuginfod(struct symbol_sources *sources, const struct module_name *module, struct tried_file **ret)
{
	struct locus_missing missing = {LOCUS_MISSING_DEBUG, .build_id_size = module->build_id.size};

	if (!missing.build_id_size || missing.build_id_size > sizeof(missing.build_id) || !converter_load())
		return false;
	/* A text may name any number of modules, each of which would be a question to a server. */
	if (sources->fetch_count >= FETCH_MAX) {
		if (fetch_access() == FETCH_POSSIBLE)
			add_to_failure(sources, " was not asked: it has been for 256 other modules");
		return false;
	}
	memcpy(missing.build_id, module->build_id.data, missing.build_id_size);
	sources->fetch_count++;
	const char *answer;
	char *path = conversion_fetch(&missing, &answer);
	if (answer && !strstr(sources->failure, answer)) /* which a conversion may have got before */
		add_to_failure(sources, answer);
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

/* Finds the .locus file of a path, the file at it or its debug file, in a directory. False: there is none. */
static bool find_file(const char *directory, struct locus_string path, char ret[CANDIDATE_MAX])
{
	for (size_t i = 0; i < sizeof(name_suffixes) / sizeof(name_suffixes[0]); i++) {
		int size = snprintf(ret, CANDIDATE_MAX, "%s/%.*s%s", directory, (int)path.size, path.data,
				    name_suffixes[i]);
		if (size < CANDIDATE_MAX && is_regular_file(ret))
			return true;
	}
	return false;
}

/*
 * Whether a directory that --symbols names has the module at its whole path, as the file system of another machine has:
 * gives that file's path.
 */
static bool find_below_given(const struct symbol_sources *sources, struct locus_string path, char ret[CANDIDATE_MAX])
{
	for (size_t i = 0; i < sources->given.count && path.data[0] == '/'; i++) {
		const struct given *given = &sources->given.items[i];
		if (given->is_directory && find_file(given->path, path, ret))
			return true;
	}
	return false;
}

/* Reads the build-id of a .locus or ELF file, which may be compressed. False: it has none, or is no such file. */
static bool read_build_id(const char *path, uint8_t *ret, size_t *size)
{
	return symbol_file_read_build_id(path, ret, size) ||
	       (is_regular_file(path) && converter_load() && converter_build_id(path, ret, size, NULL) == LOCUS_OK &&
		*size);
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
	if (read_build_id(path, ret_id, &size))
		whole.build_id = (struct locus_string){(const char *)ret_id, size};
	return whole;
}

static void say_source(const struct symbol_sources *sources, const struct module_name *module, const char *source)
{
	char name[MODULE_TEXT_MAX];

	module_text(module, name);
	report(name, "symbols from %s: %s", source, sources->answered);
}

static bool ask_sources(struct symbol_sources *sources, const struct module_name *named, struct tried_file **ret)
{
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	struct module_name stripped = *named;

	sources->is_gone = string_remove_suffix(&stripped.path, " (deleted)") && !named->build_id.size;
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

static void note_missing(struct symbol_sources *sources, const struct module_name *module)
{
	char name[MODULE_TEXT_MAX], text[MODULE_TEXT_MAX + LOCUS_ERROR_TEXT_SIZE + 32];

	/* What is wrong with the file at the module's own path was said when it was tried. */
	snprintf(text, sizeof(text), "%.*s: %s", (int)module->path.size, module->path.size ? module->path.data : "",
		 sources->failure);
	if (tfind(text, &sources->said, compare_text))
		return;
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

/* No file has a NUL in its path, and what is known of modules is found by strings that a NUL would end. */
static bool can_be_asked_for(const struct module_name *module)
{
	struct locus_string path = module->path;

	return (path.size || module->build_id.size) && path.size <= MODULE_PATH_MAX &&
	       !(path.size && memchr(path.data, '\0', path.size)) && module->build_id.size <= MODULE_BUILD_ID_MAX;
}

/*
 * Says what the conversions for the last module have left out. They were made while it was asked for addresses, of
 * which it is the newest.
 */
static void say_left_out(struct symbol_sources *sources)
{
	struct known_module *newest = sources->known.newest;
	struct locus_error *left_out = newest && newest->file ? &newest->file->symbols.left_out : NULL;

	if (!left_out || !left_out->text[0])
		return;
	say_once(sources, newest->file->symbols.path, "%s; without it, functions have their symbols' names",
		 left_out->text);
	left_out->text[0] = '\0';
}

/* Finds or makes the entry of the module, and makes it the newest. */
static struct known_module *ask(struct symbol_sources *sources, const struct module_name *module)
{
	size_t memory_max = sources->options->memory_max ? sources->options->memory_max : known_modules_memory_max();
	struct known_module *known = known_modules_find(&sources->known, module);

	if (known)
		return known;
	known = known_modules_make(&sources->known, module);
	if (!ask_sources(sources, &known->module, &known->file) && !module->is_guess)
		note_missing(sources, &known->module);
	known_modules_add(&sources->known, known, memory_max);
	return known;
}

struct symbol_file *symbol_sources_find(struct symbol_sources *sources, const struct module_name *module)
{
	struct known_module *known = sources->known.newest;

	say_left_out(sources);
	if (!can_be_asked_for(module))
		return NULL;
	if (!known || !strings_are_equal(known->module.path, module->path) ||
	    !strings_are_equal(known->module.build_id, module->build_id) || known->module.is_guess != module->is_guess)
		known = ask(sources, module);
	return known->file ? &known->file->symbols : NULL;
}

/* Whether a file of the list, or one in a directory there, would be tried for the path. Nothing is opened. */
static bool list_has(const struct given_list *list, struct locus_string path)
{
	const struct module_name module = {.path = path};
	char found[CANDIDATE_MAX];

	for (size_t i = 0; i < list->count; i++) {
		const struct given *given = &list->items[i];
		if (given->is_directory
			    ? find_file(given->path, path_base_name(path), found) || find_file(given->path, path, found)
			    : file_is_named_after(given->path, &module))
			return true;
	}
	return false;
}

bool symbol_sources_is_given(const struct symbol_sources *sources, struct locus_string path)
{
	return path.size && path.size <= MODULE_PATH_MAX &&
	       (list_has(&sources->given, path) || list_has(&sources->stores, path));
}

bool symbol_sources_is_there(const struct symbol_sources *sources, struct locus_string path)
{
	char found[CANDIDATE_MAX];

	if (symbol_sources_is_given(sources, path))
		return true;
	return path.size && path.size <= MODULE_PATH_MAX && find_file(path.data[0] == '/' ? "" : ".", path, found);
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
	struct known_module *module = sources->known.newest;
	const char *path = module->file->symbols.path, *text = error_text(status, error);

	sources->code = EXIT_FAILED;
	if (module->has_failed)
		return;
	module->has_failed = true;
	if (error->offset == LOCUS_NO_OFFSET)
		say_once(sources, path, "%s", text);
	else
		say_once(sources, path, "%s, at offset 0x%llx", text, (unsigned long long)error->offset);
}

void symbol_sources_report_misfit(struct symbol_sources *sources)
{
	char name[MODULE_TEXT_MAX];

	module_text(&sources->known.newest->module, name);
	say_once(sources, name, "functions are elsewhere in its symbols than in the text, which is of another build");
	sources->code = EXIT_FAILED;
}

/* ---- Beginning and end ---- */

static void look_at_given(struct given *given, const char *path, bool can_have_symbols)
{
	struct stat found;

	*given = (struct given){.path = path};
	given->is_directory = stat(path, &found) == 0 && S_ISDIR(found.st_mode);
	given->build_id_size = sizeof(given->build_id);
	if (!can_have_symbols || !read_build_id(path, given->build_id, &given->build_id_size))
		given->build_id_size = 0;
}

static void add_given(struct given_list *list, const char *path, bool can_have_symbols)
{
	list->items = memory_checked(realloc(list->items, (list->count + 1) * sizeof(*list->items)));
	look_at_given(&list->items[list->count++], path, can_have_symbols);
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
	add_given(&sources->given, path, !reason);
}

static void add_store(struct symbol_sources *sources, const char *path)
{
	struct locus_error error;
	const char *reason = why_no_symbols(path, &error);

	if (reason)
		report(path, "LOCUS_SYMBOLS names it: %s", reason);
	add_given(&sources->stores, path, !reason);
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
	/* What the cache has is known by its program alone, and not by companions that somebody names. */
	if (!options->conversion.dwp_file && !options->conversion.debug_dir_count)
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
	known_modules_free(&sources->known);
	for (size_t i = 0; i < sources->missing_count; i++)
		free(sources->missing[i]);
	tdestroy(sources->said, free);
	free(sources->missing);
	free_list(&sources->given);
	free_list(&sources->stores);
	free(sources->stores_text);
	free(sources->cache);
	free(sources);
}

void symbol_sources_report_missing(struct symbol_sources *sources)
{
	say_left_out(sources);
	for (size_t i = 0; i < sources->missing_count; i++)
		report(NULL, "%s", sources->missing[i]);
	if (sources->more_missing)
		report(NULL, "there are more modules without symbols; the first %d are listed", MESSAGES_MAX);
}

int symbol_sources_code(const struct symbol_sources *sources)
{
	return sources->code;
}
