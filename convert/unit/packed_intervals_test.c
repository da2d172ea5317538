/* Packed intervals are what was packed, from wherever the walk begins; fields of every size. */
#include "convert/unit/packed_intervals.h"

#include "base/toolkit_test.h"

enum { INTERVALS_MAX = 1100, CASES = 2000 };

#define SEED UINT64_C(0x9ac4ed)

static uint32_t random_field(uint64_t *random)
{
	static const unsigned bits[] = {0, 1, 7, 8, 9, 15, 16, 17, 31, 32};
	unsigned width = bits[random_below(random, COUNT_OF(bits))];
	return (uint32_t)(random_next(random) & ((UINT64_C(1) << width) - 1));
}

/* Intervals that ascend from 0 on; few of them change everything. */
static uint32_t random_intervals(struct interval *intervals, bool with_columns, uint64_t *random)
{
	uint32_t count = 1 + random_below(random, random_one_in(random, 3) ? INTERVALS_MAX : 5);
	if (random_one_in(random, 20))
		count = 253 + random_below(random, 5); /* beyond 254 a count takes more bytes */
	struct interval interval = {0, random_field(random), random_field(random), random_field(random), 0};
	for (uint32_t i = 0; i < count; i++) {
		intervals[i] = interval;
		interval.start += 1 + random_field(random) % 300000;
		if (random_one_in(random, 2))
			interval.line = random_field(random);
		if (random_one_in(random, 3))
			interval.context = random_field(random);
		if (random_one_in(random, 4))
			interval.file = random_field(random);
		if (with_columns && random_one_in(random, 2))
			interval.column = random_field(random);
	}
	return count;
}

/* Walks from the interval at `offset`, which is intervals[from], to the end. */
static bool walks(const struct interval_packer *packer, const struct interval *intervals, uint32_t count, uint32_t from,
		  uint32_t offset)
{
	struct interval_cursor cursor = intervals_at(packer->bytes, packer->keeps_columns, offset);
	for (uint32_t i = from; i < count; i++) {
		if (memcmp(&cursor.interval, &intervals[i], sizeof(*intervals)) != 0)
			return false;
		if (interval_next(&cursor) != (i + 1 < count))
			return false;
	}
	return true;
}

/* Packs them in steps, and in one. */
static bool is_same_in_steps(struct interval_packer *packer, const struct interval *intervals, uint32_t count,
			     uint64_t *random)
{
	struct interval_packer whole = {.keeps_columns = packer->keeps_columns};
	uint32_t from = 0;
	while (random_below(random, 4) && from + 1 < count) {
		uint32_t step = 1 + random_below(random, count - from - 1);
		assert_true(intervals_pack_some(packer, intervals + from, step));
		from += step;
		assert_int_equal(packer->count, from);
	}
	assert_true(intervals_pack(packer, intervals + from, count - from));
	assert_true(intervals_pack(&whole, intervals, count));
	bool is_same = whole.size == packer->size && memcmp(whole.bytes, packer->bytes, whole.size) == 0;
	interval_packer_done(&whole);
	return is_same && !packer->count;
}

static void what_is_packed_comes_back(void **state)
{
	struct interval_packer packer = {0};
	struct interval *intervals = malloc(INTERVALS_MAX * sizeof(*intervals));
	(void)state;
	assert_non_null(intervals);
	for (uint64_t seed = SEED; seed < SEED + CASES; seed++) {
		uint64_t random = seed;
		packer.keeps_columns = random_one_in(&random, 2);
		uint32_t count = random_intervals(intervals, packer.keeps_columns, &random);
		if (!is_same_in_steps(&packer, intervals, count, &random))
			fail_msg("seed 0x%llx: %u intervals, in steps", (unsigned long long)seed, count);
		uint32_t from = random_below(&random, count);
		uint32_t end = from + 1 < count ? intervals[from + 1].start : UINT32_MAX;
		uint32_t inside = intervals[from].start + random_below(&random, end - intervals[from].start);
		if (!walks(&packer, intervals, count, 0, 0) ||
		    !walks(&packer, intervals, count, from, intervals[from].start) ||
		    !walks(&packer, intervals, count, from, inside))
			fail_msg("seed 0x%llx: %u intervals, from %u", (unsigned long long)seed, count, from);
	}
	interval_packer_done(&packer);
	free(intervals);
}

/* A quarter of struct interval for what compilers write, or the packing is not worth its time. */
static void rows_of_a_compiler_are_small(void **state)
{
	enum { COUNT = 256 };
	struct interval intervals[COUNT];
	struct interval_packer packer = {0};
	(void)state;
	for (uint32_t i = 0; i < COUNT; i++)
		intervals[i] = (struct interval){i * 7, i / 3 % 20, 3 + (i % 16 == 0), 100 + i * 2, 0};
	assert_true(intervals_pack(&packer, intervals, COUNT));
	assert_true(packer.size <= COUNT * sizeof(*intervals) / 4);
	interval_packer_done(&packer);
}

/* Of intervals whose every field is as large as can be, no byte is beyond the room that was made for them. */
static void the_largest_intervals_fit(void **state)
{
	enum { COUNT = 1024 };
	static struct interval intervals[COUNT];
	(void)state;
	for (uint32_t i = 0; i < COUNT; i++) {
		const uint32_t far = i % 2 ? 0 : UINT32_MAX / 2;
		intervals[i] = (struct interval){
			.start = i * 0x100000, .line = far, .context = far, .file = far, .column = far};
	}
	for (uint32_t count = 1; count <= COUNT; count += 31) {
		struct interval_packer whole = {.keeps_columns = true}, first = {.keeps_columns = true};
		assert_true(intervals_pack(&whole, intervals, count));
		assert_true(whole.size > count * sizeof(*intervals) && whole.size <= whole.room);
		assert_true(walks(&whole, intervals, count, 0, 0));
		interval_packer_done(&whole);
		assert_true(intervals_pack_some(&first, intervals, count));
		assert_true(first.size <= first.room && first.table_size <= first.table_room);
		interval_packer_done(&first);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_packed_comes_back),
		cmocka_unit_test(rows_of_a_compiler_are_small),
		cmocka_unit_test(the_largest_intervals_fit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
