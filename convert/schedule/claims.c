/* Claims come from .debug_aranges if it covers every unit, else from the units themselves. */
#include "convert/schedule/claims.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/fail.h"
#include "base/sort.h"
#include "convert/dwarf/aranges.h"
#include "convert/dwarf/ranges.h"
#include "convert/dwarf/unit_open.h"
#include "convert/schedule/unit_queue.h"

static bool add_offset(struct offset_list *list, uint64_t offset)
{
	if (!array_reserve(&list->offsets, &list->room, list->count + UINT64_C(1), sizeof(*list->offsets)))
		return false;
	list->offsets[list->count++] = offset;
	return true;
}

/* The index of the first offset that is not below `offset`. */
static uint32_t place_of(const struct offset_list *list, uint64_t offset)
{
	uint32_t place;
	SEARCH_FIRST(place, 0, list->count, list->offsets[place] >= offset);
	return place;
}

static bool has_offset(const struct offset_list *list, uint64_t offset)
{
	uint32_t place = place_of(list, offset);
	return place < list->count && list->offsets[place] == offset;
}

static bool add_unit(void *argument, uint64_t unit)
{
	struct claims *claims = argument;
	return add_offset(&claims->tabled, unit) && add_offset(&claims->units, unit);
}

static bool add_range(void *argument, uint64_t unit, uint64_t start, uint64_t end)
{
	struct claims *claims = argument;
	if (!array_reserve(&claims->claims, &claims->claim_room, claims->claim_count + UINT64_C(1),
			   sizeof(*claims->claims)))
		return false;
	claims->claims[claims->claim_count++] = (struct claim){{start, end}, unit};
	return true;
}

static int compare_offsets(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static void put_in_order(struct offset_list *list)
{
	uint32_t kept = 0;
	sort_by_address(list->offsets, list->count, sizeof(*list->offsets), compare_offsets);
	for (uint32_t i = 0; i < list->count; i++)
		if (!kept || list->offsets[kept - 1] != list->offsets[i])
			list->offsets[kept++] = list->offsets[i];
	list->count = kept;
}

/* The number of line tables; 0: it cannot be found. */
static uint32_t count_line_tables(const struct dwarf *dwarf)
{
	const struct section *lines = dwarf_section(dwarf, DEBUG_LINE);
	struct cursor c = {.p = lines->data, .end = lines->data + lines->size, .swap = dwarf->file->swap};
	uint32_t count = 0;
	for (; cursor_left(&c); count++) {
		uint8_t offset_size;
		uint64_t length = cursor_initial_length(&c, &offset_size);
		cursor_skip(&c, length);
	}
	return c.bad ? 0 : count;
}

enum locus_status claims_from_table(struct claims *claims, struct dwarf *dwarf, bool *ret_complete,
				    struct locus_error *error)
{
	struct section *section = dwarf_section(dwarf, DEBUG_ARANGES);
	const struct arange_sink sink = {claims, add_unit, add_range};
	enum locus_status status = section_need(section, section->size, error);
	bool memory;
	if (status != LOCUS_OK)
		return status;
	uint8_t address_size = dwarf->file->class == ELFCLASS64 ? 8 : 4;
	bool sound = aranges_read(section->data, section->size, dwarf->file->swap, address_size, &sink, &memory);
	if (!memory)
		return locus_fail_memory(error);
	put_in_order(&claims->tabled);
	put_in_order(&claims->units);
	bool is_packed = dwarf_section(dwarf, DEBUG_LINE)->inflater;
	uint32_t count = is_packed ? dwarf->abbrevs.seen_count : count_line_tables(dwarf);
	*ret_complete = sound && count && count == claims->tabled.count;
	return LOCUS_OK;
}

static bool ask_unit(struct claims *claims, const struct unit *unit, struct range_list *ranges)
{
	bool memory = add_offset(&claims->units, unit->offset), says = false;
	if (memory && unit->stmt_list != UINT64_MAX)
		memory = add_offset(&claims->line_tables, unit->stmt_list);
	if (!unit->has_code || !memory)
		return memory;
	ranges->count = 0;
	memory = unit_own_ranges(unit, ranges, &says);
	for (uint32_t i = 0; i < ranges->count && memory; i++)
		memory = add_range(claims, unit->offset, ranges->ranges[i].start, ranges->ranges[i].end);
	if (memory && !says && !has_offset(&claims->tabled, unit->offset))
		memory = add_offset(&claims->unsaid, unit->offset);
	return memory;
}

enum locus_status claims_from_units(struct claims *claims, struct dwarf *dwarf, struct locus_error *error)
{
	struct range_list ranges = {0};
	claims->units.count = 0;
	struct unit unit = {0};
	struct unit_queue queue;
	struct taken_unit taken = {0};
	bool any = unit_queue_init(&queue, dwarf, NULL, 1);
	enum locus_status status = any ? LOCUS_OK : locus_fail_memory(error);
	while (status == LOCUS_OK && (status = unit_queue_take(&queue, &taken, &any, error)) == LOCUS_OK && any) {
		status = unit_open_die(&unit, dwarf, taken.offset, taken.bytes, error);
		if (status == LOCUS_OK && !ask_unit(claims, &unit, &ranges))
			status = locus_fail_memory(error);
	}
	taken_unit_done(&taken);
	unit_queue_done(&queue);
	unit_done(&unit);
	range_list_done(&ranges);
	section_rewind(dwarf_section(dwarf, DEBUG_INFO));
	return status;
}

uint32_t claims_unit_index(const struct claims *claims, uint64_t offset)
{
	return place_of(&claims->units, offset);
}

uint64_t claims_unit_size(const struct claims *claims, uint64_t offset, uint64_t info_size)
{
	uint32_t next = place_of(&claims->units, offset) + 1;
	uint64_t end = next < claims->units.count ? claims->units.offsets[next] : info_size;
	return end > offset ? end - offset : 0;
}

void claims_done(struct claims *claims)
{
	free(claims->claims);
	free(claims->tabled.offsets);
	free(claims->units.offsets);
	free(claims->unsaid.offsets);
	free(claims->line_tables.offsets);
	*claims = (struct claims){0};
}
