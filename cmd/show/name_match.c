/*
 * The wanted text is held against the name step by step, from each place where a component of the qualified name
 * begins. A step that is no part of the function's own name may be missing in the text.
 */
#include "cmd/show/name_match.h"

#include <string.h>

#include "base/language.h"
#include "cmd/show/name_walk.h"
#include "cmd/show/source_name.h"

#define ANY_ARGUMENTS "[...]"

/* A text, and how far it was found in a name. */
struct wanted {
	const char *text, *at, *end;
};

/* The part of a step that a text has to say. */
struct said {
	const char *at, *end;
};

/* Moves over it, in `wanted`, and over the idle spaces behind it. False: the text goes on otherwise. */
static bool take_text(struct wanted *wanted, const struct name_walk *walk, struct said said)
{
	const char *w = wanted->at;

	for (; said.at < said.end; said.at++) {
		if (name_is_idle_space(walk->name, said.at, walk->end))
			continue;
		while (w < wanted->end && name_is_idle_space(wanted->text, w, wanted->end))
			w++;
		if (w == wanted->end || *w != *said.at)
			return false;
		w++;
	}
	while (w < wanted->end && name_is_idle_space(wanted->text, w, wanted->end))
		w++;
	wanted->at = w;
	return true;
}

/* D: one argument of a template needs no brackets, f!int for f!(int). */
static bool take_argument(struct wanted *wanted, const struct name_walk *walk, const struct name_step *step)
{
	const struct said said = {step->text + 2, step->text + step->size - 1};
	struct wanted behind = *wanted;

	if (step->size < 3 || step->text[0] != '!' || wanted->end - wanted->at < 2 || wanted->at[0] != '!')
		return false;
	behind.at++;
	if (!take_text(&behind, walk, said))
		return false;
	*wanted = behind;
	return true;
}

/* Which of several lambdas or closures it is, {closure#0}, may be left out: {closure}; gcc calls one <lambda(int)>. */
static bool take_unnumbered(struct wanted *wanted, const struct name_walk *walk, const struct name_step *step)
{
	const char *number = *step->text == '{' ? memrchr(step->text, '#', step->size) : NULL;
	const char *end = number ? number : step->text + step->size - 1;
	struct wanted behind = *wanted;

	if (*step->text != '{' || wanted->at == wanted->end || (*wanted->at != '{' && *wanted->at != '<'))
		return false;
	const char closing = *wanted->at == '{' ? '}' : '>';
	behind.at++;
	if (!take_text(&behind, walk, (struct said){step->text + 1, end}) || behind.at == behind.end ||
	    *behind.at != closing)
		return false;
	behind.at++;
	*wanted = behind;
	return true;
}

/* Moves over what a step says. False: the text goes on otherwise. */
static bool take(struct wanted *wanted, const struct name_walk *walk, const struct name_step *step)
{
	/* Go's own stacks say L[...] of any L[int]. */
	if (*step->text == '[' && (size_t)(wanted->end - wanted->at) >= strlen(ANY_ARGUMENTS) &&
	    memcmp(wanted->at, ANY_ARGUMENTS, strlen(ANY_ARGUMENTS)) == 0) {
		wanted->at += strlen(ANY_ARGUMENTS);
		return true;
	}
	return take_text(wanted, walk, (struct said){step->text, step->text + step->size}) ||
	       take_argument(wanted, walk, step) || take_unnumbered(wanted, walk, step);
}

/* Whether the text says what the rest of the walk does. */
static bool matches_rest(struct wanted wanted, struct name_walk walk)
{
	struct name_step step;

	while (name_walk_next(&walk, &step)) {
		if (!take(&wanted, &walk, &step) && step.is_name && !step.is_optional)
			return false;
	}
	return !walk.is_unclosed && wanted.at == wanted.end;
}

/* Whether the text is the name, or the end of it. */
static bool matches_end(struct wanted wanted, const char *name, size_t size, enum name_separator separator)
{
	const bool is_global = wanted.end - wanted.at > 2 && memcmp(wanted.at, "::", 2) == 0;
	struct name_walk walk, own;
	struct name_step step;

	/* The function's own name begins behind the last step that says so. */
	name_walk_init(&walk, name, size, separator);
	own = walk;
	while (name_walk_next(&walk, &step))
		own = step.start == NAME_START_FUNCTION ? walk : own;

	if (is_global) {
		wanted.at += 2;
		return matches_rest(wanted, own);
	}
	step.start = NAME_START_FUNCTION;
	do {
		if (step.start != NAME_START_NONE && matches_rest(wanted, own))
			return true;
	} while (name_walk_next(&own, &step));
	return false;
}

