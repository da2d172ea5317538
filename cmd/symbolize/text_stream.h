/*
 * Text from a file or pipe, cut into lines that may name an address and the text between them.
 *
 * Most text names none. So long pieces are given as a whole, and only a line with one of a few pairs of characters
 * ("0x", "{{", ...) is given by itself, to be looked at closely.
 */
#ifndef LOCUS_TEXT_STREAM_H
#define LOCUS_TEXT_STREAM_H

#include <stdbool.h>
#include <stddef.h>

enum {
	STREAM_BUFFER_SIZE = 1 << 18,
	STREAM_LINE_MAX = 1 << 13,   /* bytes of a line in which addresses are looked for */
	STREAM_RECORD_MAX = 1 << 17, /* of one that may be JSON; longer lines are given like other text */
};

struct text_stream {
	int fd;
	bool is_file; /* it is a regular file: nobody waits for the output */
	int error;    /* errno of the read that failed */
	bool ended;   /* nothing is left to read */
	bool in_line; /* next comes the rest of a line that was too long */
	size_t start; /* offset of the text that was not given yet; up to BEFORE_MAX bytes that were stay before it */
	size_t searched; /* there is no candidate between start and this offset */
	size_t end;
	char buffer[STREAM_BUFFER_SIZE];
};

struct text_piece {
	const char *data;
	size_t size;       /* of a candidate, without the end of its line */
	bool is_candidate; /* a whole line that may name an address, or JSON that does; otherwise any text */
	/* For a candidate: */
	const char *line_end;   /* "\n" or "\r\n"; or empty if the text ends without one */
	const char *line_break; /* what lines of this text end with, for more of them: "\n" or "\r\n" */
	const char *before;     /* the line before it, without its end; NULL: there is none in the buffer */
	size_t before_size;
};

/* Begins to read `fd`, which stays the caller's. */
void text_stream_init(struct text_stream *stream, int fd);

/*
 * Gives the next piece, borrowed until the next call. False: text_stream_read must be called first; or, if the stream
 * has ended, there is no more.
 */
bool text_stream_next(struct text_stream *stream, struct text_piece *ret);

/* Reads more, which may wait; output should be flushed before. */
void text_stream_read(struct text_stream *stream);

/* Whether text has what makes its line a candidate. */
bool text_has_trigger(const char *text, size_t size);

#endif
