/* That a field has digits alone is seen to by its form; only how many they are is asked here. */
#include "cmd/symbolize/field_number.h"

bool parse_decimal(struct locus_string text, uint64_t *ret)
{
	enum { DIGITS_MAX = 18 }; /* of these no number exceeds 64 bits */
	uint64_t value = 0;
	size_t i = 0;

	for (; i < text.size && text.data[i] >= '0' && text.data[i] <= '9'; i++) {
		if (i == DIGITS_MAX)
			return false;
		value = value * 10 + (uint64_t)(text.data[i] - '0');
	}
	*ret = value;
	return i > 0;
}

bool parse_hex(struct locus_string text, uint64_t *ret)
{
	uint64_t value = 0;

	if (text.size > 2 && text.data[1] == 'x') {
		text.data += 2;
		text.size -= 2;
	}
	for (size_t i = 0; i < text.size; i++) {
		unsigned char c = (unsigned char)text.data[i];
		if (value >> 60)
			return false;
		value = value << 4 | (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	*ret = value;
	return text.size > 0;
}
