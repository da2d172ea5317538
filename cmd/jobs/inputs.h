/* The inputs of a batch: files named on the command line, in lists, and found in directories. */
#ifndef LOCUS_INPUTS_H
#define LOCUS_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input {
	char *path;
	size_t base; /* where in the path the name begins under which its output is put into an output directory */
	uint64_t size;
	bool is_member; /* of an archive: `path` is ARCHIVE(MEMBER) */
	char *problem;  /* why it need not be tried; NULL: it has to be */
};

struct inputs {
	struct input *list;
	size_t count;
	size_t room;
	uint64_t size;  /* of all */
	int code;       /* the exit code of what was said while they were gathered */
	size_t skipped; /* files in directories that are not ELF files */
};

/* Freed by inputs_done. These end the program where memory is out. */
void inputs_done(struct inputs *inputs);

/*
 * Adds a file, the members of a static archive, or, where `is_recursive`, the ELF files in a directory and below, in
 * the order of their names; symbolic links in it are not followed. What cannot be read is said, and counts in
 * inputs->code.
 */
void inputs_add(struct inputs *inputs, const char *path, bool is_recursive);

/*
 * Adds the paths that a file lists, one a line; where it has a NUL byte, each is ended by one instead. "-" is standard
 * input.
 */
void inputs_add_list(struct inputs *inputs, const char *list, bool is_recursive);

#endif
