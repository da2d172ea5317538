/* The ids of a profile's mappings, locations or functions, and which of them has which. */
#ifndef LOCUS_ID_TABLE_H
#define LOCUS_ID_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct id_entry {
	uint64_t id;
	size_t index;
};

/* Filled by the caller, in any order, and then sorted. */
struct id_table {
	size_t count;
	struct id_entry *entries;
};

/* With room for `count`; false: out of memory. Freed by id_table_done. */
bool id_table_init(struct id_table *table, size_t count);
void id_table_done(struct id_table *table);

/* Sorts. False: there is an id that is 0 (which stands for none) or that two have; *ret is it. */
bool id_table_sort(struct id_table *table, uint64_t *ret);

/* The index of what has the id; false: nothing has. */
bool id_table_find(const struct id_table *table, uint64_t id, size_t *ret);

#endif
