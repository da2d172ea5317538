/* A line is read token by token; how they are nested does not matter, as it may be a part of a record. */
#include "cmd/symbolize/json_line.h"

#include <string.h>

#include "cmd/common/hex_digit.h"

enum token { TOKEN_WRONG, TOKEN_END, TOKEN_STRING, TOKEN_WORD, TOKEN_COLON, TOKEN_OTHER };

enum { UNICODE_ESCAPE_SIZE = 6 /* \u1234 */ };

/* Reads \u and four digits. False: that is not there. */
static bool read_unit(const char *text, size_t size, unsigned *ret)
{
	unsigned value = 0;

	if (size < UNICODE_ESCAPE_SIZE || text[0] != '\\' || text[1] != 'u')
		return false;
	for (size_t i = 2; i < UNICODE_ESCAPE_SIZE; i++) {
		int digit = hex_digit(text[i]);
		if (digit < 0)
			return false;
		value = value << 4 | (unsigned)digit;
	}
	*ret = value;
	return true;
}

/* The size of the escape at the start of the text; 0: it is none of JSON's. */
static size_t escape_size(const char *text, size_t size)
{
	unsigned unit;

	if (size >= 2 && text[1] && strchr("\"\\/bfnrt", text[1]))
		return 2;
	return read_unit(text, size, &unit) ? UNICODE_ESCAPE_SIZE : 0;
}

/* The size of the string at the start of the text, with its quotes; 0: it is none of JSON's. */
static size_t string_size(const char *text, size_t size)
{
	size_t at = 1;

	while (at < size && text[at] != '"') {
		size_t step = text[at] == '\\' ? escape_size(text + at, size - at) : (unsigned char)text[at] >= ' ';
		if (!step)
			return 0;
		at += step;
	}
	return at < size ? at + 1 : 0;
}

static bool is_in(char c, const char *set)
{
	return c && strchr(set, c);
}

/* The size of the number or name at the start of the text; 0: it is none of JSON's. */
static size_t word_size(const char *text, size_t size)
{
	static const char *const names[] = {"true", "false", "null"};
	size_t length = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (size >= strlen(names[i]) && memcmp(text, names[i], strlen(names[i])) == 0)
			return strlen(names[i]);
	}
	while (is_in(text[0], "-0123456789") && length < size && is_in(text[length], "+-.0123456789Ee"))
		length++;
	return length;
}

/* Reads the token at `*at`, behind blanks, and sets `*ret_start` to its start and `*at` to its end. */
static enum token read_token(const char *line, size_t size, size_t *at, size_t *ret_start)
{
	size_t start = *at;

	while (start < size && (line[start] == ' ' || line[start] == '\t'))
		start++;
	*ret_start = *at = start;
	if (start == size)
		return TOKEN_END;
	if (is_in(line[start], "{}[],:")) {
		*at = start + 1;
		return line[start] == ':' ? TOKEN_COLON : TOKEN_OTHER;
	}
	bool is_string = line[start] == '"';
	size_t token = is_string ? string_size(line + start, size - start) : word_size(line + start, size - start);
	*at = start + token;
	if (!token)
		return TOKEN_WRONG;
	return is_string ? TOKEN_STRING : TOKEN_WORD;
}

static bool is_value(enum token token)
{
	return token == TOKEN_STRING || token == TOKEN_WORD;
}

/*
 * Whether text is nothing but JSON, and begins with a sign or a string. A list of values without another sign than
 * commas between them is none: such are the lines of tables.
 */
static bool is_json(const char *text, size_t size)
{
	enum token last = TOKEN_OTHER, token;
	size_t at = 0, start, values = 0;
	bool has_sign = false;

	while ((token = read_token(text, size, &at, &start)) > TOKEN_END) {
		if (is_value(token) && (is_value(last) || (token == TOKEN_WORD && !has_sign)))
			return false;
		values += is_value(token);
		has_sign |= !is_value(token) && (text[start] != ',' || values == 0);
		last = token;
	}
	return token == TOKEN_END && (has_sign || values == 1);
}

bool json_line_find(const char *line, size_t size, size_t *ret_start)
{
	*ret_start = 0;
	if (is_json(line, size))
		return true;
	const char *record = memmem(line, size, "{\"", 2);
	*ret_start = record ? (size_t)(record - line) : size;
	return is_json(line + *ret_start, size - *ret_start);
}

bool json_line_next(const char *line, size_t size, size_t *at, struct json_string *ret)
{
	size_t start, behind;
	enum token token;

	while ((token = read_token(line, size, at, &start)) > TOKEN_END) {
		if (token != TOKEN_STRING)
			continue;
		struct locus_string text = {line + start + 1, *at - start - 2};
		behind = *at;
		if (read_token(line, size, &behind, &start) == TOKEN_COLON) {
			ret->key = text;
			continue;
		}
		ret->text = text;
		return true;
	}
	return false;
}

/* Writes a character as UTF-8, and returns its size. */
static size_t put_utf8(unsigned code, char ret[JSON_CHARACTER_MAX])
{
	size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = size; i-- > 1; code >>= 6)
		ret[i] = (char)(0x80 | (code & 0x3f));
	ret[0] = (char)(marks[size] | code);
	return size;
}

size_t json_character(struct locus_string text, char ret[JSON_CHARACTER_MAX], size_t *ret_size)
{
	static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	size_t size = UNICODE_ESCAPE_SIZE;
	unsigned unit, low;

	*ret_size = 1;
	ret[0] = text.data[0];
	if (ret[0] != '\\')
		return 1;
	if (!read_unit(text.data, text.size, &unit)) {
		ret[0] = meanings[strchr(escapes, text.data[1]) - escapes];
		return 2;
	}
	if (unit >= 0xd800 && unit < 0xdc00 && read_unit(text.data + size, text.size - size, &low) && low >= 0xdc00 &&
	    low < 0xe000) {
		unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
		size += UNICODE_ESCAPE_SIZE;
	}
	*ret_size = unit >= 0xd800 && unit < 0xe000 ? 0 : put_utf8(unit, ret);
	return size;
}

void json_put_escaped(struct out *out, const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)data[i];
		if (c == '"' || c == '\\')
			out_char(out, '\\');
		if (c == '\n' || c == '\t')
			out_text(out, c == '\n' ? "\\n" : "\\t");
		else if (c < ' ')
			out_format(out, "\\u%04x", c);
		else
			out_bytes(out, &data[i], 1);
	}
}
