/*
 * Parses questions. A number without 0x could be meant as decimal or hexadecimal, so it is refused unless the caller
 * knows.
 */
#include "cmd/lookup/query.h"

#include <string.h>

#include "cmd/common/digits.h"

enum { ADDRESS_DIGITS_MAX = 16 };

/* Hexadecimal digits of an address, of which any zeros may stand in front. */
static bool parse_digits(const char *text, size_t size, uint64_t *ret)
{
	char padded[ADDRESS_DIGITS_MAX] = "0000000000000000";

	for (; size > sizeof(padded) && text[0] == '0'; size--)
		text++;
	if (!size || size > sizeof(padded))
		return false;
	memcpy(padded + sizeof(padded) - size, text, size);
	return digits_parse_hex(padded, ret);
}

/* A locid, which has 32 bits. */
static bool parse_decimal(const char *text, size_t size, uint64_t *ret)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		value = 10 * value + (unsigned)(text[i] - '0');
		if (value > UINT32_MAX)
			return false;
	}
	*ret = value;
	return size > 0;
}

static bool parse_hex(const char *text, size_t size, uint64_t *ret)
{
	return size > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') &&
	       parse_digits(text + 2, size - 2, ret);
}

bool query_parse(const char *text, size_t size, bool hex, struct query *ret, const char **ret_reason)
{
	*ret_reason =
		"not an address (0x1149), an offset in a section or function (.text+0x10, main+0x10) or a locid (#17)";
	*ret = (struct query){.kind = QUERY_ADDRESS};
	if (parse_hex(text, size, &ret->value))
		return true;
	if (size && text[0] == '#') {
		ret->kind = QUERY_LOCID;
		return parse_decimal(text + 1, size - 1, &ret->value);
	}

	const char *plus = memrchr(text, '+', size);
	size_t name_size = plus ? (size_t)(plus - text) : 0;
	if (name_size) {
		ret->kind = QUERY_NAME;
		ret->name = text;
		ret->name_size = name_size;
		return parse_hex(plus + 1, size - name_size - 1, &ret->value);
	}
	bool is_bare = size <= ADDRESS_DIGITS_MAX && parse_digits(text, size, &ret->value);
	if (is_bare && !hex)
		*ret_reason = "write an address in hexadecimal with 0x in front, or give --hex";
	return is_bare && hex;
}
