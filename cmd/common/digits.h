/*
 * Numbers as text, with all digits side by side in a word. Nothing branches on the digits, or on how many they are:
 * where numbers follow in no order, a processor would mispredict such a branch for most of them.
 */
#ifndef LOCUS_DIGITS_H
#define LOCUS_DIGITS_H

#include <stdbool.h>
#include <stdint.h>

/* Parses sixteen hexadecimal digits, lower or upper case. False: one of the characters is none. */
bool digits_parse_hex(const char *text, uint64_t *ret);

enum {
	DIGITS_PUT_SIZE = 8,        /* characters that are written */
	DIGITS_DECIMAL_END = 10000, /* one more than the highest number for digits_put_decimal */
};

/*
 * Write the number from its first digit that is not 0 on, and return how many digits that takes, 1 or more. The
 * characters of `ret` behind them, up to the eighth, are overwritten.
 */
unsigned digits_put_decimal(char *ret, uint32_t value);
unsigned digits_put_hex(char *ret, uint32_t value);

#endif
