/* The numbers in the fields of a form. */
#ifndef LOCUS_FIELD_NUMBER_H
#define LOCUS_FIELD_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/locus.h"

/* Reads the digits at the start of a text. False: there are none, or too many. */
bool parse_decimal(struct locus_string text, uint64_t *ret);

/* Reads a text of hexadecimal digits, with 0x or without. False: there are none, or they exceed 64 bits. */
bool parse_hex(struct locus_string text, uint64_t *ret);

#endif
