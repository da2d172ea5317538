/*
 * In a hole of zeros, as a lost write leaves it, all entries would name the first string of .debug_str. The strings of
 * a table differ, so of two neighbours one at most may do so.
 */
#include "convert/dwarf/string_offsets.h"

#include "convert/elf/cursor.h"

static uint64_t entry_at(const struct string_offsets *table, uint64_t index, uint8_t entry_size)
{
	struct cursor c = {
		.p = table->entries + index * entry_size,
		.end = table->entries + table->size,
		.swap = table->swap,
	};
	return cursor_unsigned(&c, entry_size);
}

bool string_offsets_get(const struct string_offsets *table, uint64_t index, uint8_t entry_size, uint64_t *ret)
{
	const uint64_t count = table->size / entry_size;
	if (index >= count)
		return false;
	*ret = entry_at(table, index, entry_size);
	return *ret || ((!index || entry_at(table, index - 1, entry_size)) &&
			(index + 1 == count || entry_at(table, index + 1, entry_size)));
}