/* ---- Rust's blocks of functions ---- */

/* A name in a block: <TYPE as TRAIT>::REST, <TYPE>::REST, or PATH::<impl TRAIT for TYPE>::REST. */
struct block {
	struct said type, trait, rest; /* the trait may be empty */
};

static bool read_block(const char *name, size_t size, struct block *ret)
{
	static const char implementation[] = "<impl ";
	const char *end = name + size, *open = size && *name == '<' ? name : NULL;
	const char *found = memmem(name, size, implementation, strlen(implementation));
	bool is_reversed = found && (found == name || found[-1] == ':');

	open = is_reversed ? found : open;
	size_t bracket = open ? name_bracket_size(open, (size_t)(end - open)) : 0;
	if (!bracket || end - (open + bracket) < 3 || memcmp(open + bracket, "::", 2) != 0)
		return false;

	/* The word between both stands outside of all brackets. */
	const char *word = is_reversed ? " for " : " as ";
	struct said first = {open + (is_reversed ? strlen(implementation) : 1), open + bracket - 1}, second = {0};
	for (const char *at = first.at; at < first.end;) {
		size_t inner = name_bracket_size(at, (size_t)(first.end - at));
		if (!inner && strchr("<({[", *at))
			return false; /* it is never closed, and so the name is none of Rust's */
		if (!inner && (size_t)(first.end - at) > strlen(word) && memcmp(at, word, strlen(word)) == 0) {
			second = (struct said){at + strlen(word), first.end};
			first.end = at;
			break;
		}
		at += inner ? inner : 1;
	}
	ret->type = is_reversed && second.at ? second : first;
	ret->trait = is_reversed && second.at ? first : second;
	ret->rest = (struct said){open + bracket, end};
	return true;
}

/* Writes TYPE::REST or TRAIT::REST, and returns its size. */
static size_t join(struct said scope, struct said rest, char *ret)
{
	size_t size = (size_t)(scope.end - scope.at), rest_size = (size_t)(rest.end - rest.at);

	if (!size)
		return 0;
	memcpy(ret, scope.at, size);
	memcpy(ret + size, rest.at, rest_size);
	return size + rest_size;
}

static bool is_end_of_joined(struct said wanted_scope, struct said wanted_rest, struct said scope, struct said rest)
{
	char text[USUAL_NAME_ROOM], name[USUAL_NAME_ROOM];
	size_t wanted_size = join(wanted_scope, wanted_rest, text), size = join(scope, rest, name);

	return wanted_size && size &&
	       matches_end((struct wanted){text, text, text + wanted_size}, name, size, NAME_COLONS);
}

/* Whether the text means a function in a block: as the type's, as the trait's, or as that of both. */
static bool matches_in_block(const char *text, size_t text_size, const char *name, size_t size)
{
	struct block block, wanted;

	if (!read_block(name, size, &block))
		return false;
	if (!read_block(text, text_size, &wanted)) {
		const struct said first = {text, text + 1}, others = {text + 1, text + text_size};
		return is_end_of_joined(first, others, block.type, block.rest) ||
		       is_end_of_joined(first, others, block.trait, block.rest);
	}
	return is_end_of_joined(wanted.type, wanted.rest, block.type, block.rest) &&
	       (wanted.trait.at == wanted.trait.end ||
		is_end_of_joined(wanted.trait, wanted.rest, block.trait, block.rest));
}

/* ---- All ---- */

void name_wanted_init(struct name_wanted *wanted, const char *text)
{
	wanted->text = text;
	wanted->size = strlen(text);
	wanted->may_have_inner_modules = false;
	wanted->usual_size = usual_name(text, wanted->size, 0, false, wanted->usual);
	wanted->usual_size_in_d = usual_name(text, wanted->size, LANG_D, false, wanted->usual_in_d);
}

/* Whether the usual spelling without versions may be another one: a component ends as a version does. */
static bool may_have_version(const char *usual, size_t size)
{
	const char *at = usual, *end = usual + size;

	while ((at = memmem(at, (size_t)(end - at), "::", 2))) {
		if (at > usual && (at[-1] == '_' || (at[-1] >= '0' && at[-1] <= '9')))
			return true;
		at += 2;
	}
	return false;
}

