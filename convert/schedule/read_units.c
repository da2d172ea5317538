/*
 * Threads take units one by one, and memory of the file behind them is given back. A skeleton's split unit is read
 * together with it.
 */
#include "convert/schedule/read_units.h"

#include <dwarf.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/fail.h"
#include "base/first_failure.h"
#include "base/order.h"
#include "base/parallel.h"
#include "base/path.h"
#include "base/short_lock.h"
#include "base/sort.h"
#include "convert/dwarf/companion.h"
#include "convert/dwarf/die_reference.h"
#include "convert/dwarf/split_unit.h"
#include "convert/dwarf/unit_open.h"
#include "convert/schedule/merge_pieces.h"

/*
 * The name by which skeletons refer to a .dwo, and the file. After link-time optimisation many skeletons may name one
 * .dwo; the first that needs it opens it.
 */
struct split_name {
	char *name; /* the directory of the compilation, a NUL, and DW_AT_dwo_name */
	size_t size;
	struct short_lock lock; /* guards the fields below */
	struct split_file *split;
	enum locus_status status;
	struct locus_error error;
};

/* Makes room for at least `count` results. */
static bool grow_results(struct units *units, uint32_t count)
{
	if (!array_reserve(&units->results, &units->result_room, count, sizeof(*units->results)))
		return false;
	while (units->count < count)
		units->results[units->count++] = NULL;
	return true;
}

/* Sets from where on the thread may still read .debug_line. The caller has the lock. */
static void set_floor(struct units *units, unsigned thread, uint64_t floor)
{
	if (units->line_floors)
		units->line_floors[thread] = floor;
}

/* Notes that the unit refers to its line table. */
static bool note_line_table(struct units *units, const struct unit *unit, unsigned thread)
{
	short_lock_take(&units->lock);
	uint64_t count = units->line_table_count + UINT64_C(1);
	bool memory =
		array_reserve(&units->line_tables, &units->line_table_room, count, sizeof(*units->line_tables)) &&
		array_reserve(&units->line_table_ends, &units->line_end_room, count, sizeof(*units->line_table_ends));
	if (memory) {
		units->line_tables[units->line_table_count] = unit->stmt_list;
		units->line_table_ends[units->line_table_count++] = unit->lines.version ? unit->lines.end : 0;
	}
	set_floor(units, thread, unit->stmt_list);
	short_lock_release(&units->lock);
	return memory;
}

static enum locus_status add_split_file(struct units *units, struct elf_file *file, struct split_file **ret,
					struct locus_error *error)
{
	struct split_file *split = calloc(1, sizeof(*split));
	if (!split) {
		elf_file_free(file);
		return locus_fail_memory(error);
	}
	split->file = file;
	dwarf_init(&split->dwarf, file);
	split->dwarf.split = true;
	short_lock_take(&units->lock);
	split->next = units->split_files;
	units->split_files = split;
	short_lock_release(&units->lock);
	*ret = split;
	return units->is_survey ? LOCUS_OK : dwarf_prepare(&split->dwarf, error);
}

static int compare_names(const void *x, const void *y)
{
	const struct split_name *a = x, *b = y;
	if (a->size != b->size)
		return order_of(a->size, b->size);
	return memcmp(a->name, b->name, a->size);
}

static void free_name(void *node)
{
	struct split_name *name = node;
	short_lock_done(&name->lock);
	free(name->name);
	free(name);
}

static struct split_name *new_name(const struct unit *skeleton)
{
	const char *directory = skeleton->comp_dir ? skeleton->comp_dir : "";
	size_t directory_size = strlen(directory) + 1, size = directory_size + strlen(skeleton->dwo_name);
	struct split_name *name = budget_take(size) ? calloc(1, sizeof(*name)) : NULL;
	if (!name || !(name->name = malloc(size + 1))) {
		free(name);
		return NULL;
	}
	memcpy(name->name, directory, directory_size);
	strcpy(name->name + directory_size, skeleton->dwo_name);
	name->size = size;
	short_lock_init(&name->lock);
	return name;
}

/* Finds or makes the entry of the .dwo that a skeleton names. NULL: out of memory. */
static struct split_name *find_name(struct units *units, const struct unit *skeleton)
{
	struct split_name *name = new_name(skeleton), **found;
	if (!name)
		return NULL;
	short_lock_take(&units->lock);
	found = tsearch(name, &units->split_names, compare_names);
	short_lock_release(&units->lock);
	if (!found || *found != name)
		free_name(name);
	return found ? *found : NULL;
}

