/* Shortens demangled names in one pass that copies only what is outside of all brackets. */
#include "cmd/show/short_name.h"

#include <stdbool.h>
#include <string.h>

struct cursor {
	const char *at, *end;
};

static bool starts_with(const struct cursor *cursor, const char *text)
{
	size_t size = strlen(text);

	return (size_t)(cursor->end - cursor->at) >= size && memcmp(cursor->at, text, size) == 0;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/* The size of an operator's name at the cursor, whose signs are not brackets: operator<<, operator(), operator->. */
static size_t operator_size(const struct cursor *cursor)
{
	static const char word[] = "operator";
	static const char *const signs[] = {"()", "[]", "<=>", "<<=", ">>=", "->*", "<<",
					    ">>", "<=", ">=",  "->",  "<",   ">"};
	struct cursor behind = {cursor->at + strlen(word), cursor->end};

	if (!starts_with(cursor, word))
		return 0;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (starts_with(&behind, signs[i]))
			return strlen(word) + strlen(signs[i]);
	}
	return 0;
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
		else if (c == '<' || c == '(' || c == '{' || c == '[')
			depth++;
		else if (c == '>' || c == ')' || c == '}' || c == ']')
			depth--;
		if (depth == 0)
			return (size_t)(cursor.at - start);
	}
	return 0;
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

/* The state of the pass: the function's own name begins behind the last space outside of brackets. */
struct folded {
	char *text;
	size_t size;
	size_t own; /* where the name starts, after a return type */
	bool ended; /* the parameters are over: const and the like follow */
};

static void append(struct folded *folded, const char *text, size_t size)
{
	memcpy(folded->text + folded->size, text, size);
	folded->size += size;
}

/* Moves over one sign, operator or pair of brackets. */
static bool fold_next(const char *name, struct cursor *cursor, struct folded *folded)
{
	size_t sign = cursor->at == name || !is_word(cursor->at[-1]) ? operator_size(cursor) : 0;
	size_t size = sign ? sign : 1;
	char c = *cursor->at;

	if (!sign && (c == '<' || c == '(' || c == '{' || c == '[')) {
		size = bracket_size(*cursor);
		if (size == 0)
			return false;
		if (is_kept(cursor) || is_type_itself(name, cursor))
			append(folded, cursor->at, size);
		else if (c == '(' && folded->size > folded->own)
			folded->ended = true;
	} else if (starts_with(cursor, " <")) {
		; /* the arguments of a template, after an operator */
	} else if (!sign && c == ' ' && !folded->ended) {
		append(folded, " ", 1);
		/* "operator new" and "operator bool" are names with a space. */
		if (folded->size < 9 || memcmp(folded->text + folded->size - 9, "operator ", 9) != 0)
			folded->own = folded->size;
	} else if (!folded->ended) {
		append(folded, cursor->at, size);
	} else if (c == ':') {
		folded->ended = false; /* f(int)::local: these were the parameters of the enclosing function */
		append(folded, cursor->at, size);
	}
	cursor->at += size;
	return true;
}

size_t short_name(const char *name, size_t size, char *ret)
{
	struct cursor cursor = {name, name + size};
	struct folded folded = {.text = ret};

	while (cursor.at < cursor.end) {
		if (!fold_next(name, &cursor, &folded))
			break;
	}
	if (cursor.at < cursor.end || folded.size == folded.own) {
		memcpy(ret, name, size);
		return size;
	}
	memmove(ret, ret + folded.own, folded.size - folded.own);
	return folded.size - folded.own;
}
