/*
 * A large unit is a series of tasks: reading its line table, and a survey of its DIEs, which are independent; when both
 * are done, its parts; and when these are, the code that no function covers, which is found first and then read, some
 * of it at a time, and giving back the DIEs. Any thread takes the next task that can begin. The result is the same as
 * if one thread had read the whole unit: pieces are sorted later, and counts do not depend on who counts.
 */
#include "convert/schedule/large_unit.h"

#include "base/fail.h"

enum {
	/* Bytes of DIEs: */
	LARGE_LEAST = 4 << 20, /* a smaller unit is read before other threads have to wait for it */
	LARGE_MOST = 16 << 20, /* a larger unit takes too much memory as a whole */
	PART_SIZE = 1 << 18,   /* that one thread reads at a time */

	SHARE_PARTS = 4,  /* a unit of at most this part of each thread's share makes no other thread wait long */
	SURVEY_SHARE = 4, /* the survey of a unit costs about as much as it does to read this part of it */
};

/* The tasks of a unit, in the order in which they are taken. */
enum task_kind {
	TASK_ROWS,
	TASK_SURVEY,
	TASK_PART,         /* as many as the survey has found */
	TASK_FIND_ORPHANS, /* when all parts are done */
	TASK_RELEASE,      /* the same */
	TASK_ORPHANS,      /* when they are found: as many as it takes */
};

/* One large unit while it is read. */
struct large_unit {
	struct unit_view view;
	struct unit *rows_unit; /* the unit whose line table has the rows */
	struct unit_rows rows;  /* those of the thread that found the unit, while it is read */
	struct scopes survey;   /* name scopes of the unit, and the places where its parts begin */
	uint64_t number;        /* its number among all large units, from 1 on */
	bool leaves_rows;       /* as in struct unit_reader */
	struct large_unit *next;

	/* The monitor of struct large_units guards the fields below. */
	uint32_t tasks_taken;
	uint32_t tasks_done;
	struct unit_sum sum;
	struct orphan_walk orphans; /* those that no task has taken yet; borrows rows and sum */
	bool has_orphans;           /* there may be some left */
};

/* A task that was taken. */
struct task {
	enum task_kind kind;
	uint32_t part;
	struct range orphans[ORPHANS_AT_ONCE];
	uint32_t orphan_count;
};

/*
 * Whether the other threads, when they have read the `left` bytes behind a unit of `size`, would wait for this one long
 * enough to make up for the survey.
 */
static bool is_waited_for(const struct large_units *large, uint64_t size, uint64_t left)
{
	const unsigned others = large->thread_count - 1;
	return others && left / others < size && size - left / others > PART_SIZE + size / SURVEY_SHARE;
}

bool unit_is_large(const struct large_units *large, const struct unit *unit, uint64_t left)
{
	const uint64_t size = unit->end - unit->offset;
	return size > large->whole_max || is_waited_for(large, size, left);
}

/*
 * The largest size of a unit that one thread reads as a whole. The survey of a large unit takes time that reading it as
 * a whole does not (SURVEY_SHARE), so no unit is treated as large without need.
 */
static uint64_t whole_max(uint64_t size, unsigned thread_count)
{
	uint64_t share = size / thread_count / SHARE_PARTS;
	if (thread_count == 1 || share > LARGE_MOST)
		return LARGE_MOST;
	return share < LARGE_LEAST ? LARGE_LEAST : share;
}

void large_units_init(struct large_units *large, uint64_t size, unsigned thread_count, struct first_failure *failure)
{
	*large = (struct large_units){
		.failure = failure,
		.whole_max = whole_max(size, thread_count),
		.thread_count = thread_count,
	};
	monitor_init(&large->monitor);
}

void large_units_done(struct large_units *large)
{
	monitor_done(&large->monitor);
}

