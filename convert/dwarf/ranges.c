/* Address ranges of a DIE (DWARF 5, 2.17): both kinds of lists, with RULES A2 to A5 applied to each entry. */
#include "convert/dwarf/ranges.h"

#include <dwarf.h>
#include <stdatomic.h>
#include <string.h>

#include "convert/dwarf/target_address.h"

/* Adds a range. `start` and `end` fit the unit's size of addresses. */
static bool add_entry(const struct unit *unit, struct given_ranges *given, uint64_t start, uint64_t end)
{
	const uint64_t mode_bit = elf_file_mode_bit(unit->dwarf->file);
	if (address_is_dead(start, unit->sizes.address)) {
		given->tombstone_count++;
		return true;
	}
	start &= ~mode_bit;
	end &= ~mode_bit;
	if (start >= end) {
		given->bad_count += start > end;
		given->bare_count += start == end && start <= 1;
		return true;
	}
	return range_list_add(&given->list, start, end);
}

/* Adds a range by its size, which must not leave the address space (RULES A4). */
static bool add_sized(const struct unit *unit, struct given_ranges *given, uint64_t start, uint64_t size)
{
	if (size > address_max(unit->sizes.address) - start) {
		given->bad_count++;
		return true;
	}
	return add_entry(unit, given, start, start + size);
}

/* Adds a range by two offsets from the base (RULES A4, A5). */
static bool add_offsets(const struct unit *unit, struct given_ranges *given, uint64_t base, uint64_t start,
			uint64_t end)
{
	const uint8_t size = unit->sizes.address;
	uint64_t most = address_max(size) - base;
	if (address_is_dead(base, size))
		given->tombstone_count++;
	else if (start > most || end > most)
		given->bad_count++;
	else
		return add_entry(unit, given, base + start, base + end);
	return true;
}

/*
 * Reads entries of .debug_ranges (DWARF 4, 2.17.3) up to the end of the list, and moves behind it; the cursor becomes
 * bad where they end before. False: out of memory.
 */
static bool read_pairs(const struct unit *unit, struct cursor *c, struct given_ranges *given)
{
	const uint8_t size = unit->sizes.address;
	uint64_t mask = address_max(size), base = unit->low_pc;
	/* An entry is a range, a new base, or the end. */
	for (;;) {
		uint64_t start = cursor_unsigned(c, size), end = cursor_unsigned(c, size);
		if (c->bad || (!start && !end)) {
			given->bad_count += c->bad; /* the section ended before the list */
			return true;
		}
		if (start == mask) {
			base = end;
			continue;
		}
		if (address_is_dead(start, size))
			given->tombstone_count++;
		else if (!add_offsets(unit, given, base, start, end))
			return false;
	}
}

/* The offset of the list that DW_FORM_rnglistx names. */
static bool list_offset(const struct unit *unit, uint64_t index, uint64_t *ret)
{
	uint8_t entry = unit->sizes.offset;
	uint64_t section_size;
	unit_section(unit, DEBUG_RNGLISTS, &section_size);
	if (unit->rnglists_base > section_size || index >= (section_size - unit->rnglists_base) / entry)
		return false;

	uint64_t at = unit->rnglists_base + index * entry;
	if (unit_section_need(unit, DEBUG_RNGLISTS, at + entry) < at + entry)
		return false;
	const uint8_t *section = unit_section(unit, DEBUG_RNGLISTS, &section_size);
	struct cursor c = {.p = section + at, .end = section + at + entry, .swap = unit->dwarf->file->swap};
	uint64_t offset = cursor_unsigned(&c, entry);
	*ret = unit->rnglists_base + offset;
	return offset >= (index + 1) * entry; /* lists lie behind the table */
}

/* An address by its index; a bad index gives a dead address. */
static uint64_t indexed_address(const struct unit *unit, struct cursor *c)
{
	uint64_t addr;
	return unit_address_at(unit, cursor_uleb(c), &addr) ? addr : address_max(unit->sizes.address);
}

/* An entry of a range list (DWARF 5, 2.17.3), its addresses looked up. */
struct rnglist_entry {
	enum { ENTRY_END, ENTRY_BASE, ENTRY_BOUNDS, ENTRY_SIZED, ENTRY_OFFSETS } kind;
	uint64_t start; /* the base, in an ENTRY_BASE */
	uint64_t end;   /* the size, in an ENTRY_SIZED */
};

