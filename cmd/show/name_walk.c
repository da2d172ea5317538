/*
 * A step is a word or a sign outside of all brackets, the name of an operator, or a pair of brackets with its content.
 */
#include "cmd/show/name_walk.h"

#include <string.h>

#include "base/language.h"

enum { DECLARATORS_MAX = 8 }; /* in each other; more are only made to cost time */

struct cursor {
	const char *at, *end;
};

static const char operator_word[] = "operator";

static bool starts_with(const struct cursor *cursor, const char *text)
{
	size_t size = strlen(text);

	return (size_t)(cursor->end - cursor->at) >= size && memcmp(cursor->at, text, size) == 0;
}

bool name_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
	       (unsigned char)c >= 0x80;
}

bool name_is_idle_space(const char *start, const char *at, const char *end)
{
	if (*at != ' ')
		return false;
	return at == start || at + 1 == end || !name_is_word(at[-1]) || !name_is_word(at[1]);
}

/* ---- Brackets ---- */

static bool is_opening(char c)
{
	return c == '<' || c == '(' || c == '{' || c == '[';
}

/* The size of an operator's name at the cursor, whose signs are not brackets: operator<<, operator(), operator->. */
static size_t operator_size(const struct cursor *cursor)
{
	static const char *const signs[] = {"()", "[]", "<=>", "<<=", ">>=", "->*",    "<<",       ">>",
					    "<=", ">=", "->",  "<",   ">",   " new[]", " delete[]"};
	struct cursor behind = {cursor->at + strlen(operator_word), cursor->end};

	if (*cursor->at != operator_word[0] || !starts_with(cursor, operator_word))
		return 0;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (starts_with(&behind, signs[i]))
			return strlen(operator_word) + strlen(signs[i]);
	}
	return 0;
}

/* Whether a word at the cursor is `operator`. */
static bool is_operator_word(const struct cursor *cursor)
{
	const char *behind = cursor->at + strlen(operator_word);

	return starts_with(cursor, operator_word) && (behind == cursor->end || !name_is_word(*behind));
}

/* The size of the brackets that open at the cursor, with their content; 0: they are never closed. */
static size_t bracket_size(struct cursor cursor)
{
	const char *start = cursor.at;
	size_t depth = 0;

	while (cursor.at < cursor.end) {
		size_t sign = operator_size(&cursor);
		char c = *cursor.at;
		cursor.at += sign ? sign : 1;
		if (sign)
			continue;
		if (c == '-' && starts_with(&cursor, ">"))
			cursor.at++;
		else if (is_opening(c))
			depth++;
		else if (c == '>' || c == ')' || c == '}' || c == ']')
			depth--;
		if (depth == 0)
			return (size_t)(cursor.at - start);
	}
	return 0;
}

size_t name_bracket_size(const char *name, size_t size)
{
	return size && is_opening(*name) ? bracket_size((struct cursor){name, name + size}) : 0;
}

/* Words in brackets that belong to a name and not to its type. */
static bool is_kept(const struct cursor *cursor)
{
	return *cursor->at == '{' || starts_with(cursor, "(anonymous namespace)");
}

/* In Rust names, <Type as Trait> stands for a type; no part of a C++ name begins with a bracket. */
static bool is_type_itself(const char *name, const struct cursor *cursor)
{
	return *cursor->at == '<' && (cursor->at == name || (cursor->at[-1] == ':' && cursor->at - name > 1));
}

/*
 * The size of what comes before the name in a declarator, as of (*f(int))(char), a function that returns a pointer to
 * one: the bracket, and all up to the first asterisk or ampersand. `size` is that of the whole bracket. 0: it is no
 * declarator, behind which further brackets stand.
 */
static size_t declarator_size(struct cursor cursor, size_t size)
{
	const struct cursor behind = {cursor.at + size, cursor.end};
	const char *start = cursor.at++;

	if (*start != '(' || !(starts_with(&behind, "(") || starts_with(&behind, "[") || starts_with(&behind, " [")))
		return 0;
	cursor.end = behind.at - 1;
	while (cursor.at < cursor.end && *cursor.at != '*' && *cursor.at != '&') {
		size_t inner = is_opening(*cursor.at) ? bracket_size(cursor) : 1;
		cursor.at += inner ? inner : 1;
	}
	return cursor.at < cursor.end ? (size_t)(cursor.at + 1 - start) : 0;
}

/* ---- Steps ---- */

enum name_separator name_separator_of(uint32_t language)
{
	return language == LANG_D || language == LANG_GO || language_is_ada(language) ? NAME_DOTS : NAME_COLONS;
}

void name_walk_init(struct name_walk *walk, const char *name, size_t size, enum name_separator separator)
{
	*walk = (struct name_walk){.name = name, .at = name, .end = name + size, .separator = separator};
}

/* What a receiver in Go has around its type, main.(*T).f: nothing else has a bracket behind a dot. 0: it is none. */
static size_t receiver_sign_size(const struct name_walk *walk)
{
	const struct cursor cursor = {walk->at, walk->end};

	if (walk->separator != NAME_DOTS)
		return 0;
	if (walk->at > walk->name && walk->at[-1] == '.' && *walk->at == '(')
		return starts_with(&cursor, "(*") ? 2 : 1;
	return starts_with(&cursor, ").") ? 1 : 0;
}