/* The kind of the task that is taken next. The caller has entered the monitor. */
static enum task_kind next_kind(const struct large_unit *unit)
{
	if (unit->tasks_taken < TASK_PART)
		return (enum task_kind)unit->tasks_taken;
	const uint32_t behind_first = unit->tasks_taken - TASK_PART, part_count = unit->survey.start_count;
	if (behind_first < part_count)
		return TASK_PART;
	const uint32_t behind_parts = behind_first - part_count;
	return behind_parts < TASK_ORPHANS - TASK_FIND_ORPHANS ? TASK_FIND_ORPHANS + behind_parts : TASK_ORPHANS;
}

/* Whether the task that is taken next can begin. The caller has entered the monitor. */
static bool can_begin(const struct large_unit *unit)
{
	/* The survey is not to be looked at before it is done. */
	if (unit->tasks_taken >= TASK_PART && unit->tasks_done < TASK_PART)
		return false;
	switch (next_kind(unit)) {
	case TASK_FIND_ORPHANS:
	case TASK_RELEASE:
		return unit->tasks_done >= TASK_PART + unit->survey.start_count;
	case TASK_ORPHANS:
		return unit->has_orphans;
	default:
		return true;
	}
}

/* Whether all tasks of the unit are done. The caller has entered the monitor. */
static bool is_done(const struct large_unit *unit)
{
	return unit->tasks_done == unit->tasks_taken && !can_begin(unit);
}

/* Takes a task of any unit; NULL: none can begin. The caller has entered the monitor. */
static struct large_unit *take_task(struct large_units *large, struct task *ret)
{
	struct large_unit *unit = large->first;
	while (unit && !can_begin(unit))
		unit = unit->next;
	if (!unit)
		return NULL;
	ret->kind = next_kind(unit);
	ret->part = unit->tasks_taken - TASK_PART;
	if (ret->kind == TASK_ORPHANS) {
		ret->orphan_count = orphans_take(&unit->orphans, ret->orphans);
		unit->has_orphans = ret->orphan_count == ORPHANS_AT_ONCE;
	}
	unit->tasks_taken++;
	return unit;
}

static enum locus_status read_part(struct large_unit *unit, uint32_t part, struct unit_reader *reader,
				   struct locus_error *error)
{
	const struct scopes *survey = &unit->survey;
	const struct scan_start *start = &survey->starts[part];
	uint64_t end = part + 1 < survey->start_count ? start[1].die : UINT64_MAX;
	enum locus_status status =
		scopes_read_part(&reader->scopes, unit->view.unit, reader->shared->linked, start, end, error);
	if (status != LOCUS_OK)
		return status;
	/* Names that this thread found in other parts of the unit are still valid. */
	if (reader->large_unit != unit->number)
		function_names_begin(&reader->names, unit->view.unit, unit->view.name_scopes);
	reader->large_unit = unit->number;
	return unit_reader_functions(reader, &unit->view) ? LOCUS_OK : locus_fail_memory(error);
}

/* Gives back the memory of the DIEs, which no task reads any more. */
static void release_dies(const struct unit *unit)
{
	section_release(dwarf_section(unit->dwarf, unit->where), unit->offset, unit->end);
}

/* Does what does not need the monitor. */
static enum locus_status do_outside(struct large_unit *unit, const struct task *task, struct unit_reader *reader,
				    struct locus_error *error)
{
	switch (task->kind) {
	case TASK_ROWS:
		return unit_rows_read(&unit->rows, unit->rows_unit, reader->shared->linked, &reader->paths,
				      reader->dropped, error);
	case TASK_SURVEY:
		return scopes_survey(&unit->survey, unit->view.unit, PART_SIZE, error);
	case TASK_PART:
		return read_part(unit, task->part, reader, error);
	case TASK_FIND_ORPHANS:
		unit->orphans = orphans_begin(&unit->rows.sequences, &unit->sum.covered, unit->sum.has_dropped);
		return LOCUS_OK;
	case TASK_RELEASE:
		release_dies(unit->view.unit);
		return LOCUS_OK;
	default:
		return unit_reader_orphans(reader, &unit->view, task->orphans, task->orphan_count)
			       ? LOCUS_OK
			       : locus_fail_memory(error);
	}
}

