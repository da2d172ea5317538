/* What is asked for addresses: a .locus file, or an ELF file, of which as much is converted as the questions need. */
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
	char *cached;        /* where its whole conversion is; NULL: nowhere */
	bool whole;          /* the handle answers for every address */
	struct locus *locus; /* NULL: an ELF file of which nothing was asked for yet */
	void *memory;        /* what it reads, of an ELF file */
};

/* The options that a conversion for a few addresses has where nobody chooses others. */
struct locus_convert_options subject_options(void);

/*
 * Opens what is at `path`, which is borrowed as the options are. An ELF file is converted when subject_ask says what
 * for. Closed by subject_close, also where this fails.
 */
enum locus_status subject_open(struct subject *subject, const char *path, const struct locus_convert_options *options,
			       struct locus_error *error);
void subject_close(struct subject *subject);

/* The same of what a store has for a build-id, which store_is_build_id accepted. */
enum locus_status subject_open_stored(struct subject *subject, const char *store, const char *build_id,
				      struct locus_error *error);

/* Takes the whole conversion of an ELF file from a cache, which it fills (symbol_cache.h); nothing where that fails. */
void subject_use_cache(struct subject *subject, const char *folder);

/*
 * Makes subject->locus answer for these addresses; NULL: for all. Of an ELF file that gives a new handle, so that every
 * scratch of the old one must be freed before; nothing happens where the handle answers for all already.
 */
enum locus_status subject_ask(struct subject *subject, const uint64_t *addresses, size_t count,
			      struct locus_error *error);

/*
 * The same for where functions of these names begin, as far as symbols name them: locus_function_places then finds
 * those.
 */
enum locus_status subject_ask_functions(struct subject *subject, const char *const *names, size_t count,
					struct locus_error *error);

#endif
