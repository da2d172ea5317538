/* Interning: equal keys get equal ids, different ones different ids, from any number of threads. */
#include "base/intern.h"

#include <stdatomic.h>
#include <xxhash.h>

#include "base/budget.h"
#include "base/toolkit_test.h"

enum { KEYS = 20000, MANY_KEYS = 1 << 20, THREADS = 8 };

struct key {
	uint64_t a;
	uint32_t b;
	uint32_t c;
};

static struct key key_of(uint32_t i)
{
	return (struct key){.a = i / 3, .b = i % 3, .c = 7};
}

static uint32_t put_of_group(struct intern_set *set, const struct key *key, uint64_t group)
{
	struct intern_key one = {.key = key, .hash = intern_hash(set, key, group)};
	intern_prefetch(set, one.hash);
	intern_put_keys(set, &one, 1);
	return one.id;
}

static void keys(void **state)
{
	(void)state;
	struct intern_set set;
	uint32_t *ids = malloc(KEYS * sizeof(*ids));
	uint8_t *given;
	intern_set_init(&set, sizeof(struct key));
	assert_int_equal(intern_id_end(&set), 0);
	for (uint32_t i = 0; i < KEYS; i++) {
		struct key key = key_of(i);
		ids[i] = intern_put(&set, &key);
		assert_int_not_equal(ids[i], INTERN_FAILED);
	}
	given = calloc(intern_id_end(&set), 1);
	for (uint32_t i = 0; i < KEYS; i++) {
		struct key key = key_of(i);
		assert_int_equal(intern_put(&set, &key), ids[i]);
		assert_int_equal(put_of_group(&set, &key, 0), ids[i]);
		assert_memory_equal(intern_get(&set, ids[i]), &key, sizeof(key));
		assert_true(ids[i] < intern_id_end(&set));
		if (given[ids[i]]++)
			fail_msg("id %u was given twice", ids[i]);
	}
	free(ids);
	free(given);
	intern_set_done(&set);
}

/* Keys that are put together, some of them twice, get the ids that they get one by one. */
static void keys_together(void **state)
{
	(void)state;
	struct intern_set set;
	intern_set_init(&set, sizeof(struct key));
	for (uint32_t first = 0, count; first < KEYS; first += count) {
		struct key given[INTERN_KEYS_MAX];
		struct intern_key together[INTERN_KEYS_MAX];
		count = first % INTERN_KEYS_MAX + 1;
		for (uint32_t i = 0; i < count; i++) {
			given[i] = key_of(first + i / 2);
			together[i] = (struct intern_key){&given[i], intern_hash(&set, &given[i], given[i].a / 8), 0};
		}
		intern_put_keys(&set, together, count);
		for (uint32_t i = 0; i < count; i++) {
			assert_memory_equal(intern_get(&set, together[i].id), &given[i], sizeof(given[i]));
			assert_int_equal(put_of_group(&set, &given[i], given[i].a / 8), together[i].id);
			if (i % 2)
				assert_int_equal(together[i].id, together[i - 1].id);
		}
	}
	intern_put_keys(&set, NULL, 0);
	intern_set_done(&set);
}

/* No two shards share a cache line, nor one with what all threads read. */
static void shards_have_lines_of_their_own(void **state)
{
	(void)state;
	struct intern_set set;
	struct string_set strings;
	for (int i = 0; i < INTERN_SHARD_COUNT; i++) {
		assert_int_equal((uintptr_t)&set.shards[i] % INTERN_LINE, 0);
		assert_int_equal((uintptr_t)&strings.shards[i] % INTERN_LINE, 0);
	}
	assert_int_equal((uintptr_t)set.places % INTERN_LINE, 0);
	assert_true((uint8_t *)&set.key_size + INTERN_LINE <= (uint8_t *)set.shards);
}

