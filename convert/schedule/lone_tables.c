/*
 * Tables follow each other in .debug_line, so that they can be found by their lengths alone. Where those that units
 * refer to fill the section, which is nearly always so, it need not be walked.
 */
#include "convert/schedule/lone_tables.h"

#include "base/fail.h"
#include "convert/dwarf/unit_open.h"

/*
 * Reads one table as if a unit without DIEs referred to it; its index is *unit_index, which becomes that of the next.
 * `unit` is zeroed, or was used for another table.
 */
static enum locus_status read_table(struct unit *unit, uint64_t offset, struct unit_reader *reader,
				    uint32_t *unit_index, struct locus_error *error)
{
	enum locus_status status = unit_open_lines(unit, offset, error);
	if (status == LOCUS_ERR_UNSUPPORTED) {
		reader->dropped[LOCUS_DROPPED_DAMAGED_LINES]++;
		return LOCUS_OK;
	}
	return status == LOCUS_OK ? unit_reader_read_lines(reader, unit, (*unit_index)++, error) : status;
}

enum locus_status lone_tables_read(struct dwarf *dwarf, struct shared *shared, const uint64_t *referred, uint32_t count,
				   struct unit_results *results, struct locus_error *error)
{
	/* What readers of units have given back is needed again. */
	struct section *section = dwarf_section(dwarf, DEBUG_LINE);
	enum locus_status status = section_keep_all(section, error);
	if (status == LOCUS_OK)
		status = dwarf_prepare_section(dwarf, DEBUG_LINE, error);
	if (status != LOCUS_OK)
		return status;

	struct cursor c = section_cursor(section, dwarf->file->swap);
	struct unit unit = {.dwarf = dwarf, .sizes.address = dwarf->file->class == ELFCLASS64 ? 8 : 4};
	struct unit_reader reader;
	uint32_t next = 0, unit_index = results->count;
	unit_reader_init(&reader, shared);

	while (status == LOCUS_OK && cursor_left(&c)) {
		uint64_t offset = (uint64_t)(c.p - section->data);
		uint8_t offset_size;
		uint64_t length = cursor_initial_length(&c, &offset_size);
		cursor_skip(&c, length);
		if (c.bad)
			break; /* what follows the last table is padding */
		while (next < count && referred[next] < offset)
			next++;
		bool is_lone = next == count || referred[next] != offset;
		if (is_lone && length)
			status = read_table(&unit, offset, &reader, &unit_index, error);
	}

	if (status == LOCUS_OK)
		status = unit_results_collect(results, &reader, error);
	unit_reader_done(&reader);
	unit_done(&unit);
	return status;
}
