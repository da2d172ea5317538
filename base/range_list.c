/* A list is filled in any order, then sorted once; after that it is searched. */
#include "base/range_list.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/order.h"
#include "base/sort.h"

bool range_list_add(struct range_list *list, uint64_t start, uint64_t end)
{
	if (!array_reserve(&list->ranges, &list->room, list->count + UINT64_C(1), sizeof(*list->ranges)))
		return false;
	list->ranges[list->count++] = (struct range){start, end};
	return true;
}

void range_list_done(struct range_list *list)
{
	free(list->ranges);
	*list = (struct range_list){0};
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	if (x->start != y->start)
		return order_of(x->start, y->start);
	return order_of(x->end, y->end);
}

void range_list_sort(struct range_list *list)
{
	uint32_t kept = 0;
	sort_by_address(list->ranges, list->count, sizeof(*list->ranges), compare_ranges);
	for (uint32_t i = 0; i < list->count; i++) {
		struct range *last = kept ? &list->ranges[kept - 1] : NULL;
		if (!last || list->ranges[i].start > last->end)
			list->ranges[kept++] = list->ranges[i];
		else if (list->ranges[i].end > last->end)
			last->end = list->ranges[i].end;
	}
	list->count = kept;
}

uint32_t range_list_find(const struct range_list *list, uint64_t addr)
{
	uint32_t first;
	SEARCH_FIRST(first, 0, list->count, list->ranges[first].end > addr);
	return first;
}

bool range_list_overlaps(const struct range_list *list, const struct range *range)
{
	uint32_t at = range_list_find(list, range->start);
	return at < list->count && list->ranges[at].start < range->end;
}

bool range_list_holds(const struct range_list *list, const struct range *range)
{
	uint32_t at = range_list_find(list, range->start);
	return at < list->count && list->ranges[at].start <= range->start && list->ranges[at].end >= range->end;
}

bool range_list_holds_all(const struct range_list *list, const struct range_list *other)
{
	bool held = true;
	for (uint32_t i = 0; i < other->count && held; i++)
		held = range_list_holds(list, &other->ranges[i]);
	return held;
}
