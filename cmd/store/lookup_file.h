/*
 * The file that is asked for addresses: a .locus file; or an ELF file, of which as much is converted as the questions
 * need.
 */
#ifndef LOCUS_LOOKUP_FILE_H
#define LOCUS_LOOKUP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "convert/locus_convert.h"
#include "reader/locus.h"

struct lookup_file {
	const char *path;
	const struct locus_convert_options *options; /* for an ELF file */
	bool is_elf;
	struct stat opened;  /* the ELF file, or the archive that it is in */
	char *cached;        /* path of its whole conversion in a cache; NULL: none */
	bool whole;          /* the handle answers for every address */
	struct locus *locus; /* NULL: an ELF file that was not asked yet */
	void *memory;        /* the bytes that it reads, for an ELF file */
	size_t memory_size;
};

/* The default options of a conversion for a few addresses. */
struct locus_convert_options lookup_file_options(void);

/*
 * Opens the file at `path`; path and options are borrowed. An ELF file is converted when lookup_file_prepare says for
 * what. Closed by lookup_file_close, also after a failure.
 */
enum locus_status lookup_file_open(struct lookup_file *file, const char *path,
				   const struct locus_convert_options *options, struct locus_error *error);
void lookup_file_close(struct lookup_file *file);

/*
 * OK where the ELF file at the path is still the one that was opened; otherwise LOCUS_ERR_IO. To be asked after each
 * conversion, because a part of one program would answer beside a part of another.
 */
enum locus_status lookup_file_check_same(const struct lookup_file *file, struct locus_error *error);

/* The bytes of a conversion that is kept in memory. */
size_t lookup_file_memory(const struct lookup_file *file);

/* The same, for the file that a store has for a build-id, which store_is_build_id has accepted. */
enum locus_status lookup_file_open_stored(struct lookup_file *file, const char *store, const char *build_id,
					  struct locus_error *error);

/*
 * Uses the whole conversion of an ELF file from a cache, which it fills (symbol_cache.h). Has no effect if that fails;
 * the text of `problem` then says why the cache cannot be used, and is empty otherwise.
 */
void lookup_file_use_cache(struct lookup_file *file, const char *folder, struct locus_error *problem);

/*
 * Makes file->locus answer for these addresses; NULL: for all. An ELF file gets a new handle, so every scratch of
 * the old one must be freed before; nothing happens if the handle answers for all addresses already.
 */
enum locus_status lookup_file_prepare(struct lookup_file *file, const uint64_t *addresses, size_t count,
				      struct locus_error *error);

/*
 * The same for the starts of functions with these names, as far as symbols have them; locus_function_places then finds
 * them.
 */
enum locus_status lookup_file_prepare_functions(struct lookup_file *file, const char *const *names, size_t count,
						struct locus_error *error);

#endif
