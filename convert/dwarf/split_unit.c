/*
 * Finds split units in .dwo files by their ids, and in .dwp packages by the package's index. Both are turned into a
 * sorted list once: a package's own hash table may be full, so that a probe would visit all of it; and a .dwo made by
 * link-time optimisation has as many units as there are skeletons that ask.
 */
#include "convert/dwarf/split_unit.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"
#include "base/fail.h"
#include "base/order.h"
#include "base/sort.h"
#include "convert/dwarf/unit_open.h"

/* The section that a column of a .dwp's index is for, by the index's version (DWARF 5, 7.3.5.3; GNU's version 2). */
static enum debug_section column_section(uint32_t version, uint32_t id)
{
	switch (id) {
	case 1:
		return DEBUG_INFO;
	case 2:
		return version < 5 ? DEBUG_TYPES : DEBUG_SECTION_COUNT;
	case 3:
		return DEBUG_ABBREV;
	case 4:
		return DEBUG_LINE;
	case 6:
		return DEBUG_STR_OFFSETS;
	case 8:
		return version < 5 ? DEBUG_SECTION_COUNT : DEBUG_RNGLISTS;
	default:
		return DEBUG_SECTION_COUNT;
	}
}

/* The tables of a .dwp's index, each a cursor at its start. */
struct package_index {
	uint32_t version;
	uint32_t column_count;
	uint32_t unit_count;
	uint32_t slot_count;
	struct cursor signatures, rows, columns, offsets, sizes;
};

static struct cursor take(struct cursor *c, uint64_t size)
{
	struct cursor part = *c;
	cursor_skip(c, size);
	part.end = c->p;
	return part;
}

static bool read_package_index(const struct dwarf *dwarf, struct package_index *ret)
{
	const struct section *section = dwarf_section(dwarf, DEBUG_CU_INDEX);
	struct cursor c = section_cursor(section, dwarf->file->swap);
	struct cursor narrow = c;
	ret->version = cursor_u32(&c);
	if (ret->version != 2)
		ret->version = cursor_u16(&narrow);
	ret->column_count = cursor_u32(&c);
	ret->unit_count = cursor_u32(&c);
	ret->slot_count = cursor_u32(&c);
	if (c.bad || (ret->version != 2 && ret->version != 5) || ret->column_count > 64)
		return false;

	ret->signatures = take(&c, UINT64_C(8) * ret->slot_count);
	ret->rows = take(&c, UINT64_C(4) * ret->slot_count);
	ret->columns = take(&c, UINT64_C(4) * ret->column_count);
	ret->offsets = take(&c, UINT64_C(4) * ret->column_count * ret->unit_count);
	ret->sizes = take(&c, UINT64_C(4) * ret->column_count * ret->unit_count);
	return !c.bad;
}

/* A unit by its id: where it is in a .dwo, or its row in a package's index, from 1. */
struct split_entry {
	uint64_t id;
	uint64_t place;
};

struct split_index {
	struct split_entry *entries; /* by id, then place */
	uint32_t count, room;
};

static void index_free(struct split_index *index)
{
	if (index)
		free(index->entries);
	free(index);
}

void split_index_done(struct dwarf *dwarf)
{
	index_free(dwarf->split_index);
	dwarf->split_index = NULL;
}

static int compare_entries(const void *a, const void *b)
{
	const struct split_entry *x = a, *y = b;
	if (x->id != y->id)
		return order_of(x->id, y->id);
	return order_of(x->place, y->place);
}

static bool add_entry(struct split_index *index, uint64_t id, uint64_t place)
{
	if (!array_reserve(&index->entries, &index->room, index->count + UINT64_C(1), sizeof(*index->entries)))
		return false;
	index->entries[index->count++] = (struct split_entry){id, place};
	return true;
}

static enum locus_status damaged_package(const struct dwarf *dwarf, const char *what, struct locus_error *error)
{
	return locus_fail(error, LOCUS_ERR_BAD_DWARF, "split debug file %s: its .debug_cu_index %s", dwarf->file->path,
			  what);
}

/* Lists the units of a package, from all slots of the hash table of DWARF 5, 7.3.5.3. */
static enum locus_status index_package(const struct dwarf *dwarf, struct split_index *ret, struct locus_error *error)
{
	struct package_index index;
	if (!read_package_index(dwarf, &index))
		return damaged_package(dwarf, "is cut off, or of an unknown version", error);
	for (uint32_t i = 0; i < index.slot_count; i++) {
		uint64_t signature = cursor_u64(&index.signatures);
		uint32_t row = cursor_u32(&index.rows);
		bool is_new = row && row <= index.unit_count &&
			      (!ret->count || ret->entries[ret->count - 1].id != signature ||
			       ret->entries[ret->count - 1].place != row);
		if (is_new && !add_entry(ret, signature, row))
			return locus_fail_memory(error);
	}
	return LOCUS_OK;
}

/* Whether a unit is a half of a split one: before DWARF 5 it looks like any other unit. */
static bool is_half(const struct unit *unit)
{
	return unit->type == DW_UT_split_compile || unit->type == DW_UT_skeleton || unit->type == DW_UT_compile;
}

/*
 * Lists the units of a .dwo, or skeletons. Before DWARF 5 the id is an attribute of the unit's own DIE, so each unit is
 * opened.
 */
