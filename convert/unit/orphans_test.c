/* Orphans against an oracle that asks every address by itself (RULES B14). */
#include "convert/unit/orphans.h"

#include "base/toolkit_test.h"

enum { ADDRS = 64, RANGES_MAX = 12, CASES = 50000 };

#define SEED UINT64_C(0x0f4a5)

/* A range that may overlap those before it; its addresses are marked. */
static struct range random_range(uint64_t *random, bool marks[ADDRS])
{
	uint32_t start = random_below(random, ADDRS), end = start + 1 + random_below(random, ADDRS - start);
	memset(marks + start, true, end - start);
	return (struct range){start, end};
}

static int compare_starts(const void *a, const void *b)
{
	const struct sequence_span *x = a, *y = b;
	return x->span.start < y->span.start ? -1 : x->span.start > y->span.start;
}

static void orphans_are_rows_without_function(void **state)
{
	(void)state;
	for (uint64_t seed = SEED; seed < SEED + CASES; seed++) {
		uint64_t random = seed;
		bool has_row[ADDRS] = {false}, has_function[ADDRS] = {false}, is_orphan[ADDRS] = {false};
		struct sequence_span spans[RANGES_MAX] = {0};
		struct sequences sequences = {.spans = spans, .count = random_below(&random, RANGES_MAX)};
		struct range_list covered = {0};
		struct range orphan;
		uint64_t reached = 0;
		for (uint32_t i = 0; i < sequences.count; i++) {
			struct range range = random_range(&random, has_row);
			spans[i].span = (struct row_span){.start = range.start, .end = range.end};
		}
		qsort(spans, sequences.count, sizeof(*spans), compare_starts);
		for (uint32_t i = random_below(&random, RANGES_MAX); i; i--) {
			struct range range = random_range(&random, has_function);
			assert_true(range_list_add(&covered, range.start, range.end));
		}

		struct orphan_walk walk = orphans_begin(&sequences, &covered, false);
		while (orphans_next(&walk, &orphan)) {
			if (orphan.start < reached)
				fail_msg("seed 0x%llx: an orphan overlaps the one before", (unsigned long long)seed);
			reached = orphan.end;
			for (uint64_t addr = orphan.start; addr < orphan.end; addr++)
				is_orphan[addr] = true;
		}
		assert_int_equal(covered.count, 0);
		for (uint32_t addr = 0; addr < ADDRS; addr++)
			if (is_orphan[addr] != (has_row[addr] && !has_function[addr]))
				fail_msg("seed 0x%llx: address %u", (unsigned long long)seed, addr);
		range_list_done(&covered);
	}
}

/* As many at a time as there is room for, and in the end what is left, also if that is nothing. */
static void some_at_a_time(void **state)
{
	(void)state;
	for (uint32_t orphan_count = 0; orphan_count <= 2 * ORPHANS_AT_ONCE + 1; orphan_count++) {
		struct sequence_span all = {.span = {.start = 0, .end = orphan_count * UINT64_C(16)}};
		struct sequences sequences = {.spans = &all, .count = 1};
		struct range_list covered = {0};
		struct range orphans[ORPHANS_AT_ONCE];
		for (uint64_t i = 0; i < orphan_count; i++)
			assert_true(range_list_add(&covered, i * 16, i * 16 + 4));
		struct orphan_walk walk = orphans_begin(&sequences, &covered, false);
		uint32_t left = orphan_count, count;
		do {
			count = orphans_take(&walk, orphans);
			assert_int_equal(count, left < ORPHANS_AT_ONCE ? left : ORPHANS_AT_ONCE);
			for (uint32_t i = 0; i < count; i++)
				assert_int_equal(orphans[i].start, (orphan_count - left + i) * UINT64_C(16) + 4);
			left -= count;
		} while (count == ORPHANS_AT_ONCE);
		assert_int_equal(left, 0);
		range_list_done(&covered);
	}
}

/* Of so many functions, the memory of those that were passed is given back. */
static void between_many_functions(void **state)
{
	enum { COUNT = 300000 };
	struct sequence_span all = {.span = {.start = 0, .end = COUNT * UINT64_C(16)}};
	struct sequences sequences = {.spans = &all, .count = 1};
	struct range_list covered = {0};
	struct range orphan;
	uint64_t count = 0;
	(void)state;
	for (uint64_t i = COUNT; i--;)
		assert_true(range_list_add(&covered, i * 16, i * 16 + 4));
	for (struct orphan_walk walk = orphans_begin(&sequences, &covered, false); orphans_next(&walk, &orphan);
	     count++) {
		assert_int_equal(orphan.start, count * 16 + 4);
		assert_int_equal(orphan.end, count * 16 + 16);
	}
	assert_int_equal(count, COUNT);
	range_list_done(&covered);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orphans_are_rows_without_function),
		cmocka_unit_test(some_at_a_time),
		cmocka_unit_test(between_many_functions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