/* Ids stay near the number of keys: tables are made by them. */
static void ids_are_dense(void **state)
{
	(void)state;
	struct intern_set set;
	intern_set_init(&set, sizeof(struct key));
	for (uint32_t i = 0; i < KEYS; i++) {
		struct key key = key_of(i);
		intern_put(&set, &key);
	}
	assert_in_range(intern_id_end(&set), KEYS, KEYS * 5 / 4);
	intern_set_done(&set);
	intern_set_done(&set); /* twice is fine */
}

/* Puts keys of groups of 1000. */
static void put_grouped(struct intern_set *set, uint32_t *ids)
{
	for (uint32_t i = 0; i < KEYS; i++) {
		struct key key = key_of(i);
		ids[i] = put_of_group(set, &key, 1 + i / 1000);
		assert_int_not_equal(ids[i], INTERN_FAILED);
	}
}

/* The keys of a group are in one shard, one behind the other; the groups are in several shards. */
static void groups_stay_together(void **state)
{
	(void)state;
	struct intern_set set;
	uint32_t *ids = malloc(KEYS * sizeof(*ids)), shards = 0;
	intern_set_init(&set, sizeof(struct key));
	put_grouped(&set, ids);
	for (uint32_t i = 0; i < KEYS; i++) {
		struct key key = key_of(i);
		assert_memory_equal(intern_get(&set, ids[i]), &key, sizeof(key));
		if (i % 1000)
			assert_int_equal(ids[i], ids[i - 1] + INTERN_SHARD_COUNT);
		shards |= UINT32_C(1) << ids[i] % INTERN_SHARD_COUNT;
	}
	assert_true(shards & (shards - 1));
	put_grouped(&set, ids); /* they are found again */
	assert_int_equal(intern_numbers_of(&set).count, KEYS);
	uint32_t found = 0;
	for (uint32_t shard = 0; shard < INTERN_SHARD_COUNT; shard++)
		for (uint32_t id = shard; intern_has(&set, id); id += INTERN_SHARD_COUNT)
			found++;
	assert_int_equal(found, KEYS);
	free(ids);
	intern_set_done(&set);
}

/* Numbers have no gaps, however different the shards are. */
static void numbers_are_dense(void **state)
{
	(void)state;
	struct intern_set set;
	uint32_t *ids = malloc(KEYS * sizeof(*ids));
	uint8_t *given = calloc(KEYS, 1);
	intern_set_init(&set, sizeof(struct key));
	assert_int_equal(intern_numbers_of(&set).count, 0);
	put_grouped(&set, ids);
	const struct intern_numbers numbers = intern_numbers_of(&set);
	for (uint32_t i = 0; i < KEYS; i++) {
		uint32_t number = intern_number(&numbers, ids[i]);
		assert_true(number < numbers.count);
		if (given[number]++)
			fail_msg("number %u was given twice", number);
	}
	free(ids);
	free(given);
	intern_set_done(&set);
}

/* So many that some have the same hash in their slots, which are then told apart by their bytes. */
static void many_keys(void **state)
{
	(void)state;
	struct intern_set set;
	uint32_t *ids = malloc(MANY_KEYS * sizeof(*ids));
	intern_set_init(&set, sizeof(uint64_t));
	for (uint64_t i = 0; i < MANY_KEYS; i++)
		ids[i] = intern_put(&set, &i);
	for (uint64_t i = 0; i < MANY_KEYS; i++)
		if (memcmp(intern_get(&set, ids[i]), &i, sizeof(i)) != 0)
			fail_msg("the id of %llu is another key's", (unsigned long long)i);
	free(ids);
	intern_set_done(&set);
}

static void small_keys(void **state)
{
	(void)state;
	struct intern_set set;
	uint32_t ids[256];
	intern_set_init(&set, 1);
	for (unsigned i = 0; i < 256; i++) {
		uint8_t key = (uint8_t)i;
		ids[i] = intern_put(&set, &key);
		for (unsigned k = 0; k < i; k++)
			assert_int_not_equal(ids[i], ids[k]);
	}
	for (unsigned i = 0; i < 256; i++)
		assert_int_equal(*(const uint8_t *)intern_get(&set, ids[i]), i);
	intern_set_done(&set);
}

