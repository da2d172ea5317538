/* Spans that hold an address, held against a look at every one of them. */
#include "convert/cross_check/span_index.h"

#include "base/toolkit_test.h"

enum { SPANS = 40, SPACE = 60 };

/* Some spans, many of which overlap or begin at one address; a few are empty. */
static void fill(struct span_index *index, uint64_t *random)
{
	for (uint32_t i = 0; i < SPANS; i++) {
		uint64_t start = random_below(random, SPACE);
		assert_true(span_index_add(index, start, start + random_below(random, 12), i));
	}
	span_index_sort(index);
}

static void those_that_hold_an_address(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct span_index index = {0};
		uint64_t random = seed;
		fill(&index, &random);
		for (uint64_t addr = 0; addr < SPACE + 12; addr++) {
			const struct span *found[SPANS];
			uint32_t count = span_index_find(&index, addr, found, SPANS), expected = 0;
			for (uint32_t i = 0; i < index.count; i++)
				expected += index.spans[i].start <= addr && addr < index.spans[i].end;
			assert_int_equal(count, expected);
			for (uint32_t i = 0; i < count; i++) {
				assert_true(found[i]->start <= addr && addr < found[i]->end);
				assert_true(!i || found[i - 1] > found[i]); /* the last to start first, none twice */
			}
			if (expected > 1)
				assert_int_equal(span_index_find(&index, addr, found, expected - 1), expected - 1);
		}
		span_index_done(&index);
	}
}

static void the_last_that_starts_below(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct span_index index = {0};
		uint64_t random = seed;
		fill(&index, &random);
		for (uint64_t addr = 0; addr < SPACE + 12; addr++) {
			const struct span *below = span_index_below(&index, addr);
			uint32_t count = 0;
			while (count < index.count && index.spans[count].start <= addr)
				count++;
			assert_ptr_equal(below, count ? &index.spans[count - 1] : NULL);
		}
		span_index_done(&index);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_hold_an_address),
		cmocka_unit_test(the_last_that_starts_below),
	};
	return cmocka_run_group_tests_name("span_index", tests, NULL, NULL);
}
