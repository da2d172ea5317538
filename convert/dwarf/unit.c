/* Where a unit's share of each section is, and what it holds in memory. */
#include "convert/dwarf/unit.h"

#include <stdlib.h>

#include "base/array.h"

const uint8_t *unit_section(const struct unit *unit, enum debug_section which, uint64_t *ret_size)
{
	const struct section *section = dwarf_section(unit->dwarf, which);
	const struct contribution *share = &unit->share[which];
	bool is_part = unit_has_share(unit, which);
	*ret_size = is_part ? share->size : section->size;
	return is_part && section->data ? section->data + share->offset : section->data; /* NULL: not inflated yet */
}

uint64_t unit_section_need(const struct unit *unit, enum debug_section which, uint64_t end)
{
	struct section *section = dwarf_section(unit->dwarf, which);
	const struct contribution *share = &unit->share[which];
	uint64_t size = unit_has_share(unit, which) ? share->size : section->size;
	if (section_is_whole(section))
		return size;
	if (end > size)
		end = size;
	section_need(section, (size_t)(share->offset + end), NULL); /* what is missing tells that it failed */
	uint64_t ready = atomic_load_explicit(&section->ready, memory_order_acquire);
	uint64_t left = ready > share->offset ? ready - share->offset : 0;
	return left < size ? left : size;
}

struct cursor unit_cursor(const struct unit *unit, uint64_t offset)
{
	return (struct cursor){
		.p = unit->bytes + (offset - unit->offset),
		.end = unit->bytes + (unit->end - unit->offset),
		.swap = unit->dwarf->file->swap,
	};
}

struct string_offsets unit_string_offsets(const struct unit *unit)
{
	uint64_t size;
	const uint8_t *section = unit_section(unit, DEBUG_STR_OFFSETS, &size);
	if (!section || unit->str_offsets_base > size)
		return (struct string_offsets){0};
	return (struct string_offsets){
		.entries = section + unit->str_offsets_base,
		.size = size - unit->str_offsets_base,
		.swap = unit->dwarf->file->swap,
	};
}

bool unit_address_at(const struct unit *unit, uint64_t index, uint64_t *ret)
{
	const struct unit *owner = unit->skeleton ? unit->skeleton : unit;
	const struct section *section = dwarf_section(owner->dwarf, DEBUG_ADDR);
	uint8_t size = unit->sizes.address;
	if (owner->addr_base > section->size || index >= (section->size - owner->addr_base) / size)
		return false;
	struct cursor c = {
		.p = section->data + owner->addr_base + index * size,
		.end = section->data + section->size,
		.swap = owner->dwarf->file->swap,
	};
	*ret = cursor_unsigned(&c, size);
	return true;
}

bool unit_grow_files(struct unit *unit)
{
	uint32_t count = unit->lines.file_count;
	if (!array_reserve(&unit->file_ids, &unit->file_id_room, count + UINT64_C(1), sizeof(*unit->file_ids)))
		return false;
	memset((void *)(unit->file_ids + unit->file_id_count), 0,
	       (count - unit->file_id_count) * sizeof(*unit->file_ids));
	unit->file_id_count = count;
	return true;
}

void unit_done(struct unit *unit)
{
	abbrev_table_done(&unit->abbrevs);
	if (!unit->files_are_lent) {
		line_header_done(&unit->lines);
		free((void *)unit->file_ids);
	}
	*unit = (struct unit){0};
}
