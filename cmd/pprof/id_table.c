/*
 * A sorted array. Ids are mostly 1, 2, 3, ..., so id - 1 is tried as the index before a search. This is no hash table:
 * sorting also finds ids that stand twice.
 */
#include "cmd/pprof/id_table.h"

#include <stdlib.h>

#include "base/order.h"

bool id_table_init(struct id_table *table, size_t count)
{
	table->count = count;
	table->entries = calloc(count ? count : 1, sizeof(*table->entries));
	return table->entries != NULL;
}

void id_table_done(struct id_table *table)
{
	free(table->entries);
	*table = (struct id_table){0};
}

static int compare(const void *a, const void *b)
{
	const struct id_entry *left = a, *right = b;

	return order_of(left->id, right->id);
}

bool id_table_sort(struct id_table *table, uint64_t *ret)
{
	qsort(table->entries, table->count, sizeof(*table->entries), compare);
	for (size_t i = 0; i < table->count; i++) {
		uint64_t before = i ? table->entries[i - 1].id : 0;
		if (table->entries[i].id == before) {
			*ret = before;
			return false;
		}
	}
	return true;
}

bool id_table_find(const struct id_table *table, uint64_t id, size_t *ret)
{
	const struct id_entry key = {.id = id}, *found = NULL;

	if (id - 1 < table->count && table->entries[id - 1].id == id)
		found = &table->entries[id - 1];
	else if (table->count)
		found = bsearch(&key, table->entries, table->count, sizeof(*table->entries), compare);
	if (found)
		*ret = found->index;
	return found != NULL;
}