/* Opens the .dwo that a skeleton names. */
static enum locus_status find_split_file(struct units *units, const struct unit *skeleton, struct split_file **ret,
					 struct locus_error *error)
{
	struct split_name *name = find_name(units, skeleton);
	struct elf_file *file;
	if (!name)
		return locus_fail_memory(error);

	short_lock_take(&name->lock);
	if (!name->split && name->status == LOCUS_OK) {
		name->status = companion_dwo(units->path, skeleton, &file, &name->error);
		if (name->status == LOCUS_OK)
			name->status = add_split_file(units, file, &name->split, &name->error);
	}

	*ret = name->split;
	enum locus_status status = name->status;
	if (status != LOCUS_OK)
		*error = name->error;
	short_lock_release(&name->lock);
	return status;
}

/* Opens the split unit of a skeleton. */
static enum locus_status open_split(struct units *units, const struct unit *skeleton, struct unit *ret,
				    struct locus_error *error)
{
	struct split_file *split = units->package;
	enum locus_status status = split ? LOCUS_OK : find_split_file(units, skeleton, &split, error);
	return status == LOCUS_OK ? split_unit_open(&split->dwarf, skeleton->id, skeleton, ret, error) : status;
}

enum locus_status units_find_split_files(struct units *units, struct locus_error *error)
{
	struct section *info = dwarf_section(units->dwarf, DEBUG_INFO);
	struct unit unit = {0};
	struct split_file *split;
	enum locus_status status = dwarf_prepare_some(units->dwarf, error);
	if (status == LOCUS_OK)
		status = dwarf_prepare_section(units->dwarf, DEBUG_INFO, error);
	for (uint64_t at = 0; status == LOCUS_OK && at < info->size; at = unit.end) {
		status = unit_open_die(&unit, units->dwarf, at, NULL, error);
		if (status == LOCUS_OK && unit.has_code && unit.dwo_name)
			status = find_split_file(units, &unit, &split, error);
	}
	unit_done(&unit);
	return status;
}

/* What one thread uses for reading units. `split` is reused from skeleton to skeleton. */
struct reading {
	struct units *units;
	unsigned thread;
	struct unit_reader reader;
	struct unit unit;
	struct unit split;
};

static enum locus_status read_unit(struct reading *reading, const struct taken_unit *taken, struct locus_error *error)
{
	struct units *units = reading->units;
	const struct unit *unit = &reading->unit;
	enum locus_status status =
		unit_open(&reading->unit, units->dwarf, DEBUG_INFO, taken->offset, taken->bytes, NULL, error);
	if (status != LOCUS_OK)
		return status;

	/* Its line table is referred to, even if the unit is not read further. */
	if (unit->stmt_list != UINT64_MAX && !note_line_table(units, unit, reading->thread))
		return locus_fail_memory(error);
	if (!unit->has_code)
		return LOCUS_OK;

	/* A skeleton's split unit is read in its place. */
	if (unit->dwo_name) {
		memset(reading->split.share, 0, sizeof(reading->split.share));
		status = open_split(units, unit, &reading->split, error);
		if (status != LOCUS_OK)
			return status;
		unit = &reading->split;
	}
	struct unit_result *result;
	status = unit_is_large(&units->large, unit)
			 ? large_units_read(&units->large, &reading->reader, unit, &reading->unit, taken->index,
					    &result, error)
			 : unit_reader_read(&reading->reader, unit, &reading->unit, taken->index, &result, error);
	if (status != LOCUS_OK)
		return status;

	/* Results are stored by unit, so that the order in which threads finish does not matter. */
	short_lock_take(&units->lock);
	bool memory = grow_results(units, taken->index + 1);
	if (memory)
		units->results[taken->index] = result;
	short_lock_release(&units->lock);
	return memory ? LOCUS_OK : locus_fail_memory(error);
}

/* Moves what a thread has read to the results of all. Its pieces are sorted. The caller has the lock. */
static enum locus_status collect_results(struct units *units, struct unit_reader *reader, struct locus_error *error)
{
	arena_join(&units->arena, &reader->arena);
	for (int i = 0; i < LOCUS_DROPPED_COUNT; i++)
		units->dropped[i] += reader->dropped[i];
	if (!reader->piece_count)
		return LOCUS_OK;
	if (!units->pieces) {
		units->pieces = reader->pieces;
		units->piece_count = reader->piece_count;
		units->piece_room = reader->piece_room;
		reader->pieces = NULL;
		return LOCUS_OK;
	}
	if (!array_reserve(&units->pieces, &units->piece_room, units->piece_count + (uint64_t)reader->piece_count,
			   sizeof(*units->pieces)))
		return locus_fail_memory(error);
	pieces_merge(units->pieces, units->piece_count, reader->pieces, reader->piece_count);
	units->piece_count += reader->piece_count;
	return LOCUS_OK;
}

