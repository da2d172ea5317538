/* Finds split units in .dwo files, by their ids, and in .dwp packages, by the package's index. */
#include "convert/dwarf/split_unit.h"

#include <dwarf.h>

#include "base/fail.h"
#include "convert/dwarf/unit_open.h"

/* The section a column of a .dwp's index means, by the index's version (DWARF 5, 7.3.5.3; GNU's version 2). */
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
	struct cursor c = {.p = section->data, .end = section->data + section->size, .swap = dwarf->file->swap};
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

/* The row of the unit with `id`, from 1; 0: not there. The hash table of DWARF 5, 7.3.5.3. */
static uint32_t package_row(const struct package_index *index, uint64_t id)
{
	uint64_t mask = index->slot_count - UINT64_C(1), slot = id & mask, step = (id >> 32 & mask) | 1;
	if (index->slot_count & mask)
		return 0; /* not a power of two */
	for (uint32_t i = 0; i < index->slot_count; i++, slot = (slot + step) & mask) {
		struct cursor signatures = index->signatures, rows = index->rows;
		cursor_skip(&signatures, 8 * slot);
		cursor_skip(&rows, 4 * slot);
		uint64_t signature = cursor_u64(&signatures);
		uint32_t row = cursor_u32(&rows);
		if (!row)
			return 0;
		if (row <= index->unit_count && signature == id)
			return row;
	}
	return 0;
}

/* Finds the unit's shares of the package's sections. False: it is not there, or they are outside the sections. */
static bool find_shares(const struct dwarf *dwarf, uint64_t id, struct unit *unit)
{
	struct package_index index;
	uint32_t row = read_package_index(dwarf, &index) ? package_row(&index, id) : 0;
	if (!row)
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
	}
	return true;
}

static enum locus_status not_in_it(const struct dwarf *dwarf, struct locus_error *error)
{
	return locus_fail(error, LOCUS_ERR_COMPANION, "split debug file %s is of another build: it lacks the unit's id",
			  dwarf->file->path);
}

enum locus_status split_unit_open(struct dwarf *dwarf, uint64_t id, const struct unit *skeleton, struct unit *ret,
				  struct locus_error *error)
{
	if (dwarf_section(dwarf, DEBUG_CU_INDEX)->size) {
		if (!find_shares(dwarf, id, ret))
			return not_in_it(dwarf, error);
		return unit_open(ret, dwarf, DEBUG_INFO, ret->share[DEBUG_INFO].offset, NULL, skeleton, NULL, error);
	}
	uint64_t size = dwarf_section(dwarf, DEBUG_INFO)->size;
	for (uint64_t offset = 0, next; offset < size; offset = next) {
		enum locus_status status = unit_open(ret, dwarf, DEBUG_INFO, offset, NULL, skeleton, &next, error);
		if (status != LOCUS_OK)
			return status;
		/* Before DWARF 5 it is a plain unit. */
		if ((ret->type == DW_UT_split_compile || ret->type == DW_UT_compile) && ret->id == id)
			return LOCUS_OK;
	}
	return not_in_it(dwarf, error);
}
