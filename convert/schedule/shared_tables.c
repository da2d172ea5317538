/* Which units have a table is kept by unit, so that one walk over all pieces finds what the functions of each cover. */
#include "convert/schedule/shared_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "convert/dwarf/unit_open.h"

struct shared_table {
	const struct table_reference *first; /* that of its first unit */
	struct range_list covered;           /* by functions of its units */
	bool has_dropped;                    /* as in struct table_reference, of any of them */
};

struct shared_tables {
	struct shared_table *tables;
	uint32_t count, room;
	uint32_t *by_unit; /* by index of the unit, its table + 1; 0: it shares none. NULL: no unit shares one */
	uint32_t unit_count;
};

static void shared_tables_done(struct shared_tables *tables)
{
	for (uint32_t i = 0; i < tables->count; i++)
		range_list_done(&tables->tables[i].covered);
	free(tables->tables);
	free(tables->by_unit);
}

/* Adds a table that `count` units have, from the first of these references on. False: out of memory. */
static bool add_table(struct shared_tables *tables, const struct table_reference *first, uint32_t count)
{
	if (!tables->by_unit)
		tables->by_unit = calloc(tables->unit_count, sizeof(*tables->by_unit));
	if (!tables->by_unit ||
	    !array_reserve(&tables->tables, &tables->room, tables->count + UINT64_C(1), sizeof(*tables->tables)))
		return false;
	struct shared_table *table = &tables->tables[tables->count++];
	*table = (struct shared_table){.first = first};
	for (uint32_t i = 0; i < count; i++) {
		tables->by_unit[first[i].unit_index] = tables->count;
		table->has_dropped |= first[i].has_dropped;
	}
	return true;
}

/* Finds tables that several units have read, or of which one left rows. False: out of memory. */
static bool find_tables(struct shared_tables *tables, const struct table_references *references)
{
	const struct table_reference *all = references->references;
	bool memory = true;
	for (uint32_t first = 0, end; memory && first < references->count; first = end) {
		for (end = first + 1; end < references->count && table_references_same(&all[first], &all[end]);)
			end++;
		if (all[first].end && (end - first > 1 || all[first].leaves_rows))
			memory = add_table(tables, &all[first], end - first);
	}
	return memory;
}

/* The table of the piece's unit, if it is a shared one; else NULL. */
static struct shared_table *shared_table_of(const struct shared_tables *tables, const struct piece *piece)
{
	const uint32_t table = tables->by_unit[piece->function->unit_index];
	return table ? &tables->tables[table - 1] : NULL;
}

/* Drops the pieces without a function of units that share their table, and notes what the others cover of each. */
static bool cover(const struct shared_tables *tables, struct unit_results *results)
{
	uint32_t kept = 0;
	bool memory = true;
	for (uint32_t i = 0; memory && i < results->piece_count; i++) {
		const struct piece *piece = &results->pieces[i];
		struct shared_table *table = shared_table_of(tables, piece);
		if (table && piece->is_function)
			memory = range_list_add(&table->covered, piece->start, piece_end(piece));
		if (!table || piece->is_function)
			results->pieces[kept++] = *piece;
	}
	if (memory)
		results->piece_count = kept;
	return memory;
}

/* Makes pieces of what is not covered. `unit` is zeroed, or was used for another table. */
static enum locus_status read_rest(struct shared_table *table, struct unit *unit, struct unit_reader *reader,
				   struct locus_error *error)
{
	const struct table_reference *first = table->first;
	unit->comp_dir = first->comp_dir;
	unit->str_offsets_base = first->str_offsets_base;
	enum locus_status status = unit_open_lines(unit, first->offset, error);
	if (status != LOCUS_OK)
		return status == LOCUS_ERR_UNSUPPORTED ? LOCUS_OK : status;
	range_list_done(&reader->sum.covered);
	reader->sum.covered = table->covered;
	reader->sum.has_dropped = table->has_dropped;
	table->covered = (struct range_list){0};
	return unit_reader_read_lines(reader, unit, first->unit_index, error);
}

static enum locus_status read_tables(struct shared_tables *tables, struct dwarf *dwarf, struct shared *shared,
				     struct unit_results *results, struct locus_error *error)
{
	/* What readers of units have given back is needed again. */
	enum locus_status status = section_keep_all(dwarf_section(dwarf, DEBUG_LINE), error);
	if (status == LOCUS_OK)
		status = dwarf_prepare_section(dwarf, DEBUG_LINE, error);
	struct unit unit = {.dwarf = dwarf, .sizes.address = dwarf->file->class == ELFCLASS64 ? 8 : 4};
	struct unit_reader reader;
	unit_reader_init(&reader, shared);
	for (uint32_t i = 0; i < tables->count && status == LOCUS_OK; i++)
		status = read_rest(&tables->tables[i], &unit, &reader, error);

	/* What is dropped of the tables was counted when the units were read, which have their results. */
	memset(reader.dropped, 0, sizeof(reader.dropped));
	reader.last_result = NULL;
	if (status == LOCUS_OK)
		status = unit_results_collect(results, &reader, error);
	unit_reader_done(&reader);
	unit_done(&unit);
	return status;
}

enum locus_status shared_tables_read(const struct table_references *references, struct dwarf *dwarf,
				     struct shared *shared, struct unit_results *results, struct locus_error *error)
{
	struct shared_tables tables = {.unit_count = results->count};
	enum locus_status status = LOCUS_OK;
	if (!find_tables(&tables, references) || (tables.count && !cover(&tables, results)))
		status = locus_fail_memory(error);
	if (status == LOCUS_OK && tables.count)
		status = read_tables(&tables, dwarf, shared, results, error);
	shared_tables_done(&tables);
	return status;
}