/* ---- Threads ---- */

struct shared_sets {
	struct intern_set keys;
	struct string_set strings;
};

struct worker {
	pthread_t thread;
	struct shared_sets *sets;
	pthread_barrier_t *start;
	uint32_t first; /* pairs begin at the same key, so that they race for it, and elsewhere than others */
	uint32_t ids[KEYS];
	const char *strings[KEYS];
};

static void *work(void *argument)
{
	struct worker *worker = argument;
	pthread_barrier_wait(worker->start);
	for (uint32_t n = 0; n < KEYS; n++) {
		uint32_t i = (n + worker->first) % KEYS;
		struct key key = key_of(i);
		char text[32];
		int size = snprintf(text, sizeof(text), "name%u", i);
		worker->ids[i] = put_of_group(&worker->sets->keys, &key, key.a);
		worker->strings[i] = string_put(&worker->sets->strings, text, (size_t)size);
	}
	return NULL;
}

static void threads(void **state)
{
	(void)state;
	struct shared_sets sets;
	struct worker *workers = calloc(THREADS, sizeof(*workers));
	pthread_barrier_t start;
	pthread_barrier_init(&start, NULL, THREADS);
	intern_set_init(&sets.keys, sizeof(struct key));
	string_set_init(&sets.strings);
	for (uint32_t i = 0; i < THREADS; i++) {
		workers[i].sets = &sets;
		workers[i].start = &start;
		workers[i].first = i / 2 * (KEYS / THREADS);
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	pthread_barrier_destroy(&start);
	for (uint32_t i = 1; i < THREADS; i++) {
		assert_memory_equal(workers[i].ids, workers[0].ids, sizeof(workers[i].ids));
		assert_memory_equal(workers[i].strings, workers[0].strings, sizeof(workers[i].strings));
	}
	for (uint32_t i = 0; i < KEYS; i++) {
		struct key key = key_of(i);
		char text[32];
		snprintf(text, sizeof(text), "name%u", i);
		assert_memory_equal(intern_get(&sets.keys, workers[0].ids[i]), &key, sizeof(key));
		assert_string_equal(workers[0].strings[i], text);
	}
	string_set_done(&sets.strings);
	intern_set_done(&sets.keys);
	free(workers);
}

/* Threads that put the same new strings and keys of one shard at the same time, so that each meets the others there. */
enum { MEETING = 4, MET_STRINGS = 8000, MET_ROOM = 16 };

struct meeting {
	struct shared_sets sets;
	pthread_barrier_t start;
	char (*texts)[MET_ROOM];
	const char **strings; /* by thread */
	uint32_t *ids;
	atomic_uint next; /* thread */
};

static void *meet(void *argument)
{
	struct meeting *meeting = argument;
	unsigned thread = atomic_fetch_add(&meeting->next, 1);
	pthread_barrier_wait(&meeting->start);
	for (uint32_t i = 0; i < MET_STRINGS; i++)
		meeting->ids[thread * MET_STRINGS + i] = intern_put(&meeting->sets.keys, meeting->texts[i]);
	pthread_barrier_wait(&meeting->start);
	for (uint32_t i = 0; i < MET_STRINGS; i++) {
		const char *text = meeting->texts[i];
		meeting->strings[thread * MET_STRINGS + i] = string_put(&meeting->sets.strings, text, strlen(text));
	}
	return NULL;
}

static void threads_meet_in_one_shard(void **state)
{
	struct meeting meeting = {.texts = calloc(MET_STRINGS, MET_ROOM),
				  .strings = calloc(MEETING * MET_STRINGS, sizeof(*meeting.strings)),
				  .ids = calloc(MEETING * MET_STRINGS, sizeof(*meeting.ids))};
	pthread_t threads[MEETING];
	(void)state;
	intern_set_init(&meeting.sets.keys, MET_ROOM);
	string_set_init(&meeting.sets.strings);
	for (uint32_t i = 0, number = 0; i < MET_STRINGS; number++) {
		char *text = meeting.texts[i];
		memset(text, 0, MET_ROOM);
		snprintf(text, MET_ROOM, "%u", number);
		const struct shared_sets *sets = &meeting.sets;
		i += XXH3_64bits_withSeed(text, strlen(text), hash_seed(&sets->strings)) % INTERN_SHARD_COUNT == 0 &&
		     intern_hash(&sets->keys, text, 0) % INTERN_SHARD_COUNT == 0;
	}
	pthread_barrier_init(&meeting.start, NULL, MEETING);
	for (uint32_t i = 0; i < MEETING; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, meet, &meeting), 0);
	for (uint32_t i = 0; i < MEETING; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&meeting.start);
	for (uint32_t i = 0; i < MEETING * MET_STRINGS; i++) {
		uint32_t of = i % MET_STRINGS;
		if (meeting.strings[i] != meeting.strings[of] || strcmp(meeting.strings[i], meeting.texts[of]) != 0)
			fail_msg("string %u is not the same for two threads", of);
		if (meeting.ids[i] != meeting.ids[of] ||
		    memcmp(intern_get(&meeting.sets.keys, meeting.ids[i]), meeting.texts[of], MET_ROOM) != 0)
			fail_msg("key %u is not the same for two threads", of);
	}
	string_set_done(&meeting.sets.strings);
	intern_set_done(&meeting.sets.keys);
	free(meeting.texts);
	free(meeting.strings);
	free(meeting.ids);
}

