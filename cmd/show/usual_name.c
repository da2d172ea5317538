/* One pass, which keeps a stack of the brackets around it and of the commas in them. */
#include "cmd/show/usual_name.h"

#include <string.h>

#include "base/language.h"
#include "cmd/common/hex_digit.h"
#include "cmd/show/name_walk.h"

enum { DEPTH_MAX = 256 }; /* of brackets; more are only made to cost time */

struct writer {
	const char *at, *end;
	bool without_versions;
	char *ret;
	size_t length;

	/* Of the brackets around: how many commas came before, and whether a const is due. */
	size_t comma_counts[DEPTH_MAX];
	bool has_const[DEPTH_MAX];
	size_t depth;
	uint16_t commas[USUAL_NAME_ROOM]; /* where those of all brackets around are */
	size_t comma_count;
};

static bool is_next(const struct writer *writer, const char *text)
{
	size_t size = strlen(text);

	return (size_t)(writer->end - writer->at) >= size && memcmp(writer->at, text, size) == 0;
}

static bool was_written(const struct writer *writer, const char *text)
{
	size_t size = strlen(text);

	return writer->length >= size && memcmp(writer->ret + writer->length - size, text, size) == 0;
}

static void put(struct writer *writer, const char *text, size_t size)
{
	memcpy(writer->ret + writer->length, text, size);
	writer->length += size;
}

static void put_text(struct writer *writer, const char *text)
{
	put(writer, text, strlen(text));
}

static void drop_spaces(struct writer *writer)
{
	while (writer->length && writer->ret[writer->length - 1] == ' ')
		writer->length--;
}

/* ---- Words ---- */

/* Up to what may be a letter of Rust's, $ufc$. */
static size_t word_size(const struct writer *writer)
{
	const char *at = writer->at;

	while (at < writer->end && name_is_word(*at) &&
	       (at == writer->at || *at != '$' || at + 1 == writer->end || at[1] != 'u'))
		at++;
	return (size_t)(at - writer->at);
}

static bool is_word(const char *word, size_t size, const char *text)
{
	return strlen(text) == size && memcmp(word, text, size) == 0;
}

/* Writes what a typedef of the standard library stands for. False: the word is none. */
static bool put_typedef(struct writer *writer, const char *word, size_t size)
{
	static const char *const names[] = {"string",   "string_view",   "ostream",       "istream",
					    "iostream", "ostringstream", "istringstream", "stringstream",
					    "ofstream", "ifstream",      "fstream",       "streambuf"};
	static const struct {
		const char *prefix, *character;
	} kinds[] = {{"", "char"}, {"w", "wchar_t"}, {"u8", "char8_t"}, {"u16", "char16_t"}, {"u32", "char32_t"}};

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		size_t prefix = strlen(kinds[k].prefix);
		if (size <= prefix || memcmp(word, kinds[k].prefix, prefix) != 0)
			continue;
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			if (!is_word(word + prefix, size - prefix, names[i]))
				continue;
			put_text(writer, "basic_");
			put_text(writer, names[i]);
			put_text(writer, "<");
			put_text(writer, kinds[k].character);
			put_text(writer, ">");
			return true;
		}
	}
	return false;
}

/* Whether a word behind `::` is a namespace that the library alone knows: its names are typed without it. */
static bool is_inline_namespace(const struct writer *writer, const char *word, size_t size)
{
	static const char *const names[] = {"__cxx11", "__1", "__2", "__8", "__ndk1", "_V2", "__debug", "__cxx1998"};

	if (!was_written(writer, "std::") || writer->end - (word + size) < 2 || memcmp(word + size, "::", 2) != 0)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (is_word(word, size, names[i]))
			return true;
	}
	return false;
}

/* Whether a word between two `::` is a version or ends in one: v2, _V2, __1, lts_20230125, abi_v3_11. Not Vec2. */
static bool is_version(const struct writer *writer, const char *word, size_t size)
{
	const char *at = word + size;
	bool has_digit = false;

	if (!was_written(writer, "::") || writer->end - at < 2 || memcmp(at, "::", 2) != 0)
		return false;
	for (; at > word && (at[-1] == '_' || (at[-1] >= '0' && at[-1] <= '9')); at--)
		has_digit |= at[-1] != '_';
	at -= at > word && (at[-1] == 'v' || at[-1] == 'V');
	return has_digit && (at == word || *at == '_' || at[-1] == '_');
}

/* Whether a type may begin here. */
static bool may_begin_type(const struct writer *writer)
{
	size_t at = writer->length;

	while (at && writer->ret[at - 1] == ' ')
		at--;
	return at == 0 || strchr("(<,", writer->ret[at - 1]) || was_written(writer, "operator ");
}

/* The signs of an operator's name, which are no brackets. */
static void put_signs(struct writer *writer)
{
	if (is_next(writer, "()") || is_next(writer, "[]")) {
		put(writer, writer->at, 2);
		writer->at += 2;
	}
	while (writer->at < writer->end && strchr("<>=!+-*/%^&|~", *writer->at))
		put(writer, writer->at++, 1);
}

static void put_word(struct writer *writer)
{
	const char *word = writer->at;
	size_t size = word_size(writer);
	bool is_const =
		is_word(word, size, "const") && writer->end - word > 6 && word[size] == ' ' && may_begin_type(writer);

	writer->at += size;
	if (is_const) {
		writer->has_const[writer->depth] = true;
		writer->at++;
	} else if (is_inline_namespace(writer, word, size) ||
		   (writer->without_versions && is_version(writer, word, size))) {
		writer->at += strlen("::");
	} else if (!was_written(writer, "std::") || !put_typedef(writer, word, size)) {
		put(writer, word, size);
		if (is_word(word, size, "operator"))
			put_signs(writer);
	}
}

