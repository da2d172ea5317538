/*
 * Sets are divided into shards by the keys' hashes (XXH3) or groups, each with a lock, so that threads seldom wait for
 * each other. A search compares hashes first, and so reads few keys but the one it looks for.
 */
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/mix64.h"
#include "base/short_lock.h"

enum { CHUNK_SIZE = 1 << 14 };

/* The low bits choose the shard, the high ones the slot. Where there is a group, it gives the low bits. */
static unsigned shard_of(uint64_t hash)
{
	return hash & (INTERN_SHARD_COUNT - 1);
}

/* Makes room for one key more: a slot, and an element of the array. */
static bool make_room(struct hash_slots *slots, uint32_t count, uint32_t *room, void *array, size_t element_size)
{
	return hash_slots_reserve(slots, count) && array_reserve(array, room, count + UINT64_C(1), element_size);
}

void intern_set_init(struct intern_set *set, size_t key_size)
{
	*set = (struct intern_set){.key_size = key_size};
	for (int i = 0; i < INTERN_SHARD_COUNT; i++)
		short_lock_init(&set->shards[i].lock);
}

void intern_set_done(struct intern_set *set)
{
	if (!set->key_size)
		return;
	for (int i = 0; i < INTERN_SHARD_COUNT; i++) {
		hash_slots_done(&set->shards[i].slots);
		free(set->shards[i].keys);
		short_lock_done(&set->shards[i].lock);
	}
	set->key_size = 0;
}

static uint32_t shard_put(struct intern_shard *shard, const void *key, size_t key_size, uint32_t hash)
{
	bool has_id = shard->count < INTERN_FAILED / INTERN_SHARD_COUNT;
	if (!has_id || !make_room(&shard->slots, shard->count, &shard->room, &shard->keys, key_size))
		return INTERN_FAILED;
	const struct hash_slot *slots = shard->slots.slots;
	uint32_t at;
	HASH_SLOTS_FIND(at, &shard->slots, hash,
			memcmp(shard->keys + (slots[at].index - 1) * key_size, key, key_size) == 0);
	if (slots[at].index)
		return slots[at].index - 1;
	shard->slots.slots[at] = (struct hash_slot){hash, shard->count + 1};
	memcpy(shard->keys + shard->count * key_size, key, key_size);
	return shard->count++;
}

/* Says where the shard's slots are, if they were moved. The caller has the lock. */
static void tell_place(struct intern_place *place, const struct hash_slots *slots)
{
	if (atomic_load_explicit(&place->mask, memory_order_relaxed) == slots->mask)
		return;
	atomic_store_explicit(&place->slots, slots->slots, memory_order_relaxed);
	atomic_store_explicit(&place->mask, slots->mask, memory_order_relaxed);
}

uint64_t intern_hash(const struct intern_set *set, const void *key, uint64_t group)
{
	uint64_t hash = XXH3_64bits_withSeed(key, set->key_size, hash_seed(set));
	return group ? hash - shard_of(hash) + shard_of(mix64(group)) : hash;
}

void intern_prefetch(const struct intern_set *set, uint64_t hash)
{
	const struct intern_place *place = &set->places[shard_of(hash)];
	uint32_t mask = atomic_load_explicit(&place->mask, memory_order_relaxed);
	/*
	 * The slots may have been freed meanwhile, and the mask may be that of others. That does no harm: to prefetch
	 * from an address where nothing is has no effect.
	 */
	uintptr_t slots = (uintptr_t)atomic_load_explicit(&place->slots, memory_order_relaxed);
	__builtin_prefetch((const void *)(slots + ((uint32_t)(hash >> 32) & mask) * sizeof(struct hash_slot)));
}

/* Puts the keys that `left` has a bit for, and that are in the shard. Returns their bits. */
static uint32_t put_in_shard(struct intern_set *set, unsigned which, struct intern_key *keys, uint32_t left)
{
	struct intern_shard *shard = &set->shards[which];
	uint32_t done = 0;
	short_lock_take(&shard->lock);
	for (; left; left &= left - 1) {
		struct intern_key *key = &keys[__builtin_ctz(left)];
		if (shard_of(key->hash) != which)
			continue;
		uint32_t index = shard_put(shard, key->key, set->key_size, (uint32_t)(key->hash >> 32));
		key->id = index == INTERN_FAILED ? INTERN_FAILED : index * INTERN_SHARD_COUNT + which;
		done |= left & -left;
	}
	tell_place(&set->places[which], &shard->slots);
	short_lock_release(&shard->lock);
	return done;
}