static enum locus_status index_units(struct dwarf *dwarf, struct split_index *ret, struct locus_error *error)
{
	uint64_t size = dwarf_section(dwarf, DEBUG_INFO)->size;
	struct unit unit = {0};
	enum locus_status status = LOCUS_OK;
	for (uint64_t offset = 0; status == LOCUS_OK && offset < size; offset = unit.end) {
		status = unit_open_die(&unit, dwarf, offset, NULL, error);
		if (status == LOCUS_OK && is_half(&unit) && !add_entry(ret, unit.id, offset))
			status = locus_fail_memory(error);
	}
	unit_done(&unit);
	return status;
}

static bool is_package(const struct dwarf *dwarf)
{
	return dwarf->split && dwarf_section(dwarf, DEBUG_CU_INDEX)->size != 0;
}

/* Makes the index if there is none yet. The caller has the lock. */
static enum locus_status need_index(struct dwarf *dwarf, struct locus_error *error)
{
	if (dwarf->split_index)
		return LOCUS_OK;
	struct split_index *index = calloc(1, sizeof(*index));
	if (!index)
		return locus_fail_memory(error);

	dwarf_at(dwarf, DEBUG_INFO, 0, "units");
	enum locus_status status =
		is_package(dwarf) ? index_package(dwarf, index, error) : index_units(dwarf, index, error);
	if (status != LOCUS_OK) {
		index_free(index);
		return status;
	}
	sort_by_address(index->entries, index->count, sizeof(*index->entries), compare_entries);
	dwarf->split_index = index;
	return LOCUS_OK;
}

static enum locus_status not_in_it(const struct dwarf *dwarf, struct locus_error *error)
{
	return locus_fail(error, LOCUS_ERR_COMPANION, "split debug file %s is of another build: it lacks the unit's id",
			  dwarf->file->path);
}

/* Finds the unit's place. LOCUS_ERR_COMPANION: no unit has that id. */
static enum locus_status find_place(struct dwarf *dwarf, uint64_t id, uint64_t *ret_place, struct locus_error *error)
{
	short_lock_take(&dwarf->lock);
	enum locus_status status = need_index(dwarf, error);
	short_lock_release(&dwarf->lock);
	if (status != LOCUS_OK)
		return status;
	const struct split_index *index = dwarf->split_index;
	uint32_t at;
	SEARCH_FIRST(at, 0, index->count, index->entries[at].id >= id);
	if (at == index->count || index->entries[at].id != id)
		return not_in_it(dwarf, error);
	*ret_place = index->entries[at].place;
	return LOCUS_OK;
}

enum locus_status split_unit_find(struct dwarf *dwarf, uint64_t id, struct locus_error *error)
{
	uint64_t place;
	return find_place(dwarf, id, &place, error);
}

bool split_unit_find_skeleton(struct dwarf *dwarf, uint64_t id, uint64_t *ret_offset)
{
	enum locus_status status = find_place(dwarf, id, ret_offset, NULL);
	budget_note(status);
	return status == LOCUS_OK;
}

enum locus_status split_unit_prepare(struct dwarf *dwarf, struct locus_error *error)
{
	if (is_package(dwarf))
		return dwarf_prepare_section(dwarf, DEBUG_CU_INDEX, error);
	enum locus_status status = dwarf_prepare_some(dwarf, error);
	return status == LOCUS_OK ? dwarf_prepare_section(dwarf, DEBUG_INFO, error) : status;
}

/* Finds the unit's shares of the package's sections, in a row of its index. False: they are outside the sections. */
static bool find_shares(const struct dwarf *dwarf, uint64_t row, struct unit *unit)
{
	struct package_index index;
	if (!read_package_index(dwarf, &index))
		return false;
	cursor_skip(&index.offsets, UINT64_C(4) * index.column_count * (row - 1));
	cursor_skip(&index.sizes, UINT64_C(4) * index.column_count * (row - 1));

	for (uint32_t i = 0; i < index.column_count; i++) {
		enum debug_section which = column_section(index.version, cursor_u32(&index.columns));
		struct contribution share = {cursor_u32(&index.offsets), cursor_u32(&index.sizes)};
		if (which == DEBUG_SECTION_COUNT)
			continue;
		const struct section *section = dwarf_section(dwarf, which);
		if (share.offset > section->size || share.size > section->size - share.offset)
			return false;
		unit->share[which] = share;
		unit->shares_of |= UINT32_C(1) << which;
	}
	return true;
}

enum locus_status split_unit_open(struct dwarf *dwarf, uint64_t id, const struct unit *skeleton, struct unit *ret,
				  struct locus_error *error)
{
	uint64_t place;
	enum locus_status status = find_place(dwarf, id, &place, error);
	if (status != LOCUS_OK)
		return status;
	memset(ret->share, 0, sizeof(ret->share)); /* it may have been a unit of a package */
	ret->shares_of = 0;
	if (is_package(dwarf) && !find_shares(dwarf, place, ret))
		return damaged_package(dwarf, "leads outside of its sections", error);
	uint64_t offset = is_package(dwarf) ? ret->share[DEBUG_INFO].offset : place;
	status = unit_open(ret, dwarf, DEBUG_INFO, offset, NULL, skeleton, error);
	/* The index of a package of more than 4 GiB may lead to any unit: its offsets have 32 bits. */
	return status == LOCUS_OK && ret->id != id ? not_in_it(dwarf, error) : status;
}
