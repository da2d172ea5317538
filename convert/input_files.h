/*
 * The files that a conversion begins with: the program, and the companions that it is known to have before its units
 * are read (RULES G).
 */
#ifndef LOCUS_INPUT_FILES_H
#define LOCUS_INPUT_FILES_H

#include "convert/dwarf/companion.h"
#include "convert/locus_convert.h"

/* Zeroed before input_files_find, freed by input_files_done, also where that failed. */
struct input_files {
	struct elf_file *program;
	struct elf_file *separate;          /* the separate debug file, or NULL */
	struct elf_file *alternate;         /* or NULL */
	struct companion_packages packages; /* .dwp files */
	bool has_no_debug; /* the program has no debug information, and is converted for its symbols alone */
};

/*
 * Opens the program at `path` and finds its companions; nothing is inflated yet. With the option `symbols_only` it is
 * no failure if no debug information is found; with `companions_optional`, nor if the alternate file is missing where
 * there are lines or symbols without it, or if the package that is named is none. Errors are those of locus_convert.
 */
enum locus_status input_files_find(const char *path, const struct locus_convert_options *options,
				   struct input_files *ret, struct locus_error *error);
void input_files_done(struct input_files *files);

/* The file that has the debug information. */
struct elf_file *input_files_debug(const struct input_files *files);

#endif
