/* From which size on a unit is read in parts: by the size of all units, what is left, and the number of threads. */
#include "convert/schedule/large_unit.h"

#include "base/toolkit_test.h"

static void sizes_of_large_units(void **state)
{
	enum { MIB = 1 << 20 };
	static const struct {
		unsigned thread_count;
		uint64_t size, whole_max;
	} cases[] = {
		/* One thread reads units of up to 16 MiB as a whole, whatever there is beside them. */
		{1, 0, 16 * MIB},
		{1, 20 * MIB, 16 * MIB},
		{1, UINT64_C(2000) * MIB, 16 * MIB},
		/* Several read a fourth of a thread's share as a whole, but no less than 4 MiB. */
		{2, 0, 4 * MIB},
		{2, 32 * MIB - 8, 4 * MIB},
		{2, 32 * MIB, 4 * MIB},
		{2, 32 * MIB + 8, 4 * MIB + 1},
		{2, 64 * MIB, 8 * MIB},
		{2, 128 * MIB, 16 * MIB},
		{2, 128 * MIB + 8, 16 * MIB},
		{2, UINT64_C(2000) * MIB, 16 * MIB},
		{3, 64 * MIB, 5592405},
		{8, 128 * MIB, 4 * MIB},
		{8, 256 * MIB, 8 * MIB},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct large_units large;
		struct unit unit = {.offset = 1000};
		large_units_init(&large, cases[i].size, cases[i].thread_count, NULL);
		for (uint64_t size = cases[i].whole_max - 1; size <= cases[i].whole_max + 1; size++) {
			unit.end = unit.offset + size;
			if (unit_is_large(&large, &unit, UINT64_MAX) != (size > cases[i].whole_max))
				fail_msg("%u threads, %llu bytes in all, a unit of %llu", cases[i].thread_count,
					 (unsigned long long)cases[i].size, (unsigned long long)size);
		}
		large_units_done(&large);
	}
}

/* One of the last units is read in parts if the others would wait for it long. */
static void last_units(void **state)
{
	enum { KIB = 1 << 10 };
	static const struct {
		unsigned thread_count;
		uint64_t size, left;
		bool is_large;
	} cases[] = {
		{1, 4096 * KIB, 0, false}, /* there is no other thread */
		{2, 0, 0, false},
		{2, 256 * KIB, 0, false}, /* too small for more than one part */
		{2, 340 * KIB, 0, false},
		{2, 342 * KIB, 0, true},
		{2, 1024 * KIB, 0, true},
		{2, 1024 * KIB, 511 * KIB, true}, /* the other one waits for half of it */
		{2, 1024 * KIB, 512 * KIB, false},
		{2, 1024 * KIB, 4096 * KIB, false},
		{2, 4096 * KIB, UINT64_MAX, false},
		{3, 1024 * KIB, 1022 * KIB, true}, /* two others share what is left */
		{3, 1024 * KIB, 1024 * KIB, false},
		{8, 1024 * KIB, 3577 * KIB, true},
		{8, 1024 * KIB, 3584 * KIB, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct large_units large;
		const struct unit unit = {.offset = 1000, .end = 1000 + cases[i].size};
		large_units_init(&large, UINT64_C(1) << 30, cases[i].thread_count, NULL);
		if (unit_is_large(&large, &unit, cases[i].left) != cases[i].is_large)
			fail_msg("row %zu", i);
		large_units_done(&large);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_of_large_units),
		cmocka_unit_test(last_units),
	};
	return cmocka_run_group_tests_name("large_unit", tests, NULL, NULL);
}
