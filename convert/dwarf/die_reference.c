/* Finds referenced DIEs by an index of a file's units, which is made when it is first needed. */
#include "convert/dwarf/die_reference.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"
#include "base/sort.h"
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
	uint32_t unit;
};

struct die_index {
	struct indexed_unit *units; /* by section, then offset */
	uint32_t count;
	uint32_t room;
	struct signature *signatures; /* ascending, equal ones in the order of their units */
	uint32_t signature_count, signature_room;
};

static void index_free(struct die_index *index)
{
	free(index->units);
	free(index->signatures);
	free(index);
}

void die_index_done(struct dwarf *dwarf)
{
	struct die_index *index = dwarf->index;
	if (!index)
		return;
	for (size_t i = 0; i < index->count; i++)
		if (index->units[i].unit) {
			unit_done(index->units[i].unit);
			free(index->units[i].unit);
		}
	index_free(index);
	dwarf->index = NULL;
	unit_tables_free(dwarf->tables);
	dwarf->tables = NULL;
}

static bool index_add(struct die_index *index, const struct indexed_unit *unit)
{
	if (!array_reserve(&index->units, &index->room, index->count + UINT64_C(1), sizeof(*index->units)))
		return false;
	if (unit->is_type) {
		if (!array_reserve(&index->signatures, &index->signature_room, index->signature_count + UINT64_C(1),
				   sizeof(*index->signatures)))
			return false;
		index->signatures[index->signature_count++] = (struct signature){unit->signature, index->count};
	}
	index->units[index->count++] = *unit;
	return true;
}

static int compare_signatures(const void *a, const void *b)
{
	const struct signature *x = a, *y = b;
	if (x->signature != y->signature)
		return x->signature < y->signature ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/*
 * Adds the units of a section by their headers alone. A damaged header ends the list, because the next unit cannot be
 * found.
 */
static bool index_section(struct dwarf *dwarf, struct die_index *index, enum debug_section where)
{
	const struct section *section = dwarf_section(dwarf, where);
	struct cursor c = section_cursor(section, dwarf->file->swap);
	while (cursor_left(&c)) {
		struct indexed_unit unit = {.where = where, .offset = (uint64_t)(c.p - section->data)};
		uint8_t offset_size;
		uint64_t length = cursor_initial_length(&c, &offset_size);
		if (c.bad || length > cursor_left(&c))
			break;
		struct cursor header = c;
		header.end = c.p + length;
		uint16_t version = cursor_u16(&header);
		uint8_t type = version >= 5 ? cursor_u8(&header) : where == DEBUG_TYPES ? DW_UT_type : DW_UT_compile;
		cursor_skip(&header, 1u + offset_size); /* address size and abbreviations, in either order */
		unit.is_type = type == DW_UT_type || type == DW_UT_split_type;
		if (unit.is_type)
			unit.signature = cursor_u64(&header);
		cursor_skip(&c, length);
		unit.end = (uint64_t)(c.p - section->data);
		if (!index_add(index, &unit))
			return false;
	}
	return true;
}

static struct die_index *die_index_get(struct dwarf *dwarf)
{
	if (dwarf->index)
		return dwarf->index;
	struct die_index *index = calloc(1, sizeof(*index));
	if (!index) {
		budget_memory_out();
		return NULL;
	}
	dwarf_at(dwarf, DEBUG_INFO, 0, "units");
	enum locus_status status = dwarf_need_info(dwarf);
	if (status == LOCUS_OK &&
	    (!index_section(dwarf, index, DEBUG_INFO) || !index_section(dwarf, index, DEBUG_TYPES)))
		status = LOCUS_ERR_MEMORY;
	if (status != LOCUS_OK) {
		if (status == LOCUS_ERR_MEMORY)
			budget_memory_out();
		index_free(index);
		return NULL;
	}
	sort_by_address(index->signatures, index->signature_count, sizeof(*index->signatures), compare_signatures);
	return dwarf->index = index;
}

static struct indexed_unit *index_find(struct die_index *index, enum debug_section where, uint64_t offset)
{
	size_t at;
	SEARCH_FIRST(at, 0, index->count,
		     index->units[at].where > where ||
			     (index->units[at].where == where && index->units[at].end > offset));
	struct indexed_unit *found = at < index->count ? &index->units[at] : NULL;
	return found && found->where == where && found->offset <= offset ? found : NULL;
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
	enum locus_status status = unit_open(unit, dwarf, indexed->where, indexed->offset, NULL, NULL, NULL, NULL);
	if (status != LOCUS_OK) {
		if (status == LOCUS_ERR_MEMORY)
			budget_memory_out();
		unit_done(unit);
		free(unit);
		indexed->damaged = true;
		return NULL;
	}
	return indexed->unit = unit;
}

bool dwarf_die_at(struct dwarf *dwarf, enum debug_section where, uint64_t offset, struct die_ref *ret)
{
	if (!dwarf || !dwarf->refers_across)
		return false;
	pthread_mutex_lock(&dwarf->lock);
	struct die_index *index = die_index_get(dwarf);
	struct indexed_unit *indexed = index ? index_find(index, where, offset) : NULL;
	const struct unit *unit = indexed ? index_open(dwarf, indexed) : NULL;
	pthread_mutex_unlock(&dwarf->lock);
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
	bool found = at < index->signature_count && index->signatures[at].signature == signature;
	return found ? &index->units[index->signatures[at].unit] : NULL;
}

static bool die_by_signature(struct dwarf *dwarf, uint64_t signature, struct die_ref *ret)
{
	if (!dwarf->refers_across) /* an abbreviation was missed by the cache, and .debug_info may not be in memory */
		return false;
	pthread_mutex_lock(&dwarf->lock);
	struct die_index *index = die_index_get(dwarf);
	struct indexed_unit *indexed = index ? index_find_signature(index, signature) : NULL;
	const struct unit *unit = indexed ? index_open(dwarf, indexed) : NULL;
	pthread_mutex_unlock(&dwarf->lock);
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
		return die_by_signature(unit->dwarf, offset, ret);
	default:
		return false;
	}
}
