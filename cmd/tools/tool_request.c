/* A request is read from front to back, word by word. */
#include "cmd/tools/tool_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct text {
	const char *data;
	size_t size;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_blanks(struct text *text)
{
	while (text->size && (text->data[0] == ' ' || text->data[0] == '\t')) {
		text->data++;
		text->size--;
	}
}

/* Removes `word` from the front if it is there, followed by a blank if `is_whole`. */
static bool take_word(struct text *text, const char *word, bool is_whole)
{
	size_t size = strlen(word);

	if (text->size <= size || memcmp(text->data, word, size) != 0 || (is_whole && text->data[size] != ' '))
		return false;
	text->data += size;
	text->size -= size;
	return true;
}

/* Reads a path in quotes, or up to the next blank or the end. */
static bool take_module(struct text *text, struct tool_request *ret)
{
	bool is_quoted = text->size && (text->data[0] == '"' || text->data[0] == '\'');
	char end = is_quoted ? text->data[0] : ' ';

	text->data += is_quoted;
	text->size -= is_quoted;
	const char *found = text->size ? memchr(text->data, end, text->size) : NULL;
	if (!found && is_quoted)
		return false;
	ret->module = text->data;
	ret->module_size = found ? (size_t)(found - text->data) : text->size;
	text->data += ret->module_size + (found != NULL);
	text->size -= ret->module_size + (found != NULL);
	return ret->module_size > 0;
}

/* The base that a prefix which the C library does not know stands for; 0: it has none of these. */
static int base_of_prefix(const char *text, size_t size)
{
	if (size < 3 || text[0] != '0' || !is_digit(text[2]))
		return 0;
	return text[1] == 'b' || text[1] == 'B' ? 2 : text[1] == 'o' ? 8 : 0;
}

bool tool_request_integer(const char *text, size_t size, uint64_t *ret)
{
	enum { DIGITS_MAX = 64 };
	char digits[2 + DIGITS_MAX + 1];
	char *end;

	if (size == 0 || size >= sizeof(digits) || !is_digit(text[0]))
		return false;
	memcpy(digits, text, size);
	digits[size] = '\0';
	int base = base_of_prefix(text, size);
	errno = 0;
	*ret = strtoull(digits + (base ? 2 : 0), &end, base);
	return *end == '\0' && errno == 0;
}

/* Reads an address, or a symbol with an offset or without. What follows behind a blank is left alone. */
static bool take_place(const struct text *text, struct tool_request *ret)
{
	const char *blank = text->size ? memchr(text->data, ' ', text->size) : NULL;
	size_t size = blank ? (size_t)(blank - text->data) : text->size;
	const char *plus;

	if (size == 0 || is_digit(text->data[0]))
		return tool_request_integer(text->data, size, &ret->address);
	plus = memrchr(text->data, '+', size);
	ret->symbol = text->data;
	ret->symbol_size = size;
	if (plus > text->data && tool_request_integer(plus + 1, (size_t)(text->data + size - plus) - 1, &ret->address))
		ret->symbol_size = (size_t)(plus - text->data);
	else
		ret->address = 0;
	return true;
}

bool tool_request_parse(const char *line, size_t size, bool has_module, struct tool_request *ret)
{
	struct text text = {line, size};

	*ret = (struct tool_request){.kind = TOOL_CODE};
	skip_blanks(&text);
	if (take_word(&text, "DATA", true))
		ret->kind = TOOL_DATA;
	else if (take_word(&text, "FRAME", true))
		ret->kind = TOOL_FRAME;
	else
		take_word(&text, "CODE", true);
	skip_blanks(&text);
	if (!has_module) {
		if (take_word(&text, "BUILDID:", false))
			ret->is_build_id = true;
		else
			take_word(&text, "FILE:", false);
		skip_blanks(&text);
		if (!take_module(&text, ret))
			return false;
		skip_blanks(&text);
	}
	return take_place(&text, ret);
}
