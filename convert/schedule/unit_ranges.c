/* The ranges come from .debug_aranges if it covers every unit, else from the units themselves. */
#include "convert/schedule/unit_ranges.h"

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
	struct unit_ranges *unit_ranges = argument;
	return add_offset(&unit_ranges->tabled, unit) && add_offset(&unit_ranges->units, unit);
}

static bool add_range(void *argument, uint64_t unit, uint64_t start, uint64_t end)
{
	struct unit_ranges *unit_ranges = argument;
	if (!array_reserve(&unit_ranges->ranges, &unit_ranges->range_room, unit_ranges->range_count + UINT64_C(1),
			   sizeof(*unit_ranges->ranges)))
		return false;
	unit_ranges->ranges[unit_ranges->range_count++] = (struct unit_range){{start, end}, unit};
	return true;
}

/* The number of line tables; 0: it cannot be found. */
static uint32_t count_line_tables(const struct dwarf *dwarf)
{
	const struct section *lines = dwarf_section(dwarf, DEBUG_LINE);
	uint32_t count = 0;
	if (!lines->data)
		return 0;
	struct cursor c = {.p = lines->data, .end = lines->data + lines->size, .swap = dwarf->file->swap};
	for (; cursor_left(&c); count++) {
		uint8_t offset_size;
		uint64_t length = cursor_initial_length(&c, &offset_size);
		cursor_skip(&c, length);
	}
	return c.bad ? 0 : count;
}

enum locus_status unit_ranges_from_table(struct unit_ranges *unit_ranges, struct dwarf *dwarf, bool *ret_complete,
					 struct locus_error *error)
{
	struct section *section = dwarf_section(dwarf, DEBUG_ARANGES);
	const struct arange_sink sink = {unit_ranges, add_unit, add_range};
	enum locus_status status = section_need(section, section->size, error);
	bool memory;
	if (status == LOCUS_ERR_BAD_ELF) {
		/* A table that cannot be inflated says nothing, like one that makes no sense: units can be asked. */
		*ret_complete = false;
		return LOCUS_OK;
	}
	if (status != LOCUS_OK)
		return status;

	uint8_t address_size = dwarf->file->class == ELFCLASS64 ? 8 : 4;
	bool sound = aranges_read(section->data, section->size, dwarf->file->swap, address_size, &sink, &memory);
	if (!memory)
		return locus_fail_memory(error);
	const uint64_t mode_bit = elf_file_mode_bit(dwarf->file);
	for (uint32_t i = 0; mode_bit && i < unit_ranges->range_count; i++) {
		struct range *range = &unit_ranges->ranges[i].range;
		*range = (struct range){range->start & ~mode_bit, range->end & ~mode_bit};
	}

	struct offset_list *tabled = &unit_ranges->tabled, *units = &unit_ranges->units;
	tabled->count = sort_unique(tabled->offsets, tabled->count);
	units->count = sort_unique(units->offsets, units->count);
	bool is_packed = dwarf_section(dwarf, DEBUG_LINE)->inflater;
	uint32_t count = is_packed ? dwarf->abbrevs.seen_count : count_line_tables(dwarf);
	*ret_complete = sound && count && count == unit_ranges->tabled.count;
	return LOCUS_OK;
}

static bool ask_unit(struct unit_ranges *unit_ranges, const struct unit *unit, struct given_ranges *given)
{
	bool memory = add_offset(&unit_ranges->units, unit->offset), says = false;
	if (memory && unit->stmt_list != UINT64_MAX)
		memory = add_offset(&unit_ranges->line_tables, unit->stmt_list);
	if (!unit->has_code || !memory)
		return memory;
	const struct range_list *list = &given->list;
	given->list.count = 0;
	memory = unit_own_ranges(unit, given, &says);
	ranges_count(unit, given); /* whether these are too many is asked when the unit is read */
	for (uint32_t i = 0; i < list->count && memory; i++)
		memory = add_range(unit_ranges, unit->offset, list->ranges[i].start, list->ranges[i].end);
	if (memory && !says && !has_offset(&unit_ranges->tabled, unit->offset))
		memory = add_offset(&unit_ranges->unsaid, unit->offset);
	return memory;
}

enum locus_status unit_ranges_from_dies(struct unit_ranges *unit_ranges, struct dwarf *dwarf, struct locus_error *error)
{
	struct given_ranges given = {0};
	unit_ranges->units.count = 0;
	struct unit unit = {0};
	struct unit_queue queue;
	struct taken_unit taken = {0};
	bool any = unit_queue_init(&queue, dwarf, NULL, 1);
	enum locus_status status = any ? LOCUS_OK : locus_fail_memory(error);
	while (status == LOCUS_OK && (status = unit_queue_take(&queue, &taken, &any, error)) == LOCUS_OK && any) {
		status = unit_open_die(&unit, dwarf, taken.offset, taken.bytes, error);
		if (status == LOCUS_OK && !ask_unit(unit_ranges, &unit, &given))
			status = locus_fail_memory(error);
	}

	taken_unit_done(&queue, &taken);
	unit_queue_done(&queue);
	unit_done(&unit);
	range_list_done(&given.list);
	section_rewind(dwarf_section(dwarf, DEBUG_INFO));
	unit_ranges->line_tables.count = sort_unique(unit_ranges->line_tables.offsets, unit_ranges->line_tables.count);
	return status;
}

uint32_t unit_ranges_unit_index(const struct unit_ranges *unit_ranges, uint64_t offset)
{
	return place_of(&unit_ranges->units, offset);
}

uint64_t unit_ranges_unit_size(const struct unit_ranges *unit_ranges, uint64_t offset, uint64_t info_size)
{
	uint32_t next = place_of(&unit_ranges->units, offset) + 1;
	uint64_t end = next < unit_ranges->units.count ? unit_ranges->units.offsets[next] : info_size;
	return end > offset ? end - offset : 0;
}

void unit_ranges_done(struct unit_ranges *unit_ranges)
{
	free(unit_ranges->ranges);
	free(unit_ranges->tabled.offsets);
	free(unit_ranges->units.offsets);
	free(unit_ranges->unsaid.offsets);
	free(unit_ranges->line_tables.offsets);
	*unit_ranges = (struct unit_ranges){0};
}
