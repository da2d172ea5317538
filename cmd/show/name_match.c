/*
 * The wanted text is held against the name step by step, from each place where a component of the qualified name
 * begins. A step that is no part of the function's own name may be missing in the text.
 */
#include "cmd/show/name_match.h"

#include <string.h>

#include "cmd/show/caseless_name.h"
#include "cmd/show/name_walk.h"

#define ANY_ARGUMENTS "[...]"

/* Whether the character at `at` of a text from `start` to `end` is a space that does not keep two words apart. */
static bool is_idle_space(const char *start, const char *at, const char *end)
{
	if (*at != ' ')
		return false;
	return at == start || at + 1 == end || !name_is_word(at[-1]) || !name_is_word(at[1]);
}

struct wanted {
	const char *text, *at, *end;
};

/* Moves over what a step says. False: the text goes on otherwise. */
static bool take(struct wanted *wanted, const struct name_walk *walk, const struct name_step *step)
{
	const char *name_end = walk->end, *text_end = step->text + step->size;
	const char *w = wanted->at;

	/* Go's own stacks say L[...] of any L[int]. */
	if (*step->text == '[' && (size_t)(wanted->end - w) >= strlen(ANY_ARGUMENTS) &&
	    memcmp(w, ANY_ARGUMENTS, strlen(ANY_ARGUMENTS)) == 0) {
		wanted->at += strlen(ANY_ARGUMENTS);
		return true;
	}
	for (const char *at = step->text; at < text_end; at++) {
		if (is_idle_space(walk->name, at, name_end))
			continue;
		while (w < wanted->end && is_idle_space(wanted->text, w, wanted->end))
			w++;
		if (w == wanted->end || *w != *at)
			return false;
		w++;
	}
	while (w < wanted->end && is_idle_space(wanted->text, w, wanted->end))
		w++;
	wanted->at = w;
	return true;
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

bool name_matches(const char *text, const char *name, size_t size, uint32_t language)
{
	const enum name_separator separator = name_separator_of(language);
	struct wanted wanted = {text, text, text + strlen(text)};
	char written[CASELESS_ROOM], wanted_written[CASELESS_ROOM];
	size_t wanted_size = (size_t)(wanted.end - text);

	if (wanted_size == size && memcmp(text, name, size) == 0)
		return true;
	/* Names that are longer than any programmer's count as they are. */
	if (language_is_caseless(language) && size <= CASELESS_SIZE_MAX && wanted_size <= CASELESS_SIZE_MAX) {
		size = caseless_name(name, size, language, written);
		wanted_size = caseless_text(text, wanted_size, language, wanted_written);
		name = written;
		wanted = (struct wanted){wanted_written, wanted_written, wanted_written + wanted_size};
	}
	return matches_end(wanted, name, size, separator);
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
	*ret_size = walk.is_operator || may_be_abbreviated(word, size) ? 0 : size;
	return word;
}
