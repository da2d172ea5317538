/*
 * Standard input, a line at a time. Before it waits for more, what was answered so far is flushed: so each answer comes
 * at once if lines come one by one, and many at a time if they do not.
 */
#ifndef LOCUS_INPUT_LINES_H
#define LOCUS_INPUT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/common/out.h"

struct input_lines {
	int fd;
	struct out *answers;
	int error; /* errno of the read that failed, 0 at the end of the input */
	bool ended;
	bool cut;        /* the rest of the line last returned is still to come */
	uint64_t number; /* number of the line last returned, from 1 */
	size_t start, end;
	size_t newline;   /* where the next line ends */
	bool has_newline; /* it does in the buffer */
	char buffer[1 << 16];
};

/* Reads `fd`, and flushes `answers` before that. */
void input_lines_init(struct input_lines *lines, int fd, struct out *answers);

/* The exit code, after input_lines_next has returned false. Reports if standard input could not be read to its end. */
int input_lines_end(const struct input_lines *lines);

/* Whether input_lines_next would have to wait. */
bool input_lines_must_read(const struct input_lines *lines);

/* Whether all lines were returned, as far as is known without reading. */
bool input_lines_ended(const struct input_lines *lines);

/*
 * Gives the next line, without its end and the blanks around it; false at the end of the input. Of a line longer than
 * the buffer, it gives what fits, and skips the rest. Borrowed until the next call that must read.
 */
bool input_lines_next(struct input_lines *lines, const char **ret, size_t *ret_size);

#endif