/* A part of a section. */
struct extent {
	uint64_t from, to;
};

/*
 * Says which memory behind all readers to give back: much at a time, because each time interrupts every processor. If a
 * slow reader still needs some of it, it comes back from the file, so the lock is not needed while it is given back.
 * The caller has the lock.
 */
static struct extent pass_behind(uint64_t *released, uint64_t reached)
{
	enum { KEPT = 2 << 20, STEP = 4 << 20 };
	struct extent passed = {*released, *released};
	if (reached >= *released + KEPT + STEP)
		passed.to = *released = reached - KEPT;
	return passed;
}

/*
 * Gives back a .debug_line that is inflated: if a unit has its table in the part given back, that is inflated again.
 * So only what no thread can be reading is given back. The caller has the lock.
 */
static void forget_lines(struct units *units, unsigned thread)
{
	enum { KEPT = 1 << 20, STEP = 2 << 20 };
	uint64_t end = units->lines_reached;
	for (unsigned i = 0; i < units->thread_count; i++)
		if (i != thread && units->line_floors[i] < end)
			end = units->line_floors[i];
	if (end < units->lines_released + KEPT + STEP)
		return;
	section_forget(dwarf_section(units->dwarf, DEBUG_LINE), end - KEPT);
	units->lines_released = end - KEPT;
}

/*
 * Gives .debug_info back where it is inflated in place. The thread has read what lies below `end`, and the other
 * threads what lies below the ends of their last units. The caller has the lock.
 */
static void forget_info(struct units *units, unsigned thread, uint64_t end)
{
	enum { STEP = 2 << 20 };
	units->info_floors[thread] = end;
	for (unsigned i = 0; i < units->thread_count; i++)
		end = units->info_floors[i] < end ? units->info_floors[i] : end;
	if (end < units->info_released + STEP || !die_index_pass(units->dwarf, end))
		return;
	section_forget(dwarf_section(units->dwarf, DEBUG_INFO), end);
	units->info_released = end;
}

static void release_unit(struct units *units, const struct taken_unit *taken, const struct line_header *lines,
			 unsigned thread)
{
	struct section *info = dwarf_section(units->dwarf, DEBUG_INFO);
	struct extent info_passed = {0}, lines_passed = {0};
	short_lock_take(&units->lock);
	if (units->info_floors)
		forget_info(units, thread, taken->end);
	else
		info_passed = pass_behind(&units->info_released, taken->end);
	if (lines->version && lines->end > units->lines_reached)
		units->lines_reached = lines->end;
	if (units->line_floors)
		forget_lines(units, thread);
	else
		lines_passed = pass_behind(&units->lines_released, units->lines_reached);
	if (units->progress)
		units->progress(units->progress_context, taken->end, info->size);
	short_lock_release(&units->lock);
	section_release(info, info_passed.from, info_passed.to);
	section_release(dwarf_section(units->dwarf, DEBUG_LINE), lines_passed.from, lines_passed.to);
}

/* Inflates some of .debug_line ahead, so that threads seldom meet where they need a table that is not there yet. */
static void advance_lines(struct units *units, uint64_t reached)
{
	enum { AHEAD = 1 << 20 };
	struct section *lines = dwarf_section(units->dwarf, DEBUG_LINE);
	if (units->thread_count > 1 && !section_has(lines, reached + AHEAD))
		section_advance(lines);
}

/* Until the thread has opened its next unit it may read any line table that is still there. */
static void begin_unit(struct units *units, unsigned thread)
{
	short_lock_take(&units->lock);
	uint64_t reached = units->lines_reached;
	set_floor(units, thread, units->lines_released);
	short_lock_release(&units->lock);
	advance_lines(units, reached);
}

/* Notes that the thread opens no further unit. */
static void end_units(struct units *units, unsigned thread)
{
	short_lock_take(&units->lock);
	set_floor(units, thread, UINT64_MAX);
	if (units->info_floors)
		units->info_floors[thread] = UINT64_MAX;
	short_lock_release(&units->lock);
}

