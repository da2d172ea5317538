/* The values of attributes, read by their forms (DWARF 5, 7.5.5). */
#ifndef LOCUS_ATTR_VALUE_H
#define LOCUS_ATTR_VALUE_H

#include <dwarf.h>
#include <stdbool.h>
#include <stdint.h>

#include "convert/dwarf/unit.h"

/* An attribute's value, as its form gives it. form 0: the attribute is absent. */
struct value {
	uint16_t form;
	uint64_t number;      /* constant, address, offset or index */
	const uint8_t *block; /* the bytes of block forms (`number` of them) and of DW_FORM_string */
};

/* The slow path of value_read. */
void value_read_form(struct cursor *c, const struct unit *unit, const struct attr_spec *spec, struct value *ret);

/*
 * Reads one value. Unknown forms are an error of the cursor. The fields are written where they stay: to copy a struct
 * right after its fields were stored took half of the time of reading an inlinee.
 */
static inline void value_read(struct cursor *c, const struct unit *unit, const struct attr_spec *spec,
			      struct value *ret)
{
	/* A value of a fixed size that fits is a number. */
	if (spec->step >= 1 && spec->step <= sizeof(uint64_t)) {
		ret->form = spec->form;
		ret->number = cursor_unsigned(c, spec->step);
		ret->block = NULL;
	} else {
		value_read_form(c, unit, spec, ret);
	}
}

static inline bool value_present(const struct value *value)
{
	return value->form != 0;
}

/* A constant as an unsigned number. False: absent, negative, or of another class. */
bool value_unsigned(const struct value *value, uint64_t *ret);

/* The slow path of value_address. */
bool value_address_form(const struct unit *unit, const struct value *value, uint64_t *ret);

/*
 * An address: DW_FORM_addr, the indexed forms, and expressions that give one. False: of another class, or out of range.
 */
static inline bool value_address(const struct unit *unit, const struct value *value, uint64_t *ret)
{
	if (value->form != DW_FORM_addr)
		return value_address_form(unit, value, ret);
	*ret = value->number;
	return true;
}

/* An offset in a section; DWARF 2 and 3 write it as data4 or data8. */
bool value_offset(const struct value *value, uint64_t *ret);

/*
 * A NUL-terminated string; NULL: of another class, or out of range. *ret_volatile is true if it stands among the DIEs,
 * whose memory may go when the unit is done, and false if it stays as long as the file is open.
 */
const char *value_string(const struct unit *unit, const struct value *value, bool *ret_volatile);

#endif
