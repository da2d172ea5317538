/* What a file's units share: inflated sections, and an index that references across units are resolved by. */
#include "convert/dwarf.h"

#include <dwarf.h>
#include <stdlib.h>

#include "convert/array.h"
#include "convert/error.h"

/* A unit that something refers to. Opened when first referred to, and then kept. */
struct indexed_unit {
	enum debug_section where;
	uint64_t offset;
	uint64_t end;
	uint64_t signature; /* of a type unit */
	bool is_type;
	bool damaged;
	struct unit *unit; /* NULL: not opened yet */
};

struct dwarf_index {
	struct indexed_unit *units; /* by section, then offset */
	uint32_t count;
	uint32_t room;
};

void dwarf_init(struct dwarf *dwarf, struct elf_file *file)
{
	*dwarf = (struct dwarf){.file = file};
	pthread_mutex_init(&dwarf->lock, NULL);
}

void dwarf_done(struct dwarf *dwarf)
{
	if (!dwarf->file)
		return;
	for (size_t i = 0; dwarf->index && i < dwarf->index->count; i++)
		if (dwarf->index->units[i].unit) {
			unit_done(dwarf->index->units[i].unit);
			free(dwarf->index->units[i].unit);
		}
	if (dwarf->index)
		free(dwarf->index->units);
	free(dwarf->index);
	abbrev_section_done(&dwarf->abbrevs);
	pthread_mutex_destroy(&dwarf->lock);
	*dwarf = (struct dwarf){0};
}

enum locus_status dwarf_prepare_section(struct dwarf *dwarf, enum debug_section which, struct locus_error *error)
{
	const struct form_sizes sizes = {dwarf->file->class == ELFCLASS64 ? 8 : 4, 4, 4}; /* of most units there are */
	struct section *section = dwarf_section(dwarf, which);
	enum locus_status status = section_need(section, section->size, error);
	if (status != LOCUS_OK || which != DEBUG_ABBREV || dwarf->abbrevs.declarations)
		return status;
	return abbrev_section_read(&dwarf->abbrevs, section->data, section->size, &sizes)
		       ? LOCUS_OK
		       : fail(error, LOCUS_ERR_MEMORY, "out of memory");
}

enum locus_status dwarf_prepare(struct dwarf *dwarf, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	for (int i = 0; i < DEBUG_SECTION_COUNT && status == LOCUS_OK; i++)
		if (i != DEBUG_INFO)
			status = dwarf_prepare_section(dwarf, (enum debug_section)i, error);
	if (status != LOCUS_OK)
		return status;
	dwarf->refers_across = dwarf->split || dwarf->abbrevs.refers_across;
	return dwarf->refers_across ? dwarf_prepare_section(dwarf, DEBUG_INFO, error) : LOCUS_OK;
}

static bool index_add(struct dwarf_index *index, const struct indexed_unit *unit)
{
	if (!array_reserve(&index->units, &index->room, index->count + UINT64_C(1), sizeof *index->units))
		return false;
	index->units[index->count++] = *unit;
	return true;
}

/* Adds the units of a section by their headers alone. A damaged header ends the list: what follows has no start. */
static bool index_section(struct dwarf *dwarf, struct dwarf_index *index, enum debug_section where)
{
	const struct section *section = dwarf_section(dwarf, where);
	struct cursor c = {.p = section->data, .end = section->data + section->size, .swap = dwarf->file->swap};
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

static struct dwarf_index *dwarf_get_index(struct dwarf *dwarf)
{
	if (dwarf->index)
		return dwarf->index;
	struct section *info = dwarf_section(dwarf, DEBUG_INFO);
	struct dwarf_index *index = calloc(1, sizeof *index);
	if (!index || section_need(info, info->size, NULL) != LOCUS_OK || !index_section(dwarf, index, DEBUG_INFO) ||
	    !index_section(dwarf, index, DEBUG_TYPES)) {
		free(index ? index->units : NULL);
		free(index);
		return NULL;
	}
	return dwarf->index = index;
}

static struct indexed_unit *index_find(struct dwarf_index *index, enum debug_section where, uint64_t offset)
{
	size_t low = 0, high = index->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct indexed_unit *unit = &index->units[middle];
		if (unit->where < where || (unit->where == where && unit->end <= offset))
			low = middle + 1;
		else
			high = middle;
	}
	struct indexed_unit *found = low < index->count ? &index->units[low] : NULL;
	return found && found->where == where && found->offset <= offset ? found : NULL;
}

/* The unit, opened if it was not yet. Under the lock. */
static const struct unit *index_open(struct dwarf *dwarf, struct indexed_unit *indexed)
{
	if (indexed->unit || indexed->damaged)
		return indexed->unit;
	struct unit *unit = calloc(1, sizeof *unit);
	if (!unit)
		return NULL;
	if (unit_open(unit, dwarf, indexed->where, indexed->offset, NULL, NULL, NULL, NULL) != LOCUS_OK) {
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
	struct dwarf_index *index = dwarf_get_index(dwarf);
	struct indexed_unit *indexed = index ? index_find(index, where, offset) : NULL;
	const struct unit *unit = indexed ? index_open(dwarf, indexed) : NULL;
	pthread_mutex_unlock(&dwarf->lock);
	if (!unit || offset < unit->die_offset)
		return false;
	*ret = (struct die_ref){unit, offset};
	return true;
}

static bool die_by_signature(struct dwarf *dwarf, uint64_t signature, struct die_ref *ret)
{
	const struct unit *unit = NULL;
	if (!dwarf->refers_across) /* an abbreviation within another one: .debug_info may not be there as a whole */
		return false;
	pthread_mutex_lock(&dwarf->lock);
	struct dwarf_index *index = dwarf_get_index(dwarf);
	for (size_t i = 0; index && !unit && i < index->count; i++)
		if (index->units[i].is_type && index->units[i].signature == signature)
			unit = index_open(dwarf, &index->units[i]);
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
	return fail(error, LOCUS_ERR_COMPANION, "split debug file %s is of another build: it lacks the unit's id",
		    dwarf->file->path);
}

enum locus_status dwarf_split_unit(struct dwarf *dwarf, uint64_t id, const struct unit *skeleton, struct unit *ret,
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
		if (ret->type != DW_UT_split_type && ret->id == id)
			return LOCUS_OK;
	}
	return not_in_it(dwarf, error);
}