/* Takes the next unit. False: none is left, or something failed. */
static bool take_unit(struct units *units, struct taken_unit *taken)
{
	struct locus_error error = {0};
	bool any;
	if (first_failure_is_noted(&units->failure))
		return false;
	first_failure_note(&units->failure, unit_queue_take(&units->queue, taken, &any, &error), &error);
	return any;
}

/* Inflates .debug_str on the first thread that comes; another one begins with .debug_info meanwhile. */
static void read_strings(struct units *units)
{
	struct locus_error error = {0};
	if (units->dwarf->units_in_order && !atomic_exchange(&units->strings_are_taken, true))
		first_failure_note(&units->failure, dwarf_prepare_section(units->dwarf, DEBUG_STR, &error), &error);
}

static void read_units(void *argument, unsigned thread)
{
	struct units *units = argument;
	struct reading reading = {.units = units, .thread = thread};
	struct locus_error error = {0};
	struct taken_unit taken = {0};
	read_strings(units);
	unit_reader_init(&reading.reader, units->shared);
	large_units_enter(&units->large);
	begin_unit(units, thread);

	while (take_unit(units, &taken)) {
		first_failure_note(&units->failure, read_unit(&reading, &taken, &error), &error);
		release_unit(units, &taken, &reading.unit.lines, thread);
		large_units_help(&units->large, &reading.reader);
		begin_unit(units, thread);
	}

	end_units(units, thread);
	taken_unit_done(&units->queue, &taken);
	if (units->beside && !atomic_exchange(&units->beside_is_taken, true))
		units->beside(units->beside_context);
	large_units_leave(&units->large, &reading.reader);
	pieces_sort(reading.reader.pieces, reading.reader.piece_count);
	short_lock_take(&units->lock);
	first_failure_note(&units->failure, collect_results(units, &reading.reader, &error), &error);
	short_lock_release(&units->lock);
	unit_reader_done(&reading.reader);
	unit_done(&reading.unit);
	unit_done(&reading.split);
}

/* Reads a line table that no unit refers to, as if a unit without DIEs did. */
static enum locus_status read_lone_table(struct units *units, struct reading *reading, uint64_t offset,
					 struct locus_error *error)
{
	struct unit *unit = &reading->unit;
	unit->dwarf = units->dwarf;
	unit->sizes.address = units->dwarf->file->class == ELFCLASS64 ? 8 : 4;
	enum locus_status status = unit_open_lines(unit, offset, error);
	if (status == LOCUS_ERR_UNSUPPORTED) {
		units->dropped[LOCUS_DROPPED_DAMAGED_LINES]++;
		return LOCUS_OK;
	}
	if (status != LOCUS_OK)
		return status;
	if (!grow_results(units, units->count + 1))
		return locus_fail_memory(error);
	return unit_reader_read_lines(&reading->reader, unit, units->count - 1, &units->results[units->count - 1],
				      error);
}

enum locus_status units_read_lone_tables(struct units *units, uint64_t *referred, uint32_t count,
					 struct locus_error *error)
{
	const struct section *section = dwarf_section(units->dwarf, DEBUG_LINE);
	struct cursor c = section_cursor(section, units->dwarf->file->swap);
	struct reading reading = {.units = units};
	enum locus_status status = LOCUS_OK;
	uint32_t next = 0;
	unit_reader_init(&reading.reader, units->shared);
	sort_by_address(referred, count, sizeof(*referred), compare_uint64);
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
			status = read_lone_table(units, &reading, offset, error);
	}
	pieces_sort(reading.reader.pieces, reading.reader.piece_count);
	if (status == LOCUS_OK)
		status = collect_results(units, &reading.reader, error);
	unit_reader_done(&reading.reader);
	unit_done(&reading.unit);
	return status;
}

