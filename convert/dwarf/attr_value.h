/* The values of attributes, read by their forms (DWARF 5, 7.5.5). */
#ifndef LOCUS_ATTR_VALUE_H
#define LOCUS_ATTR_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/dwarf/unit.h"

/* An attribute's value, as its form gives it. form 0: the attribute is absent. */
struct value {
	uint16_t form;
	uint64_t number;      /* constant, address, offset or index */
	const uint8_t *block; /* of block forms, with `number` bytes, and of DW_FORM_string */
};

/* As value_read, for any form. */
struct value value_read_form(struct cursor *c, const struct unit *unit, const struct attr_spec *spec);

/* Reads one value. Unknown forms are an error of the cursor. */
static inline struct value value_read(struct cursor *c, const struct unit *unit, const struct attr_spec *spec)
{
	/* What is of a fixed size and has one is a number. */
	if (spec->step >= 1 && spec->step <= sizeof(uint64_t))
		return (struct value){.form = spec->form, .number = cursor_unsigned(c, spec->step)};
	return value_read_form(c, unit, spec);
}

static inline bool value_present(const struct value *value)
{
	return value->form != 0;
}

/* A constant as an unsigned number. Negative ones are false. */
bool value_unsigned(const struct value *value, uint64_t *ret);

/* DW_FORM_addr, the indexed ones, and expressions that add to one. False: not of that class, or out of range. */
bool value_address(const struct unit *unit, const struct value *value, uint64_t *ret);

/* An offset in a section; DWARF 2 and 3 write it as data4 or data8. */
bool value_offset(const struct value *value, uint64_t *ret);

/*
 * A string, NUL-terminated; NULL: not one, or out of range. *ret_volatile becomes true where it stands among the DIEs,
 * whose memory may go once the unit is done, and false where it lives as long as the file is open.
 */
const char *value_string(const struct unit *unit, const struct value *value, bool *ret_volatile);

#endif
