/* Pieces are merged from the last one on, so that each is moved once, to its place. */
#include "convert/schedule/merge_pieces.h"

#include "base/order.h"
#include "base/sort.h"
#include "base/vm_pages.h"

static int compare_starts(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;
	return order_of(x->start, y->start);
}

void pieces_sort(struct piece *pieces, uint32_t count)
{
	sort_by_address(pieces, count, sizeof(*pieces), compare_starts);
}

void pieces_merge(struct piece *pieces, uint32_t count, struct piece *from, uint32_t from_count)
{
	enum { STEP = 1 << 16 }; /* pieces */
	struct piece *to = pieces + count + from_count;
	uint32_t kept = from_count;
	while (from_count) {
		if (count && pieces[count - 1].start > from[from_count - 1].start) {
			*--to = pieces[--count];
			continue;
		}
		*--to = from[--from_count];
		if (from_count && from_count % STEP == 0) {
			pages_release((const uint8_t *)from, from_count * sizeof(*from), kept * sizeof(*from));
			kept = from_count;
		}
	}
}
