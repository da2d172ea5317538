/*
 * The directories and files of a line table, read by the book (DWARF 5, 6.2.4). libdw would run the table's program for
 * them, keep each row, and join each name to its directory, which may be a megabyte long.
 */
#ifndef LOCUS_PLAIN_FILES_H
#define LOCUS_PLAIN_FILES_H

#include "convert/cross_check/dwarf_sections.h"
#include "convert/cross_check/plain_header.h"

struct plain_file {
	const char *name; /* NULL: unknown */
	uint64_t directory;
};

/* As the table counts them (RULES B11): before DWARF 5, directory 0 is the compilation's, and there is no file 0. */
struct plain_files {
	unsigned version;
	const char **directories; /* NULL: unknown */
	uint32_t directory_count, directory_room;
	struct plain_file *files;
	uint32_t file_count, file_room;
};

/*
 * Reads the tables of a header. Zeroed before; freed by plain_files_done, also where this failed. Names are borrowed
 * from the sections. Tables that are cut off end early. False: out of memory, or beyond the budget (base/budget.h).
 */
bool plain_files_read(struct plain_files *files, const struct plain_header *header,
		      const struct dwarf_sections *sections);

/* Adds a file, as the program's DW_LNE_define_file does. False: out of memory, or beyond the budget. */
bool plain_files_add(struct plain_files *files, const char *name, uint64_t directory);
void plain_files_done(struct plain_files *files);

#endif
