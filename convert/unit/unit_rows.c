/* Reading a unit's rows: the line program runs, then the rows of live sequences get their files' ids. */
#include "convert/unit/unit_rows.h"

#include "base/fail.h"

void unit_rows_done(struct unit_rows *rows)
{
	line_table_done(&rows->table);
	sequences_done(&rows->sequences);
}

/* From the table's file indices to ids, for the rows of live sequences. */
static bool number_files(struct unit_rows *rows, const struct unit *unit, struct files *files, uint64_t *bad_count)
{
	for (uint32_t i = 0; i < rows->sequences.count; i++) {
		struct sequence_span *sequence = &rows->sequences.spans[i];
		const struct row_span *span = &sequence->span;
		struct split_row *row = rows->table.rows + span->row_first;
		uint32_t index = 0, id = FILE_UNKNOWN;
		for (uint32_t k = 0; k < span->row_count; k++, row++) {
			/* Rows mostly are of the file of the row before. For an unknown file files_id is called
			 * again, so that each such row is counted as bad. */
			if (row->file != index || id == FILE_UNKNOWN) {
				index = row->file;
				id = files_id(files, unit, index, bad_count);
			}
			if (id == INTERN_FAILED)
				return false;
			row->file = id;
		}
		sequence->first_file = rows->table.rows[span->row_first].file;
		sequence->first_line = rows->table.rows[span->row_first].line;
	}
	return true;
}

/* RULES A7: whether so many units share line tables that no compiler can have written them. */
static bool lines_are_endless(const struct unit *unit)
{
	enum { READINGS_MAX = 16, BYTES_SPARE = 64 << 20 };
	uint64_t bytes = unit->lines.end - unit->lines.offset, size = dwarf_section(unit->dwarf, DEBUG_LINE)->size;
	return atomic_fetch_add_explicit(&unit->dwarf->line_bytes, bytes, memory_order_relaxed) + bytes >
	       size * READINGS_MAX + BYTES_SPARE;
}

static void count_dropped(const struct line_table *table, uint64_t dropped[LOCUS_DROPPED_COUNT])
{
	dropped[LOCUS_DROPPED_DAMAGED_LINES] += table->left_open;
	dropped[LOCUS_DROPPED_TOMBSTONE] += table->tombstone_count;
	dropped[LOCUS_DROPPED_EMPTY_SEQUENCE] += table->empty_count;
	dropped[LOCUS_DROPPED_BACKWARD_ROW] += table->backward_count;
	dropped[LOCUS_DROPPED_LONG_LINE] += table->long_line_count;
}

enum locus_status unit_rows_read(struct unit_rows *rows, struct unit *unit, const struct elf_file *linked,
				 struct files *files, uint64_t dropped[LOCUS_DROPPED_COUNT], struct locus_error *error)
{
	uint64_t size;
	const uint8_t *section = unit_section(unit, DEBUG_LINE, &size);
	rows->sequences.count = 0;

	/* A table that is referred to and has no header that can be read is damage; no table at all is none. */
	if (!unit->lines.version) {
		dropped[LOCUS_DROPPED_DAMAGED_LINES] += unit->stmt_list != UINT64_MAX;
		return LOCUS_OK;
	}
	if (lines_are_endless(unit))
		return locus_fail_at(error, LOCUS_ERR_BAD_DWARF, unit->lines.offset,
				     "more units share line tables than can be, at the one at .debug_line+0x%llx",
				     (unsigned long long)unit->lines.offset);

	dwarf_at(unit->dwarf, DEBUG_LINE, unit->lines.offset, "rows");
	/* The program may define files, so that it runs before there is room for their ids. */
	enum locus_status status = line_table_read(&rows->table, &unit->lines, section, unit->dwarf->file->swap, error);
	if (status != LOCUS_OK)
		return status;
	count_dropped(&rows->table, dropped);
	if (!unit_grow_files(unit) || !sequences_gather(&rows->sequences, &rows->table, linked, dropped) ||
	    !number_files(rows, unit, files, &dropped[LOCUS_DROPPED_BAD_FILE]))
		return locus_fail_memory(error);
	return LOCUS_OK;
}

bool unit_rows_choose(const struct unit_rows *rows, uint64_t start, uint64_t end, const struct preference *prefer,
		      struct chosen_rows *ret)
{
	ret->rows = rows->table.rows;
	return sequences_choose(&rows->sequences, start, end, prefer, &ret->chosen);
}

void chosen_rows_done(struct chosen_rows *chosen)
{
	chosen_spans_done(&chosen->chosen);
}
