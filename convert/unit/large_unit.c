/*
 * A large unit is a row of tasks: its line table and a survey of its DIEs, which have nothing to do with each other;
 * once both are done, its parts. Any thread takes the next one that can be begun. Results are as if one thread had read
 * the unit as a whole: pieces are sorted later, and what is counted does not depend on who counts it.
 */
#include "convert/unit/large_unit.h"

#include "base/fail.h"

enum {
	LARGE_LEAST = 4 << 20, /* bytes of DIEs: most units are smaller, and are done in less time than others wait */
	LARGE_MOST = 16 << 20, /* what is larger takes too much memory as a whole */
	SHARE_PARTS = 4,       /* a unit may be this part of what each thread has to read, and nobody waits for it */
	PART_SIZE = 1 << 18,   /* bytes of DIEs that one thread reads at a time */
	TASK_ROWS = 0,
	TASK_SURVEY = 1,
	TASK_PARTS = 2, /* this one and those from here on */
};

/* One large unit while it is read. */
struct large_unit {
	struct unit_view view;
	struct unit *rows_unit; /* whose line table it is */
	struct unit_rows rows;
	struct scopes survey; /* its name scopes, and where its parts begin */
	uint64_t number;      /* among all large units, from 1 on */
	struct large_unit *next;

	/* Guarded by the lock of struct large_units. */
	uint32_t tasks_taken;
	uint32_t tasks_done;
	struct unit_sum sum;
};

bool unit_is_large(const struct large_units *large, const struct unit *unit)
{
	return unit->end - unit->offset > large->whole_max;
}

/* The survey costs a large unit half of its walk again, so that none is one that need not be. */
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
	pthread_mutex_init(&large->lock, NULL);
	pthread_cond_init(&large->changed, NULL);
}

void large_units_done(struct large_units *large)
{
	pthread_mutex_destroy(&large->lock);
	pthread_cond_destroy(&large->changed);
}

/* How many tasks the unit has: known once the first two are done. Under the lock. */
static uint32_t task_count(const struct large_unit *unit)
{
	return unit->tasks_done < TASK_PARTS ? TASK_PARTS : TASK_PARTS + unit->survey.start_count;
}

/* A task of any unit, or NULL: all are taken. Under the lock. */
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
	/* What this thread knows of the unit's names from other parts of it serves on. */
	if (reader->large_unit != unit->number)
		names_begin(&reader->names, unit->view.unit, unit->view.name_scopes);
	reader->large_unit = unit->number;
	return unit_reader_functions(reader, &unit->view) ? LOCUS_OK : locus_fail_memory(error);
}

/* Does a task that was taken. Under the lock, which is open meanwhile. */
static void do_task(struct large_units *large, struct large_unit *unit, uint32_t task, struct unit_reader *reader)
{
	struct shared *shared = reader->shared;
	struct locus_error error = {0};
	enum locus_status status = LOCUS_OK;
	pthread_mutex_unlock(&large->lock);
	if (first_failure_is_noted(large->failure))
		status = LOCUS_OK;
	else if (task == TASK_ROWS)
		status = unit_rows_read(&unit->rows, unit->rows_unit, shared->linked, &shared->files, reader->dropped,
					&error);
	else if (task == TASK_SURVEY)
		status = scopes_survey(&unit->survey, unit->view.unit, PART_SIZE, &error);
	else
		status = read_part(unit, task - TASK_PARTS, reader, &error);
	first_failure_note(large->failure, status, &error);

	pthread_mutex_lock(&large->lock);
	if (!unit_sum_join(&unit->sum, &reader->sum))
		first_failure_note(large->failure, locus_fail_memory(&error), &error);
	unit->tasks_done++;
	pthread_cond_broadcast(&large->changed);
}

/* Does tasks until all are taken. Under the lock, which is open meanwhile. */
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

	/* The tasks of all threads' large units are done by all, and this unit is done when its own are. */
	pthread_mutex_lock(&large->lock);
	made.number = ++large->count;
	made.next = large->first;
	large->first = &made;
	pthread_cond_broadcast(&large->changed);
	do_tasks(large, reader);
	while (made.tasks_done < task_count(&made)) {
		pthread_cond_wait(&large->changed, &large->lock);
		do_tasks(large, reader);
	}
	remove_unit(large, &made);
	pthread_mutex_unlock(&large->lock);

	if (!first_failure_is_noted(large->failure))
		status = unit_reader_finish(reader, &made.view, &made.sum, unit->name, ret, error);
	unit_sum_done(&made.sum);
	scopes_done(&made.survey);
	unit_rows_done(&made.rows);
	return status;
}

void large_units_enter(struct large_units *large)
{
	pthread_mutex_lock(&large->lock);
	large->busy++;
	pthread_mutex_unlock(&large->lock);
}

void large_units_help(struct large_units *large, struct unit_reader *reader)
{
	pthread_mutex_lock(&large->lock);
	do_tasks(large, reader);
	pthread_mutex_unlock(&large->lock);
}

void large_units_leave(struct large_units *large, struct unit_reader *reader)
{
	pthread_mutex_lock(&large->lock);
	large->busy--;
	pthread_cond_broadcast(&large->changed);
	do_tasks(large, reader);
	while (large->busy || large->first) {
		pthread_cond_wait(&large->changed, &large->lock);
		do_tasks(large, reader);
	}
	pthread_mutex_unlock(&large->lock);
}
