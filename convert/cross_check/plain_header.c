/* A header tells its own length, by which whoever does not know all of its fields finds the program. */
#include "convert/cross_check/plain_header.h"

bool plain_header_read(const struct line_bytes *bytes, uint64_t offset, struct plain_header *ret, uint64_t *ret_next)
{
	struct cursor c = {.p = bytes->data + offset, .end = bytes->data + bytes->size, .swap = bytes->swap};
	*ret = (struct plain_header){.addr_size = bytes->addr_size, .max_ops = 1};
	uint64_t length = cursor_initial_length(&c, &ret->offset_size);
	*ret_next = c.bad || length > cursor_left(&c) ? bytes->size : (uint64_t)(c.p - bytes->data) + length;
	c.end = bytes->data + *ret_next;
	ret->version = cursor_u16(&c);
	if (c.bad || ret->version < 2 || ret->version > 5)
		return false;
	if (ret->version >= 5) {
		ret->addr_size = cursor_u8(&c);
		cursor_u8(&c); /* the size of segment selectors, which no compiler uses */
	}

	/* The program begins where the header's own length says. */
	uint64_t header_length = cursor_unsigned(&c, ret->offset_size);
	ret->code = c;
	cursor_skip(&ret->code, header_length);
	ret->min_inst_length = cursor_u8(&c);
	/* RULES B2: without max_ops the fifth byte from here is not opcode_base, but the first opcode's length, 0. */
	bool lacks_max_ops = ret->version == 4 && cursor_left(&c) > 4 && !c.p[4];
	if (ret->version >= 4 && !lacks_max_ops)
		ret->max_ops = cursor_u8(&c);
	cursor_u8(&c); /* default_is_stmt */
	ret->line_base = (int8_t)cursor_u8(&c);
	ret->line_range = cursor_u8(&c);
	ret->opcode_base = cursor_u8(&c);
	for (unsigned i = 1; i < ret->opcode_base; i++)
		ret->operands[i] = cursor_u8(&c);
	ret->tables = c;
	ret->tables.end = ret->code.p < c.p ? c.p : ret->code.p;
	bool has_addresses = ret->addr_size == 2 || ret->addr_size == 4 || ret->addr_size == 8;
	return !c.bad && !ret->code.bad && ret->max_ops && ret->opcode_base && has_addresses;
}
