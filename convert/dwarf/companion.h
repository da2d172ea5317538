/* Companion files: other files that hold a file's debug information or parts of it (RULES G). */
#ifndef LOCUS_COMPANION_H
#define LOCUS_COMPANION_H

#include <stdbool.h>
#include <stddef.h>

#include "convert/dwarf/unit.h"
#include "convert/elf/elf.h"
#include "convert/locus_convert.h"

/* The caller's options about where to look. */
struct companion_options {
	const char *debug_file; /* NULL: search */
	const char *alt_file;   /* NULL: search */
	const char *dwp_file;   /* NULL: search */
	const char *const *debug_dirs;
	size_t debug_dir_count;        /* 0: /usr/lib/debug */
	struct locus_missing *missing; /* filled if one is not found by its build-id; may be NULL */
};

/*
 * Opens the separate debug file of `file`, found by build-id or by .gnu_debuglink. LOCUS_ERR_NO_DEBUG: none that
 * matches was found (RULES G1, G3); the text says whether there is a link to one, and where it was searched.
 * LOCUS_ERR_COMPANION: the caller named one that does not match.
 */
enum locus_status companion_debug(const struct elf_file *file, const struct companion_options *options,
				  struct elf_file **ret, struct locus_error *error);

/*
 * Opens dwz's alternate file of `debug`. *ret is NULL if it needs none. LOCUS_ERR_COMPANION: it needs one that was not
 * found.
 */
enum locus_status companion_alt(const struct elf_file *debug, const struct companion_options *options,
				struct elf_file **ret, struct locus_error *error);

/* Opens the .dwp beside the input. *ret is NULL if there is none. */
enum locus_status companion_dwp(const char *input, const struct elf_file *debug,
				const struct companion_options *options, struct elf_file **ret,
				struct locus_error *error);

/*
 * Opens the .dwo that a skeleton names. LOCUS_ERR_COMPANION: not found. Whether it has the right unit is for
 * split_unit_open to say.
 */
enum locus_status companion_dwo(const char *input, const struct unit *skeleton, struct elf_file **ret,
				struct locus_error *error);

#endif
