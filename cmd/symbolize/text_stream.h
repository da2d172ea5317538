/*
 * Text as it comes from a file or a pipe, cut into lines that may name an address and all that is between them.
 *
 * Most text names none. So whole stretches of it are given at once, and only a line that has one of a few pairs of
 * characters ("0x", "{{", ...) is given on its own, to be looked at closely.
 */
#ifndef LOCUS_TEXT_STREAM_H
#define LOCUS_TEXT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	STREAM_BUFFER_SIZE = 1 << 18,
	STREAM_LINE_MAX = 1 << 13, /* bytes of a line to be looked at; longer ones are text like any other */
};

struct text_stream {
	int fd;
	bool is_file;    /* a regular one: nobody waits for what it becomes */
	int error;       /* errno of the read that failed */
	bool ended;      /* nothing is left to read */
	bool in_line;    /* what comes next is the rest of a line that was too long */
	size_t start;    /* of what was not given yet; before it, some of what was */
	size_t searched; /* up to where there is no candidate from start on */
	size_t end;
	size_t last_end; /* where the candidate given last ended, or SIZE_MAX */
	char buffer[STREAM_BUFFER_SIZE];
};

struct text_piece {
	const char *data;
	size_t size;       /* of a candidate: without its end */
	bool is_candidate; /* one whole line; otherwise any text */
	/* Of a candidate: */
	const char *line_end; /* "\n", or empty where the text ends without one */
	const char *before;   /* the line before it, without its end; NULL: none, or too far back */
	size_t before_size;
	bool follows; /* the piece before was a candidate too */
};

void text_stream_init(struct text_stream *stream, int fd);

/*
 * The next piece, borrowed until the next call. False: the stream has to be read first, by text_stream_read, unless it
 * ended: then there is no more.
 */
bool text_stream_next(struct text_stream *stream, struct text_piece *ret);

/* Reads more. Whoever waits for what was written so far should have it before this, as reading may block. */
void text_stream_read(struct text_stream *stream);

#endif
