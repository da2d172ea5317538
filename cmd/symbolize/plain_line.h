/* Lines in colour, as programs write them to terminals. */
#ifndef LOCUS_PLAIN_LINE_H
#define LOCUS_PLAIN_LINE_H

#include "cmd/symbolize/text_stream.h"

enum { LINE_END_MAX = 3 /* "\r\n" */ };

/* A line without what sets colours in it. All of that stands before its end, so that what follows has the same one. */
struct plain_line {
	struct text_piece piece;
	char text[STREAM_LINE_MAX];
	char line_end[STREAM_LINE_MAX + LINE_END_MAX];
};

/*
 * The size of a sequence that sets a colour, or clears the rest of a line, at the start of a text; 0: there is none.
 * "\033(B" is what `tput sgr0` writes before it resets colours.
 */
size_t colour_size(const char *text, size_t size);

/* Makes the plain line of one in colour. Its pieces are borrowed from `plain`, and from what `piece` borrows. */
void plain_line_make(struct plain_line *plain, const struct text_piece *piece);

#endif
