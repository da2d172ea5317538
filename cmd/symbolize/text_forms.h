/*
 * The forms in which texts name code: a table with a row for each form (text_forms.c).
 *
 * This is a library of the command's own, liblocus-forms.so, because it needs PCRE2, which lookups do not load. It
 * knows only text: no symbols, no files.
 */
#ifndef LOCUS_TEXT_FORMS_H
#define LOCUS_TEXT_FORMS_H

#include <stdbool.h>
#include <stddef.h>

#include "reader/locus.h"

#define LOCUS_FORMS_EXPORT __attribute__((visibility("default")))

/* What a matching line is. */
enum form_kind {
	FORM_FRAME,    /* a place in the code */
	FORM_COMPLETE, /* the same, but it is complete; only its number may change */
	FORM_INLINED,  /* a function that was inlined into the frame at ADDRESS, which follows */
	FORM_MAPPING,  /* a module is mapped: START to END or LENGTH bytes, or up to the next module; from OFFSET of the
			  file on, or if ADDRESS_FROM_LOWEST, all of it; if the text says neither, all code of it */
	FORM_MODULE,   /* the module of this name has this build-id */
	FORM_FORK,     /* PROCESS is a child of PARENT, or THREAD is a thread of it where both are the same */
	FORM_EXEC,     /* PROCESS runs another program from now on */
	FORM_SIGNAL,   /* a signal's frame: the next one was interrupted, and did not call */
};

/* What a frame's address is. */
enum form_address {
	ADDRESS_OF_MODULE,   /* OFFSET is an address of the module's file */
	ADDRESS_FROM_LOWEST, /* OFFSET counts from its lowest address, which is 0 if it is position-independent; if not,
				ADDRESS is used if there is one */
	ADDRESS_IN_FILE,     /* OFFSET is a position in the module's file */
	ADDRESS_RUNTIME,     /* ADDRESS is one of the process: explained by a mapping, or by a module that is not
				position-independent */
	ADDRESS_IN_SEGMENT,  /* the same, in the mapping of LENGTH bytes from START on: of code, all of a segment */
	ADDRESS_UNDER_VALGRIND, /* the same, at the place where valgrind loads programs */
	ADDRESS_IN_FUNCTION,    /* it is DELTA bytes into the function SYMBOL */
};

/* Which addresses are return addresses, behind a call: these are looked up one byte before. */
enum form_calls {
	CALLS_NONE,          /* none: they are within the calls already, or mean the place itself */
	CALLS_STEPPED,       /* none: who wrote the text has stepped back by one from each address behind the first, and
			       so also from one that a signal interrupted */
	CALLS_STEPPED_THREE, /* none: the same by three, from the first address, too */
	CALLS_BEHIND_FIRST,  /* all but the first frame of a stack */
	CALLS_ALL,           /* all, but for one right behind the form's header */
};

/* Which functions have their names in the text, in this form or another. */
enum form_names {
	NAMES_ANY,     /* any, or none */
	NAMES_EXPORTS, /* those that their module exports, and hardly others */
	NAMES_NEAREST, /* the same; in the place of others, the text names the exported one before them */
};

/* The named groups of the patterns. */
enum form_field {
	FIELD_START, /* start of a mapping */
	FIELD_END,
	FIELD_LENGTH,
	FIELD_NUMBER,  /* number of the frame, from 0 */
	FIELD_ADDRESS, /* address at run time */
	FIELD_OFFSET,
	FIELD_DELTA,
	FIELD_SIZE, /* size of the function SYMBOL */
	FIELD_SYMBOL,
	FIELD_MODULE,
	FIELD_DELETED, /* what stands right behind MODULE if that was deleted or replaced while a process had it */
	FIELD_BUILD_ID,
	FIELD_PROCESS, /* an id */
	FIELD_THREAD,  /* its first thread has the process's id */
	FIELD_PARENT,  /* a process */
	FIELD_ALONE,   /* text before a frame that is the only one of its stack */
	FIELD_FIRST,   /* text that is printed only on the first of the lines for a frame */
	FIELD_AS_IS,   /* text that is printed unchanged on each line */
	FIELD_REST,
	FIELD_COUNT,
};

