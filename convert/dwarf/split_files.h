/*
 * The files that hold split units: the .dwo files that skeletons name, or one .dwp package. Each is opened once, and
 * stays open, because what was read refers to its strings.
 */
#ifndef LOCUS_SPLIT_FILES_H
#define LOCUS_SPLIT_FILES_H

#include "base/short_lock.h"
#include "convert/dwarf/dwarf_file.h"
#include "convert/dwarf/unit.h"

struct split_file {
	struct elf_file *file;
	struct dwarf dwarf;
	struct split_file *next;
};

struct split_files {
	const char *path;           /* the input's: .dwo files are searched beside it */
	struct split_file *package; /* the .dwp, or NULL; also in the list */
	bool is_survey;             /* set by the caller: files are found, but not read */

	struct short_lock lock;   /* guards the fields below while threads read units */
	struct split_file *first; /* all files, in the reverse order of opening */
	void *names;              /* tsearch tree of struct split_name: the .dwo files that skeletons name */
};

/* `path` is borrowed. Freed by split_files_done, also where no file was opened. */
void split_files_init(struct split_files *files, const char *path);
void split_files_done(struct split_files *files);

/*
 * Sets the .dwp with the split units of all skeletons; `package` is owned from then on, even where this fails. Without
 * one, .dwo files are searched.
 */
enum locus_status split_files_add_package(struct split_files *files, struct elf_file *package,
					  struct locus_error *error);

/*
 * Opens the split unit of a skeleton, and first the .dwo that it names, if there is no package. LOCUS_ERR_COMPANION:
 * the file or the unit is missing. Safe from many threads.
 */
enum locus_status split_files_open_unit(struct split_files *files, const struct unit *skeleton, struct unit *ret,
					struct locus_error *error);

/*
 * For a survey: finds the .dwo files that skeletons of `dwarf` name. Prepares the sections of `dwarf` that this needs.
 * LOCUS_ERR_COMPANION: one is missing.
 */
enum locus_status split_files_find_all(struct split_files *files, struct dwarf *dwarf, struct locus_error *error);

/* The path of a file that was written to since it was opened; NULL: none was. */
const char *split_files_changed(const struct split_files *files);

/* Whether a file that was opened is at `path`. */
bool split_files_have(const struct split_files *files, const char *path);

#endif
