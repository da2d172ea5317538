/* Standard input, a line at a time, which tells the caller before it has to wait for more. */
#ifndef LOCUS_INPUT_LINES_H
#define LOCUS_INPUT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lines {
	int fd;
	int error; /* errno of the read that failed, 0 at the end of the input */
	bool ended;
	bool cut;        /* the rest of the line last returned is still to come */
	uint64_t number; /* number of the line last returned, from 1 */
	size_t start, end;
	char buffer[1 << 16];
};

void lines_init(struct lines *lines, int fd);

/* The exit code, after lines_next has returned false. Reports if standard input could not be read to its end. */
int lines_end(const struct lines *lines);

/* Whether lines_next would have to wait. Then the answers so far should be flushed, for whoever waits for them. */
bool lines_must_read(const struct lines *lines);

/* Whether all lines were returned, as far as is known without reading. */
bool lines_ended(const struct lines *lines);

/*
 * Gives the next line, without its end and the blanks around it; false at the end of the input. Of a line longer than
 * the buffer, it gives what fits, and skips the rest. Borrowed until the next call that must read.
 */
bool lines_next(struct lines *lines, const char **ret, size_t *ret_size);

#endif
