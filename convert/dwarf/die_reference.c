/* Finds referenced DIEs by an index of a file's units, which is made when it is first needed. */
#include "convert/dwarf/die_reference.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"
#include "base/order.h"
#include "base/sort.h"
#include "convert/dwarf/split_unit.h"
#include "convert/dwarf/unit_open.h"
#include "convert/dwarf/unit_tables.h"

/* A unit in the index. It is opened when a reference first leads to it, and then kept. */
struct indexed_unit {
	enum debug_section where;
	uint64_t offset;
	uint64_t end;
	uint64_t signature; /* its signature, if it is a type unit */
	bool is_type;
	bool damaged;
	struct unit *unit; /* NULL: not opened yet */
};

/* A type unit's signature, and the unit. */
struct signature {
	uint64_t signature;
	enum debug_section where;
	uint32_t unit; /* of that section */
};

/* The units of a section, as far as they had to be known. */
struct unit_list {
	struct indexed_unit *units; /* by offset */
	uint32_t count, room;
	uint64_t reached; /* the end of the last one */
	bool is_complete;
};

enum { RECENT_COUNT = 1024, RECENT_SHIFT = 12 };

struct die_index {
	const struct unit *_Atomic recent[RECENT_COUNT]; /* found last, by the place of the offset asked for */
	struct unit_list info, types;
	struct signature *signatures; /* ascending once all units are known, equal ones in the order of their units */
	uint32_t signature_count, signature_room;
	bool is_sorted;
};

static struct unit_list *units_of(struct die_index *index, enum debug_section where)
{
	return where == DEBUG_TYPES ? &index->types : &index->info;
}

static void unit_list_done(struct unit_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->units[i].unit) {
			unit_done(list->units[i].unit);
			free(list->units[i].unit);
		}
	free(list->units);
}

void die_index_done(struct dwarf *dwarf)
{
	struct die_index *index = dwarf->index;
	if (!index)
		return;
	unit_list_done(&index->info);
	unit_list_done(&index->types);
	free(index->signatures);
	free(index);
	dwarf->index = NULL;
	unit_tables_free(dwarf->tables);
	dwarf->tables = NULL;
}

static bool index_add(struct die_index *index, const struct indexed_unit *unit)
{
	struct unit_list *list = units_of(index, unit->where);
	if (!array_reserve(&list->units, &list->room, list->count + UINT64_C(1), sizeof(*list->units)))
		return false;
	if (unit->is_type) {
		if (!array_reserve(&index->signatures, &index->signature_room, index->signature_count + UINT64_C(1),
				   sizeof(*index->signatures)))
			return false;
		index->signatures[index->signature_count++] =
			(struct signature){unit->signature, unit->where, list->count};
	}
	list->units[list->count++] = *unit;
	return true;
}

static int compare_signatures(const void *a, const void *b)
{
	const struct signature *x = a, *y = b;
	if (x->signature != y->signature)
		return order_of(x->signature, y->signature);
	if (x->where != y->where)
		return order_of(x->where, y->where);
	return order_of(x->unit, y->unit);
}

/* Reads the rest of a unit's header, behind its length: whether it is a type unit, and of which signature. */
static void read_header(struct cursor c, uint8_t offset_size, struct indexed_unit *unit)
{
	uint16_t version = cursor_u16(&c);
	uint8_t type = version >= 5 ? cursor_u8(&c) : unit->where == DEBUG_TYPES ? DW_UT_type : DW_UT_compile;
	cursor_skip(&c, 1u + offset_size); /* address size and abbreviations, in either order */
	unit->is_type = type == DW_UT_type || type == DW_UT_split_type;
	if (unit->is_type)
		unit->signature = cursor_u64(&c);
}

/*
 * Adds the next unit of a section by its header alone. A damaged one ends the list, because the next unit cannot be
 * found. False: out of memory, or the section is damaged.
 */
