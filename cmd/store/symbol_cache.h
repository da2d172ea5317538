/* A cache of conversions for lookups straight from ELF files: a store of bounded size. */
#ifndef LOCUS_SYMBOL_CACHE_H
#define LOCUS_SYMBOL_CACHE_H

#include "convert/locus_convert.h"

#define SYMBOL_CACHE_BYTES_MAX ((uint64_t)4 << 30)

/* The folder of the cache: LOCUS_CACHE, else $XDG_CACHE_HOME/locus or ~/.cache/locus. Freed with free; NULL: none. */
char *symbol_cache_folder(void);

/* The folder that LOCUS_CACHE gives: if it is set, the cache is used without any option. NULL: it is not set. */
char *symbol_cache_asked_for(void);

/*
 * The path of the whole conversion of the ELF file at `path`, which is converted unless a fresh one is there; freed
 * with free. Files unused for long are removed if the cache is too large. NULL: the file has no build-id, the options
 * say that it is not to be what its build-id stands for, or the cache cannot be used, which is no failure: the text of
 * `problem` then says why, and is empty otherwise.
 */
char *symbol_cache_get(const char *folder, const char *path, const struct locus_convert_options *options,
		       struct locus_error *problem);

/*
 * The path of the file kept for the build-id of a program that may not be there, if store_is_current; freed with free.
 * Its time is not changed, because that says when it was last known to be fresh. NULL: nothing is kept.
 */
char *symbol_cache_find(const char *folder, const char *hex);

#endif
