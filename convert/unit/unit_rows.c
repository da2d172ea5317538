/*
 * Reads the rows of a unit: runs the line program, then replaces file indices in the rows of live sequences by ids.
 * Rows of a large program get their ids while it runs and are packed, because they would take more memory than the
 * intervals made of them.
 */
#include "convert/unit/unit_rows.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/fail.h"

/* Counts the tables that this process reads, so that each has a number: a struct unit_rows has several in turn. */
static atomic_uint_least64_t reading_count;

void unit_rows_done(struct unit_rows *rows)
{
	line_table_done(&rows->table);
	packed_rows_done(&rows->packed);
	free(rows->bad_rows);
	free(rows->source.comp_dir);
	sequences_done(&rows->sequences);
}

/*
 * Converts a file index of the table to an id. Whether a row has the file of the row before can hardly be foreseen, so
 * the id is looked up for each. An unknown file is counted as bad for each of its rows. False: out of memory.
 */
static inline bool number_file(uint32_t *file, const struct unit *unit, struct path_finder *paths, uint64_t *bad_count)
{
	uint32_t id = source_paths_known(unit, *file);
	if (id == FILE_UNKNOWN)
		id = source_paths_id(paths, unit, *file, bad_count);
	*file = id;
	return id != INTERN_FAILED;
}

/* Replaces the file indices that live sequences begin and end with by ids. False: out of memory. */
static bool number_outer_files(struct sequences *sequences, const struct unit *unit, struct path_finder *paths)
{
	uint64_t counted_with_rows = 0;
	bool memory = true;
	for (uint32_t i = 0; memory && i < sequences->count; i++)
		memory = number_file(&sequences->spans[i].first_file, unit, paths, &counted_with_rows) &&
			 number_file(&sequences->spans[i].last_file, unit, paths, &counted_with_rows);
	return memory;
}

/* Replaces the file indices in the rows of live sequences by ids. False: out of memory. */
static bool number_files(struct unit_rows *rows, const struct unit *unit, struct path_finder *paths,
			 uint64_t *bad_count)
{
	for (uint32_t i = 0; i < rows->sequences.count; i++) {
		const struct row_span *span = &rows->sequences.spans[i].span;
		struct split_row *row = rows->table.rows + span->row_first;
		for (uint32_t k = 0; k < span->row_count; k++, row++)
			if (!number_file(&row->file, unit, paths, bad_count))
				return false;
	}
	return true;
}

uint64_t unit_rows_bytes_most(const struct dwarf *dwarf)
{
	enum { READINGS_MAX = 16, BYTES_SPARE = 64 << 20 };
	return dwarf_section(dwarf, DEBUG_LINE)->size * READINGS_MAX + BYTES_SPARE;
}

enum locus_status unit_rows_fail_endless(uint64_t offset, struct locus_error *error)
{
	return locus_fail(error, LOCUS_ERR_BAD_DWARF,
			  "more units share line tables than can be, at the one at .debug_line+0x%llx",
			  (unsigned long long)offset);
}

/*
 * Whether the rows at hand are those of the unit's table. When LLVM writes a program of many units as text for an
 * assembler, all of them have one table (DWARF 5, 3.1.1 lets them).
 */
static bool is_read_already(const struct unit_rows *rows, const struct unit *unit)
{
	const struct rows_source *source = &rows->source;
	return source->dwarf == unit->dwarf && source->offset == unit->lines.offset &&
	       source->str_offsets_base == unit->str_offsets_base &&
	       strcmp(source->comp_dir, unit->comp_dir ? unit->comp_dir : "") == 0;
}

/* Notes that the rows at hand are those of the unit's table. */
static bool note_source(struct unit_rows *rows, const struct unit *unit)
{
	struct rows_source *source = &rows->source;
	const char *comp_dir = unit->comp_dir ? unit->comp_dir : "";
	const size_t size = strlen(comp_dir) + 1;
	if (size > source->comp_dir_room) {
		char *grown = realloc(source->comp_dir, size);
		if (!grown)
			return false;
		source->comp_dir = grown;
		source->comp_dir_room = size;
	}
	memcpy(source->comp_dir, comp_dir, size);
	source->dwarf = unit->dwarf;
	source->offset = unit->lines.offset;
	source->str_offsets_base = unit->str_offsets_base;
	source->sequence_count = rows->sequences.count;
	return true;
}

