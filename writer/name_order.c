/*
 * Sorts functions by name.
 *
 * Multikey quicksort (Bentley and Sedgewick, Fast algorithms for sorting and searching strings, 1997), with eight bytes
 * of the names at a time: C++ names are long and begin alike, and this sort reads what two names share only once.
 * A partition leaves ranges that any thread may sort. Which thread does, and when, does not change the result, because
 * no two functions are equal.
 */
#include "writer/name_order.h"

#include <endian.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/always_inline.h"
#include "base/fail.h"
#include "base/mix64.h"
#include "base/monitor.h"
#include "base/parallel.h"

/*
 * A file whose functions are sorted by name needs some two bytes more for each, which say where it stands, and fewer
 * for the names, because neighbours share more of them. By measurement this pays where names are long, and too many for
 * zstd to find the shared parts itself.
 */
enum {
	SORTED_MIN = 256 << 10, /* bytes of all names */
	SORTED_MEAN_MIN = 48,   /* bytes of a function's */
};

enum { TASK_MIN = 2048 }; /* items; fewer are not worth handing to another thread */

struct item {
	uint64_t bytes; /* eight bytes of the name, the first one highest; zeros behind its end */
	uint32_t index;
};

/* Items whose names are equal up to `depth`, from where `bytes` are. */
struct range {
	struct item *items;
	size_t count;
	size_t depth;
};

/* The ranges that wait to be sorted, and the number of threads that may still add some. */
struct tasks {
	struct monitor monitor;
	struct range *ranges; /* room for all that can be: they are disjoint, with TASK_MIN items at least */
	size_t count;
	unsigned busy;
};

/* The items, while threads fill them: each takes the next ones that no other has taken. */
struct filling {
	const struct locus_function *functions;
	struct item *items;
	uint32_t count;
	atomic_uint next;
};

struct sorter {
	const struct locus_function *functions;
	struct tasks *tasks;
	const struct item *items; /* all of them */
	struct item *scratch;     /* room for as many; what sorts a range uses that of its items */
	uint64_t random; /* pivots are chosen at random, in each run anew, so that no order of functions is slow */
};

/* The name that stands first in the record of a function. */
static struct locus_bytes first_name(const struct locus_function *function)
{
	return function->name.size ? function->name : function->linkage;
}

static uint64_t bytes_at(struct locus_bytes name, size_t depth)
{
	size_t left = depth < name.size ? name.size - depth : 0;
	uint64_t value = 0;
	if (left >= sizeof(value)) {
		memcpy(&value, name.data + depth, sizeof(value));
		return be64toh(value);
	}
	for (size_t i = 0; i < left; i++)
		value |= (uint64_t)(uint8_t)name.data[depth + i] << (56 - 8 * i);
	return value;
}

static uint64_t choose_pivot(struct sorter *sorter, const struct item *items, size_t count)
{
	return items[random_next(&sorter->random) % count].bytes;
}

static void add_task(struct tasks *tasks, struct range range)
{
	monitor_enter(&tasks->monitor);
	tasks->ranges[tasks->count++] = range;
	monitor_tell_one(&tasks->monitor);
	monitor_leave(&tasks->monitor);
}

/* Takes a range that waits. False: none does, and none will. */
static bool take_task(struct tasks *tasks, struct range *ret)
{
	monitor_enter(&tasks->monitor);
	while (!tasks->count && tasks->busy)
		monitor_wait(&tasks->monitor);
	bool any = tasks->count > 0;
	if (any) {
		*ret = tasks->ranges[--tasks->count];
		tasks->busy++;
	}
	monitor_leave(&tasks->monitor);
	return any;
}

static void end_task(struct tasks *tasks)
{
	monitor_enter(&tasks->monitor);
	if (!--tasks->busy)
		monitor_tell_all(&tasks->monitor);
	monitor_leave(&tasks->monitor);
}

static void sort(struct sorter *sorter, struct range range);

/* Sorts a part of a range: on this thread if it is small, else on any. */
static void sort_part(struct sorter *sorter, struct range part)
{
	if (part.count >= TASK_MIN)
		add_task(sorter->tasks, part);
	else
		sort(sorter, part);
}

/*
 * Moves the items whose bytes are below `limit`, or `up_to` it, to `front`, and the others to `back`, each in their
 * order; one of the two may be `from`. Returns how many are in front. Which ones can hardly be foreseen, so each is
 * stored in both places, without a branch.
 */
static ALWAYS_INLINE size_t part_at(const struct item *from, size_t count, uint64_t limit, bool up_to,
				    struct item *front, struct item *back)
{
	size_t front_count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct item item = from[i];
		const bool is_front = up_to ? item.bytes <= limit : item.bytes < limit;
		front[front_count] = item;
		back[i - front_count] = item;
		front_count += is_front;
	}
	return front_count;
}

