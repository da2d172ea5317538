/* The inputs of a batch: files named on the command line, in lists, and found in directories. */
#ifndef LOCUS_INPUTS_H
#define LOCUS_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct input {
	char *path;
	size_t base; /* where the part of the path begins that names its output in an output directory */
	uint64_t size;
	bool is_member;         /* it is a member of an archive: `path` is ARCHIVE(MEMBER) */
	uint64_t member_header; /* where its header is in the archive; 0: not known */
	char *problem;          /* why it is not converted; NULL: it is */
};

struct inputs {
	struct input *list;
	size_t count;
	size_t room;
	uint64_t size;  /* bytes of all inputs */
	int code;       /* the exit code for what was reported while inputs were collected */
	size_t skipped; /* files in directories that are not ELF files */
	void *files;    /* tsearch tree of the files that are inputs, or archives of some */
};

/* Freed by inputs_done. These functions end the program if memory is out. */
void inputs_done(struct inputs *inputs);

/*
 * Adds a file; or the members of a static archive; or, if `is_recursive`, the ELF files in a directory and below, in
 * the order of their names, without following symbolic links in it. What cannot be read is reported, and counts in
 * inputs->code.
 */
void inputs_add(struct inputs *inputs, const char *path, bool is_recursive);

/* Adds the paths that a file lists: one a line or, if it has a NUL byte, each ended by a NUL. "-" is standard input. */
void inputs_add_list(struct inputs *inputs, const char *list, bool is_recursive);

/* Whether the file is one of the inputs, or an archive of some, by whatever name. */
bool inputs_have(const struct inputs *inputs, const struct stat *file);

#endif
