/*
 * Whether a part is misplaced does not depend on the address that is asked for. So each part is judged once, when it is
 * first met. If it is misplaced, it is passed over from then on, in one step with the misplaced parts beside it.
 */
#include "convert/cross_check/placed_parts.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/budget.h"

static bool begin(struct placed_parts *placed, uint32_t part_count)
{
	uint32_t room = 0;
	if (placed->counts)
		return true;
	if (!array_reserve(&placed->counts, &room, part_count + UINT64_C(1), sizeof(*placed->counts)))
		return false;
	for (uint32_t i = 0; i < part_count; i++)
		placed->counts[i] = i + 1;
	return budget_spend(part_count / BUDGET_BYTES_PER_STEP);
}

/* Of the first `count` parts, how many are left when those at the end that are known to be misplaced are left out. */
static uint32_t without_misplaced(struct placed_parts *placed, uint32_t count)
{
	uint32_t end = count;
	while (end && placed->counts[end - 1] != end)
		end = placed->counts[end - 1];
	while (count && placed->counts[count - 1] != count) {
		uint32_t next = placed->counts[count - 1];
		placed->counts[count - 1] = end;
		count = next;
	}
	return end;
}

static bool add_found(struct placed_parts *placed, uint32_t part)
{
	if (!array_reserve(&placed->found, &placed->found_room, placed->found_count + UINT64_C(1),
			   sizeof(*placed->found)))
		return false;
	placed->found[placed->found_count++] = part;
	return true;
}

static void reverse(uint32_t *list, uint32_t count)
{
	for (uint32_t i = 0; i < count / 2; i++) {
		uint32_t kept = list[i];
		list[i] = list[count - 1 - i];
		list[count - 1 - i] = kept;
	}
}

/* If one part alone holds the address, that is found. False: out of memory. */
static bool find_only(struct placed_parts *placed, const struct span_index *parts, uint64_t addr)
{
	const struct span *two[2];
	placed->is_only = span_index_find(parts, addr, two, 2) == 1;
	return placed->found_count || !placed->is_only || add_found(placed, (uint32_t)(two[0] - parts->spans));
}

bool placed_parts_find(struct placed_parts *placed, const struct span_index *parts, uint64_t addr)
{
	uint32_t at = span_index_count_below(parts, addr);
	uint64_t steps = 0;
	bool memory = begin(placed, parts->count);
	placed->found_count = 0;
	placed->is_only = false;
	while (memory && (at = without_misplaced(placed, at)) > 0 && parts->spans[at - 1].reach > addr) {
		steps++;
		if (parts->spans[--at].end > addr)
			memory = add_found(placed, at);
	}
	reverse(placed->found, placed->found_count);
	return memory && (placed->found_count > 1 || find_only(placed, parts, addr)) && budget_spend(steps);
}

void placed_parts_note_misplaced(struct placed_parts *placed, uint32_t part)
{
	placed->counts[part] = part;
}

void placed_parts_done(struct placed_parts *placed)
{
	free(placed->counts);
	free(placed->found);
	*placed = (struct placed_parts){0};
}
