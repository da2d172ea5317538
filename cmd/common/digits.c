/* Eight digits are read as one word of 64 bits, whose highest byte is the first digit. */
#include "cmd/common/digits.h"

#include <string.h>

enum { WORD_SIZE = 8 };

#define EACH_BYTE(value) (0x0101010101010101u * (uint64_t)(value))

/* Turns the highest byte of a word into the first one in memory, and back. */
static uint64_t in_memory(uint64_t word)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(word) : word;
}

/* In each byte the highest bit, if the byte is not below `low` and not above `high`. All of them are below 0x80. */
static uint64_t bytes_within(uint64_t word, unsigned low, unsigned high)
{
	return (word + EACH_BYTE(0x80 - low)) & ~(word + EACH_BYTE(0x7f - high)) & EACH_BYTE(0x80);
}

/* Parses eight digits. False: one of the characters is none. */
static inline bool parse_word(const char *text, uint64_t *ret)
{
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	word = in_memory(word);
	uint64_t ascii = word & EACH_BYTE(0x7f), lower = ascii | EACH_BYTE(0x20);
	uint64_t valid = (bytes_within(ascii, '0', '9') | bytes_within(lower, 'a', 'f')) & ~word;

	/* The lower half of a letter is 1 to 6, which stands for 10 to 15; only letters have the bit 0x40. */
	uint64_t value = (word & EACH_BYTE(0x0f)) + 9 * (word >> 6 & EACH_BYTE(1));
	/* Move digits together to pairs, pairs to fours, and fours to all eight. */
	value = (value | value >> 4) & 0x00ff00ff00ff00ffu;
	value = (value | value >> 8) & 0x0000ffff0000ffffu;
	*ret = (value | value >> 16) & UINT32_MAX;
	return valid == EACH_BYTE(0x80);
}

bool digits_parse_hex(const char *text, uint64_t *ret)
{
	uint64_t high, low;
	bool valid = parse_word(text, &high) && parse_word(text + WORD_SIZE, &low);

	if (valid)
		*ret = high << 32 | low;
	return valid;
}

/* Writes digits, which are bytes of 0 to 15, without the zeros in front; the last one also if it is 0. */
static unsigned put(char *ret, uint64_t digits)
{
	unsigned zeros = (unsigned)__builtin_clzll(digits | 1) / 8;
	uint64_t letters = (digits + EACH_BYTE(6)) >> 4 & EACH_BYTE(1);
	uint64_t text = digits + EACH_BYTE('0') + letters * ('a' - 10 - '0');

	text = in_memory(text << 8 * zeros);
	memcpy(ret, &text, sizeof(text));
	return WORD_SIZE - zeros;
}

unsigned digits_put_decimal(char *ret, uint32_t value)
{
	/* Two numbers of two digits, in halves of the word. 103 / 1024 is a tenth, closely enough for both. */
	uint32_t pairs = value / 100 << 16 | value % 100;
	uint32_t tens = (103 * pairs >> 10) & 0x000f000fu;

	return put(ret, tens << 8 | (pairs - 10 * tens));
}

unsigned digits_put_hex(char *ret, uint32_t value)
{
	uint64_t digits = value;

	digits = (digits | digits << 16) & 0x0000ffff0000ffffu;
	digits = (digits | digits << 8) & 0x00ff00ff00ff00ffu;
	digits = (digits | digits << 4) & EACH_BYTE(0x0f);
	return put(ret, digits);
}
