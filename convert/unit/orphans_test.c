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
		struct range_list covered = {0}, orphans = {0};
		for (uint32_t i = 0; i < sequences.count; i++) {
			struct range range = random_range(&random, has_row);
			spans[i].span = (struct row_span){.start = range.start, .end = range.end};
		}
		qsort(spans, sequences.count, sizeof(*spans), compare_starts);
		for (uint32_t i = random_below(&random, RANGES_MAX); i; i--) {
			struct range range = random_range(&random, has_function);
			assert_true(range_list_add(&covered, range.start, range.end));
		}

		assert_true(orphans_find(&sequences, &covered, &orphans));
		for (uint32_t i = 0; i < orphans.count; i++) {
			if (i && orphans.ranges[i].start < orphans.ranges[i - 1].end)
				fail_msg("seed 0x%llx: orphan %u overlaps the one before", (unsigned long long)seed, i);
			for (uint64_t addr = orphans.ranges[i].start; addr < orphans.ranges[i].end; addr++)
				is_orphan[addr] = true;
		}
		for (uint32_t addr = 0; addr < ADDRS; addr++)
			if (is_orphan[addr] != (has_row[addr] && !has_function[addr]))
				fail_msg("seed 0x%llx: address %u", (unsigned long long)seed, addr);
		range_list_done(&covered);
		range_list_done(&orphans);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(orphans_are_rows_without_function)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
