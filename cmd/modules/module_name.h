/* How modules are named: by texts, by files, and in messages. */
#ifndef LOCUS_MODULE_NAME_H
#define LOCUS_MODULE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/locus.h"

enum {
	MODULE_PATH_MAX = 4095,
	MODULE_BUILD_ID_MAX = 64,
	BUILD_ID_TEXT_MAX = 2 * MODULE_BUILD_ID_MAX + 1,           /* with a NUL */
	MODULE_TEXT_MAX = MODULE_PATH_MAX + BUILD_ID_TEXT_MAX + 3, /* the same */
};

/* A module as a text names it. Borrowed strings; `path` may be a base name alone, or absent. */
struct module_name {
	struct locus_string path;
	struct locus_string build_id; /* the raw bytes; absent: unknown */
	bool is_guess;                /* it may be no module, or one without symbols: that it has none is not said */
};

/* Reads a build-id in an even number of hexadecimal digits. Returns its size; 0: it is none. */
size_t build_id_parse(struct locus_string text, uint8_t ret[MODULE_BUILD_ID_MAX]);

/*
 * Writes a build-id in hexadecimal digits. That of a file may be longer than any module's: only its first
 * MODULE_BUILD_ID_MAX bytes are written then.
 */
void build_id_text(struct locus_string build_id, char ret[BUILD_ID_TEXT_MAX]);

/* The name of a module in messages: its path, its build-id or both. */
void module_text(const struct module_name *module, char ret[MODULE_TEXT_MAX]);

/* A path without the folders before its last part. */
struct locus_string path_base_name(struct locus_string path);

/* Takes the suffix off a string that has it and more. False: it does not. */
bool string_remove_suffix(struct locus_string *name, const char *suffix);

/* Whether a file is named after a kernel's module: snd-pcm.ko, which may be compressed, a debug file, or converted. */
bool file_is_kernel_module(struct locus_string file, struct locus_string name);

/*
 * Whether a file is named after the module: app, app.debug and app.locus for /usr/bin/app; a kernel's by its version.
 */
bool file_is_named_after(const char *path, const struct module_name *module);

#endif
