/* Interning: equal keys get one id, equal strings one pointer, from any thread. */
#ifndef LOCUS_INTERN_H
#define LOCUS_INTERN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_slots.h"
#include "base/short_lock.h"

/*
 * Each shard has cache lines of its own. Else a thread that uses one would wait for the line each time that another
 * thread has used the one before or behind it.
 */
enum { INTERN_SHARD_COUNT = 16, INTERN_LINE = 64 /* bytes */ };

struct intern_shard {
	_Alignas(INTERN_LINE) struct short_lock lock;
	struct hash_slots slots;
	uint32_t count;
	uint32_t room;
	uint8_t *keys;
};

/* Where a shard's slots are, or were until lately: for threads that have not locked it, which only prefetch them. */
struct intern_place {
	struct hash_slot *_Atomic slots;
	atomic_uint mask;
};

/* A set of keys of one fixed size, compared bytewise: padding must be zero. */
struct intern_set {
	size_t key_size;
	struct intern_shard shards[INTERN_SHARD_COUNT];
	_Alignas(INTERN_LINE) struct intern_place places[INTERN_SHARD_COUNT];
};

void intern_set_init(struct intern_set *set, size_t key_size);
void intern_set_done(struct intern_set *set);

/*
 * The id of `key`, the same for equal keys; INTERN_FAILED: out of memory. Safe from many threads, so ids depend on the
 * order of arrival: the bytes of the output must not depend on them.
 */
#define INTERN_FAILED UINT32_MAX
uint32_t intern_put(struct intern_set *set, const void *key);

/*
 * The same in steps, for several keys at a time: intern_hash gives the hash of each, intern_prefetch has the processor
 * fetch the slot that intern_put_keys then looks at. In a large set that has to be waited for, but for all of them at
 * once. Equal keys have equal groups. The keys of a group are in one shard: if one thread puts most of them, its
 * processor has that shard in its cache then. Group 0: any shard.
 */
uint64_t intern_hash(const struct intern_set *set, const void *key, uint64_t group);
void intern_prefetch(const struct intern_set *set, uint64_t hash);

/* A key that is put with others. */
struct intern_key {
	const void *key;
	uint64_t hash;
	uint32_t id; /* set by intern_put_keys to what intern_put gives */
};

/*
 * Puts `count` keys, at most INTERN_KEYS_MAX. To lock a shard costs more than to put a key, so keys that are in one
 * shard, as those of a group are, are put under one lock.
 */
enum { INTERN_KEYS_MAX = 32 };
void intern_put_keys(struct intern_set *set, struct intern_key *keys, uint32_t count);

/* The key of an id. Only after the last intern_put of any thread. */
const void *intern_get(const struct intern_set *set, uint32_t id);

/* Whether there is a key of this id. Only after the last intern_put of any thread. */
static inline bool intern_has(const struct intern_set *set, uint32_t id)
{
	return id / INTERN_SHARD_COUNT < set->shards[id % INTERN_SHARD_COUNT].count;
}

/* One more than the highest id. Only after the last intern_put of any thread. */
uint32_t intern_id_end(const struct intern_set *set);

/*
 * Numbers for ids, from 0 and without gaps, whatever the sizes of groups: for tables by id. The keys that were put into
 * a group one after the other have numbers that follow each other, unless other groups share its shard.
 */
struct intern_numbers {
	uint32_t first[INTERN_SHARD_COUNT];
	uint32_t count;
};

/* Only after the last intern_put of any thread. */
struct intern_numbers intern_numbers_of(const struct intern_set *set);

static inline uint32_t intern_number(const struct intern_numbers *numbers, uint32_t id)
{
	return numbers->first[id % INTERN_SHARD_COUNT] + id / INTERN_SHARD_COUNT;
}

struct string_shard {
	_Alignas(INTERN_LINE) struct short_lock lock;
	struct hash_slots slots;
	uint32_t count;
	uint32_t room;
	const char **strings;
	char *chunk; /* where the next string is copied to */
	size_t chunk_left;
	void *chunks; /* all of them, linked */
};

/* A set of strings. */
struct string_set {
	struct string_shard shards[INTERN_SHARD_COUNT];
};

void string_set_init(struct string_set *set);
void string_set_done(struct string_set *set);

/* A NUL-terminated copy, the same pointer for equal contents, owned by the set. NULL: out of memory. */
const char *string_put(struct string_set *set, const char *data, size_t size);

#endif
