/*
 * A large unit is a series of tasks: reading its line table, and a survey of its DIEs, which are independent; and when
 * both are done, its parts. Any thread takes the next task that can begin. The result is the same as if one thread had
 * read the whole unit: pieces are sorted later, and counts do not depend on who counts.
 */
#include "convert/schedule/large_unit.h"

#include "base/fail.h"

enum {
	/* Bytes of DIEs: */
	LARGE_LEAST = 4 << 20, /* a smaller unit is read before other threads have to wait for it */
	LARGE_MOST = 16 << 20, /* a larger unit takes too much memory as a whole */
	PART_SIZE = 1 << 18,   /* that one thread reads at a time */

	SHARE_PARTS = 4, /* a unit of at most this part of each thread's share makes no other thread wait long */
};

/* The tasks of a unit. */
enum {
	TASK_ROWS = 0,
	TASK_SURVEY = 1,
	TASK_PARTS = 2, /* the first part; the tasks behind it are the other parts */
};

/* One large unit while it is read. */
struct large_unit {
	struct unit_view view;
	struct unit *rows_unit; /* the unit whose line table has the rows */
	struct unit_rows rows;
	struct scopes survey; /* name scopes of the unit, and the places where its parts begin */
	uint64_t number;      /* its number among all large units, from 1 on */
	struct large_unit *next;

	/* The monitor of struct large_units guards the fields below. */
	uint32_t tasks_taken;
	uint32_t tasks_done;
	struct unit_sum sum;
};

bool unit_is_large(const struct large_units *large, const struct unit *unit)
{
	return unit->end - unit->offset > large->whole_max;
}

/*
 * The largest size of a unit that one thread reads as a whole. The survey walks a large unit half a time more, so no
 * unit is treated as large without need.
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
	*large = (struct large_units){.failure = failure, .whole_max = whole_max(size, thread_count)};
	monitor_init(&large->monitor);
}

void large_units_done(struct large_units *large)
{
	monitor_done(&large->monitor);
}

/* The number of tasks of the unit, known once the first two are done. The caller has entered the monitor. */
static uint32_t task_count(const struct large_unit *unit)
{
	return unit->tasks_done < TASK_PARTS ? TASK_PARTS : TASK_PARTS + unit->survey.start_count;
}

/* Takes a task of any unit; NULL: all are taken. The caller has entered the monitor. */
static struct large_unit *take_task(struct large_units *large, uint32_t *ret_task)
{
	struct large_unit *unit = large->first;
	while (unit && unit->tasks_taken >= task_count(unit))
		unit = unit->next;
	if (unit)
		*ret_task = unit->tasks_taken++;
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

/* Does a task that was taken. The caller has entered the monitor, which it leaves meanwhile. */
static void do_task(struct large_units *large, struct large_unit *unit, uint32_t task, struct unit_reader *reader)
{
	struct shared *shared = reader->shared;
	struct locus_error error = {0};
	enum locus_status status = LOCUS_OK;
	monitor_leave(&large->monitor);
	if (first_failure_is_noted(large->failure))
		status = LOCUS_OK;
	else if (task == TASK_ROWS)
		status = unit_rows_read(&unit->rows, unit->rows_unit, shared->linked, &reader->paths, reader->dropped,
					&error);
	else if (task == TASK_SURVEY)
		status = scopes_survey(&unit->survey, unit->view.unit, PART_SIZE, &error);
	else
		status = read_part(unit, task - TASK_PARTS, reader, &error);
	first_failure_note(large->failure, status, &error);

	monitor_enter(&large->monitor);
	if (!unit_sum_join(&unit->sum, &reader->sum))
		first_failure_note(large->failure, locus_fail_memory(&error), &error);
	unit->tasks_done++;
	monitor_tell_all(&large->monitor);
}

/* Does tasks until all are taken. The caller has entered the monitor, which it leaves meanwhile. */
static void do_tasks(struct large_units *large, struct unit_reader *reader)
{
	uint32_t task;
	for (struct large_unit *unit; (unit = take_task(large, &task));)
		do_task(large, unit, task, reader);
}

static void remove_unit(struct large_units *large, struct large_unit *unit)
{
	struct large_unit **at = &large->first;
	while (*at != unit)
		at = &(*at)->next;
	*at = unit->next;
}

enum locus_status large_units_read(struct large_units *large, struct unit_reader *reader, const struct unit *unit,
				   struct unit *rows, uint32_t unit_index, struct unit_result **ret,
				   struct locus_error *error)
{
	struct large_unit made = {.view = {unit, unit_index, &made.rows, &made.survey}, .rows_unit = rows};
	enum locus_status status = LOCUS_OK;
	*ret = NULL;
	made.rows.table.keeps_columns = reader->shared->keeps_columns;

	/* All threads share the tasks of all large units; this unit is done when its own tasks are. */
	monitor_enter(&large->monitor);
	made.number = ++large->count;
	made.next = large->first;
	large->first = &made;
	monitor_tell_all(&large->monitor);
	do_tasks(large, reader);
	while (made.tasks_done < task_count(&made)) {
		monitor_wait(&large->monitor);
		do_tasks(large, reader);
	}
	remove_unit(large, &made);
	monitor_leave(&large->monitor);

	if (!first_failure_is_noted(large->failure))
		status = unit_reader_finish(reader, &made.view, &made.sum, unit->name, ret, error);
	unit_sum_done(&made.sum);
	scopes_done(&made.survey);
	unit_rows_done(&made.rows);
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