/*
 * A row of the table. The match is replaced by the functions there, innermost first, each on a line of its own that
 * begins and ends like the original line. A function that was inlined into the next one is printed by the template
 * `inlined`, others by `frame`. In templates, {number} and the like stand for the group of that name; {function} and
 * {source} (path:line) for the answer; {into} for "+0x10" behind the name of a function whose start is known; [a|b] is
 * a if all in it is known, and else b.
 */
struct form {
	const char *name;
	enum form_kind kind;
	enum form_address address;
	enum form_calls calls;
	enum form_names names;
	bool is_renumbered;  /* each function gets a number of its own, so later numbers change */
	bool is_head_once;   /* the text before it describes an event, whose first frame it is, and is not repeated */
	bool is_headed;      /* a frame is the first of its stack only right behind the header; of forms that are joined
				to other text, a line has frames only there */
	bool is_joined;      /* it is part of other text: the answer goes behind it, on the same line */
	bool is_last_resort; /* it would match lines of other forms, too */
	bool is_demangled;   /* SYMBOL is the function that has the address, but not as it is called in symbols */
	bool has_place;      /* the text says the place itself, too, so that a frame without an answer lacks nothing */
	bool has_titles;     /* MODULE may be the last word of a path with blanks, or of a process title, which a
				program can give itself */
	bool is_guess;       /* MODULE may be other text, unless it begins as a path does or is called as a library */
	const char *module;  /* the module, if the text names none; NULL: the text names it */
	const char *needs;   /* a text that every line of the form has: others are not compared; NULL: none */
	const char *pattern; /* a PCRE2 pattern of bytes, searched for in the line; must not match beyond its end */
	const char *header;  /* pattern of the line before the first frame; it may have FIELD_PROCESS; NULL: none */
	const char *frame;
	const char *inlined; /* NULL: the same as `frame` */
};

struct form_match {
	const struct form *form;
	size_t start, end;                       /* place of the match in the line */
	struct locus_string fields[FIELD_COUNT]; /* parts of the line; absent ones have size 0 */
	struct locus_string program;             /* the program whose title MODULE may be the end of; else of size 0 */
	struct locus_string path; /* the path with blanks that MODULE may be the end of; else of size 0 */
};

struct forms;

/* Compiles the patterns. NULL: out of memory. */
LOCUS_FORMS_EXPORT struct forms *forms_new(void);
LOCUS_FORMS_EXPORT void forms_free(struct forms *forms);

/*
 * The first form that a line (without its end) matches, in bounded time also for hostile lines. Of forms that are
 * joined to the text, it is the one that stands first in the line.
 */
LOCUS_FORMS_EXPORT bool forms_match(struct forms *forms, const char *line, size_t size, struct form_match *ret);

/*
 * The same, of the forms that are joined to the text alone: in the line that was given to forms_match, from `start` on,
 * which is the end of the match that the last of these calls found.
 */
LOCUS_FORMS_EXPORT bool forms_match_joined(struct forms *forms, const char *line, size_t size, size_t start,
					   struct form_match *ret);

/* Whether a line may stand before a stack of this form; *ret_process is its FIELD_PROCESS, of size 0 if it has none. */
LOCUS_FORMS_EXPORT bool forms_header(struct forms *forms, const struct form *form, const char *line, size_t size,
				     struct locus_string *ret_process);

/* The table of forms, and the name of a field in patterns and templates. */
LOCUS_FORMS_EXPORT const struct form *forms_table(size_t *ret_count);
LOCUS_FORMS_EXPORT const char *form_field_name(enum form_field field);

/* LOCUS_VERSION of the build, as locus_convert_version. */
LOCUS_FORMS_EXPORT extern const char locus_forms_version[];

#endif
