/*
 * Parsing of addresses. A number without 0x could be meant either way, so it is refused rather than guessed, unless the
 * caller knows.
 */
#include <string.h>

#include "cmd/common/query.h"

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static bool parse_number(const char *text, size_t size, unsigned base, uint64_t max, uint64_t *ret)
{
	uint64_t value = 0, before_max = max / base;

	for (size_t i = 0; i < size; i++) {
		unsigned digit = (unsigned)digit_value(text[i]);
		if (digit >= base || value > before_max || value * base > max - digit)
			return false;
		value = value * base + digit;
	}
	*ret = value;
	return size > 0;
}

static bool parse_hex(const char *text, size_t size, uint64_t *ret)
{
	return size > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') &&
	       parse_number(text + 2, size - 2, 16, UINT64_MAX, ret);
}

bool query_parse(const char *text, size_t size, bool hex, struct query *ret, const char **ret_reason)
{
	const char *plus = memrchr(text, '+', size);
	size_t name_size = plus ? (size_t)(plus - text) : 0;

	*ret_reason =
		"not an address (0x1149), an offset in a section or function (.text+0x10, main+0x10) or a locid (#17)";
	*ret = (struct query){.kind = QUERY_ADDRESS};
	if (size && text[0] == '#') {
		ret->kind = QUERY_LOCID;
		return parse_number(text + 1, size - 1, 10, UINT32_MAX, &ret->value);
	}
	if (name_size) {
		ret->kind = QUERY_NAME;
		ret->name = text;
		ret->name_size = name_size;
		return parse_hex(plus + 1, size - name_size - 1, &ret->value);
	}
	if (parse_hex(text, size, &ret->value))
		return true;
	bool is_bare = size && size <= 16 && parse_number(text, size, 16, UINT64_MAX, &ret->value);
	if (is_bare && !hex)
		*ret_reason = "write an address in hexadecimal with 0x in front, or give --hex";
	return is_bare && hex;
}