/*
 * The size of the arguments of a template in D, !(int), and of what repeats the name of the template as that of what it
 * holds: Vec!(int).Vec.push is Vec!(int).push to programmers. 0: the walk is at something else.
 */
static size_t arguments_size(const struct name_walk *walk)
{
	const struct cursor cursor = {walk->at, walk->end}, bracket = {walk->at + 1, walk->end};

	return walk->separator == NAME_DOTS && starts_with(&cursor, "!(") ? bracket_size(bracket) + 1 : 0;
}

static size_t repetition_size(const struct name_walk *walk)
{
	const struct cursor cursor = {walk->at + 1, walk->end};
	size_t size = walk->template_size;
	bool is_same = walk->template_name && *walk->at == '.' && (size_t)(walk->end - cursor.at) >= size &&
		       memcmp(cursor.at, walk->template_name, size) == 0;

	return is_same && (cursor.at + size == walk->end || !name_is_word(cursor.at[size])) ? size + 1 : 0;
}

/* Notes the name of the template that the arguments at hand are of. */
static void note_template(struct name_walk *walk)
{
	const char *start = walk->at;

	while (start > walk->name && name_is_word(start[-1]))
		start--;
	walk->template_name = start;
	walk->template_size = (size_t)(walk->at - start);
}

/* A pair of brackets. False: they are never closed. */
static bool step_over_bracket(struct name_walk *walk, struct name_step *step)
{
	const struct cursor cursor = {walk->at, walk->end};

	step->size = bracket_size(cursor);
	if (step->size == 0) {
		walk->is_unclosed = true;
		return false;
	}

	bool may_declare = !walk->has_name && walk->declarator_count < DECLARATORS_MAX;
	size_t declarator = may_declare ? declarator_size(cursor, step->size) : 0;
	if (is_kept(&cursor) || is_type_itself(walk->name, &cursor)) {
		step->is_name = true;
	} else if (declarator) {
		walk->declarator_count++;
		walk->end = walk->at + step->size - 1;
		step->size = declarator;
		step->start = NAME_START_FUNCTION;
	} else if (*walk->at == '(' && walk->has_name) {
		walk->is_behind = true;
	}
	return true;
}

/* Whether a character separates components. Of `::` the first does not: it belongs to a component without a name. */
static bool is_separator(const struct name_walk *walk, const char *at)
{
	if (walk->separator == NAME_DOTS)
		return *at == '.' || *at == '/';
	return *at == ':' && at > walk->name && at[-1] == ':';
}

/* Whether what follows a list of parameters, as const does, is over. */
static bool ends_words(const struct name_walk *walk, char c)
{
	return c == (walk->separator == NAME_DOTS ? '.' : ':') || is_opening(c);
}

/* A word, a sign that is no bracket, or all words behind the parameters. */
static void step_over_sign(struct name_walk *walk, struct name_step *step)
{
	char c = *walk->at;

	/* f(int)::local: they were the parameters of the enclosing function. */
	if (walk->is_behind && ends_words(walk, c))
		walk->is_behind = walk->is_operator = false;
	step->is_name = !walk->is_behind;
	while (walk->is_behind && step->text + step->size < walk->end && !ends_words(walk, step->text[step->size]))
		step->size++;
	while (!walk->is_behind && name_is_word(c) && step->text + step->size < walk->end &&
	       name_is_word(step->text[step->size]))
		step->size++;
	if (walk->is_behind || walk->is_operator)
		return;
	if (c == ' ')
		step->start = NAME_START_FUNCTION;
	else if (is_separator(walk, walk->at))
		step->start = NAME_START_COMPONENT;
}

bool name_walk_next(struct name_walk *walk, struct name_step *ret)
{
	const struct cursor cursor = {walk->at, walk->end};

	if (walk->at >= walk->end)
		return false;
	bool is_word_start = walk->at == walk->name || !name_is_word(walk->at[-1]);
	size_t sign = is_word_start ? operator_size(&cursor) : 0;
	size_t receiver = receiver_sign_size(walk);
	size_t arguments = arguments_size(walk), repetition = repetition_size(walk);
	*ret = (struct name_step){.text = walk->at, .size = sign ? sign : 1};

	walk->template_name = NULL;
	if (arguments > 1) {
		ret->size = arguments;
		note_template(walk);
	} else if (repetition) {
		ret->size = repetition;
	} else if (starts_with(&cursor, "(anonymous namespace)::")) {
		ret->size = strlen("(anonymous namespace)::");
		ret->is_name = ret->is_optional = true;
		ret->start = NAME_START_COMPONENT;
	} else if (receiver) {
		ret->size = receiver;
		ret->is_name = ret->is_optional = true;
	} else if (sign) {
		ret->is_name = !walk->is_behind;
	} else if (is_opening(*walk->at)) {
		if (!step_over_bracket(walk, ret))
			return false;
	} else if (!starts_with(&cursor, " <")) { /* else the arguments of a template, after an operator */
		walk->is_operator |= is_word_start && is_operator_word(&cursor) && !walk->is_behind;
		step_over_sign(walk, ret);
	}

	walk->has_name = ret->start != NAME_START_FUNCTION && (walk->has_name || ret->is_name);
	walk->at += ret->size;
	return true;
}
