/* Single hexadecimal digits, as build-ids and the names of some compilers have them. */
#ifndef LOCUS_HEX_DIGIT_H
#define LOCUS_HEX_DIGIT_H

/* The value of a digit, lower or upper case; -1: it is none. */
static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

#endif