static bool index_next(struct dwarf *dwarf, struct die_index *index, enum debug_section where)
{
	const struct section *section = dwarf_section(dwarf, where);
	struct unit_list *list = units_of(index, where);
	struct indexed_unit unit = {.where = where, .offset = list->reached};

	/* How long it is, if any is left. */
	if (where == DEBUG_INFO && dwarf_need_info(dwarf, list->reached + INITIAL_LENGTH_MAX) != LOCUS_OK)
		return false;
	struct cursor c = section_cursor(section, dwarf->file->swap);
	cursor_skip(&c, list->reached);
	uint8_t offset_size = 0;
	uint64_t length = cursor_left(&c) ? cursor_initial_length(&c, &offset_size) : UINT64_MAX;
	list->is_complete = c.bad || length > cursor_left(&c);
	if (list->is_complete)
		return true;

	/* The unit itself, which becomes readable with its header. */
	unit.end = (uint64_t)(c.p - section->data) + length;
	if (where == DEBUG_INFO && dwarf_need_info(dwarf, unit.end) != LOCUS_OK)
		return false;
	c.end = c.p + length;
	read_header(c, offset_size, &unit);
	list->reached = unit.end;
	bool memory = index_add(index, &unit);
	if (!memory)
		budget_memory_out();
	return memory;
}

/* Makes the units known up to the one that `offset` is in. False as index_next. */
static bool index_until(struct dwarf *dwarf, struct die_index *index, enum debug_section where, uint64_t offset)
{
	const struct unit_list *list = units_of(index, where);
	bool good = true;
	if (list->reached <= offset && !list->is_complete)
		dwarf_at(dwarf, where, 0, "units");
	while (list->reached <= offset && !list->is_complete && good)
		good = index_next(dwarf, index, where);
	return good;
}

static struct die_index *die_index_get(struct dwarf *dwarf)
{
	struct die_index *index = dwarf->index;
	if (index)
		return index;
	index = calloc(1, sizeof(*index));
	if (!index)
		budget_memory_out();
	dwarf->index = index;
	return index;
}

bool die_index_pass(struct dwarf *dwarf, uint64_t offset)
{
	short_lock_take(&dwarf->lock);
	struct die_index *index = die_index_get(dwarf);
	bool is_known = index && (!offset || index_until(dwarf, index, DEBUG_INFO, offset - 1));
	short_lock_release(&dwarf->lock);
	return is_known;
}

/* Gives the unit that the byte at `offset` is in; NULL: it is not known. */
static struct indexed_unit *index_find(struct die_index *index, enum debug_section where, uint64_t offset)
{
	const struct unit_list *list = units_of(index, where);
	size_t at;
	SEARCH_FIRST(at, 0, list->count, list->units[at].end > offset);
	return at < list->count && list->units[at].offset <= offset ? &list->units[at] : NULL;
}

static const struct unit *find_unit(struct dwarf *dwarf, enum debug_section where, uint64_t offset);

/*
 * The skeleton of a unit of a .dwo, which has the table of its files (RULES B13); NULL: it is not known, or a type
 * unit, which has none. Opens the DIE of `unit`.
 */
static const struct unit *find_skeleton(struct dwarf *dwarf, const struct indexed_unit *indexed, struct unit *unit)
{
	uint64_t offset;
	if (!dwarf->skeletons || indexed->is_type)
		return NULL;
	enum locus_status status = unit_open_die(unit, dwarf, indexed->offset, NULL, NULL);
	budget_note(status);
	if (status != LOCUS_OK || !split_unit_find_skeleton(dwarf->skeletons, unit->id, &offset))
		return NULL;
	return find_unit(dwarf->skeletons, DEBUG_INFO, offset);
}

/* Gives the unit, which is opened if it was not yet. The caller has the lock. */
static const struct unit *index_open(struct dwarf *dwarf, struct indexed_unit *indexed)
{
	if (indexed->unit || indexed->damaged)
		return indexed->unit;
	struct unit *unit = budget_take(sizeof(*unit)) ? calloc(1, sizeof(*unit)) : NULL;
	if (!unit) {
		budget_memory_out();
		return NULL;
	}

	unit->borrows = true;
	enum locus_status status =
		indexed->where == DEBUG_INFO ? dwarf_keep_info(dwarf, indexed->offset, indexed->end) : LOCUS_OK;
	if (status == LOCUS_OK)
		status = unit_open(unit, dwarf, indexed->where, indexed->offset, NULL,
				   find_skeleton(dwarf, indexed, unit), NULL);
	if (status != LOCUS_OK) {
		budget_note(status);
		unit_done(unit);
		free(unit);
		indexed->damaged = true;
		return NULL;
	}
	return indexed->unit = unit;
}

static const struct unit *_Atomic *recent_place(struct die_index *index, uint64_t offset)
{
	return &index->recent[(offset >> RECENT_SHIFT) % RECENT_COUNT];
}