bool name_matches(const struct name_wanted *wanted, const char *name, size_t size, uint32_t language)
{
	const enum name_separator separator = name_separator_of(language);
	const enum name_encoding encoding = name_encoding_of(name, size, language);
	const char *text = wanted->text;
	char usual[USUAL_NAME_ROOM];

	if (wanted->size == size && memcmp(text, name, size) == 0)
		return true;
	if (wanted->may_have_inner_modules && encoding == ENCODING_OCAML)
		return source_name_in_inner_module(text, name, size);
	if (encoding == ENCODING_NIM && source_name_matches(encoding, text, name, size, language))
		return true;
	if (encoding != ENCODING_NONE && encoding != ENCODING_NIM && size <= SOURCE_NAME_SIZE_MAX)
		return source_name_matches(encoding, text, name, size, language);
	if (matches_end((struct wanted){text, text, text + wanted->size}, name, size, separator))
		return true;

	/* As both are usually written. Names that are longer than any programmer's count as they are. */
	const char *usual_text = language == LANG_D ? wanted->usual_in_d : wanted->usual;
	size_t usual_text_size = language == LANG_D ? wanted->usual_size_in_d : wanted->usual_size;
	size_t usual_size = usual_text_size ? usual_name(name, size, language, false, usual) : 0;
	if (!usual_size)
		return false;
	const struct wanted usual_wanted = {usual_text, usual_text, usual_text + usual_text_size};
	if (matches_end(usual_wanted, usual, usual_size, separator) ||
	    (separator == NAME_COLONS && matches_in_block(usual_text, usual_text_size, usual, usual_size)))
		return true;

	/* An inline namespace is mostly called by a version, and may be left out, but not be another one. */
	if (!may_have_version(usual, usual_size))
		return false;
	size_t rest = usual_name(name, size, language, true, usual);
	return rest != usual_size && matches_end(usual_wanted, usual, rest, separator);
}

/* ---- The word ---- */

/* Whether manglers have an abbreviation for a class of this name in the standard library. */
static bool may_be_abbreviated(const char *word, size_t size)
{
	static const char *const ends[] = {"allocator", "string", "stream"};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t end = strlen(ends[i]);
		if (size >= end && memcmp(word + size - end, ends[i], end) == 0)
			return true;
	}
	return false;
}

const char *name_match_word(const char *wanted, size_t *ret_size)
{
	const char *word = wanted;
	size_t size = 0;
	bool is_whole = false; /* the word is over; more of the component does not count */
	struct name_walk walk;
	struct name_step step;

	/*
	 * The first word of the last component. Names of operators, of lambdas and of types without a name are not
	 * spelled out.
	 */
	name_walk_init(&walk, wanted, strlen(wanted), NAME_COLONS);
	while (name_walk_next(&walk, &step)) {
		if (step.start != NAME_START_NONE) {
			size = 0;
			is_whole = false;
		} else if (step.is_name && name_is_word(*step.text) && name_is_word(step.text[step.size - 1])) {
			word = is_whole ? word : step.text;
			size = is_whole ? size : step.size;
			is_whole = true;
		} else if (step.is_name && step.size > 1) {
			size = 0;
			is_whole = true;
		}
	}
	/* Manglers write letters that are not ASCII in ways of their own. */
	for (const char *at = wanted; *at; at++) {
		if ((unsigned char)*at >= 0x80)
			size = 0;
	}
	*ret_size = walk.is_operator || may_be_abbreviated(word, size) ? 0 : size;
	return word;
}

const char *name_match_shown_word(const char *wanted, size_t *ret_size)
{
	static const char operator_word[] = "operator";
	bool is_operator = false;
	struct name_walk walk;
	struct name_step step;

	/* A sign is one step with the word; behind it, a type or `new` has steps of its own. */
	name_walk_init(&walk, wanted, strlen(wanted), NAME_COLONS);
	while (name_walk_next(&walk, &step))
		is_operator |= walk.is_operator || (step.is_name && step.size > strlen(operator_word) &&
						    memcmp(step.text, operator_word, strlen(operator_word)) == 0);
	if (!is_operator)
		return name_match_word(wanted, ret_size);
	*ret_size = strlen(operator_word);
	return operator_word;
}
