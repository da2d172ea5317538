/* A cache of what lookups straight from ELF files converted: a store that is bounded in size. */
#ifndef LOCUS_SYMBOL_CACHE_H
#define LOCUS_SYMBOL_CACHE_H

#include "convert/locus_convert.h"

#define SYMBOL_CACHE_BYTES_MAX ((uint64_t)4 << 30)

/* Where the cache is: LOCUS_CACHE, else $XDG_CACHE_HOME/locus or ~/.cache/locus. Freed with free; NULL: nowhere. */
char *symbol_cache_folder(void);

/* The same where LOCUS_CACHE is set, which asks for the cache without any option; NULL: it is not. */
char *symbol_cache_asked_for(void);

/*
 * The path of the whole conversion of the ELF file at `path`, converted unless a fresh one is there; freed with free.
 * What was used longest ago is removed where the cache has grown too large. NULL: the file has no build-id, or the
 * cache cannot be used, which is no error.
 */
char *symbol_cache_get(const char *folder, const char *path, const struct locus_convert_options *options);

/*
 * The path of what is kept for the build-id of a program that may not be there, as store_is_current has it; freed with
 * free. Its time stays, which says up to when it was known to be fresh. NULL: nothing is kept.
 */
char *symbol_cache_find(const char *folder, const char *hex);

#endif
