/* Sorting, held against qsort: elements of several sizes, with many equal addresses. */
#include "base/sort.h"

#include <stdlib.h>

#include "base/toolkit_test.h"

enum { COUNT_MAX = 600, SIZE_MAX_TESTED = 88 };

static size_t element_size; /* compare gets no more than two pointers */

/* By the address, then by the next byte; the rest says where the element came from. */
static int compare(const void *a, const void *b)
{
	uint64_t x, y;
	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	if (x != y)
		return x < y ? -1 : 1;
	return element_size > sizeof(x) ? ((const uint8_t *)a)[8] - ((const uint8_t *)b)[8] : 0;
}

static void like_qsort(void **state)
{
	(void)state;
	static const size_t sizes[] = {8, 16, 32, 56, SIZE_MAX_TESTED};
	static uint8_t a[COUNT_MAX * SIZE_MAX_TESTED], b[COUNT_MAX * SIZE_MAX_TESTED];
	uint64_t random = 1;
	for (unsigned round = 0; round < 500; round++) {
		size_t size = element_size = sizes[round % COUNT_OF(sizes)], count = round % 10 ? round : COUNT_MAX;
		for (size_t i = 0; i < count; i++) {
			uint64_t addr = random_below(&random, round % 3 ? 1 + (uint32_t)count / 4 : UINT32_MAX);
			memset(a + i * size, 0, size);
			memcpy(a + i * size, &addr, sizeof(addr));
			if (size > 8) {
				a[i * size + 8] = (uint8_t)random_below(&random, 4);
				memcpy(a + (i + 1) * size - 4, &(uint32_t){(uint32_t)i}, 4);
			}
		}
		memcpy(b, a, count * size);
		sort_by_address(a, count, size, compare);
		if (count)
			qsort(b, count, size, compare); /* glibc's is stable */
		if (memcmp(a, b, count * size) != 0)
			fail_msg("round %u: %zu elements of %zu bytes", round, count, size);
	}
}

static unsigned compared; /* calls of compare_and_count */

static int compare_and_count(const void *a, const void *b)
{
	compared++;
	return compare(a, b);
}

/* Lists are mostly in order already: elements are then compared with those of the same address alone. */
static void what_is_sorted_is_looked_over_once(void **state)
{
	static uint64_t addresses[9999];
	(void)state;
	element_size = sizeof(*addresses);
	for (size_t i = 0; i < COUNT_OF(addresses); i++)
		addresses[i] = i / 3 << 20;
	compared = 0;
	sort_by_address(addresses, COUNT_OF(addresses), sizeof(*addresses), compare_and_count);
	assert_int_equal(compared, COUNT_OF(addresses) / 3 * 2);
}

/* What is out of order is sorted by its address, and compared no further where no two addresses are equal. */
static void addresses_are_not_compared_in_pairs(void **state)
{
	static uint64_t addresses[10000];
	(void)state;
	element_size = sizeof(*addresses);
	for (size_t i = 0; i < COUNT_OF(addresses); i++)
		addresses[i] = (COUNT_OF(addresses) - i) << 9;
	compared = 0;
	sort_by_address(addresses, COUNT_OF(addresses), sizeof(*addresses), compare_and_count);
	assert_int_equal(compared, 0);
	for (size_t i = 0; i < COUNT_OF(addresses); i++)
		assert_int_equal(addresses[i], (i + 1) << 9);
}

/* A sort whose time is quadratic would take minutes here. */
static void a_million_keys(void **state)
{
	enum { COUNT = 1 << 20 };
	struct sort_key *memory = malloc(2 * COUNT * sizeof(*memory)), *keys = memory, *scratch = memory + COUNT;
	uint64_t *addresses = malloc(COUNT * sizeof(*addresses)), random = 3;
	(void)state;
	for (uint32_t i = 0; i < COUNT; i++) {
		addresses[i] = random_next(&random) >> 40;
		keys[i] = (struct sort_key){COUNT - 1 - i, i};
	}
	sort_keys(&keys, &scratch, COUNT, addresses, sizeof(*addresses));
	for (uint32_t i = 0; i < COUNT; i++) {
		const struct sort_key *key = &keys[i], *before = i ? key - 1 : key;
		assert_int_equal(key->element, COUNT - 1 - key->value);
		if (addresses[before->element] > addresses[key->element] ||
		    (addresses[before->element] == addresses[key->element] && before->value > key->value))
			fail_msg("key %u is out of order", i);
	}
	free(addresses);
	free(memory);
}

/* Many elements are sorted part by part; those that are alike but for their number may come in any order. */
static void many_elements(void **state)
{
	enum { COUNT = 1 << 20, SIZE = 16 };
	static const unsigned shifts[] = {0, 40, 62, 63}; /* addresses of many bits, and of a few values */
	uint8_t *elements = malloc(COUNT * SIZE), *seen = malloc(COUNT);
	uint64_t random = 5;
	(void)state;
	element_size = SIZE;
	for (size_t k = 0; k < COUNT_OF(shifts); k++) {
		memset(elements, 0, COUNT * SIZE);
		memset(seen, 0, COUNT);
		for (uint32_t i = 0; i < COUNT; i++) {
			uint64_t addr = random_next(&random) >> shifts[k];
			addr = random_one_in(&random, 3) ? 77 : addr;
			memcpy(elements + i * SIZE, &addr, sizeof(addr));
			elements[i * SIZE + 8] = (uint8_t)random_below(&random, 4);
			memcpy(elements + i * SIZE + 12, &i, sizeof(i));
		}
		sort_by_address(elements, COUNT, SIZE, compare);
		for (uint32_t i = 0, number; i < COUNT; i++) {
			memcpy(&number, elements + i * SIZE + 12, sizeof(number));
			if (seen[number]++ || (i && compare(elements + (i - 1) * SIZE, elements + i * SIZE) > 0))
				fail_msg("shift %u: element %u", shifts[k], i);
		}
	}
	free(elements);
	free(seen);
}

static void each_address_once(void **state)
{
	static const uint64_t given[] = {7, 3, 7, UINT64_MAX, 0, 3, 3, UINT64_MAX}, expected[] = {0, 3, 7, UINT64_MAX};
	uint64_t addrs[COUNT_OF(given)];
	(void)state;
	memcpy(addrs, given, sizeof(given));
	assert_int_equal(sort_unique(addrs, COUNT_OF(given)), COUNT_OF(expected));
	assert_memory_equal(addrs, expected, sizeof(expected));
	assert_int_equal(sort_unique(addrs, COUNT_OF(expected)), COUNT_OF(expected)); /* nothing repeats any more */
	assert_memory_equal(addrs, expected, sizeof(expected));
	assert_int_equal(sort_unique(addrs, 1), 1);
	assert_int_equal(sort_unique(NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(like_qsort),
		cmocka_unit_test(what_is_sorted_is_looked_over_once),
		cmocka_unit_test(addresses_are_not_compared_in_pairs),
		cmocka_unit_test(a_million_keys),
		cmocka_unit_test(many_elements),
		cmocka_unit_test(each_address_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
