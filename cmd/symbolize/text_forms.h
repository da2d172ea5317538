/*
 * The forms in which texts name code: one table, text_forms.c, a row for each form.
 *
 * This is a library of the command's own, liblocus-forms.so, for it needs PCRE2, which is not loaded by who only looks
 * up an address. It knows text alone: no symbols, no files.
 */
#ifndef LOCUS_TEXT_FORMS_H
#define LOCUS_TEXT_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/locus.h"

#define LOCUS_FORMS_EXPORT __attribute__((visibility("default")))

/* What a line that matches says. */
enum form_kind {
	FORM_FRAME,    /* a place in the code */
	FORM_COMPLETE, /* the same, but all is said already; only its number may move */
	FORM_MAPPING,  /* a module is mapped: START to END or LENGTH bytes, from OFFSET of the file on */
	FORM_MODULE,   /* the module of this name has this build-id */
	FORM_FORK,     /* PROCESS is a child of PARENT, or THREAD is a thread of it where both are the same */
	FORM_EXEC,     /* PROCESS runs another program from now on */
	FORM_SIGNAL,   /* a signal's frame: the next one was interrupted, and did not call */
};

/* How a frame's address is meant. */
enum form_address {
	ADDRESS_OF_MODULE,   /* OFFSET is an address of the module's file */
	ADDRESS_FROM_LOWEST, /* OFFSET counts from its lowest one: 0, unless it does not move; then ADDRESS is it */
	ADDRESS_IN_FILE,     /* OFFSET is a position in the module's file */
	ADDRESS_RUNTIME,     /* ADDRESS is the process's own; a mapping, or a module that does not move, explains it */
	ADDRESS_UNDER_VALGRIND, /* the same, where valgrind loads programs */
	ADDRESS_IN_FUNCTION,    /* DELTA bytes into the function SYMBOL */
};

/* Which addresses are return addresses, behind a call, whose call is asked for a byte before. */
enum form_calls {
	CALLS_NONE,         /* who wrote the text has stepped back already, or means the place itself */
	CALLS_BEHIND_FIRST, /* all but the first frame of a stack */
	CALLS_ALL,
};

/* The named groups of the patterns. */
enum form_field {
	FIELD_START, /* of a mapping */
	FIELD_END,
	FIELD_LENGTH,
	FIELD_NUMBER,  /* of the frame, counted from 0 */
	FIELD_ADDRESS, /* at run time */
	FIELD_OFFSET,
	FIELD_DELTA,
	FIELD_SIZE, /* of the function SYMBOL */
	FIELD_SYMBOL,
	FIELD_MODULE,
	FIELD_BUILD_ID,
	FIELD_PROCESS, /* an id */
	FIELD_THREAD,  /* its first thread has the process's id */
	FIELD_PARENT,  /* a process */
	FIELD_FIRST,   /* what is printed on the first of the lines that one becomes, and not on the others */
	FIELD_AS_IS,   /* what is printed as it is on each line */
	FIELD_REST,
	FIELD_COUNT,
};

/*
 * A row of the table. In the place of what the pattern matched, each function there is printed, innermost first, each
 * on a line of its own that begins and ends as the line did: by `inlined` where it was inlined into the next one, by
 * `frame` where it was not. In these, {number} and so on stand for the group of that name, {function} and {source}
 * (path:line) for what was found, {into} for "+0x10" behind the name of a function whose start is known; [a|b] is a
 * where all in it is known and b otherwise.
 */
struct form {
	const char *name;
	enum form_kind kind;
	enum form_address address;
	enum form_calls calls;
	bool is_renumbered;  /* each function has a number of its own, so that those behind it move */
	bool is_head_once;   /* what stands before it on the line tells of an event: it is not said again */
	bool is_joined;      /* it stands within other text: what is found goes behind it, on the same line */
	bool is_last_resort; /* other forms' lines would match too */
	const char *module;  /* where the text names none; NULL: it does */
	const char *pattern; /* PCRE2, of bytes; searched for in the line, it must not run over its end */
	const char *header;  /* what the line before the first frame may match: FIELD_PROCESS; NULL: nothing */
	const char *frame;
	const char *inlined; /* NULL: as `frame` */
};

struct form_match {
	const struct form *form;
	size_t start, end;                       /* what matched of the line */
	struct locus_string fields[FIELD_COUNT]; /* in the line; absent ones have size 0 */
};

struct forms;

/* Compiles the patterns. NULL: out of memory. */
LOCUS_FORMS_EXPORT struct forms *forms_new(void);
LOCUS_FORMS_EXPORT void forms_free(struct forms *forms);

/* The first form that a line (without its end) matches; time is bounded also for lines made to be slow. */
LOCUS_FORMS_EXPORT bool forms_match(struct forms *forms, const char *line, size_t size, struct form_match *ret);

/* FIELD_PROCESS of the line before a stack of this form; size 0: there is none. */
LOCUS_FORMS_EXPORT struct locus_string forms_process(struct forms *forms, const struct form *form, const char *line,
						     size_t size);

/* The table, and the name of a field as patterns and templates write it. */
LOCUS_FORMS_EXPORT const struct form *forms_table(size_t *ret_count);
LOCUS_FORMS_EXPORT const char *form_field_name(enum form_field field);

/* LOCUS_VERSION of the build, as locus_convert_version. */
LOCUS_FORMS_EXPORT extern const char locus_forms_version[];

#endif