static void count_dropped(const struct line_table *table, const struct line_header *header,
			  uint64_t dropped[LOCUS_DROPPED_COUNT])
{
	dropped[LOCUS_DROPPED_DAMAGED_LINES] += table->left_open || table->has_nonsense || header->has_bad_directory;
	dropped[LOCUS_DROPPED_TOMBSTONE] += table->tombstone_count;
	dropped[LOCUS_DROPPED_EMPTY_SEQUENCE] += table->empty_count;
	dropped[LOCUS_DROPPED_BACKWARD_ROW] += table->backward_count;
	dropped[LOCUS_DROPPED_LONG_LINE] += table->long_line_count;
}

/* Packs the rows of a large table while it is read. */
struct packing_sink {
	struct unit_rows *rows;
	struct unit *unit;
	struct path_finder *paths;
};

/* The function of a struct row_sink. */
static bool pack_rows(void *argument, struct split_row *given, uint32_t count)
{
	struct packing_sink *sink = argument;
	struct unit_rows *rows = sink->rows;

	/* The program may have added files meanwhile. */
	if (!unit_grow_files(sink->unit))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t bad_count = 0;
		if (!number_file(&given[i].file, sink->unit, sink->paths, &bad_count))
			return false;
		if (bad_count) {
			if (!array_reserve(&rows->bad_rows, &rows->bad_row_room, rows->bad_row_count + UINT64_C(1),
					   sizeof(*rows->bad_rows)))
				return false;
			rows->bad_rows[rows->bad_row_count++] = rows->packed.count + i;
		}
	}
	return packed_rows_add(&rows->packed, given, count);
}

static enum locus_status read_packed(struct unit_rows *rows, struct unit *unit, const uint8_t *section,
				     struct path_finder *paths, struct locus_error *error)
{
	struct packing_sink packing = {.rows = rows, .unit = unit, .paths = paths};
	const struct row_sink sink = {pack_rows, &packing};
	packed_rows_done(&rows->packed);
	rows->bad_row_count = 0;
	enum locus_status status =
		line_table_read_into(&rows->table, &unit->lines, section, unit->dwarf->file->swap, &sink, error);
	if (status == LOCUS_OK && !packed_rows_end(&rows->packed))
		status = locus_fail_memory(error);
	return status;
}

/* The number of bad rows below `row`. */
static uint32_t bad_rows_below(const struct unit_rows *rows, uint32_t row)
{
	uint32_t below;
	SEARCH_FIRST(below, 0, rows->bad_row_count, rows->bad_rows[below] >= row);
	return below;
}

/* The number of rows without a file in live sequences of packed rows, whose files have ids already. */
static uint64_t count_bad_rows(const struct unit_rows *rows)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < rows->sequences.count; i++) {
		const struct row_span *span = &rows->sequences.spans[i].span;
		count +=
			bad_rows_below(rows, span->row_first + span->row_count) - bad_rows_below(rows, span->row_first);
	}
	return count;
}

/* Gives back the table's own sequences, if they are many: only the sorted ones are used from now on. */
static void trim_sequences(struct line_table *table)
{
	enum { SEQUENCES_KEPT = 1 << 14 };
	if (table->sequence_room <= SEQUENCES_KEPT)
		return;
	free(table->sequences);
	table->sequences = NULL;
	table->sequence_count = table->sequence_room = 0;
}

/* Reads the table of a unit that has one. */
static enum locus_status read_table(struct unit_rows *rows, struct unit *unit, const struct elf_file *linked,
				    struct path_finder *paths, uint64_t dropped[LOCUS_DROPPED_COUNT],
				    struct locus_error *error)
{
	enum { LARGE_PROGRAM = 1 << 20 }; /* bytes of a program whose rows would take some 8 MiB */
	uint64_t size, *bad_count = &dropped[LOCUS_DROPPED_BAD_FILE];
	const uint8_t *section = unit_section(unit, DEBUG_LINE, &size);
	rows->sequences.count = 0;
	rows->reading = 1 + atomic_fetch_add_explicit(&reading_count, 1, memory_order_relaxed);