/* ---- Strings ---- */

static void strings(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		const char *data;
		size_t size;
		const char *expected;
	} cases[] = {
		{"empty", "", 0, ""},
		{"a part of its data", "abcdef", 3, "abc"},
		{"the beginning of another", "abcdef", 6, "abcdef"},
		{"not UTF-8", "\xff\xfe", 2, "\xff\xfe"},
	};
	struct string_set set;
	string_set_init(&set);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char *exact = (char *)exact_copy(cases[i].data, cases[i].size);
		const char *first = string_put(&set, exact, cases[i].size);
		if (strcmp(first, cases[i].expected) != 0)
			fail_msg("%s: %s", cases[i].name, first);
		if (string_put(&set, exact, cases[i].size) != first)
			fail_msg("%s: two copies", cases[i].name);
		free(exact);
		if (strcmp(first, cases[i].expected) != 0)
			fail_msg("%s: borrowed", cases[i].name);
	}
	string_set_done(&set);
}

/* As many as a large program has names: quick only where their hashes lead to different slots. */
static void many_strings(void **state)
{
	(void)state;
	enum { COUNT = 1 << 18, ROOM = 16 };
	struct string_set set;
	char *texts = malloc(COUNT * ROOM);
	const char **given = malloc(COUNT * sizeof(*given));
	string_set_init(&set);
	for (uint32_t i = 0; i < COUNT; i++) {
		int size = snprintf(texts + i * ROOM, ROOM, "name%u", i);
		given[i] = string_put(&set, texts + i * ROOM, (size_t)size);
	}
	for (uint32_t i = 0; i < COUNT; i++) {
		const char *text = texts + i * ROOM;
		if (strcmp(given[i], text) != 0 || string_put(&set, text, strlen(text)) != given[i])
			fail_msg("%s", text);
	}
	free(given);
	free(texts);
	string_set_done(&set);
}

/* Longer than the chunks that strings are copied into, then a short one. */
static void long_strings(void **state)
{
	(void)state;
	struct string_set set;
	string_set_init(&set);
	for (size_t size = 1; size < 100000; size = size * 3 + 1) {
		char *text = malloc(size + 1);
		memset(text, 'x', size);
		text[size] = 0;
		const char *string = string_put(&set, text, size);
		assert_string_equal(string, text);
		assert_ptr_equal(string_put(&set, text, size), string);
		assert_string_equal(string_put(&set, "y", 1), "y");
		free(text);
	}
	string_set_done(&set);
}

