/* Some lines of a source file, around one of them, as llvm-symbolizer shows them behind a place. */
#ifndef LOCUS_SOURCE_WINDOW_H
#define LOCUS_SOURCE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/locus.h"

struct source_window {
	uint64_t first, last; /* numbers of lines; the file may end before */
	uint64_t next;        /* the line that source_window_next gives */
	size_t at, size;      /* of the text: how far it was given, and its bytes */
	char *text;           /* owned */
};

/*
 * Reads `count` lines, at least 1, of which `line` is in the middle, or nearer to the front where the file begins; 0
 * stands before the first. Reads at most SOURCE_FILE_MAX bytes of the file and keeps at most SOURCE_TEXT_MAX. Of what
 * is no regular file, cannot be read, or has none of the lines, there is none. Ends the program if memory is out.
 */
enum { SOURCE_FILE_MAX = 1 << 26, SOURCE_TEXT_MAX = 1 << 20 };
void source_window_read(struct source_window *window, const char *path, uint32_t line, uint32_t count);
void source_window_done(struct source_window *window);

/* Gives the next line, borrowed, without its end. False: there is no more. */
bool source_window_next(struct source_window *window, struct locus_string *ret, uint64_t *ret_number);

/* The columns that LLVM gives to each number: the digits of the greatest, unless that is a power of ten. */
int source_window_width(const struct source_window *window);

#endif
