/* Standard input, a line at a time, which tells the caller before it has to wait for more. */
#ifndef LOCUS_INPUT_LINES_H
#define LOCUS_INPUT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input_lines {
	int fd;
	int error; /* errno of the read that failed, 0 at the end of the input */
	bool ended;
	bool cut;        /* the rest of the line last returned is still to come */
	uint64_t number; /* number of the line last returned, from 1 */
	size_t start, end;
	size_t newline;   /* where the next line ends */
	bool has_newline; /* it does in the buffer */
	char buffer[1 << 16];
};

void input_lines_init(struct input_lines *lines, int fd);

/* The exit code, after input_lines_next has returned false. Reports if standard input could not be read to its end. */
int input_lines_end(const struct input_lines *lines);

/* Whether input_lines_next would have to wait. Then what was answered so far should be flushed: it is waited for. */
bool input_lines_must_read(const struct input_lines *lines);

/* Whether all lines were returned, as far as is known without reading. */
bool input_lines_ended(const struct input_lines *lines);

/*
 * Gives the next line, without its end and the blanks around it; false at the end of the input. Of a line longer than
 * the buffer, it gives what fits, and skips the rest. Borrowed until the next call that must read.
 */
bool input_lines_next(struct input_lines *lines, const char **ret, size_t *ret_size);

#endif