/* Around the size of the chunks that strings are copied into, each with short ones behind it. */
static void strings_of_about_a_chunk(void **state)
{
	enum { FROM = (1 << 14) - 12, TO = (1 << 14) + 4, COUNT = TO - FROM };
	struct string_set set;
	const char *given[COUNT];
	char *text = malloc(TO);
	(void)state;
	memset(text, 'x', TO);
	string_set_init(&set);
	for (uint32_t i = 0; i < COUNT; i++) {
		given[i] = string_put(&set, text, FROM + i);
		for (uint32_t k = 0; k < 100; k++) {
			char name[16];
			int size = snprintf(name, sizeof(name), "%u-%u", i, k);
			assert_non_null(string_put(&set, name, (size_t)size));
		}
	}
	for (uint32_t i = 0; i < COUNT; i++)
		if (strlen(given[i]) != FROM + i || strspn(given[i], "x") != FROM + i)
			fail_msg("the string of %u bytes was written over", FROM + i);
	free(text);
	string_set_done(&set);
}

/* A chunk is filled to its end: a hundred strings of 160 bytes and the NUL take one of 16 KiB in each of the shards. */
static void chunks_are_filled(void **state)
{
	enum { COUNT = 1600, SIZE = 160 };
	struct budget budget;
	struct string_set set;
	char text[SIZE];
	(void)state;
	budget_init(&budget, INTERN_SHARD_COUNT * ((3 << 14) + (1 << 15)));
	budget_use(&budget);
	string_set_init(&set);
	memset(text, 'x', sizeof(text));
	for (uint32_t i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "%u", i);
		assert_non_null(string_put(&set, text, sizeof(text)));
	}
	assert_int_equal(budget_fail(&budget, LOCUS_OK, NULL), LOCUS_OK);
	budget_use(NULL);
	string_set_done(&set);
}

/* Where there is no memory for a key, it has no id, whichever shard it is for; one that is there gets no other. */
static void no_memory(void **state)
{
	enum { MORE = 1000 };
	struct intern_set set;
	struct budget budget;
	struct key first = key_of(0);
	(void)state;
	intern_set_init(&set, sizeof(struct key));
	const uint32_t id = intern_put(&set, &first);
	budget_init(&budget, 0);
	atomic_store(&budget.bytes_left, 0);
	budget_use(&budget);
	unsigned failed = 0;
	for (uint32_t i = 1; i < MORE; i++) {
		struct key key = key_of(i);
		uint32_t given = intern_put(&set, &key);
		failed += given == INTERN_FAILED;
		assert_true(given == INTERN_FAILED || given < intern_id_end(&set));
	}
	/* A shard that is full asks for room before it looks for the key. */
	const uint32_t again = intern_put(&set, &first);
	assert_true(again == id || again == INTERN_FAILED);
	budget_use(NULL);
	assert_in_range(failed, MORE / 2, MORE);
	intern_set_done(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_keys),
		cmocka_unit_test(keys),
		cmocka_unit_test(keys_together),
		cmocka_unit_test(shards_have_lines_of_their_own),
		cmocka_unit_test(ids_are_dense),
		cmocka_unit_test(groups_stay_together),
		cmocka_unit_test(numbers_are_dense),
		cmocka_unit_test(small_keys),
		cmocka_unit_test(threads_meet_in_one_shard),
		cmocka_unit_test(threads),
		cmocka_unit_test(strings),
		cmocka_unit_test(many_strings),
		cmocka_unit_test(long_strings),
		cmocka_unit_test(strings_of_about_a_chunk),
		cmocka_unit_test(chunks_are_filled),
		cmocka_unit_test(no_memory),
	};
	return cmocka_run_group_tests_name("intern", tests, NULL, NULL);
}
