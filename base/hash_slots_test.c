/* Slots: every key is found where it was put, whatever its hash, and no other is taken for it. */
#include "base/hash_slots.h"

#include "base/budget.h"
#include "base/toolkit_test.h"

enum { KEYS = 5000 };

/* Keys whose hashes are all alike, alike in their low or high bits, or spread. */
static uint32_t hash_alike(uint32_t key)
{
	(void)key;
	return 0xffffffff;
}

static uint32_t hash_by_high_bits(uint32_t key)
{
	return key << 20;
}

static uint32_t hash_in_groups(uint32_t key)
{
	return key / 7;
}

static uint32_t hash_spread(uint32_t key)
{
	return key * 0x9e3779b1u;
}

static uint32_t slot_of(const struct hash_slots *table, const uint32_t *keys, uint32_t key, uint32_t hash)
{
	uint32_t at;
	HASH_SLOTS_FIND(at, table, hash, keys[table->slots[at].index - 1] == key);
	return at;
}

static void every_key_is_found(void **state)
{
	static const struct {
		const char *name;
		uint32_t (*hash)(uint32_t key);
	} cases[] = {
		{"alike", hash_alike},
		{"by high bits", hash_by_high_bits},
		{"in groups", hash_in_groups},
		{"spread", hash_spread},
	};
	static uint32_t keys[KEYS];
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct hash_slots table = {0};
		for (uint32_t n = 0; n < KEYS; n++) {
			uint32_t key = n * 3 + 1;
			assert_true(hash_slots_reserve(&table, n));
			uint32_t at = slot_of(&table, keys, key, cases[i].hash(key));
			if (table.slots[at].index)
				fail_msg("%s: key %u was there before it was put", cases[i].name, key);
			table.slots[at] = (struct hash_slot){cases[i].hash(key), n + 1};
			keys[n] = key;
		}
		assert_true(KEYS <= (table.mask + 1) / 4 * 3);
		for (uint32_t n = 0; n < KEYS; n++) {
			if (table.slots[slot_of(&table, keys, keys[n], cases[i].hash(keys[n]))].index != n + 1)
				fail_msg("%s: key %u is another's", cases[i].name, keys[n]);
			if (table.slots[slot_of(&table, keys, keys[n] + 1, cases[i].hash(keys[n]))].index)
				fail_msg("%s: a key that was not put is there", cases[i].name);
		}
		hash_slots_done(&table);
		assert_null(table.slots);
	}
}

/* At most three quarters are taken: a search ends at a free slot. */
static void room_is_left(void **state)
{
	struct hash_slots table = {0};
	(void)state;
	for (uint32_t count = 0; count < 10000; count++) {
		assert_true(hash_slots_reserve(&table, count));
		assert_true(count + 1 <= (uint64_t)(table.mask + 1) / 4 * 3);
		assert_true((uint64_t)count * 8 >= table.mask || table.mask == 0xff);
	}
	assert_false(hash_slots_reserve(&table, UINT32_MAX));
	hash_slots_done(&table);
}

/* What the table has is counted once, though it is moved each time that it grows. */
static void slots_are_charged_once(void **state)
{
	enum { SLOTS = 1024 };
	struct budget budget;
	struct hash_slots table = {0};
	(void)state;
	budget_init(&budget, SLOTS * sizeof(*table.slots));
	budget_use(&budget);
	for (uint32_t count = 0; count < SLOTS / 4 * 3 - 3; count++)
		assert_true(hash_slots_reserve(&table, count));
	assert_int_equal(table.mask, SLOTS - 1);
	assert_int_equal(budget.bytes_left, 0);
	assert_false(hash_slots_reserve(&table, SLOTS));
	assert_int_equal(table.mask, SLOTS - 1);
	budget_use(NULL);
	hash_slots_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_key_is_found), cmocka_unit_test(room_is_left),
					   cmocka_unit_test(slots_are_charged_once)};
	return cmocka_run_group_tests_name("hash_slots", tests, NULL, NULL);
}
