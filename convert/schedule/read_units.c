/*
 * Threads take units one by one from a queue. A skeleton's split unit is read together with it, and a very large unit
 * by all threads that have no other.
 */
#include "convert/schedule/read_units.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/parallel.h"
#include "convert/dwarf/die_reference.h"
#include "convert/dwarf/unit_open.h"
#include "convert/schedule/lone_tables.h"
#include "convert/schedule/shared_tables.h"

/* What one thread uses for reading units. `split` is reused from skeleton to skeleton. */
struct reading {
	struct units *units;
	unsigned thread;
	struct list_places floors; /* as in struct unit */
	struct table_references tables;
	struct unit_reader reader;
	struct unit unit;
	struct unit split;
};

/*
 * Notes the line table of the unit that was opened: it is referred to, even if the unit is not read further. If an
 * earlier unit may have the same table, the rows that no function of this one covers are left to shared_tables_read:
 * each unit would make the same pieces of them. False: out of memory.
 */
static bool note_table(struct reading *reading, uint32_t unit_index)
{
	struct units *units = reading->units;
	struct unit_reader *reader = &reading->reader;
	const uint64_t offset = reading->unit.stmt_list;
	passed_sections_note_table(&units->passed, reading->thread, offset);
	reader->leaves_rows = units->reads_all && table_references_may_have(&reading->tables, offset);
	return !units->reads_all ||
	       table_references_add(&reading->tables, &reading->unit, unit_index, reader->leaves_rows, &reader->arena);
}

/*
 * Notes of the unit, which was read, whether its table has to be read again for other units that have it, and whether
 * functions of it were dropped.
 */
static void note_whose_table(struct reading *reading)
{
	const struct unit_reader *reader = &reading->reader;
	struct table_references *tables = &reading->tables;
	if (!tables->count)
		return;
	struct table_reference *last = &tables->references[tables->count - 1];
	last->is_for_unit_only = !reader->rows.source.dwarf;
	last->has_dropped = reader->last_result && reader->last_result->has_dropped;
}

/* Reads the unit that was opened, which has code. */
static enum locus_status read_code(struct reading *reading, uint32_t unit_index, struct locus_error *error)
{
	struct units *units = reading->units;
	const struct unit *unit = &reading->unit;

	/* A skeleton's split unit is read in its place. How large those of later skeletons are is not known. */
	uint64_t left = dwarf_section(units->dwarf, DEBUG_INFO)->size - unit->end;
	if (unit->dwo_name) {
		left = UINT64_MAX;
		enum locus_status status = split_files_open_unit(units->split_files, unit, &reading->split, error);
		bool is_left_out = status == LOCUS_ERR_COMPANION && units->split_is_optional;
		if (status != LOCUS_OK && !is_left_out)
			return status;
		if (!is_left_out)
			unit = &reading->split;
	}
	return unit_is_large(&units->large, unit, left)
		       ? large_units_read(&units->large, &reading->reader, unit, &reading->unit, unit_index, error)
		       : unit_reader_read(&reading->reader, unit, &reading->unit, unit_index, error);
}

static enum locus_status read_unit(struct reading *reading, const struct taken_unit *taken, struct locus_error *error)
{
	struct units *units = reading->units;
	const struct unit *unit = &reading->unit;
	enum locus_status status =
		unit_open(&reading->unit, units->dwarf, DEBUG_INFO, taken->offset, taken->bytes, NULL, error);
	if (status != LOCUS_OK)
		return status;
	reading->unit.floors = reading->floors;
	reading->reader.leaves_rows = false;
	if (unit->stmt_list != UINT64_MAX && !note_table(reading, taken->index))
		return locus_fail_memory(error);
	if (unit->is_partial)
		die_index_expect(units->dwarf, unit);
	if (!unit->has_code)
		return LOCUS_OK;
	status = read_code(reading, taken->index, error);
	if (unit->lines.version)
		note_whose_table(reading);
	return status;
}

/* The place of a failure in the unit: its offset in .debug_info, and 1, because place 0 is a failure in .debug_str. */
static size_t place_of(const struct taken_unit *taken)
{
	return (size_t)taken->offset + 1;
}

