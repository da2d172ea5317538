/* The values of attributes: every form of DWARF 2 to 5 and GNU's own (DWARF 5, 7.5.5 and 7.5.6). */
#include "convert/dwarf/attr_value.h"

#include <dwarf.h>

#include "convert/dwarf/target_address.h"

/* Reads a form of several bytes, whose number stands before them (DWARF 5, 7.5.5), except in data16. */
static void read_block(struct cursor *c, struct value *ret)
{
	switch (ret->form) {
	case DW_FORM_block1:
		ret->number = cursor_u8(c);
		break;
	case DW_FORM_block2:
		ret->number = cursor_u16(c);
		break;
	case DW_FORM_block4:
		ret->number = cursor_u32(c);
		break;
	case DW_FORM_data16:
		ret->number = 16;
		break;
	default:
		ret->number = cursor_uleb(c);
	}
	ret->block = c->p;
	cursor_skip(c, ret->number);
}

void value_read_form(struct cursor *c, const struct unit *unit, const struct attr_spec *spec, struct value *ret)
{
	*ret = (struct value){.form = spec->form};
	if (spec->form == DW_FORM_indirect) {
		uint64_t form = cursor_uleb(c);
		ret->form = form <= UINT16_MAX ? (uint16_t)form : 0;
	}

	switch (ret->form) {
	case DW_FORM_flag_present:
		ret->number = 1;
		break;
	case DW_FORM_implicit_const:
		ret->number = (uint64_t)spec->implicit;
		break;
	case DW_FORM_sdata:
		ret->number = (uint64_t)cursor_sleb(c);
		break;
	case DW_FORM_string:
		ret->block = (const uint8_t *)cursor_string(c);
		break;
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_block:
	case DW_FORM_exprloc:
	case DW_FORM_data16:
		read_block(c, ret);
		break;
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		ret->number = cursor_uleb(c);
		break;
	case FORM_LLVM_ADDRX_OFFSET:
		ret->number = cursor_uleb(c);
		ret->block = c->p;
		cursor_skip(c, 4);
		break;
	default: {
		int size = form_fixed_size(ret->form, &unit->sizes);
		if (size < 0)
			cursor_fail(c);
		else
			ret->number = cursor_unsigned(c, (unsigned)size);
	}
	}
}

bool value_unsigned(const struct value *value, uint64_t *ret)
{
	switch (value->form) {
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		if ((int64_t)value->number < 0)
			return false;
		break;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
	case DW_FORM_flag:
	case DW_FORM_flag_present:
		break;
	default:
		return false;
	}
	*ret = value->number;
	return true;
}

/* RULES A5: an address computed from a dead address is dead. */
static void add_offset(const struct unit *unit, uint64_t offset, uint64_t *address)
{
	if (!address_is_dead(*address, unit->sizes.address))
		*address += offset;
}

/*
 * Evaluates the expressions by which clang shares entries of .debug_addr: DW_OP_addrx, and perhaps DW_OP_const4u and
 * DW_OP_plus.
 */
static bool expression_address(const struct unit *unit, const struct value *value, uint64_t *ret)
{
	struct cursor c = {value->block, value->block + value->number, .swap = unit->dwarf->file->swap};
	if (cursor_u8(&c) != DW_OP_addrx || !unit_address_at(unit, cursor_uleb(&c), ret))
		return false;
	if (!c.bad && !cursor_left(&c))
		return true;
	bool is_sum = cursor_u8(&c) == DW_OP_const4u;
	add_offset(unit, cursor_u32(&c), ret);
	return is_sum && cursor_u8(&c) == DW_OP_plus && !c.bad && !cursor_left(&c);
}

bool value_address_form(const struct unit *unit, const struct value *value, uint64_t *ret)
{
	struct cursor c = {.swap = unit->dwarf->file->swap};
	switch (value->form) {
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return unit_address_at(unit, value->number, ret);
	case FORM_LLVM_ADDRX_OFFSET:
		if (!unit_address_at(unit, value->number, ret))
			return false;
		c.p = value->block;
		c.end = value->block + 4;
		add_offset(unit, cursor_u32(&c), ret);
		return true;
	case DW_FORM_exprloc:
		return expression_address(unit, value, ret);
	default:
		return false;
	}
}

bool value_offset(const struct value *value, uint64_t *ret)
{
	if (value->form != DW_FORM_sec_offset && value->form != DW_FORM_data4 && value->form != DW_FORM_data8)
		return false;
	*ret = value->number;
	return true;
}

static const char *string_in(const struct dwarf *dwarf, enum debug_section which, uint64_t offset)
{
	return dwarf ? section_string(dwarf_section(dwarf, which), offset) : NULL;
}

static const char *indexed_string(const struct unit *unit, uint64_t index)
{
	const struct string_offsets table = unit_string_offsets(unit);
	uint64_t offset;
	if (!string_offsets_get(&table, index, unit->sizes.offset, &offset))
		return NULL;
	return string_in(unit->dwarf, DEBUG_STR, offset);
}

const char *value_string(const struct unit *unit, const struct value *value, bool *ret_volatile)
{
	*ret_volatile = value->form == DW_FORM_string;
	switch (value->form) {
	case DW_FORM_string:
		return (const char *)value->block;
	case DW_FORM_strp:
		return string_in(unit->dwarf, DEBUG_STR, value->number);
	case DW_FORM_line_strp:
		return string_in(unit->dwarf, DEBUG_LINE_STR, value->number);
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_strp_sup:
		return string_in(unit->dwarf->alt, DEBUG_STR, value->number);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return indexed_string(unit, value->number);
	default:
		return NULL;
	}
}
