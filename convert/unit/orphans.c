/* Sequences and functions are walked together in the order of their addresses. */
#include "convert/unit/orphans.h"

#include "base/order.h"
#include "base/sort.h"
#include "base/vm_pages.h"

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	return order_of(x->start, y->start);
}

struct orphan_walk orphans_begin(const struct sequences *sequences, struct range_list *covered, bool has_dropped)
{
	uint32_t first = 0;
	sort_by_address(covered->ranges, covered->count, sizeof(*covered->ranges), compare_ranges);
	while (has_dropped && first < sequences->count && sequences->spans[first].span.start <= 1)
		first++;
	return (struct orphan_walk){.sequences = sequences, .covered = covered, .sequence = first};
}

/* Gives back what the walk has passed, if it is much: the orphans, which are made meanwhile, take memory. */
static void release_passed(struct orphan_walk *walk)
{
	enum { STEP = 1 << 16 }; /* ranges */
	const size_t size = sizeof(*walk->covered->ranges);
	if (walk->next - walk->released < STEP)
		return;
	pages_release((const uint8_t *)walk->covered->ranges, walk->released * size, walk->next * size);
	walk->released = walk->next;
}

bool orphans_next(struct orphan_walk *walk, struct range *ret)
{
	const struct range_list *covered = walk->covered;
	for (; walk->sequence < walk->sequences->count; walk->sequence++) {
		const struct row_span *span = &walk->sequences->spans[walk->sequence].span;

		/*
		 * The addresses before the next function are orphans; the walk goes on behind that function. An address
		 * in several sequences is an orphan only once.
		 */
		for (;;) {
			const uint64_t at = span->start > walk->reached ? span->start : walk->reached;
			if (at >= span->end)
				break;
			while (walk->next < covered->count && covered->ranges[walk->next].end <= at)
				walk->next++;
			const struct range *function =
				walk->next < covered->count ? &covered->ranges[walk->next] : NULL;
			const bool meets = function && function->start < span->end;
			const uint64_t until = meets ? function->start : span->end;
			walk->reached = meets ? function->end : span->end;
			release_passed(walk);
			if (at < until) {
				*ret = (struct range){at, until};
				return true;
			}
		}
	}
	walk->covered->count = 0;
	return false;
}

uint32_t orphans_take(struct orphan_walk *walk, struct range ret[ORPHANS_AT_ONCE])
{
	uint32_t count = 0;
	while (count < ORPHANS_AT_ONCE && orphans_next(walk, &ret[count]))
		count++;
	return count;
}
