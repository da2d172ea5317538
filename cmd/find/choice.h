/* Which functions, or which line of which files, somebody means. */
#ifndef LOCUS_CHOICE_H
#define LOCUS_CHOICE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/common/search_bounds.h"
#include "cmd/show/name_match.h"
#include "reader/locus.h"

struct choice {
	const char *wanted; /* borrowed */
	bool is_regex;
	bool demangles; /* a demangled name may be meant, too */
	regex_t regex;
	const char *problem; /* why there is none; NULL: there is one, or none is wanted */
	const char *word;    /* a name without this, mangled or not, is not the wanted one */
	size_t word_size;
	const char *shown_word; /* nor is one without this, if it is not mangled */
	size_t shown_word_size;
	struct name_wanted name;
	char *without_receiver; /* what is looked for where nothing has the name; NULL: it was not needed */
	size_t path_size;       /* of the path in `wanted`; 0: functions are meant */
	uint64_t line;
	uint32_t *ids; /* ids of the functions or files, ascending */
	size_t id_count, id_room;
};

/*
 * Reads what is wanted: a name, an extended regular expression of names, or PATH:LINE. False: `problem` says
 * what is wrong with the expression. Ended by choice_done.
 */
bool choice_init(struct choice *choice, const char *wanted, bool is_regex, bool demangles);
void choice_done(struct choice *choice);

/* Whether it is PATH:0. Lines begin at 1. */
bool choice_is_line_0(const struct choice *choice);

/* Finds the ids in an open file. Errors are those of reading it, and those of the bounds. */
enum locus_status choice_find(struct choice *choice, struct locus *locus, struct locus_scratch *scratch,
			      struct search_bounds *bounds, struct locus_error *error);

/* Whether a function or a file is one of those. */
bool choice_has(const struct choice *choice, uint32_t id);

#endif
