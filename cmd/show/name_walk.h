/*
 * Goes over a demangled name in steps that say what belongs to the function's own name: of `int f<char>(char) const`
 * that is `f`.
 */
#ifndef LOCUS_NAME_WALK_H
#define LOCUS_NAME_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What stands between the components of a qualified name. */
enum name_separator {
	NAME_COLONS, /* a::b */
	NAME_DOTS,   /* a.b; in Go also a/b.c, and a.(*T).c of the receiver T */
};

/* By a DW_LANG code. Names of a language that is unknown, 0, have colons. */
enum name_separator name_separator_of(uint32_t language);

/* To be set up by name_walk_init. A copy goes on by itself from where the walk is. */
struct name_walk {
	const char *name, *at, *end;
	enum name_separator separator;
	size_t declarator_count;   /* of brackets gone into: the name of a function that returns a pointer to one is in
				      some */
	const char *template_name; /* in D: of the template whose arguments were the last step; NULL: they were not */
	size_t template_size;
	bool has_name;    /* some of the function's own name was told, so that a bracket holds its parameters */
	bool is_behind;   /* the parameters are over: const and the like follow */
	bool is_operator; /* the name is that of an operator, which may be a type with spaces: operator unsigned long */
	bool is_unclosed; /* the walk ended at a bracket that is never closed */
};

/* What begins behind a step. */
enum name_start {
	NAME_START_NONE,
	NAME_START_COMPONENT, /* the next component of a qualified name: this ended its `::` or `.` */
	NAME_START_FUNCTION,  /* the function's own name: all until here was its return type */
};

struct name_step {
	const char *text;
	size_t size;
	bool is_name; /* it belongs to the name; false: arguments of a template, parameters, and what follows these */
	bool is_optional; /* people leave it out all the same: brackets and asterisk of a receiver in Go, a namespace
			     that has no name */
	enum name_start start;
};

/* Begins a walk over the `size` bytes of `name`, which must outlive it. */
void name_walk_init(struct name_walk *walk, const char *name, size_t size, enum name_separator separator);

/* Goes one step on. False: the walk is over. */
bool name_walk_next(struct name_walk *walk, struct name_step *ret);

/* Whether a character may stand in an identifier. */
bool name_is_word(char c);

/* Whether the character at `at` of a text from `start` to `end` is a space that does not keep two words apart. */
bool name_is_idle_space(const char *start, const char *at, const char *end);

/*
 * The size of the brackets that open where a text begins, with their content; 0: none open there, or they never close.
 */
size_t name_bracket_size(const char *text, size_t size);

#endif