/* Gives the unit if it was found lately: most references are, so threads need not wait for each other's. */
static const struct unit *find_recent(const struct dwarf *dwarf, enum debug_section where, uint64_t offset)
{
	struct die_index *index = atomic_load_explicit(&dwarf->index, memory_order_acquire);
	const struct unit *unit =
		index ? atomic_load_explicit(recent_place(index, offset), memory_order_acquire) : NULL;
	bool is_in = unit && unit->where == where && offset >= unit->offset && offset < unit->end;
	return is_in ? unit : NULL;
}

/* Gives the unit, which is made known and opened if it was not yet; NULL: there is none that can be read. */
static const struct unit *find_unit(struct dwarf *dwarf, enum debug_section where, uint64_t offset)
{
	short_lock_take(&dwarf->lock);
	struct die_index *index = die_index_get(dwarf);
	bool is_known = index && index_until(dwarf, index, where, offset);
	struct indexed_unit *indexed = is_known ? index_find(index, where, offset) : NULL;
	const struct unit *unit = indexed ? index_open(dwarf, indexed) : NULL;
	if (unit)
		atomic_store_explicit(recent_place(index, offset), unit, memory_order_release);
	short_lock_release(&dwarf->lock);
	return unit;
}

void die_index_expect(struct dwarf *dwarf, const struct unit *unit)
{
	if (!dwarf->refers_across)
		return;
	short_lock_take(&dwarf->lock);
	dwarf_keep_info(dwarf, unit->offset, unit->end);
	short_lock_release(&dwarf->lock);
}

bool dwarf_die_at(struct dwarf *dwarf, enum debug_section where, uint64_t offset, struct die_ref *ret)
{
	if (!dwarf || !dwarf->refers_across)
		return false;
	const struct unit *unit = find_recent(dwarf, where, offset);
	if (!unit)
		unit = find_unit(dwarf, where, offset);
	if (!unit || offset < unit->die_offset)
		return false;
	*ret = (struct die_ref){unit, offset};
	return true;
}

/* The first type unit with that signature; NULL: there is none. */
static struct indexed_unit *index_find_signature(struct die_index *index, uint64_t signature)
{
	uint32_t at;
	SEARCH_FIRST(at, 0, index->signature_count, index->signatures[at].signature >= signature);
	const struct signature *found = at < index->signature_count ? &index->signatures[at] : NULL;
	return found && found->signature == signature ? &units_of(index, found->where)->units[found->unit] : NULL;
}

/* Makes all units known. */
static bool index_all(struct dwarf *dwarf, struct die_index *index)
{
	if (!index_until(dwarf, index, DEBUG_INFO, UINT64_MAX) || !index_until(dwarf, index, DEBUG_TYPES, UINT64_MAX))
		return false;
	if (!index->is_sorted)
		sort_by_address(index->signatures, index->signature_count, sizeof(*index->signatures),
				compare_signatures);
	index->is_sorted = true;
	return true;
}

static bool die_by_signature(struct dwarf *dwarf, uint64_t signature, struct die_ref *ret)
{
	if (!dwarf->refers_across) /* an abbreviation was missed by the cache, and .debug_info may not be in memory */
		return false;
	short_lock_take(&dwarf->lock);
	struct die_index *index = die_index_get(dwarf);
	bool is_known = index && index_all(dwarf, index);
	struct indexed_unit *indexed = is_known ? index_find_signature(index, signature) : NULL;
	const struct unit *unit = indexed ? index_open(dwarf, indexed) : NULL;
	short_lock_release(&dwarf->lock);
	if (!unit || unit->type_offset > unit->end - unit->offset)
		return false;
	*ret = (struct die_ref){unit, unit->offset + unit->type_offset};
	return ret->offset >= unit->die_offset && ret->offset < unit->end;
}

bool value_die(const struct unit *unit, const struct value *value, struct die_ref *ret)
{
	uint64_t offset = value->number;
	switch (value->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		if (offset >= unit->end - unit->offset)
			return false;
		*ret = (struct die_ref){unit, unit->offset + offset};
		return ret->offset >= unit->die_offset;
	case DW_FORM_ref_addr:
		if (!unit_may_refer_across(unit))
			return false;
		if (unit->where == DEBUG_INFO && offset >= unit->die_offset && offset < unit->end) {
			*ret = (struct die_ref){unit, offset};
			return true;
		}
		return dwarf_die_at(unit->dwarf, DEBUG_INFO, offset, ret);
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		return dwarf_die_at(unit->dwarf->alt, DEBUG_INFO, offset, ret);
	case DW_FORM_ref_sig8:
		return unit_may_refer_across(unit) && die_by_signature(unit->dwarf, offset, ret);
	default:
		return false;
	}
}