/*
 * Takes the next unit. False: none is left, or something failed that comes before it. Units are taken in their order,
 * so that all before a unit that fails were taken, too, and the first one that does is known in the end.
 */
static bool take_unit(struct units *units, struct taken_unit *taken)
{
	struct locus_error error = {0};
	bool any;
	enum locus_status status = unit_queue_take(&units->queue, taken, &any, &error);
	first_failure_note(&units->failure, FAILURE_LAST, status, &error);
	return any && !first_failure_is_noted(&units->failure, place_of(taken));
}

/* Inflates .debug_str on the first thread that comes; another one begins with .debug_info meanwhile. */
static void read_strings(struct units *units)
{
	struct locus_error error = {0};
	if (units->dwarf->units_in_order && !atomic_exchange(&units->strings_are_taken, true))
		first_failure_note(&units->failure, 0, dwarf_prepare_section(units->dwarf, DEBUG_STR, &error), &error);
}

static void report_progress(struct units *units, uint64_t done)
{
	if (!units->progress)
		return;
	short_lock_take(&units->lock);
	units->progress(units->progress_context, done, dwarf_section(units->dwarf, DEBUG_INFO)->size);
	short_lock_release(&units->lock);
}

/* Adds what a thread has read to what the others have. */
static enum locus_status collect(struct reading *reading, struct locus_error *error)
{
	struct units *units = reading->units;
	short_lock_take(&units->lock);
	bool memory = table_references_join(&units->tables, &reading->tables);
	short_lock_release(&units->lock);
	return memory ? unit_results_collect(&units->results, &reading->reader, error) : locus_fail_memory(error);
}

/*
 * RULES A7: notes that units share line tables too often, as the failure of the first unit at which this is so. It
 * comes before what else fails in that unit, because with one thread the unit is not read any further.
 */
static void check_tables(struct units *units)
{
	struct locus_error error = {0};
	const struct table_reference *beyond =
		table_references_beyond(&units->tables, unit_rows_bytes_most(units->dwarf));
	if (beyond)
		first_failure_note(&units->failure, (size_t)beyond->unit_offset,
				   unit_rows_fail_endless(beyond->offset, &error), &error);
}

/* What each thread does. */
static void read_units(void *argument, unsigned thread)
{
	struct units *units = argument;
	struct reading reading = {.units = units, .thread = thread};
	struct locus_error error = {0};
	struct taken_unit taken = {0};
	read_strings(units);
	unit_reader_init(&reading.reader, units->shared);
	large_units_enter(&units->large);

	while (take_unit(units, &taken)) {
		reading.floors = passed_sections_begin_unit(&units->passed, thread);
		first_failure_note(&units->failure, place_of(&taken), read_unit(&reading, &taken, &error), &error);
		passed_sections_end_unit(&units->passed, thread, taken.end, &reading.unit.lines,
					 &reading.reader.scopes.ranges.ends);
		if (taken.end == taken.batch.end)
			report_progress(units, taken.end);
		large_units_help(&units->large, &reading.reader);
	}

	passed_sections_leave(&units->passed, thread);
	taken_unit_done(&units->queue, &taken);
	if (units->beside && !atomic_exchange(&units->beside_is_taken, true))
		units->beside(units->beside_context);
	large_units_leave(&units->large, &reading.reader);
	first_failure_note(&units->failure, FAILURE_LAST, collect(&reading, &error), &error);
	table_references_done(&reading.tables);
	unit_reader_done(&reading.reader);
	unit_done(&reading.unit);
	unit_done(&reading.split);
}

/*
 * Damage in a section that is inflated while units are read may first be met as a DIE, a row or a list that makes no
 * sense, or as bytes that cannot be inflated, in whichever place a thread has come to. So that the same is told
 * whatever the number of threads, their streams are gone through once more: if one is damaged, that is why units could
 * not be read.
 */
