/* The slots double in number when too many are taken. They keep the hashes, so growing does not read the keys. */
#include "base/hash_slots.h"

#include <stdlib.h>

#include "base/budget.h"
#include "base/vm_pages.h"

enum { FIRST_SLOTS = 1 << 8 };

bool hash_slots_grow(struct hash_slots *table)
{
	uint32_t old_count = table->mask ? table->mask + 1 : 0, count = old_count ? old_count * 2 : FIRST_SLOTS;
	bool affordable = budget_take((uint64_t)(count - old_count) * sizeof(*table->slots));
	struct hash_slots grown = {affordable ? pages_zeroed(count, sizeof(*grown.slots)) : NULL, count - 1};
	if (!grown.slots)
		return budget_memory_out();
	for (uint32_t i = 0; i < old_count; i++) {
		uint32_t at;
		HASH_SLOTS_FIND(at, &grown, table->slots[i].hash, false);
		if (table->slots[i].index)
			grown.slots[at] = table->slots[i];
	}
	free(table->slots);
	*table = grown;
	return true;
}

void hash_slots_done(struct hash_slots *table)
{
	free(table->slots);
	*table = (struct hash_slots){0};
}
