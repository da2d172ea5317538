/*
 * There may be thousands of type units that share one table, and libdw loads one only where a reference leads there. So
 * they are counted one by one, when that happens; all other units are counted before the file is read.
 */
#include "convert/cross_check/unit_loads.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/mix64.h"

enum {
	UNIT_STEPS = 64,
	UNIT_BYTES = 1024,      /* that libdw takes for a unit with the first slots of its table */
	DECLARATION_STEPS = 2,  /* besides a step for each of its bytes */
	DECLARATION_BYTES = 80, /* with the slots for it */
};

static uint32_t hash_of(const void *object, uint64_t offset)
{
	return (uint32_t)mix64((uintptr_t)object + offset * 31);
}

/* libdw does not know how long LLVM's form is, and takes no expression for an address (LLVM's -minimize-addr-in-v5). */
static bool is_unread_address(uint64_t name, uint64_t form)
{
	enum { FORM_LLVM_addrx_offset = 0x2001 };
	return form == FORM_LLVM_addrx_offset || (name == DW_AT_low_pc && form == DW_FORM_exprloc);
}

/*
 * Reads one declaration; *ret_unread is set to the form of an address that libdw does not read. False: the table ends.
 */
static bool read_declaration(struct cursor *c, uint64_t *ret_code, uint64_t *ret_unread)
{
	uint64_t name, form;
	*ret_code = cursor_uleb(c);
	if (c->bad || !*ret_code)
		return false;
	cursor_uleb(c); /* tag */
	cursor_u8(c);   /* whether there are children */
	do {
		cursor_uleb_pair(c, &name, &form);
		if (form == DW_FORM_implicit_const)
			cursor_sleb(c);
		if (is_unread_address(name, form))
			*ret_unread = form;
	} while (!c->bad && (name || form));
	return !c->bad;
}

/*
 * Reads a table for what it costs to load. Codes that do not count up from 1 may have been chosen so that each of them
 * meets all others in libdw's table.
 */
static bool measure(struct cursor c, struct abbreviation_table *table, uint64_t *ret_unread)
{
	const uint8_t *start = c.p;
	uint64_t count = 0, code;
	bool is_dense = true;
	while (read_declaration(&c, &code, ret_unread))
		is_dense &= code == ++count;
	table->steps = (uint64_t)(c.p - start) + DECLARATION_STEPS * count + (is_dense ? 0 : count * count / 2);
	table->bytes = DECLARATION_BYTES * count;
	return budget_spend((uint64_t)(c.p - start));
}

/* The table at an offset of the file's .debug_abbrev. `sections` NULL: they are found. NULL: as for the callers. */
static const struct abbreviation_table *find_table(struct unit_loads *loads, Dwarf *dwarf,
						   const struct dwarf_sections *sections, uint64_t offset)
{
	struct dwarf_sections found;
	uint32_t at, hash = hash_of(dwarf, offset);
	if (!hash_slots_reserve(&loads->table_slots, loads->table_count) ||
	    !array_reserve(&loads->tables, &loads->table_room, loads->table_count + UINT64_C(1),
			   sizeof(*loads->tables)))
		return NULL;
	struct hash_slot *slots = loads->table_slots.slots;
	HASH_SLOTS_FIND(at, &loads->table_slots, hash,
			loads->tables[slots[at].index - 1].dwarf == dwarf &&
				loads->tables[slots[at].index - 1].offset == offset);
	if (slots[at].index)
		return &loads->tables[slots[at].index - 1];

	struct abbreviation_table *table = &loads->tables[loads->table_count];
	*table = (struct abbreviation_table){.dwarf = dwarf, .offset = offset};
	if (!sections)
		dwarf_sections_find(&found, dwarf);
	if (!measure(dwarf_sections_cursor(sections ? sections : &found, DEBUG_ABBREV, offset), table,
		     &loads->unread_form))
		return NULL;
	slots[at] = (struct hash_slot){hash, ++loads->table_count};
	return table;
}

static bool count_load(const struct abbreviation_table *table)
{
	return table && budget_spend(table->steps) && budget_take(table->bytes);
}

/* Since DWARF 5, units of types are among the others, and have the longest header. */
static bool is_of_types(unsigned version, size_t header_size, uint8_t offset_size)
{
	enum { SKELETON_32 = 20, SKELETON_64 = 32 };
	return version >= 5 && header_size > (offset_size == 8 ? SKELETON_64 : SKELETON_32);
}

bool unit_loads_count(struct unit_loads *loads, Dwarf *dwarf, const struct dwarf_sections *sections, const char *path)
{
	Dwarf_Half version;
	uint8_t offset_size;
	Dwarf_Off table_offset;
	size_t header_size;
	uint64_t signature;
	Dwarf_Off type_offset;
	for (Dwarf_Off at = 0, next; dwarf_next_unit(dwarf, at, &next, &header_size, &version, &table_offset, NULL,
						     &offset_size, NULL, NULL) == 0;
	     at = next) {
		budget_at("abbreviations", path, ".debug_info", at);
		if (!budget_spend(UNIT_STEPS) || !budget_take(UNIT_BYTES))
			return false;
		if (!is_of_types(version, header_size, offset_size) &&
		    !count_load(find_table(loads, dwarf, sections, table_offset)))
			return false;
	}

	for (Dwarf_Off at = 0, next;
	     dwarf_next_unit(dwarf, at, &next, NULL, NULL, NULL, NULL, NULL, &signature, &type_offset) == 0;
	     at = next) {
		budget_at("units", path, ".debug_types", at);
		if (!budget_spend(UNIT_STEPS) || !budget_take(UNIT_BYTES))
			return false;
	}
	return true;
}

bool unit_loads_count_type(struct unit_loads *loads, const Dwarf_Die *die)
{
	uint8_t type;
	uint32_t at, hash = hash_of(die->cu, 0);
	Dwarf_Die unit;
	Dwarf_Off table_offset;
	if (dwarf_cu_info(die->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) != 0 ||
	    (type != DW_UT_type && type != DW_UT_split_type))
		return true;
	if (!hash_slots_reserve(&loads->type_unit_slots, loads->type_unit_count) ||
	    !array_reserve(&loads->type_units, &loads->type_unit_room, loads->type_unit_count + UINT64_C(1),
			   sizeof(*loads->type_units)))
		return false;
	struct hash_slot *slots = loads->type_unit_slots.slots;
	HASH_SLOTS_FIND(at, &loads->type_unit_slots, hash, loads->type_units[slots[at].index - 1] == die->cu);
	if (slots[at].index)
		return true;

	loads->type_units[loads->type_unit_count] = die->cu;
	slots[at] = (struct hash_slot){hash, ++loads->type_unit_count};
	dwarf_cu_die(die->cu, &unit, NULL, &table_offset, NULL, NULL, NULL, NULL);
	return count_load(find_table(loads, dwarf_cu_getdwarf(die->cu), NULL, table_offset));
}

void unit_loads_done(struct unit_loads *loads)
{
	free(loads->tables);
	hash_slots_done(&loads->table_slots);
	free(loads->type_units);
	hash_slots_done(&loads->type_unit_slots);
	*loads = (struct unit_loads){0};
}
