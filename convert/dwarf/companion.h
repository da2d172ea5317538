/* Companion files: where a file's debug information is when it is not in the file itself (RULES G). */
#ifndef LOCUS_COMPANION_H
#define LOCUS_COMPANION_H

#include <stdbool.h>
#include <stddef.h>

#include "convert/dwarf/unit.h"
#include "convert/elf/elf.h"
#include "convert/locus_convert.h"

/* What the caller said about where to look. */
struct companion_options {
	const char *debug_file; /* NULL: search */
	const char *alt_file;   /* NULL: search */
	const char *dwp_file;   /* NULL: search */
	const char *const *debug_dirs;
	size_t debug_dir_count;        /* 0: /usr/lib/debug */
	struct locus_missing *missing; /* set where one is not found by its build-id; NULL: nobody asks */
};

/*
 * The separate debug file of `file`, by build-id and then by .gnu_debuglink. LOCUS_ERR_NO_DEBUG: nothing that matches
 * was found (RULES G1, G3), and the text says whether there is a link to one and where was looked; LOCUS_ERR_COMPANION:
 * the caller named one that does not match.
 */
enum locus_status companion_debug(const struct elf_file *file, const struct companion_options *options,
				  struct elf_file **ret, struct locus_error *error);

/* dwz's alternate file of `debug`. *ret is NULL where it needs none. LOCUS_ERR_COMPANION: it does, and it was not
 * found. */
enum locus_status companion_alt(const struct elf_file *debug, const struct companion_options *options,
				struct elf_file **ret, struct locus_error *error);

/* The .dwp beside the input. *ret is NULL where there is none. */
enum locus_status companion_dwp(const char *input, const struct elf_file *debug,
				const struct companion_options *options, struct elf_file **ret,
				struct locus_error *error);

/* The .dwo that a skeleton names. LOCUS_ERR_COMPANION: not found. Whether it matches, split_unit_open says. */
enum locus_status companion_dwo(const char *input, const struct unit *skeleton, struct elf_file **ret,
				struct locus_error *error);

#endif
