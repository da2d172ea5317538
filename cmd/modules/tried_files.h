/* The files that modules were looked for in, by what they are on the disk. */
#ifndef LOCUS_TRIED_FILES_H
#define LOCUS_TRIED_FILES_H

#include <sys/stat.h>

#include "cmd/modules/module_name.h"
#include "cmd/modules/symbol_file.h"

/*
 * A file that a module was looked for in. An ELF file is known by what it is on the disk, so that it is converted once,
 * however many names a text has for it; that costs much more than to open a .locus file. While no module has it, it is
 * closed, and known for its build-id.
 */
struct tried_file {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec time; /* of the last change */
	bool is_last_resort;
	bool is_kept;  /* in `files`, for other modules */
	bool is_known; /* it was opened before; then what follows says what came of it */
	bool is_open;
	enum locus_status status;                  /* of the last time that it was opened, */
	struct locus_error error;                  /* and why that failed */
	uint8_t build_id[MODULE_BUILD_ID_MAX + 1]; /* of a longer one its beginning, which is no module's */
	size_t build_id_size;
	size_t module_count;        /* known modules that it answers for, and one while it is tried; 0: it is closed */
	struct symbol_file symbols; /* where it is open */
	size_t memory;              /* bytes that it may take, by the last question for another module */
};

/* All zero: none. */
struct tried_files {
	void *tree; /* tsearch tree of the files that are kept */
	size_t count;
	size_t open_count;
	size_t open_memory; /* the sum of their `memory` */
};

/*
 * Finds the file among those that were tried before, or makes an entry for it, which is not open. It is borrowed until
 * tried_file_release, if the caller counts itself in its module_count. Ends the program if memory is out.
 */
struct tried_file *tried_files_find(struct tried_files *files, const struct stat *found, bool is_last_resort);

/*
 * Opens a file for the first module that it may answer for, and notes what came of it. Of a .locus file each module has
 * a handle of its own.
 */
void tried_file_open(struct tried_files *files, struct tried_file *file, const char *path,
		     const struct symbol_conversion *conversion, const struct symbol_labels *labels);

/* To be called for each module that has no use for the file any more. Closes it behind the last one. */
void tried_file_release(struct tried_files *files, struct tried_file *file);

/* To be called when all are released. */
void tried_files_free(struct tried_files *files);

/* The build-id that the file had when it was opened. */
struct locus_string tried_file_build_id(const struct tried_file *file);

/* Whether the file may be the module's: it has its build-id, or the module has none. */
bool tried_file_may_be(const struct tried_file *file, const struct module_name *module);

#endif
