/* Spans are sorted by their start. `reach` tells where a search backwards for spans that hold an address may end. */
#include "convert/cross_check/span_index.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"
#include "base/order.h"

bool span_index_add(struct span_index *index, uint64_t start, uint64_t end, uint32_t item)
{
	if (start >= end)
		return true;
	if (!array_reserve(&index->spans, &index->room, index->count + UINT64_C(1), sizeof(*index->spans)))
		return false;
	index->spans[index->count++] = (struct span){start, end, 0, item};
	return true;
}

static int compare_spans(const void *x, const void *y)
{
	const struct span *a = x, *b = y;
	if (a->start != b->start)
		return order_of(a->start, b->start);
	return order_of(a->item, b->item);
}

void span_index_sort(struct span_index *index)
{
	uint64_t reach = 0;
	if (index->count)
		qsort(index->spans, index->count, sizeof(*index->spans), compare_spans);
	for (uint32_t i = 0; i < index->count; i++) {
		reach = index->spans[i].end > reach ? index->spans[i].end : reach;
		index->spans[i].reach = reach;
	}
}

void span_index_done(struct span_index *index)
{
	free(index->spans);
	*index = (struct span_index){0};
}

uint32_t span_index_count_below(const struct span_index *index, uint64_t addr)
{
	uint32_t at;
	SEARCH_FIRST(at, 0, index->count, index->spans[at].start > addr);
	return at;
}

uint32_t span_index_find(const struct span_index *index, uint64_t addr, const struct span **ret, uint32_t max)
{
	uint32_t found = 0, below = span_index_count_below(index, addr), at = below;
	while (at > 0 && found < max && index->spans[at - 1].reach > addr)
		if (index->spans[--at].end > addr)
			ret[found++] = &index->spans[at];
	budget_spend(below - at); /* if that exceeds the budget, the caller's next budget_spend says so */
	return found;
}

const struct span *span_index_below(const struct span_index *index, uint64_t addr)
{
	uint32_t count = span_index_count_below(index, addr);
	return count ? &index->spans[count - 1] : NULL;
}
