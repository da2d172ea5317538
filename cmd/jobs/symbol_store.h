/* A store: a directory that holds what programs were converted to, each at buildid/HEX/locus by its build-id. */
#ifndef LOCUS_SYMBOL_STORE_H
#define LOCUS_SYMBOL_STORE_H

#include <stdbool.h>

#include "reader/locus.h"

/* A build-id in hexadecimal is lower case and at most this long. */
enum { STORE_HEX_MAX = 128 };

/* Whether the text is a build-id: hexadecimal digits, two for each byte. */
bool store_is_build_id(const char *text);

/* The build-id of the ELF file at `path`, of at most STORE_HEX_MAX digits. False: it has none. */
bool store_read_build_id(const char *path, char hex[STORE_HEX_MAX + 1]);

/* Where the store has the program of that build-id, in either case of letters. Freed with free. */
char *store_path(const char *store, const char *hex);

/* Opens what the store has for the build-id, and holds the one against the other (locus_open_in_store). */
enum locus_status store_open(const char *store, const char *hex, struct locus **ret, struct locus_error *error);

/* Makes the folders that the file at `path`, below `store`, is in, and the store itself. False, with errno. */
bool store_make_folders(const char *store, const char *path);

/*
 * Whether the file at `output` is of that build-id and was made by rules as good as the converter's, which is loaded,
 * with no options that change the content. Nothing is said of the program and its companions, which may not be there.
 */
bool store_is_current(const char *output, const char *hex);

#endif