static enum locus_status blame_streams(const struct dwarf *dwarf, enum locus_status status, struct locus_error *error)
{
	static const enum debug_section streams[] = {DEBUG_INFO, DEBUG_LINE, DEBUG_RANGES, DEBUG_RNGLISTS};
	struct locus_error why = {0};
	if (status != LOCUS_ERR_BAD_DWARF && status != LOCUS_ERR_BAD_ELF)
		return status;
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		if (section_verify(dwarf_section(dwarf, streams[i]), &why) == LOCUS_ERR_BAD_ELF) {
			if (error)
				*error = why;
			return LOCUS_ERR_BAD_ELF;
		}
	return status;
}

static enum locus_status read_choice(struct units *units, const struct unit_choice *choice, unsigned thread_count,
				     struct locus_error *error)
{
	if (!unit_queue_init(&units->queue, units->dwarf, choice, thread_count)) {
		unit_queue_done(&units->queue);
		return locus_fail_memory(error);
	}
	passed_sections_init(&units->passed, units->dwarf, !choice, thread_count);
	first_failure_init(&units->failure);
	large_units_init(&units->large, dwarf_section(units->dwarf, DEBUG_INFO)->size, thread_count, &units->failure);
	locus_parallel(thread_count, read_units, units);
	large_units_done(&units->large);
	passed_sections_done(&units->passed);
	check_tables(units);
	struct locus_error wrong = {0};
	first_failure_note(&units->failure, FAILURE_LAST, unit_queue_check(&units->queue, &wrong), &wrong);
	enum locus_status status = first_failure_done(&units->failure, error);
	if (status == LOCUS_OK)
		status = dwarf_info_failure(units->dwarf, error);
	if (status != LOCUS_OK)
		status = blame_streams(units->dwarf, status, error);
	uint32_t count = units->queue.count;
	unit_queue_done(&units->queue);
	return status == LOCUS_OK && !unit_results_reserve(&units->results, count) ? locus_fail_memory(error) : status;
}

/* Whether lists of ranges are damaged, also behind the last one that a unit has. */
static enum locus_status check_lists(const struct units *units, struct locus_error *error)
{
	static const enum debug_section lists[] = {DEBUG_RANGES, DEBUG_RNGLISTS};
	enum locus_status status = LOCUS_OK;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]) && status == LOCUS_OK; i++) {
		struct section *section = dwarf_section(units->dwarf, lists[i]);
		status = section_skip(section, section->size, error);
	}
	return status;
}

/* Reads the line tables that no unit refers to. */
static enum locus_status read_lone_tables(struct units *units, struct locus_error *error)
{
	const struct table_references *tables = &units->tables;
	uint64_t *offsets = NULL;
	if (table_references_fill(tables, dwarf_section(units->dwarf, DEBUG_LINE)->size))
		return LOCUS_OK;
	offsets = calloc(tables->count + UINT64_C(1), sizeof(*offsets));
	if (!offsets)
		return locus_fail_memory(error);
	for (uint32_t i = 0; i < tables->count; i++)
		offsets[i] = tables->references[i].offset;
	enum locus_status status =
		lone_tables_read(units->dwarf, units->shared, offsets, tables->count, &units->results, error);
	free(offsets);
	return status;
}

enum locus_status units_read(struct units *units, unsigned thread_count, struct locus_error *error)
{
	units->reads_all = true;
	enum locus_status status = read_choice(units, NULL, thread_count, error);
	if (status == LOCUS_OK)
		status = check_lists(units, error);
	table_references_sort(&units->tables);
	if (status == LOCUS_OK)
		status = shared_tables_read(&units->tables, units->dwarf, units->shared, &units->results, error);
	return status == LOCUS_OK ? read_lone_tables(units, error) : status;
}

enum locus_status units_read_chosen(struct units *units, const struct unit_choice *choice, struct locus_error *error)
{
	enum locus_status status = read_choice(units, choice, 1, error);
	section_rewind(dwarf_section(units->dwarf, DEBUG_INFO));
	return status;
}

void units_init(struct units *units, struct dwarf *dwarf, struct split_files *split_files, struct shared *shared)
{
	*units = (struct units){.dwarf = dwarf, .split_files = split_files, .shared = shared};
	unit_results_init(&units->results);
	short_lock_init(&units->lock);
}

void units_done(struct units *units)
{
	unit_results_done(&units->results);
	table_references_done(&units->tables);
	short_lock_done(&units->lock);
}
