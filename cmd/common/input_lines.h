/* Standard input, a line at a time, that lets the caller know before it waits for more. */
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
	uint64_t number; /* of the line last returned, from 1 */
	size_t start, end;
	char buffer[1 << 16];
};

void lines_init(struct lines *lines, int fd);

/* Once lines_next has given false: the exit code. Says so where standard input could not be read to its end. */
int lines_end(const struct lines *lines);

/* Whether lines_next would have to read. Then answers so far are due: whoever asked may wait for them. */
bool lines_must_read(const struct lines *lines);

/* Whether all lines were returned, as far as is known without reading. */
bool lines_ended(const struct lines *lines);

/*
 * The next line, without its end and the blanks around it; false at the end. Of a line longer than the buffer comes
 * what fits; the rest is passed over. Borrowed until the next call that must read.
 */
bool lines_next(struct lines *lines, const char **ret, size_t *ret_size);

#endif
