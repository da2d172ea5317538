/* The ids of a profile's mappings, locations or functions, each with the index of what has it. */
#ifndef LOCUS_ID_TABLE_H
#define LOCUS_ID_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct id_entry {
	uint64_t id;
	size_t index;
};

/* The caller fills it in any order, and then sorts it. */
struct id_table {
	size_t count;
	struct id_entry *entries;
};

/* Makes room for `count`; false: out of memory. Freed by id_table_done. */
bool id_table_init(struct id_table *table, size_t count);
void id_table_done(struct id_table *table);

/* Sorts. False: an id is 0, which stands for none, or stands twice; *ret is that id. */
bool id_table_sort(struct id_table *table, uint64_t *ret);

/* Finds the index for an id. False: nothing has it. */
bool id_table_find(const struct id_table *table, uint64_t id, size_t *ret);

#endif
