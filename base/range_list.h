/* Lists of address ranges. */
#ifndef LOCUS_RANGE_LIST_H
#define LOCUS_RANGE_LIST_H

#include <stdbool.h>
#include <stdint.h>

/* Addresses [start, end). */
struct range {
	uint64_t start;
	uint64_t end;
};

/* Zeroed before the first use. */
struct range_list {
	struct range *ranges;
	uint32_t count;
	uint32_t room;
};

/* Appends a range. False: out of memory. */
bool range_list_add(struct range_list *list, uint64_t start, uint64_t end);
void range_list_done(struct range_list *list);

/* Sorts the list, and makes one range of those that overlap or touch. */
void range_list_sort(struct range_list *list);

/* ---- Only for a sorted list ---- */

/* The index of the first range that ends above `addr`; list->count where there is none. */
uint32_t range_list_find(const struct range_list *list, uint64_t addr);

/* Whether some address of `range` is in the list; whether every one is. */
bool range_list_overlaps(const struct range_list *list, const struct range *range);
bool range_list_holds(const struct range_list *list, const struct range *range);

/* Whether every range of `other` is in the list. */
bool range_list_holds_all(const struct range_list *list, const struct range_list *other);

#endif
