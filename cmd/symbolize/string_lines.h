/* The lines of a text that is a string in a line of JSON. */
#ifndef LOCUS_STRING_LINES_H
#define LOCUS_STRING_LINES_H

#include "cmd/symbolize/json_line.h"
#include "cmd/symbolize/text_stream.h"

enum { STRING_LINE_MAX = 1 << 14 /* bytes of a line that is read: a record of JSON in turn, as Docker writes it */ };

/* The lines that a string is read into, one after the other. */
struct string_lines {
	struct locus_string rest; /* of the string, as it stands there */
	struct locus_string raw;  /* the line, as it stands there */
	struct locus_string kept; /* those right before it of which nothing was written yet, as they stand there */
	bool is_text;             /* it is text that can be read, and not too long */
	size_t size, end_size;    /* its bytes, with its end, and those of the end alone */
	const char *line_break;   /* the end of it, or if it has none, of the one before */
	char line[STRING_LINE_MAX], before[STRING_LINE_MAX];
	size_t before_size; /* of the line before it, without its end */
	bool has_before;
};

/* Reads the next line. False: there is none. */
bool string_lines_next(struct string_lines *lines);

/* Keeps the line that was read as the one before what comes next. */
void string_lines_keep(struct string_lines *lines);

/* Takes the last line of a string as the one before what comes next. */
void string_lines_take_before(struct string_lines *lines, struct locus_string text);

/* Where the line before one has JSON that is to be read; else its end. */
size_t string_lines_start_before(const struct text_piece *piece);

/*
 * Finds the line before a string: the last one of the strings with its key in the line of JSON before its own. Records
 * have their keys in the same order, and are read once, so this goes on from `*at`, where it was for the string before;
 * for the first one that is string_lines_start_before.
 */
void string_lines_find_before(struct string_lines *lines, const struct text_piece *piece, size_t *at,
			      struct locus_string key);

#endif
