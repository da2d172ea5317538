/* A walk through the unit notes where each scope begins, and where the walk leaves it. */
#include "convert/cross_check/unit_scopes.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/mix64.h"
#include "convert/cross_check/die_walk.h"

/* What stands for the name of an enclosing DIE without one (RULES D3); NULL: it is no scope of names. */
static const char *anonymous_name(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
		return "(anonymous namespace)";
	case DW_TAG_structure_type:
		return "(anonymous struct)";
	case DW_TAG_union_type:
		return "(anonymous union)";
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_module:
		return "(anonymous class)";
	default:
		return NULL;
	}
}

/* Sets the end of a scope, and of those around it that end there too: all up to `around`, which goes on. */
static void close_scopes(struct unit_with_scopes *unit, uint32_t at, uint32_t around, uint64_t end)
{
	for (; at != around; at = unit->scopes[at].parent)
		unit->scopes[at].end = end;
}

static bool add_scope(struct unit_scopes *scopes, struct unit_with_scopes *unit, Dwarf_Die *die, uint32_t parent,
		      const char *anonymous)
{
	if (!die_spend_origins(scopes->loads, *die))
		return false;
	const char *name = dwarf_diename(die);
	if (!array_reserve(&unit->scopes, &unit->room, unit->count + UINT64_C(1), sizeof(*unit->scopes)))
		return false;
	unit->scopes[unit->count++] = (struct enclosing_scope){
		.start = dwarf_dieoffset(die), .parent = parent, .name = name && *name ? name : anonymous};
	return true;
}

/* Notes all scopes of the unit. False: out of memory, or beyond the budget. */
static bool read_unit(struct unit_scopes *scopes, Dwarf_Die *root, struct unit_with_scopes *unit)
{
	struct die_walk walk;
	uint32_t innermost = NO_ENCLOSING_SCOPE;
	for (bool more = die_walk_begin(&walk, root); more; more = die_walk_next(&walk, true)) {
		if (!array_reserve(&scopes->open, &scopes->open_room, walk.depth + UINT64_C(1), sizeof(*scopes->open)))
			return false;
		uint32_t around = walk.depth == 1 ? NO_ENCLOSING_SCOPE : scopes->open[walk.depth - 1];
		close_scopes(unit, innermost, around, dwarf_dieoffset(&walk.die));
		innermost = around;

		/* What is around the children, if the walk goes on with them. */
		const char *anonymous = anonymous_name(dwarf_tag(&walk.die));
		if (anonymous) {
			if (!add_scope(scopes, unit, &walk.die, around, anonymous))
				return false;
			innermost = unit->count - 1;
		}
		scopes->open[walk.depth] = innermost;
	}
	close_scopes(unit, innermost, NO_ENCLOSING_SCOPE, UINT64_MAX);
	return true;
}

static const struct unit_with_scopes *unit_of(struct unit_scopes *scopes, Dwarf_Die *die)
{
	Dwarf_Die root;
	uint32_t at, hash = (uint32_t)mix64((uintptr_t)die->cu);
	if (!hash_slots_reserve(&scopes->slots, scopes->count) ||
	    !array_reserve(&scopes->units, &scopes->room, scopes->count + UINT64_C(1), sizeof(*scopes->units)))
		return NULL;
	struct hash_slot *slots = scopes->slots.slots;
	HASH_SLOTS_FIND(at, &scopes->slots, hash, scopes->units[slots[at].index - 1].cu == die->cu);
	if (slots[at].index)
		return &scopes->units[slots[at].index - 1];

	/* It is counted before it is read, so that it is freed whatever happens. */
	struct unit_with_scopes *unit = &scopes->units[scopes->count++];
	*unit = (struct unit_with_scopes){.cu = die->cu};
	slots[at] = (struct hash_slot){hash, scopes->count};
	return !dwarf_diecu(die, &root, NULL, NULL) || read_unit(scopes, &root, unit) ? unit : NULL;
}

const struct unit_with_scopes *unit_scopes_around(struct unit_scopes *scopes, Dwarf_Die *die, uint32_t *ret_innermost)
{
	const struct unit_with_scopes *unit = unit_of(scopes, die);
	uint64_t offset = dwarf_dieoffset(die);
	uint32_t behind;
	if (!unit)
		return NULL;
	SEARCH_FIRST(behind, 0, unit->count, unit->scopes[behind].start >= offset);
	uint32_t at = behind ? behind - 1 : NO_ENCLOSING_SCOPE;
	while (at != NO_ENCLOSING_SCOPE && unit->scopes[at].end <= offset)
		at = unit->scopes[at].parent;
	*ret_innermost = at;
	return unit;
}

void unit_scopes_done(struct unit_scopes *scopes)
{
	for (uint32_t i = 0; i < scopes->count; i++)
		free(scopes->units[i].scopes);
	free(scopes->units);
	hash_slots_done(&scopes->slots);
	free(scopes->open);
	*scopes = (struct unit_scopes){0};
}
