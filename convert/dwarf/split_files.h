/*
 * The files that hold split units: the .dwo files that skeletons name, or .dwp packages. Each is opened once, and
 * stays open, because what was read refers to its strings.
 */
#ifndef LOCUS_SPLIT_FILES_H
#define LOCUS_SPLIT_FILES_H

#include "base/short_lock.h"
#include "convert/dwarf/companion.h"
#include "convert/dwarf/dwarf_file.h"
#include "convert/dwarf/unit.h"

struct split_file {
	struct elf_file *file;
	struct dwarf dwarf;
	bool is_package;
	bool is_input; /* a package, or a .dwo that has a unit which a skeleton asked for */
	struct split_file *next;
};

struct split_files {
	const char *path;                                  /* the input's: .dwo files are searched beside it */
	struct split_file *packages[COMPANION_DWP_PLACES]; /* also in the list */
	unsigned package_count;
	enum locus_status other_status; /* as in struct companion_packages, as is `other` */
	struct locus_error other;
	bool only_packages; /* set by the caller: no .dwo is searched */
	bool is_survey;     /* set by the caller: files are found, but not read */

	struct short_lock lock;   /* guards the fields below while threads read units */
	struct split_file *first; /* all files that were opened, in the reverse order of that */
	void *names;              /* tsearch tree of struct split_name: the .dwo files that skeletons name */
	struct dwarf skeletons;   /* of the file that has them; zeroed until units of a .dwo may refer to each other */
};

/* `path` is borrowed. Freed by split_files_done, also where no file was opened. */
void split_files_init(struct split_files *files, const char *path);
void split_files_done(struct split_files *files);

/* Adds packages; their files are owned from then on, even where this fails, and are NULL in `packages`. */
enum locus_status split_files_add_packages(struct split_files *files, struct companion_packages *packages,
					   struct locus_error *error);

/*
 * Opens the split unit of a skeleton, in the first file that has it: a package, or else a .dwo that the skeleton names
 * (RULES G1). LOCUS_ERR_COMPANION: there is none; what is told is why the first of them is not it, or what stands in
 * the place of a package and is none. Safe from many threads.
 */
enum locus_status split_files_open_unit(struct split_files *files, const struct unit *skeleton, struct unit *ret,
					struct locus_error *error);

/*
 * For a survey: finds the .dwo files that skeletons of `dwarf` name. Prepares the sections of `dwarf` that this needs.
 * LOCUS_ERR_COMPANION: one is missing.
 */
enum locus_status split_files_find_all(struct split_files *files, struct dwarf *dwarf, struct locus_error *error);

/* The path of an input that was written to since it was opened; NULL: none was. */
const char *split_files_changed(const struct split_files *files);

/* Whether a file that was opened is at `path`. */
bool split_files_have(const struct split_files *files, const char *path);

#endif
