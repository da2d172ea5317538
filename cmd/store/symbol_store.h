/* A store: a directory of conversions, each at buildid/HEX/locus by the build-id of its program. */
#ifndef LOCUS_SYMBOL_STORE_H
#define LOCUS_SYMBOL_STORE_H

#include <stdbool.h>

#include "cmd/store/staging.h"
#include "reader/locus.h"

/* The most characters of a build-id in hexadecimal, which is in lower case. */
enum { STORE_HEX_MAX = 128 };

/* Whether the text is a build-id: hexadecimal digits, two for each byte. */
bool store_is_build_id(const char *text);

/* The build-id of the ELF file at `path`, of at most STORE_HEX_MAX digits; empty: it has none (converter_build_id). */
enum locus_status store_read_build_id(const char *path, char hex[STORE_HEX_MAX + 1], struct locus_error *error);

/* The path of the program with that build-id in the store; upper and lower case are equal. Freed with free. */
char *store_path(const char *store, const char *hex);

/*
 * The build-id, of *ret_size digits, that a store's folder at `path` is named by: buildid/ID at the end of its `size`
 * bytes. NULL: it is no such folder. What is called like a build-id elsewhere may be a user's.
 */
const char *store_folder_id(const char *path, size_t size, size_t *ret_size);

/* The same of the file that a store has in such a folder: buildid/ID/locus. */
const char *store_file_id(const char *path, size_t *ret_size);

/*
 * Whether what was made of the program with that build-id belongs at `path`: not in a store's folder that another
 * build-id names, where whoever asks for that one would find it.
 */
bool store_may_have(const char *path, struct locus_string build_id);

/* Opens the store's file for the build-id, and checks that it has that build-id (locus_open_in_store). */
enum locus_status store_open(const char *store, const char *hex, struct locus **ret, struct locus_error *error);

/*
 * Makes the store, and the folders in it for the file at `path`, and begins an output there, which staging_done ends.
 * A folder that another process removes meanwhile is made again. False, with errno: that failed.
 */
bool store_staging_init(struct staging *staging, const char *store, const char *path);

/* Removes the folder of the file at `path` if nothing is in it. */
void store_remove_unused(const char *path);

/*
 * Whether the file at `output` has that build-id, was made by rules as good as the converter's, which is loaded, and
 * without options that change the content. The program and its companions are not looked at.
 */
bool store_is_current(const char *output, const char *hex);

#endif
