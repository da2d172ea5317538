/*
 * Where symbols come from. Whoever has a module in hand (an ELF file as a log, a profile or a program names it: by
 * path, by build-id, or both) asks here for the file that answers for its addresses:
 *
 *	struct symbol_sources *sources = symbol_sources_new(&options);
 *	struct module_name module = {.path = {text, size}, .build_id = {bytes, 20}};
 *	struct symbols *symbols = symbol_sources_find(sources, &module);
 *	if (symbols)
 *		locus_lookup(symbols->locus, symbols->scratch, address, &result, &error);
 *	...
 *	symbol_sources_report_missing(sources);
 *	symbol_sources_free(sources);
 *
 * The sources are asked in the order of the manual (locus-symbolize, "Where symbols come from"), and the first that has
 * the module answers:
 *
 *   1. what the user gave with --symbols: files, and directories that are stores or hold files by name;
 *   2. PATH.locus beside the module;
 *   3. the files and stores that LOCUS_SYMBOLS names, with ':' between them;
 *   4. the cache in LOCUS_CACHE;
 *   5. the module itself, converted for this with its companions;
 *   6. a debug file below /usr/lib/debug by build-id;
 *   7. the servers of debuginfod, where DEBUGINFOD_URLS names some, by build-id.
 *
 * With LOCUS_CACHE, what the last three are converted to is kept there.
 *
 * A file whose build-id is not the module's is never used, and this is said once on standard error. A module without a
 * build-id is taken at its path's word.
 *
 * Both memory and the number of open files are bounded, whatever the number of modules: OPEN_MAX modules are open at a
 * time and KNOWN_MAX names remembered, found or not; the one that was asked for longest ago gives way.
 */
#ifndef LOCUS_SYMBOL_SOURCES_H
#define LOCUS_SYMBOL_SOURCES_H

#include "cmd/symbolize/symbol_file.h"

struct symbol_options {
	const char *const *given; /* --symbols PATH, borrowed until symbol_sources_free */
	size_t given_count;
	bool verbose; /* say on standard error which source answered for which module */
	struct symbol_labels labels;
};

/* A module as it was named. Borrowed strings without NULs; `path` may be a base name alone, or absent. */
struct module_name {
	struct locus_string path;
	struct locus_string build_id; /* the raw bytes; absent: unknown */
};

struct symbol_sources;

enum { MODULE_PATH_MAX = 4095, MODULE_BUILD_ID_MAX = 64, OPEN_MAX = 64, KNOWN_MAX = 1024 };

/* Never NULL: out of memory ends the program. */
struct symbol_sources *symbol_sources_new(const struct symbol_options *options);
void symbol_sources_free(struct symbol_sources *sources);

/*
 * The symbols of a module, or NULL where no source has them; borrowed until the next call. Names longer than
 * MODULE_PATH_MAX and MODULE_BUILD_ID_MAX have none. To ask again for the module asked for last costs a comparison.
 */
struct symbols *symbol_sources_find(struct symbol_sources *sources, const struct module_name *module);

/* Says, once, that a lookup in the symbols found last failed. */
void symbol_sources_report_failure(struct symbol_sources *sources, enum locus_status status,
				   const struct locus_error *error);

/* The symbols of the only file that --symbols names, for addresses of no module; NULL: there is none, or are several.
 */
struct symbols *symbol_sources_only(struct symbol_sources *sources);

/* Says on standard error, a line each, for which modules there were none. */
void symbol_sources_report_missing(const struct symbol_sources *sources);

/* EXIT_OK, or EXIT_FAILED where a file of symbols was damaged or of another build-id and so was not used. */
int symbol_sources_code(const struct symbol_sources *sources);

/* Reads a build-id as texts have it: an even number of hexadecimal digits. Returns its size, 0: it is none. */
size_t build_id_parse(struct locus_string text, uint8_t ret[MODULE_BUILD_ID_MAX]);

#endif
