/*
 * Where symbols come from. Whoever has a module in hand (an ELF file as a log, a profile or a program names it: by
 * path, by build-id, or both) asks here for the file that answers for its addresses:
 *
 *	struct symbol_sources *sources = symbol_sources_new(&options);
 *	struct module_name module = {.path = {text, size}, .build_id = {bytes, 20}};
 *	struct symbol_file *symbols = symbol_sources_find(sources, &module);
 *	if (symbols)
 *		locus_lookup(symbols->locus, symbols->scratch, address, &result, &error);
 *	...
 *	symbol_sources_report_missing(sources);
 *	symbol_sources_free(sources);
 *
 * The sources are asked in the order of the manual (locus(1), "Where symbols come from"), and the first that has
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
 * With LOCUS_CACHE, what the last three are converted to is kept there, unless companions are named for it.
 *
 * A file whose build-id is not the module's is never used, and this is said once on standard error. A module without a
 * build-id is taken at its path's word; but where that ends in " (deleted)", as Linux names a file that was deleted or
 * replaced while it was mapped, what is at its path or beside it now is not used.
 *
 * Both memory and the number of open files are bounded, whatever the number of modules (known_modules.h).
 */
#ifndef LOCUS_SYMBOL_SOURCES_H
#define LOCUS_SYMBOL_SOURCES_H

#include "cmd/modules/module_name.h"
#include "cmd/modules/symbol_file.h"

struct symbol_options {
	const char *const *given; /* --symbols PATH, borrowed until symbol_sources_free */
	size_t given_count;
	bool symbols_only; /* where no source has a module, the module's own symbol table will do */
	bool verbose;      /* report on standard error which source answered for which module */
	size_t memory_max; /* bytes of the modules open beside the one asked for; 0: known_modules_memory_max */
	struct symbol_conversion conversion;
	struct symbol_labels labels;
};

struct symbol_sources;

/* Never NULL: the program ends if memory is out. `options` is borrowed until symbol_sources_free. */
struct symbol_sources *symbol_sources_new(const struct symbol_options *options);
void symbol_sources_free(struct symbol_sources *sources);

/*
 * The symbols of a module, borrowed until the next call; NULL: no source has them, or its names are longer than
 * MODULE_PATH_MAX or MODULE_BUILD_ID_MAX, or its path has a NUL. Asking again for the last module costs a comparison.
 */
struct symbol_file *symbol_sources_find(struct symbol_sources *sources, const struct module_name *module);

/*
 * Reports that a lookup in the last symbols failed, by the path of their file: of a module's failures the first, for
 * each address has its own.
 */
void symbol_sources_report_failure(struct symbol_sources *sources, enum locus_status status,
				   const struct locus_error *error);

/* Reports, once, that the last symbols contradict the text, so that they must be of another build. */
void symbol_sources_report_misfit(struct symbol_sources *sources);

/*
 * Whether a file that --symbols or LOCUS_SYMBOLS names, or one in a directory there, has this path or the name at its
 * end: what is then found for the path is what the user means by it.
 */
bool symbol_sources_is_given(const struct symbol_sources *sources, struct locus_string path);

/* The same, or whether there is a file at the path, or a .locus file beside it. */
bool symbol_sources_is_there(const struct symbol_sources *sources, struct locus_string path);

/*
 * The symbols of the only file named by --symbols, for addresses without a module; NULL: there is none, or there are
 * several.
 */
struct symbol_file *symbol_sources_only(struct symbol_sources *sources);

/* Reports the modules without symbols, a line each, and what those that were asked last do without. */
void symbol_sources_report_missing(struct symbol_sources *sources);

/* EXIT_OK; or EXIT_FAILED if a file of symbols was not used because it is damaged or has another build-id. */
int symbol_sources_code(const struct symbol_sources *sources);

#endif
