/* Sequences and functions are walked together in the order of their addresses. */
#include "convert/unit/orphans.h"

#include "base/order.h"
#include "base/sort.h"

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	return order_of(x->start, y->start);
}

bool orphans_find(const struct sequences *sequences, struct range_list *covered, struct range_list *ret)
{
	uint32_t next = 0;
	uint64_t done = 0;
	sort_by_address(covered->ranges, covered->count, sizeof(*covered->ranges), compare_ranges);
	for (uint32_t i = 0; i < sequences->count; i++) {
		const struct row_span *span = &sequences->spans[i].span;
		uint64_t at = span->start > done ? span->start : done;

		/* The addresses before the next function are orphans; the walk goes on behind that function. */
		while (at < span->end) {
			while (next < covered->count && covered->ranges[next].end <= at)
				next++;
			const struct range *function = next < covered->count ? &covered->ranges[next] : NULL;
			bool meets = function && function->start < span->end;
			uint64_t until = meets ? function->start : span->end;
			if (at < until && !range_list_add(ret, at, until))
				return false;
			at = meets ? function->end : span->end;
		}

		/* An address in several sequences is an orphan only once. */
		done = at > done ? at : done;
	}
	return true;
}
