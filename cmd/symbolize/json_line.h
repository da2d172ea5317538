/*
 * Lines of JSON, as programs and what runs them write logs: a record on a line, or a part of one that is on several.
 *
 * Only what is needed to change the text in its strings is read; lines of JSON stay what they are.
 */
#ifndef LOCUS_JSON_LINE_H
#define LOCUS_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/common/out.h"
#include "reader/locus.h"

enum { JSON_CHARACTER_MAX = 4 /* bytes of UTF-8 */ };

/* A string that is a value, without its quotes. */
struct json_string {
	struct locus_string key;  /* the last key before it in the line, as it stands there; of size 0: there is none */
	struct locus_string text; /* as it stands there */
};

/*
 * Where JSON begins in a line that ends with it: at its start, or with the first {" behind other text, as the time.
 * False: it does not.
 */
bool json_line_find(const char *line, size_t size, size_t *ret_start);

/* Finds the next string from `*at` on, where the line has JSON, and sets `*at` behind it. False: there is none. */
bool json_line_next(const char *line, size_t size, size_t *at, struct json_string *ret);

/*
 * Reads the character or byte at the start of a string's text, and returns how much of the text it is. *ret_size is 0
 * if it is half of a pair of surrogates, which no character is.
 */
size_t json_character(struct locus_string text, char ret[JSON_CHARACTER_MAX], size_t *ret_size);

/* Writes bytes as part of a string. */
void json_put_escaped(struct out *out, const char *data, size_t size);

#endif