/* Reads an entry. The cursor becomes bad if its kind is unknown. */
static struct rnglist_entry read_entry(const struct unit *unit, struct cursor *c)
{
	uint8_t size = unit->sizes.address;
	struct rnglist_entry entry = {.kind = ENTRY_BOUNDS};
	switch (cursor_u8(c)) {
	case DW_RLE_end_of_list:
		entry.kind = ENTRY_END;
		break;
	case DW_RLE_base_addressx:
		entry.kind = ENTRY_BASE;
		entry.start = indexed_address(unit, c);
		break;
	case DW_RLE_base_address:
		entry.kind = ENTRY_BASE;
		entry.start = cursor_unsigned(c, size);
		break;
	case DW_RLE_startx_endx:
		entry.start = indexed_address(unit, c);
		entry.end = indexed_address(unit, c);
		break;
	case DW_RLE_startx_length:
		entry.kind = ENTRY_SIZED;
		entry.start = indexed_address(unit, c);
		entry.end = cursor_uleb(c);
		break;
	case DW_RLE_start_end:
		entry.start = cursor_unsigned(c, size);
		entry.end = cursor_unsigned(c, size);
		break;
	case DW_RLE_start_length:
		entry.kind = ENTRY_SIZED;
		entry.start = cursor_unsigned(c, size);
		entry.end = cursor_uleb(c);
		break;
	case DW_RLE_offset_pair:
		entry.kind = ENTRY_OFFSETS;
		entry.start = cursor_uleb(c);
		entry.end = cursor_uleb(c);
		break;
	default:
		cursor_fail(c);
	}
	return entry;
}

/* Adds the entries up to the end of the list, and moves behind it. False: out of memory. */
static bool read_entries(const struct unit *unit, struct cursor *c, struct given_ranges *given)
{
	uint8_t size = unit->sizes.address;
	uint64_t base = unit->low_pc;
	for (;;) {
		struct rnglist_entry entry = read_entry(unit, c);
		bool memory = true;
		if (c->bad || entry.kind == ENTRY_END) {
			given->bad_count += c->bad; /* an unknown kind of entry, or the section ended before the list */
			return true;
		}
		if (entry.kind == ENTRY_BASE)
			base = entry.start;
		else if (entry.kind == ENTRY_OFFSETS)
			memory = add_offsets(unit, given, base, entry.start, entry.end);
		else if (entry.kind == ENTRY_SIZED && !address_is_dead(entry.start, size))
			memory = add_sized(unit, given, entry.start, entry.end);
		else
			memory = add_entry(unit, given, entry.start, entry.end);
		if (!memory)
			return false;
	}
}

/* Where lists of a unit are. */
struct list_place {
	const struct unit *owner; /* the unit, or its skeleton */
	enum debug_section which;
	uint64_t floor; /* the owner's, of this section */
	bool (*read)(const struct unit *unit, struct cursor *c, struct given_ranges *given); /* its entries */
};

/*
 * Whether a list ends in a hole, as a lost write leaves it: zeros end a list of either kind. Producers write one list
 * right behind the other. A few zeros may be empty lists, or ranges at a base of 0 where a linker dropped their code.
 */
static bool ends_in_hole(const struct list_place *place, const uint8_t *section, uint64_t end, uint64_t ready)
{
	enum { HOLE_SIZE = 64 };
	static const uint8_t hole[HOLE_SIZE];
	if (end < ready && section[end])
		return false;
	return unit_section_need(place->owner, place->which, end + HOLE_SIZE) >= end + HOLE_SIZE &&
	       memcmp(section + end, hole, HOLE_SIZE) == 0;
}

/*
 * Reads the list at `offset`. A compressed section is inflated as far as lists need, and where one ends only tells
 * reading it: a list that is cut off where the bytes end that are ready is read once more, with twice as many.
 */
static bool read_list(const struct unit *unit, const struct list_place *place, uint64_t offset,
		      struct given_ranges *given, uint64_t *ret_end)
{
	const struct given_ranges before = *given;
	uint64_t section_size, ready = unit_section_need(place->owner, place->which, offset + 1);
	if (offset >= ready) {
		given->bad_count++;
		return true;
	}

