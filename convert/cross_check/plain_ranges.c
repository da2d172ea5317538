/* An address is one of the unit's size. Sums that leave it are no ranges (RULES A4). */
#include "convert/cross_check/plain_ranges.h"

#include <dwarf.h>

#include "base/budget.h"
#include "convert/dwarf/target_address.h"

enum { STEPS_PER_ENTRY = 8 }; /* of the budget */

/* An offset that an attribute gives, or what is meant where there is none. libdw tells none beyond the section. */
static uint64_t offset_of(Dwarf_Die *die, unsigned name, unsigned gnu_name, uint64_t absent)
{
	const uint64_t beyond = UINT64_C(1) << 62; /* so far that no sum with it comes back to a section */
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	if (!dwarf_attr(die, name, &attribute) && !dwarf_attr(die, gnu_name, &attribute))
		return absent;
	return dwarf_formudata(&attribute, &number) == 0 ? number : beyond;
}

void unit_ranges_find(struct unit_ranges *ret, Dwarf_Die *die, const struct dwarf_sections *sections,
		      Dwarf_Die *code_die, const struct dwarf_sections *code_sections)
{
	enum { HEADER_32 = 12, HEADER_64 = 20 }; /* of a section of lists, or of addresses less 4 */
	Dwarf_Half version = 0;
	Dwarf_Die unused;
	Dwarf_Addr low_pc;
	*ret = (struct unit_ranges){.info = code_sections->of[DEBUG_INFO], .swap = sections->swap};
	dwarf_cu_die(code_die->cu, &unused, &version, NULL, &ret->addr_size, &ret->offset_size, NULL, NULL);
	ret->version = version;
	ret->low_pc = dwarf_lowpc(die, &low_pc) == 0 ? low_pc : 0;

	/* Lists are in the split file since DWARF 5, and before it in the file of the skeleton. */
	enum debug_section which = version >= 5 ? DEBUG_RNGLISTS : DEBUG_RANGES;
	bool is_split_list = code_die->cu != die->cu && code_sections->of[which].size;
	ret->lists = is_split_list ? code_sections->of[which] : sections->of[which];
	uint64_t behind_header = ret->offset_size == 8 ? HEADER_64 : HEADER_32;
	if (version >= 5)
		ret->lists_base = offset_of(is_split_list ? code_die : die, DW_AT_rnglists_base, DW_AT_rnglists_base,
					    behind_header);
	else if (code_die->cu != die->cu && !is_split_list)
		ret->lists_base = offset_of(die, DW_AT_GNU_ranges_base, DW_AT_GNU_ranges_base, 0);

	struct cursor c = dwarf_sections_cursor(
		sections, DEBUG_ADDR,
		offset_of(die, DW_AT_addr_base, DW_AT_GNU_addr_base, version >= 5 ? behind_header - 4 : 0));
	ret->addresses = (struct section_bytes){c.p, cursor_left(&c)};
}

static struct cursor list_cursor(const struct unit_ranges *unit, uint64_t offset)
{
	return section_bytes_cursor(&unit->lists, unit->swap, offset);
}

/* The offset of a list by its number: each entry of the unit's table is an offset from the table. */
static uint64_t offset_of_number(const struct unit_ranges *unit, uint64_t number)
{
	struct cursor c = list_cursor(unit, unit->lists_base);
	cursor_skip(&c, number < cursor_left(&c) ? number * unit->offset_size : UINT64_MAX);
	uint64_t offset = cursor_unsigned(&c, unit->offset_size);
	return c.bad ? UINT64_MAX : unit->lists_base + offset;
}

bool plain_ranges_begin(struct plain_ranges *list, const struct unit_ranges *unit, const Dwarf_Attribute *attribute)
{
	struct cursor c = {.p = attribute->valp, .end = unit->info.data + unit->info.size, .swap = unit->swap};
	uint64_t offset;
	switch (attribute->form) {
	case DW_FORM_rnglistx:
		offset = offset_of_number(unit, cursor_uleb(&c));
		break;
	case DW_FORM_data4:
		offset = cursor_u32(&c);
		break;
	case DW_FORM_data8:
		offset = cursor_u64(&c);
		break;
	case DW_FORM_sec_offset:
		offset = cursor_unsigned(&c, unit->offset_size) + (unit->version < 5 ? unit->lists_base : 0);
		break;
	default:
		return false;
	}
	*list = (struct plain_ranges){.unit = unit, .c = list_cursor(unit, offset), .base = unit->low_pc};
	return !c.bad && !list->c.bad;
}

/* What an entry says: an end, a base, or a range, which may be from the base on, or as long as `end` says. */
struct entry {
	enum { ENTRY_END, ENTRY_BASE, ENTRY_BOUNDS, ENTRY_OFFSETS, ENTRY_SIZED } kind;
	uint64_t start, end;
};