/* Sorts few items by their bytes; those of equal bytes stay in their order. */
static void sort_by_bytes(struct item *items, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct item item = items[i];
		size_t at = i;
		for (; at && item.bytes < items[at - 1].bytes; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

/*
 * Sorts the items whose bytes are below or above those of one of them, and returns the others, which stay in their
 * order.
 */
static struct range sort_around_pivot(struct sorter *sorter, struct range range)
{
	struct item *items = range.items, *scratch = sorter->scratch + (items - sorter->items);
	const uint64_t pivot = choose_pivot(sorter, items, range.count);
	const size_t below = part_at(items, range.count, pivot, false, items, scratch);
	const size_t up_to = below + part_at(scratch, range.count - below, pivot, true, items + below, scratch);
	memcpy(items + up_to, scratch, (range.count - up_to) * sizeof(*items));
	sort_part(sorter, (struct range){items, below, range.depth});
	sort_part(sorter, (struct range){items + up_to, range.count - up_to, range.depth});
	return (struct range){items + below, up_to - below, range.depth};
}

/* Goes on to the next bytes of names that are equal so far. False: they end here. */
static bool go_deeper(const struct sorter *sorter, struct range *range)
{
	if (!(range->items[0].bytes & 0xFF))
		return false;
	range->depth += sizeof(range->items[0].bytes);
	for (size_t i = 0; i < range->count; i++)
		range->items[i].bytes = bytes_at(first_name(&sorter->functions[range->items[i].index]), range->depth);
	return true;
}

/*
 * Sorts a range of few items by their bytes. Where some of them are equal, these are sorted by what follows. False: all
 * are equal. Then the caller goes on, in a loop: names may be alike for millions of bytes, too many for nested calls.
 */
static bool sort_few(struct sorter *sorter, struct range range)
{
	struct item *items = range.items;
	sort_by_bytes(items, range.count);
	if (items[0].bytes == items[range.count - 1].bytes)
		return false;
	for (size_t i = 0, end; i < range.count; i = end) {
		for (end = i + 1; end < range.count && items[end].bytes == items[i].bytes;)
			end++;
		struct range equal = {items + i, end - i, range.depth};
		if (equal.count > 1 && go_deeper(sorter, &equal))
			sort(sorter, equal);
	}
	return true;
}

/* Equal names stay in the table's order. */
static void sort(struct sorter *sorter, struct range range)
{
	enum { FEW = 16 };
	while (range.count > 1) {
		if (range.count > FEW)
			range = sort_around_pivot(sorter, range);
		else if (sort_few(sorter, range))
			return;
		if (!go_deeper(sorter, &range))
			return;
	}
}

static void sort_tasks(void *argument, unsigned thread)
{
	struct sorter sorter = *(const struct sorter *)argument;
	struct range range;
	sorter.random = hash_seed(sorter.tasks) + thread;
	while (take_task(sorter.tasks, &range)) {
		sort(&sorter, range);
		end_task(sorter.tasks);
	}
}

static bool sort_all(const struct locus_function *functions, struct item *items, size_t count, unsigned thread_count)
{
	struct tasks tasks = {.ranges = malloc((1 + count / TASK_MIN) * sizeof(*tasks.ranges))};
	struct item *scratch = malloc(count * sizeof(*scratch));
	struct sorter sorter = {.functions = functions, .tasks = &tasks, .items = items, .scratch = scratch};
	if (!tasks.ranges || !scratch) {
		free(tasks.ranges);
		free(scratch);
		return false;
	}
	monitor_init(&tasks.monitor);
	add_task(&tasks, (struct range){items, count, 0});
	locus_parallel(thread_count, sort_tasks, &sorter);
	monitor_done(&tasks.monitor);
	free(tasks.ranges);
	free(scratch);
	return true;
}

static void fill(void *argument, unsigned thread)
{
	struct filling *filling = argument;
	uint32_t first;
	(void)thread;
	while ((first = atomic_fetch_add(&filling->next, TASK_MIN)) < filling->count) {
		const uint32_t left = filling->count - first, end = first + (left < TASK_MIN ? left : TASK_MIN);
		for (uint32_t i = first; i < end; i++)
			filling->items[i] = (struct item){bytes_at(first_name(&filling->functions[i]), 0), i};
	}
}

static bool is_worth_sorting(const struct locus_tables *tables)
{
	uint64_t size = 0;
	for (uint32_t i = 0; i < tables->function_count; i++)
		size += tables->functions[i].name.size + tables->functions[i].linkage.size;
	return size >= SORTED_MIN && size >= (uint64_t)SORTED_MEAN_MIN * tables->function_count;
}

enum locus_status locus_order_choose(const struct locus_tables *tables, unsigned thread_count, uint32_t **ret,
				     struct locus_error *error)
{
	uint32_t count = tables->function_count;
	*ret = NULL;
	if (!is_worth_sorting(tables))
		return LOCUS_OK;

	uint32_t *order = malloc(count * sizeof(*order));
	struct item *items = malloc(count * sizeof(*items));
	struct filling filling = {.functions = tables->functions, .items = items, .count = count};
	if (items)
		locus_parallel(thread_count, fill, &filling);
	if (!order || !items || !sort_all(tables->functions, items, count, thread_count)) {
		free(order);
		free(items);
		return locus_fail_memory(error);
	}

	for (uint32_t i = 0; i < count; i++)
		order[i] = items[i].index;
	free(items);
	*ret = order;
	return LOCUS_OK;
}