static enum locus_status read_choice(struct units *units, const struct unit_choice *choice, unsigned thread_count,
				     struct locus_error *error)
{
	if (!unit_queue_init(&units->queue, units->dwarf, choice, thread_count)) {
		unit_queue_done(&units->queue);
		return locus_fail_memory(error);
	}
	/* Units that are opened for references keep pointers into .debug_line. */
	bool is_whole = units->dwarf->refers_across && !units->dwarf->across_seldom;
	bool in_order = !choice && !is_whole && dwarf_section(units->dwarf, DEBUG_LINE)->inflater;
	units->thread_count = thread_count;
	units->line_floors = in_order ? calloc(thread_count, sizeof(*units->line_floors)) : NULL;
	if (!choice && is_whole && dwarf_section(units->dwarf, DEBUG_INFO)->inflater)
		units->info_floors = calloc(thread_count, sizeof(*units->info_floors));
	first_failure_init(&units->failure);
	large_units_init(&units->large, dwarf_section(units->dwarf, DEBUG_INFO)->size, thread_count, &units->failure);
	locus_parallel(thread_count, read_units, units);
	free(units->line_floors);
	free(units->info_floors);
	units->line_floors = units->info_floors = NULL;
	large_units_done(&units->large);
	struct locus_error wrong = {0};
	first_failure_note(&units->failure, unit_queue_check(&units->queue, &wrong), &wrong);
	enum locus_status status = first_failure_done(&units->failure, error);
	if (status == LOCUS_OK && units->dwarf->info_status != LOCUS_OK) {
		status = units->dwarf->info_status;
		if (error)
			*error = units->dwarf->info_error;
	}
	uint32_t count = units->queue.count;
	unit_queue_done(&units->queue);
	return status == LOCUS_OK && !grow_results(units, count) ? locus_fail_memory(error) : status;
}

/*
 * Whether the tables that units refer to fill the section without gaps. Several units may have one table, of which some
 * have no code and so have not read it: the end that they noted is 0.
 */
static bool tables_are_all(struct units *units)
{
	uint64_t *starts = units->line_tables, *ends = units->line_table_ends;
	uint32_t count = units->line_table_count, next = 0;
	uint64_t reached = 0;
	sort_by_address(starts, count, sizeof(*starts), compare_uint64);
	sort_by_address(ends, count, sizeof(*ends), compare_uint64);
	for (uint32_t i = 0; i < count; i++) {
		if (i && starts[i] == starts[i - 1])
			continue;
		while (next < count && ends[next] <= reached)
			next++;
		if (starts[i] != reached || next == count)
			return false;
		reached = ends[next];
	}
	return reached == dwarf_section(units->dwarf, DEBUG_LINE)->size;
}

enum locus_status units_read(struct units *units, unsigned thread_count, struct locus_error *error)
{
	struct section *lines = dwarf_section(units->dwarf, DEBUG_LINE);
	enum locus_status status = read_choice(units, NULL, thread_count, error);
	if (status != LOCUS_OK || tables_are_all(units))
		return status;
	status = section_recall(lines, 0, error);
	if (status == LOCUS_OK)
		status = section_need(lines, lines->size, error);
	return status == LOCUS_OK ? units_read_lone_tables(units, units->line_tables, units->line_table_count, error)
				  : status;
}

enum locus_status units_read_chosen(struct units *units, const struct unit_choice *choice, struct locus_error *error)
{
	enum locus_status status = read_choice(units, choice, 1, error);
	section_rewind(dwarf_section(units->dwarf, DEBUG_INFO));
	return status;
}

void units_forget(struct units *units)
{
	units->piece_count = 0;
	memset(units->dropped, 0, sizeof(units->dropped));
	if (units->count)
		memset(units->results, 0, units->count * sizeof(*units->results));
}

enum locus_status units_add_package(struct units *units, struct elf_file *file, struct locus_error *error)
{
	return add_split_file(units, file, &units->package, error);
}

const char *units_changed_split_file(const struct units *units)
{
	for (const struct split_file *split = units->split_files; split; split = split->next)
		if (!elf_file_is_unchanged(split->file))
			return split->file->path;
	return NULL;
}

bool units_have_split_file(const struct units *units, const char *path)
{
	for (const struct split_file *split = units->split_files; split; split = split->next)
		if (path_same_file(split->file->path, path))
			return true;
	return false;
}

void units_init(struct units *units, const char *path, struct dwarf *dwarf, struct shared *shared)
{
	*units = (struct units){.path = path, .dwarf = dwarf, .shared = shared};
	short_lock_init(&units->lock);
}

void units_done(struct units *units)
{
	free(units->results);
	free(units->pieces);
	arena_done(&units->arena);
	free(units->line_tables);
	free(units->line_table_ends);

	for (struct split_file *split = units->split_files, *next; split; split = next) {
		next = split->next;
		split_index_done(&split->dwarf);
		die_index_done(&split->dwarf);
		dwarf_done(&split->dwarf);
		elf_file_free(split->file);
		free(split);
	}
	tdestroy(units->split_names, free_name);
	short_lock_done(&units->lock);
}