/* ---- Brackets ---- */

/* Writes the const that stood before what is over now. */
static void put_const(struct writer *writer)
{
	if (!writer->has_const[writer->depth])
		return;
	writer->has_const[writer->depth] = false;
	drop_spaces(writer);
	put_text(writer, " const");
}

static bool is_added_by_library(const struct writer *writer, size_t start)
{
	static const char *const names[] = {"std::allocator<",      "std::char_traits<", "std::less<",
					    "std::default_delete<", "std::hash<",        "std::equal_to<"};

	while (start < writer->length && writer->ret[start] == ' ')
		start++;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t size = strlen(names[i]);
		if (writer->length - start >= size && memcmp(writer->ret + start, names[i], size) == 0)
			return true;
	}
	return false;
}

static void open_bracket(struct writer *writer)
{
	put(writer, writer->at++, 1);
	if (writer->depth + 1 == DEPTH_MAX)
		return;
	writer->depth++;
	writer->comma_counts[writer->depth] = writer->comma_count;
	writer->has_const[writer->depth] = false;
}

static void close_bracket(struct writer *writer)
{
	put_const(writer);
	if (writer->depth) {
		size_t before = writer->comma_counts[writer->depth];
		while (*writer->at == '>' && writer->comma_count > before &&
		       is_added_by_library(writer, writer->commas[writer->comma_count - 1] + 1u))
			writer->length = writer->commas[--writer->comma_count];
		writer->comma_count = before;
		writer->depth--;
	}
	drop_spaces(writer);
	put(writer, writer->at++, 1);
}

/* ---- Signs ---- */

/* The letter that Rust's $u20ac$ stands for, in UTF-8. False: it stands for none. */
static bool put_letter(struct writer *writer)
{
	const char *at = writer->at + strlen("$u");
	uint32_t code = 0;

	for (; at < writer->end && hex_digit(*at) >= 0 && code < 0x11000; at++)
		code = code << 4 | (uint32_t)hex_digit(*at);
	if (at == writer->end || *at != '$' || code < 0x80 || code > 0x10ffff)
		return false;
	writer->at = at + 1;
	unsigned more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
	writer->ret[writer->length++] = (char)(first[more] | code >> 6 * more);
	while (more--)
		writer->ret[writer->length++] = (char)(0x80 | (code >> 6 * more & 0x3f));
	return true;
}

/* Writes what another spelling stands for. False: there is none. */
static bool put_other_form(struct writer *writer)
{
	static const char *const forms[][2] = {
		{"{{closure}}", "{closure}"},
		{"{anonymous}", "(anonymous namespace)"},
		{"->", "->"}, /* closes no bracket */
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (!is_next(writer, forms[i][0]))
			continue;
		put_text(writer, forms[i][1]);
		writer->at += strlen(forms[i][0]);
		return true;
	}
	return is_next(writer, "$u") && put_letter(writer);
}

static void put_sign(struct writer *writer)
{
	const char c = *writer->at;
	const char *tag_end =
		is_next(writer, "[abi:") ? memchr(writer->at, ']', (size_t)(writer->end - writer->at)) : NULL;

	if (tag_end) {
		writer->at = tag_end + 1;
	} else if (is_next(writer, "::<") && !is_next(writer, "::<impl ") && writer->length) {
		writer->at += strlen("::");
	} else if (c == '>' || c == ')' || c == '}' || c == ']') {
		close_bracket(writer);
	} else {
		if (strchr("*&,([", c))
			put_const(writer);
		if (c == ',')
			writer->commas[writer->comma_count++] = (uint16_t)writer->length;
		if (c == '<' || c == '(' || c == '{' || c == '[')
			open_bracket(writer);
		else
			put(writer, writer->at++, 1);
	}
}

/* ---- D ---- */

static size_t usual_name_of_d(struct writer *writer)
{
	static const char *const words[][2] = {
		{"string", "immutable(char)[]"},
		{"wstring", "immutable(wchar)[]"},
		{"dstring", "immutable(dchar)[]"},
	};

	while (writer->at < writer->end) {
		size_t size = word_size(writer), i = 0;
		while (i < sizeof(words) / sizeof(words[0]) && !is_word(writer->at, size, words[i][0]))
			i++;
		if (i < sizeof(words) / sizeof(words[0]))
			put_text(writer, words[i][1]);
		else
			put(writer, writer->at, size ? size : 1);
		writer->at += size ? size : 1;
	}
	return writer->length;
}

size_t usual_name(const char *name, size_t size, uint32_t language, bool without_versions, char *ret)
{
	struct writer writer; /* its arrays are too large to be zeroed for each name */

	if (size > USUAL_NAME_SIZE_MAX || language == LANG_GO)
		return 0;
	writer.at = name;
	writer.end = name + size;
	writer.without_versions = without_versions;
	writer.ret = ret;
	writer.length = writer.depth = writer.comma_count = 0;
	writer.has_const[0] = false;
	if (language == LANG_D)
		return usual_name_of_d(&writer);
	while (writer.at < writer.end) {
		if (put_other_form(&writer))
			continue;
		if (name_is_word(*writer.at))
			put_word(&writer);
		else
			put_sign(&writer);
	}
	put_const(&writer);
	return writer.length;
}
