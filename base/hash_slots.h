/* Hash tables by open addressing: a slot holds a key's hash, and the index of the element that has this key. */
#ifndef LOCUS_HASH_SLOTS_H
#define LOCUS_HASH_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

struct hash_slot {
	uint32_t hash;
	uint32_t index; /* of the element, + 1; 0: the slot is free */
};

/* Zeroed before the first use. The elements with their keys are in an array of the caller's. */
struct hash_slots {
	struct hash_slot *slots;
	uint32_t mask; /* their number, a power of two, less 1; 0: none yet */
};

/* The slow path of hash_slots_reserve. */
bool hash_slots_grow(struct hash_slots *table);
void hash_slots_done(struct hash_slots *table);

/*
 * Makes room for another key beside the `count` that are there, so that at most three quarters of the slots are taken.
 * False: out of memory, or beyond the budget (base/budget.h); the table is then as it was.
 */
static inline bool hash_slots_reserve(struct hash_slots *table, uint32_t count)
{
	return (table->mask && count < table->mask / 4 * 3) || (count <= INT32_MAX / 2 && hash_slots_grow(table));
}

/*
 * Sets `at` to the slot of a key: the one whose hash is `key_hash` and for which `same` is true, an expression of `at`;
 * else to the free slot where the key belongs. There must be room for it. This is a macro, so that the comparison is
 * compiled into the loop.
 */
#define HASH_SLOTS_FIND(at, table, key_hash, same)                                           \
	for ((at) = (key_hash) & (table)->mask;                                              \
	     (table)->slots[at].index && ((table)->slots[at].hash != (key_hash) || !(same)); \
	     (at) = ((at) + 1) & (table)->mask)                                              \
	continue

#endif