/* DWARF 4, 2.17.3. */
static struct entry read_pair(struct plain_ranges *list)
{
	unsigned size = list->unit->addr_size;
	struct entry entry = {.kind = ENTRY_OFFSETS};
	entry.start = cursor_unsigned(&list->c, size);
	entry.end = cursor_unsigned(&list->c, size);
	if (entry.start == (size < 8 ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX))
		entry = (struct entry){ENTRY_BASE, entry.end, 0};
	else if (!entry.start && !entry.end)
		entry.kind = ENTRY_END;
	return entry;
}

static uint64_t address_of_number(const struct unit_ranges *unit, uint64_t number)
{
	uint64_t offset = number < unit->addresses.size ? number * unit->addr_size : UINT64_MAX;
	struct cursor c = section_bytes_cursor(&unit->addresses, unit->swap, offset);
	uint64_t addr = cursor_unsigned(&c, unit->addr_size);
	return c.bad ? UINT64_MAX : addr;
}

static uint64_t indexed_address(struct plain_ranges *list)
{
	return address_of_number(list->unit, cursor_uleb(&list->c));
}

bool unit_ranges_address(const struct unit_ranges *unit, const Dwarf_Attribute *attribute, uint64_t *ret)
{
	struct cursor c = {.p = attribute->valp, .end = unit->info.data + unit->info.size, .swap = unit->swap};
	switch (attribute->form) {
	case DW_FORM_addr:
		*ret = cursor_unsigned(&c, unit->addr_size);
		break;
	case DW_FORM_addrx:
	case DW_FORM_GNU_addr_index:
		*ret = address_of_number(unit, cursor_uleb(&c));
		break;
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
		*ret = address_of_number(unit, cursor_unsigned(&c, attribute->form - DW_FORM_addrx1 + 1));
		break;
	default:
		return false;
	}
	return !c.bad && *ret != UINT64_MAX;
}

static struct entry read_entry(struct plain_ranges *list)
{
	unsigned size = list->unit->addr_size;
	struct entry entry = {.kind = ENTRY_BOUNDS};
	switch (cursor_u8(&list->c)) {
	case DW_RLE_base_addressx:
		return (struct entry){ENTRY_BASE, indexed_address(list), 0};
	case DW_RLE_base_address:
		return (struct entry){ENTRY_BASE, cursor_unsigned(&list->c, size), 0};
	case DW_RLE_startx_endx:
		entry.start = indexed_address(list);
		entry.end = indexed_address(list);
		return entry;
	case DW_RLE_start_end:
		entry.start = cursor_unsigned(&list->c, size);
		entry.end = cursor_unsigned(&list->c, size);
		return entry;
	case DW_RLE_startx_length:
		entry.kind = ENTRY_SIZED;
		entry.start = indexed_address(list);
		break;
	case DW_RLE_start_length:
		entry.kind = ENTRY_SIZED;
		entry.start = cursor_unsigned(&list->c, size);
		break;
	case DW_RLE_offset_pair:
		entry.kind = ENTRY_OFFSETS;
		entry.start = cursor_uleb(&list->c);
		break;
	default: /* DW_RLE_end_of_list, or what has no meaning */
		return (struct entry){.kind = ENTRY_END};
	}
	entry.end = cursor_uleb(&list->c);
	return entry;
}

/* Turns an entry into a range; one that has no meaning becomes empty. */
static void resolve(const struct plain_ranges *list, struct entry *entry)
{
	uint8_t size = list->unit->addr_size;
	uint64_t highest = size < 8 ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX;
	uint64_t base = entry->kind == ENTRY_OFFSETS ? list->base : entry->kind == ENTRY_SIZED ? entry->start : 0;
	bool is_dead = base > highest || address_is_dead(base, size) || address_is_dead(entry->start, size);
	if (is_dead || entry->end > highest - base || entry->start > highest) {
		entry->start = entry->end = 0;
		return;
	}
	entry->end += base;
	entry->start += entry->kind == ENTRY_OFFSETS ? base : 0;
}

bool plain_ranges_next(struct plain_ranges *list, uint64_t *ret_start, uint64_t *ret_end)
{
	while (budget_spend(STEPS_PER_ENTRY)) {
		struct entry entry = list->unit->version >= 5 ? read_entry(list) : read_pair(list);
		if (list->c.bad || entry.kind == ENTRY_END)
			return false;
		if (entry.kind == ENTRY_BASE) {
			list->base = entry.start;
			continue;
		}
		resolve(list, &entry);
		*ret_start = entry.start;
		*ret_end = entry.end;
		return true;
	}
	return false;
}