/* Where in .debug_info a failure of the task is: in the unit, or more precisely in the part. */
static size_t place_of(const struct large_unit *unit, const struct task *task)
{
	bool is_part = task->kind == TASK_PART;
	return (size_t)(is_part ? unit->survey.starts[task->part].die : unit->view.unit->die_offset);
}

/* Does a task that was taken. The caller has entered the monitor, which it leaves meanwhile. */
static void do_task(struct large_units *large, struct large_unit *unit, const struct task *task,
		    struct unit_reader *reader)
{
	struct locus_error error = {0};
	const size_t place = place_of(unit, task);
	monitor_leave(&large->monitor);
	bool is_begun = !first_failure_is_noted(large->failure, place);
	if (is_begun)
		first_failure_note(large->failure, place, do_outside(unit, task, reader, &error), &error);

	monitor_enter(&large->monitor);
	if (task->kind == TASK_PART && !unit_sum_join(&unit->sum, &reader->sum))
		first_failure_note(large->failure, place, locus_fail_memory(&error), &error);
	if (task->kind == TASK_FIND_ORPHANS)
		unit->has_orphans = is_begun && !unit->leaves_rows;
	unit->tasks_done++;
	monitor_tell_all(&large->monitor);
}

/*
 * Does tasks until all are taken. False: there was none. The caller has entered the monitor, which it leaves meanwhile.
 */
static bool do_tasks(struct large_units *large, struct unit_reader *reader)
{
	bool any = false;
	struct task task;
	for (struct large_unit *unit; (unit = take_task(large, &task)); any = true)
		do_task(large, unit, &task, reader);
	return any;
}

static void remove_unit(struct large_units *large, struct large_unit *unit)
{
	struct large_unit **at = &large->first;
	while (*at != unit)
		at = &(*at)->next;
	*at = unit->next;
	large->open_count--;
}

enum locus_status large_units_read(struct large_units *large, struct unit_reader *reader, const struct unit *unit,
				   struct unit *rows, uint32_t unit_index, struct locus_error *error)
{
	struct large_unit made = {.view = {unit, unit_index, &made.rows, &made.survey}, .rows_unit = rows};
	enum locus_status status = LOCUS_OK;
	made.leaves_rows = reader->leaves_rows;

	/*
	 * The rows that this thread read last go to the unit, and come back in the end: if they are of the unit's
	 * table, no thread reads that again (RULES A7).
	 */
	made.rows = reader->rows;
	reader->rows = (struct unit_rows){0};

	/* All threads share the tasks of all large units; this unit is done when its own tasks are. */
	monitor_enter(&large->monitor);
	made.number = ++large->count;
	made.next = large->first;
	large->first = &made;
	large->open_count++;
	monitor_tell_all(&large->monitor);
	do_tasks(large, reader);
	while (!is_done(&made)) {
		monitor_wait(&large->monitor);
		do_tasks(large, reader);
	}
	remove_unit(large, &made);
	monitor_leave(&large->monitor);

	if (!first_failure_is_noted(large->failure, (size_t)unit->end) &&
	    !unit_reader_finish(reader, &made.sum, unit->name, unit_index))
		status = locus_fail_memory(error);
	unit_sum_done(&made.sum);
	scopes_done(&made.survey);
	reader->rows = made.rows;
	return status;
}

void large_units_enter(struct large_units *large)
{
	monitor_enter(&large->monitor);
	large->busy++;
	monitor_leave(&large->monitor);
}

void large_units_help(struct large_units *large, struct unit_reader *reader)
{
	if (!large->open_count)
		return;
	monitor_enter(&large->monitor);
	do_tasks(large, reader);
	monitor_leave(&large->monitor);
}

void large_units_leave(struct large_units *large, struct unit_reader *reader)
{
	monitor_enter(&large->monitor);
	large->busy--;
	monitor_tell_all(&large->monitor);
	do_tasks(large, reader);
	while (large->busy || large->first) {
		monitor_wait(&large->monitor);
		do_tasks(large, reader);
	}
	monitor_leave(&large->monitor);
}
