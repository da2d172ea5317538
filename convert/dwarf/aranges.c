/* A table is a row of sets, one for each unit. */
#include "convert/dwarf/aranges.h"

#include "convert/elf/cursor.h"

/* Reads a set's header, and moves to its first pair. */
static bool read_header(struct cursor *c, const uint8_t *set, uint8_t offset_size, uint8_t address_size,
			uint64_t *ret_unit)
{
	uint16_t version = cursor_u16(c);
	*ret_unit = cursor_unsigned(c, offset_size);
	uint8_t size = cursor_u8(c), segment_size = cursor_u8(c);

	/* Pairs are aligned to their own size from the start of the set. */
	size_t pair = 2 * (size_t)address_size, done = (size_t)(c->p - set);
	cursor_skip(c, (pair - done % pair) % pair);
	return !c->bad && version == 2 && size == address_size && !segment_size;
}

static bool read_pairs(struct cursor *c, uint8_t address_size, uint64_t unit, const struct arange_sink *sink)
{
	while (cursor_left(c) >= 2 * (size_t)address_size) {
		uint64_t start = cursor_unsigned(c, address_size), size = cursor_unsigned(c, address_size);
		/*
		 * A pair of zeros does not end the set, as it should: linkers also write it for code that they dropped.
		 * The length ends the set.
		 */
		if (start + size > start && !sink->add_range(sink->argument, unit, start, start + size))
			return false;
	}
	return true;
}

bool aranges_read(const uint8_t *bytes, size_t size, bool swap, uint8_t address_size, const struct arange_sink *sink,
		  bool *ret_memory)
{
	*ret_memory = true;
	if (size == 0) /* then there may be no bytes to point to */
		return true;
	struct cursor c = {.p = bytes, .end = bytes + size, .swap = swap};
	while (cursor_left(&c)) {
		const uint8_t *start = c.p;
		uint8_t offset_size;
		uint64_t unit, length = cursor_initial_length(&c, &offset_size);
		struct cursor set = c;
		cursor_skip(&c, length);
		if (c.bad)
			return false;
		set.end = c.p;
		if (!read_header(&set, start, offset_size, address_size, &unit))
			return false;
		*ret_memory = sink->add_unit(sink->argument, unit) && read_pairs(&set, address_size, unit, sink);
		if (!*ret_memory)
			return false;
	}
	return true;
}