	const uint8_t *section = unit_section(place->owner, place->which, &section_size);
	for (;;) {
		struct cursor c = {section + offset, section + ready, place->owner->dwarf->file->swap, false};
		bool memory = place->read(unit, &c, given);
		uint64_t more = ready, end = (uint64_t)(c.p - section);
		if (c.bad && ready < section_size)
			more = unit_section_need(place->owner, place->which, offset + 2 * (ready - offset));
		if (!memory || more == ready) {
			given->read_bytes += end - offset;
			given->bad_count += !c.bad && ends_in_hole(place, section, end, ready);
			*ret_end = end > *ret_end ? end : *ret_end;
			return memory;
		}
		ready = more;
		given->list.count = before.list.count;
		given->tombstone_count = before.tombstone_count;
		given->bad_count = before.bad_count;
		given->bare_count = before.bare_count;
	}
}

/*
 * Makes sure that what is read from `offset` on stays meanwhile: below the floor, the section may be given back. False:
 * out of memory.
 */
static bool keep_lists(const struct list_place *place, uint64_t offset)
{
	return offset >= place->floor ||
	       section_keep_all(dwarf_section(place->owner->dwarf, place->which), NULL) == LOCUS_OK;
}

/* Reads a list of .debug_ranges. */
static bool read_ranges(const struct unit *unit, uint64_t offset, struct given_ranges *given)
{
	const struct unit *owner = unit->skeleton ? unit->skeleton : unit;
	const struct list_place place = {owner, DEBUG_RANGES, owner->floors.ranges, read_pairs};
	if (unit->skeleton)
		offset += unit->skeleton->ranges_base;
	return keep_lists(&place, offset) && read_list(unit, &place, offset, given, &given->ends.ranges);
}

/* Reads a list of .debug_rnglists. */
static bool read_rnglist(const struct unit *unit, const struct value *ranges, struct given_ranges *given)
{
	const struct list_place place = {unit, DEBUG_RNGLISTS, unit->floors.rnglists, read_entries};
	const bool by_index = ranges->form == DW_FORM_rnglistx;
	uint64_t offset = ranges->number;
	/* An index is looked up in a table at the base, and the lists that it names lie behind that. */
	if (!keep_lists(&place, by_index ? unit->rnglists_base : offset))
		return false;
	if (by_index && !list_offset(unit, ranges->number, &offset))
		offset = UINT64_MAX;
	return read_list(unit, &place, offset, given, &given->ends.rnglists);
}

bool ranges_count(const struct unit *unit, struct given_ranges *given)
{
	struct dwarf *dwarf = unit->dwarf;
	const struct dwarf *owner = unit->skeleton ? unit->skeleton->dwarf : dwarf;
	uint64_t size = dwarf_section(owner, DEBUG_RANGES)->size + dwarf_section(dwarf, DEBUG_RNGLISTS)->size +
			dwarf_section(dwarf, DEBUG_INFO)->size;
	uint64_t bytes = given->read_bytes;
	given->read_bytes = 0;
	bytes += atomic_fetch_add_explicit(&dwarf->range_bytes, bytes, memory_order_relaxed);
	return bytes <= size * RANGE_READINGS_MAX + RANGE_BYTES_SPARE;
}

bool die_ranges(const struct unit *unit, const struct value *low, const struct value *high, const struct value *ranges,
		struct given_ranges *given)
{
	uint64_t start, end, offset;
	bool has_both = value_present(low) && value_present(high);
	bool has_start = has_both && value_address(unit, low, &start);
	if (has_start && value_unsigned(high, &end)) {
		if (address_is_dead(start, unit->sizes.address))
			return add_entry(unit, given, start, start);
		return add_sized(unit, given, start, end);
	}
	if (has_start && value_address(unit, high, &end))
		return add_entry(unit, given, start, end);
	if (!value_present(ranges)) {
		given->bad_count += has_both;
		return true;
	}
	if (ranges->form == DW_FORM_rnglistx || unit->version >= 5)
		return read_rnglist(unit, ranges, given);
	if (value_offset(ranges, &offset))
		return read_ranges(unit, offset, given);
	given->bad_count++;
	return true;
}
