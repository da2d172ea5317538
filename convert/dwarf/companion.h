/* Companion files: other files that hold a file's debug information or parts of it (RULES G). */
#ifndef LOCUS_COMPANION_H
#define LOCUS_COMPANION_H

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
 * found. A file that the caller named must be readable even if none is needed.
 */
enum locus_status companion_alt(const struct elf_file *debug, const struct companion_options *options,
				struct elf_file **ret, struct locus_error *error);

/*
 * How many places a package may be in, and how many a .dwo. Places beside the input are also those beside the file that
 * a symbolic link leads to.
 */
enum { COMPANION_DWP_PLACES = 4, COMPANION_DWO_PLACES = 5 };

/* The packages of a program. Zeroed before companion_dwp. */
struct companion_packages {
	struct elf_file *files[COMPANION_DWP_PLACES]; /* NULL: none is there that can be opened */
	/* Why what is at the first other place that has something is no package of this program; LOCUS_OK: none has. */
	enum locus_status other_status;
	struct locus_error other;
};

/*
 * Opens the packages beside the input and beside its debug file, each once, or the one that the caller names. Whether
 * they have the right units is for split_unit_find to say. LOCUS_ERR_COMPANION: the one that is named is there and
 * cannot be it.
 */
enum locus_status companion_dwp(const char *input, const struct elf_file *debug,
				const struct companion_options *options, struct companion_packages *ret,
				struct locus_error *error);

/*
 * Opens the .dwo that a skeleton names at one of the places where it may be. *ret is NULL if nothing is there; a
 * failure says why what is there cannot be it. Whether it has the right unit is for split_unit_find to say.
 */
enum locus_status companion_dwo(const char *input, const struct unit *skeleton, unsigned place, struct elf_file **ret,
				struct locus_error *error);

#endif
