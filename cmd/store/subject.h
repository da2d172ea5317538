/*
 * The file that is asked for addresses: a .locus file; or an ELF file, of which as much is converted as the questions
 * need.
 */
#ifndef LOCUS_SUBJECT_H
#define LOCUS_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/locus_convert.h"
#include "reader/locus.h"

struct subject {
	const char *path;
	const struct locus_convert_options *options; /* for an ELF file */
	bool is_elf;
	char *cached;        /* path of its whole conversion in a cache; NULL: none */
	bool whole;          /* the handle answers for every address */
	struct locus *locus; /* NULL: an ELF file that was not asked yet */
	void *memory;        /* the bytes that it reads, for an ELF file */
};

/* The default options of a conversion for a few addresses. */
struct locus_convert_options subject_options(void);

/*
 * Opens the file at `path`; path and options are borrowed. An ELF file is converted when subject_ask says for what.
 * Closed by subject_close, also after a failure.
 */
enum locus_status subject_open(struct subject *subject, const char *path, const struct locus_convert_options *options,
			       struct locus_error *error);
void subject_close(struct subject *subject);

/* The same, for the file that a store has for a build-id, which store_is_build_id has accepted. */
enum locus_status subject_open_stored(struct subject *subject, const char *store, const char *build_id,
				      struct locus_error *error);

/*
 * Uses the whole conversion of an ELF file from a cache, which it fills (symbol_cache.h); has no effect if that fails.
 */
void subject_use_cache(struct subject *subject, const char *folder);

/*
 * Makes subject->locus answer for these addresses; NULL: for all. An ELF file gets a new handle, so every scratch of
 * the old one must be freed before; nothing happens if the handle answers for all addresses already.
 */
enum locus_status subject_ask(struct subject *subject, const uint64_t *addresses, size_t count,
			      struct locus_error *error);

/*
 * The same for the starts of functions with these names, as far as symbols have them; locus_function_places then finds
 * them.
 */
enum locus_status subject_ask_functions(struct subject *subject, const char *const *names, size_t count,
					struct locus_error *error);

#endif