	/* The program may define files, so it runs before room is made for their ids. */
	dwarf_at(unit->dwarf, DEBUG_LINE, unit->lines.offset, "rows");
	/* Packed rows have no columns. */
	rows->is_packed = unit->lines.end - unit->lines.program > LARGE_PROGRAM && !rows->table.keeps_columns;
	enum locus_status status =
		rows->is_packed ? read_packed(rows, unit, section, paths, error)
				: line_table_read(&rows->table, &unit->lines, section, unit->dwarf->file->swap, error);
	if (status != LOCUS_OK)
		return status;
	count_dropped(&rows->table, &unit->lines, dropped);

	/* Rows matter only for the sequences that are left. */
	bool memory = unit_grow_files(unit) && sequences_gather(&rows->sequences, &rows->table, linked, dropped) &&
		      number_outer_files(&rows->sequences, unit, paths);
	trim_sequences(&rows->table);
	if (memory && rows->is_packed)
		*bad_count += count_bad_rows(rows);
	else if (memory)
		memory = number_files(rows, unit, paths, bad_count);
	return memory && sequences_index(&rows->sequences) ? LOCUS_OK : locus_fail_memory(error);
}

enum locus_status unit_rows_read(struct unit_rows *rows, struct unit *unit, const struct elf_file *linked,
				 struct path_finder *paths, uint64_t dropped[LOCUS_DROPPED_COUNT],
				 struct locus_error *error)
{
	const uint32_t file_count = unit->lines.file_count;
	enum locus_status status = LOCUS_OK;

	/*
	 * To refer to a table whose header cannot be read is damage; to have no table is not. The next unit may have
	 * the table that was read last.
	 */
	if (!unit->lines.version) {
		dropped[LOCUS_DROPPED_DAMAGED_LINES] += unit->stmt_list != UINT64_MAX;
		rows->sequences.count = 0;
		return LOCUS_OK;
	}

	/* What is dropped counts for each unit, however often it is read. */
	if (is_read_already(rows, unit)) {
		rows->sequences.count = rows->source.sequence_count;
	} else {
		rows->source.dwarf = NULL;
		memset(rows->source_dropped, 0, sizeof(rows->source_dropped));
		rows->bytes_read += unit->lines.end - unit->lines.offset;
		if (rows->bytes_read > unit_rows_bytes_most(unit->dwarf))
			return unit_rows_fail_endless(unit->lines.offset, error);
		status = read_table(rows, unit, linked, paths, rows->source_dropped, error);
		/* Files that the program defines are known to this unit alone. */
		if (status == LOCUS_OK && unit->lines.file_count == file_count && !note_source(rows, unit))
			status = locus_fail_memory(error);
	}
	if (status != LOCUS_OK)
		return status;
	for (int i = 0; i < LOCUS_DROPPED_COUNT; i++)
		dropped[i] += rows->source_dropped[i];
	return LOCUS_OK;
}

/*
 * Unpacks the rows of the chosen spans, one span behind the other. Where the last call ended says nothing of other
 * rows.
 */
static bool unpack(const struct unit_rows *rows, struct chosen_rows *chosen)
{
	struct row_buffer *unpacked = &chosen->unpacked;
	if (chosen->cursor_reading != rows->reading)
		chosen->cursor = (struct row_cursor){0};
	chosen->cursor_reading = rows->reading;
	unpacked->count = 0;
	for (uint32_t i = 0; i < chosen->chosen.count; i++) {
		struct row_span *span = &chosen->chosen.spans[i];
		uint32_t first = unpacked->count;
		if (!packed_rows_get(&rows->packed, span->row_first, span->row_count, span->start, span->end,
				     &chosen->cursor, unpacked))
			return false;
		span->row_first = first;
		span->row_count = unpacked->count - first;
	}
	chosen->rows = unpacked->rows;
	return true;
}

bool unit_rows_choose(const struct unit_rows *rows, uint64_t start, uint64_t end, const struct preference *prefer,
		      struct chosen_rows *ret)
{
	ret->rows = rows->table.rows;
	ret->columns = rows->table.columns;
	return sequences_choose(&rows->sequences, start, end, prefer, &ret->chosen) &&
	       (!rows->is_packed || unpack(rows, ret));
}

void chosen_rows_done(struct chosen_rows *chosen)
{
	chosen_spans_done(&chosen->chosen);
	free(chosen->unpacked.rows);
}
