/* What is allocated is counted by whole cache lines, and refused at the byte where it is too much. */
#include "reader/handle/allowance.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = LOCUS_ALLOWANCE_HEAD, MAX = 1 << 20 };

static void sizes_are_rounded_up(void **state)
{
	static const struct {
		size_t size, counted;
	} cases[] = {{0, LINE}, {1, 2 * LINE}, {LINE, 2 * LINE}, {LINE + 1, 3 * LINE}, {10 * LINE, 11 * LINE}};
	struct locus_allowance allowance = {.max = MAX};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t *memory;
		assert_int_equal(locus_allowance_allocate(&allowance, cases[i].size, &memory, NULL), LOCUS_OK);
		assert_int_equal((uintptr_t)memory % LINE, 0);
		assert_int_equal(atomic_load(&allowance.used), cases[i].counted);
		assert_false(locus_allowance_is_pooled(memory));
		memset(memory, 0xff, cases[i].size);
		locus_allowance_free(&allowance, memory);
		assert_int_equal(atomic_load(&allowance.used), 0);
	}
	locus_allowance_free(&allowance, NULL);
	assert_int_equal(atomic_load(&allowance.used), 0);
}

static void no_more_than_allowed(void **state)
{
	struct locus_allowance allowance = {.max = MAX};
	struct locus_error error = {.text = ""};
	uint8_t *first, *second;
	(void)state;
	assert_int_equal(locus_allowance_allocate(&allowance, MAX / 2 - LINE, &first, &error), LOCUS_OK);
	assert_int_equal(locus_allowance_allocate(&allowance, MAX / 2 - LINE + 1, &second, &error), LOCUS_ERR_LIMIT);
	assert_string_equal(error.text, "reading it takes more memory than the 1 MiB that are allowed");
	assert_int_equal(atomic_load(&allowance.used), MAX / 2);
	assert_int_equal(locus_allowance_allocate(&allowance, MAX / 2 - LINE, &second, &error), LOCUS_OK);
	assert_int_equal(atomic_load(&allowance.used), MAX);
	assert_int_equal(locus_allowance_take(&allowance, 1, &error), LOCUS_ERR_LIMIT);
	assert_int_equal(locus_allowance_take(&allowance, 0, &error), LOCUS_OK);
	locus_allowance_free(&allowance, first);
	locus_allowance_free(&allowance, second);
	assert_int_equal(locus_allowance_take(&allowance, MAX, &error), LOCUS_OK);
	locus_allowance_give(&allowance, MAX - 1);
	assert_int_equal(atomic_load(&allowance.used), 1);
}

/* Sizes that would wrap when they are rounded up or added are refused as any other. */
static void no_size_wraps(void **state)
{
	static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - LINE, SIZE_MAX - 2 * LINE + 1, SIZE_MAX / 2, MAX + 1};
	struct locus_allowance allowance = {.max = MAX};
	uint8_t *memory;
	(void)state;
	assert_int_equal(locus_allowance_take(&allowance, LINE, NULL), LOCUS_OK);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_int_equal(locus_allowance_allocate(&allowance, sizes[i], &memory, NULL), LOCUS_ERR_LIMIT);
		assert_int_equal(locus_allowance_take(&allowance, sizes[i], NULL), LOCUS_ERR_LIMIT);
		assert_int_equal(atomic_load(&allowance.used), LINE);
	}
}

/* A list doubles; one that may not stays as it is. */
static void a_list_grows(void **state)
{
	struct locus_allowance allowance = {.max = MAX};
	uint32_t *list = NULL;
	size_t capacity = 0, count = 0;
	(void)state;
	while (locus_allowance_grow(&allowance, &list, count, &capacity, sizeof(*list), NULL) == LOCUS_OK) {
		assert_true(count < capacity);
		list[count] = (uint32_t)count;
		count++;
	}
	assert_int_equal(count, capacity);
	assert_true(capacity >= MAX / 8 / sizeof(*list));
	for (size_t i = 0; i < count; i++)
		assert_int_equal(list[i], i);
	locus_allowance_free(&allowance, list);
	assert_int_equal(atomic_load(&allowance.used), 0);
}

/* Asks again and again for more than there is, until it is told to end. */
struct refused {
	struct locus_allowance *allowance;
	atomic_bool is_over;
};

static void *ask_too_much(void *argument)
{
	struct refused *refused = argument;
	while (!atomic_load(&refused->is_over))
		if (locus_allowance_take(refused->allowance, MAX, NULL) == LOCUS_OK)
			return argument;
	return NULL;
}

/* While one thread is refused, another gets what there is. */
static void a_refusal_takes_nothing_from_others(void **state)
{
	enum { TIMES = 1000000 };
	struct locus_allowance allowance = {.max = MAX};
	struct refused refused = {.allowance = &allowance};
	pthread_t thread;
	void *granted;
	unsigned failed = 0;
	(void)state;
	assert_int_equal(locus_allowance_take(&allowance, 1, NULL), LOCUS_OK);
	assert_int_equal(pthread_create(&thread, NULL, ask_too_much, &refused), 0);
	for (unsigned i = 0; i < TIMES; i++) {
		if (locus_allowance_take(&allowance, 1, NULL) == LOCUS_OK)
			locus_allowance_give(&allowance, 1);
		else
			failed++;
	}
	atomic_store(&refused.is_over, true);
	assert_int_equal(pthread_join(thread, &granted), 0);
	assert_null(granted);
	assert_int_equal(failed, 0);
	assert_int_equal(atomic_load(&allowance.used), 1);
}

static void no_array_wraps(void **state)
{
	static const struct {
		uint64_t count;
		size_t element_size, size;
	} cases[] = {
		{0, 4, 0},
		{3, 4, 12},
		{SIZE_MAX / 4, 4, SIZE_MAX - 3},
		{SIZE_MAX / 4 + UINT64_C(1), 4, SIZE_MAX},
		{SIZE_MAX / 4 + UINT64_C(2), 4, SIZE_MAX},
		{UINT64_MAX, 1, SIZE_MAX},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true(locus_array_size(cases[i].count, cases[i].element_size) == cases[i].size);
}

static void pooled_memory_is_left_alone(void **state)
{
	static _Alignas(LINE) uint8_t page[4 * LINE];
	struct locus_allowance allowance = {.max = MAX};
	(void)state;
	memset(page, 0xff, sizeof(page));
	uint8_t *memory = locus_allowance_mark_pooled(page + LINE);
	assert_ptr_equal(memory, page + 2 * LINE);
	assert_true(locus_allowance_is_pooled(memory));
	assert_int_equal(page[LINE - 1], 0xff);
	assert_int_equal(memory[0], 0xff);
	locus_allowance_free(&allowance, memory);
	assert_int_equal(atomic_load(&allowance.used), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_rounded_up),
		cmocka_unit_test(no_more_than_allowed),
		cmocka_unit_test(no_size_wraps),
		cmocka_unit_test(a_list_grows),
		cmocka_unit_test(no_array_wraps),
		cmocka_unit_test(a_refusal_takes_nothing_from_others),
		cmocka_unit_test(pooled_memory_is_left_alone),
	};
	return cmocka_run_group_tests_name("allowance", tests, NULL, NULL);
}