void intern_put_keys(struct intern_set *set, struct intern_key *keys, uint32_t count)
{
	for (uint32_t left = (uint32_t)((UINT64_C(1) << count) - 1); left;)
		left &= ~put_in_shard(set, shard_of(keys[__builtin_ctz(left)].hash), keys, left);
}

uint32_t intern_put(struct intern_set *set, const void *key)
{
	struct intern_key one = {.key = key, .hash = intern_hash(set, key, 0)};
	intern_put_keys(set, &one, 1);
	return one.id;
}

const void *intern_get(const struct intern_set *set, uint32_t id)
{
	return set->shards[id % INTERN_SHARD_COUNT].keys + id / INTERN_SHARD_COUNT * set->key_size;
}

uint32_t intern_id_end(const struct intern_set *set)
{
	uint32_t most = 0;
	for (int i = 0; i < INTERN_SHARD_COUNT; i++)
		if (set->shards[i].count > most)
			most = set->shards[i].count;
	return most * INTERN_SHARD_COUNT;
}

struct intern_numbers intern_numbers_of(const struct intern_set *set)
{
	struct intern_numbers numbers = {0};
	for (int i = 0; i < INTERN_SHARD_COUNT; i++) {
		numbers.first[i] = numbers.count;
		numbers.count += set->shards[i].count;
	}
	return numbers;
}

void string_set_init(struct string_set *set)
{
	memset(set, 0, sizeof(*set));
	for (int i = 0; i < INTERN_SHARD_COUNT; i++)
		short_lock_init(&set->shards[i].lock);
}

void string_set_done(struct string_set *set)
{
	for (int i = 0; i < INTERN_SHARD_COUNT; i++) {
		struct string_shard *shard = &set->shards[i];
		for (void *chunk = shard->chunks, *next; chunk; chunk = next) {
			memcpy(&next, chunk, sizeof(next));
			free(chunk);
		}
		hash_slots_done(&shard->slots);
		free(shard->strings);
		short_lock_done(&shard->lock);
	}
}

static char *copy_string(struct string_shard *shard, const char *data, size_t size)
{
	/* A chunk begins with the pointer to the chunk before it. */
	if (shard->chunk_left < size + 1) {
		size_t body = size + 1 > CHUNK_SIZE ? size + 1 : CHUNK_SIZE;
		char *chunk = budget_take(body) ? malloc(sizeof(void *) + body) : NULL;
		if (!chunk) {
			budget_memory_out();
			return NULL;
		}
		memcpy(chunk, &shard->chunks, sizeof(shard->chunks));
		shard->chunks = chunk;
		shard->chunk = chunk + sizeof(void *);
		shard->chunk_left = body;
	}
	char *copy = shard->chunk;
	memcpy(copy, data, size);
	copy[size] = 0;
	shard->chunk += size + 1;
	shard->chunk_left -= size + 1;
	return copy;
}

static bool equals(const char *string, const char *data, size_t size)
{
	return strncmp(string, data, size) == 0 && !string[size];
}

static const char *string_shard_put(struct string_shard *shard, const char *data, size_t size, uint32_t hash)
{
	if (!make_room(&shard->slots, shard->count, &shard->room, &shard->strings, sizeof(*shard->strings)))
		return NULL;
	const struct hash_slot *slots = shard->slots.slots;
	uint32_t at;
	HASH_SLOTS_FIND(at, &shard->slots, hash, equals(shard->strings[slots[at].index - 1], data, size));
	if (slots[at].index)
		return shard->strings[slots[at].index - 1];
	char *copy = copy_string(shard, data, size);
	if (!copy)
		return NULL;
	shard->slots.slots[at] = (struct hash_slot){hash, shard->count + 1};
	shard->strings[shard->count++] = copy;
	return copy;
}

const char *string_put(struct string_set *set, const char *data, size_t size)
{
	uint64_t hash = XXH3_64bits_withSeed(data, size, hash_seed(set));
	struct string_shard *shard = &set->shards[shard_of(hash)];
	short_lock_take(&shard->lock);
	const char *string = string_shard_put(shard, data, size, (uint32_t)(hash >> 32));
	short_lock_release(&shard->lock);
	return string;
}
