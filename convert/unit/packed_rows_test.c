/* Packed rows, held against the rows themselves: any part of any sequence. */
#include "convert/unit/packed_rows.h"

#include "base/toolkit_test.h"

enum { ROWS_MAX = 2000, SEQUENCES_MAX = 40, CASES = 300, QUESTIONS = 60 };

#define SEED UINT64_C(0x9ac4e5)

struct sequence_rows {
	uint32_t first, count;
};

/* Sequences whose rows ascend, one behind the other in no order of addresses. */
static uint32_t random_rows(struct split_row *rows, struct sequence_rows *sequences, uint64_t *random)
{
	uint32_t count = 0, sequence_count = 1 + random_below(random, SEQUENCES_MAX);
	for (uint32_t i = 0; i < sequence_count; i++) {
		uint64_t addr = random_next(random) >> random_below(random, 64);
		uint32_t more = 1 + random_below(random, ROWS_MAX / SEQUENCES_MAX);
		addr = addr < UINT64_MAX / 2 ? addr : addr / 2;
		sequences[i] = (struct sequence_rows){count, more};
		for (; more; more--) {
			rows[count++] = (struct split_row){
				addr,
				random_one_in(random, 9) ? (uint32_t)random_next(random) : 3,
				random_one_in(random, 9) ? (uint32_t)random_next(random) : 100 + more,
			};
			addr += 1 + random_below(random, random_one_in(random, 5) ? 100000 : 9);
		}
	}
	for (uint32_t i = sequence_count; i < SEQUENCES_MAX; i++)
		sequences[i] = sequences[0];
	return count;
}

/* The rows that answer for [start, end), by asking each. */
static uint32_t expected_rows(const struct split_row *rows, const struct sequence_rows *s, uint64_t start, uint64_t end,
			      const struct split_row **ret)
{
	uint32_t first = 0, last;
	while (first + 1 < s->count && rows[s->first + first + 1].addr <= start)
		first++;
	for (last = first + 1; last < s->count && rows[s->first + last].addr < end;)
		last++;
	*ret = rows + s->first + first;
	return last - first;
}

static void parts_come_back(void **state)
{
	struct split_row *rows = malloc(ROWS_MAX * sizeof(*rows));
	struct sequence_rows sequences[SEQUENCES_MAX];
	struct row_buffer buffer = {0};
	(void)state;
	assert_non_null(rows);
	for (uint64_t seed = SEED; seed < SEED + CASES; seed++) {
		uint64_t random = seed;
		struct packed_rows packed = {0};
		struct row_cursor cursor = {0};
		uint64_t last_end = 0;
		uint32_t count = random_rows(rows, sequences, &random);
		for (uint32_t i = 0, more; i < count; i += more) {
			more = random_below(&random, random_one_in(&random, 3) ? 200 : 5);
			more = more < count - i ? more : count - i;
			assert_true(packed_rows_add(&packed, rows + i, more));
		}
		assert_true(packed_rows_end(&packed));
		const struct sequence_rows *s = sequences;
		for (int i = 0; i < QUESTIONS; i++) {
			if (!random_one_in(&random, 3))
				s = &sequences[random_below(&random, SEQUENCES_MAX)];
			uint64_t low = rows[s->first].addr, size = rows[s->first + s->count - 1].addr - low + 20;
			uint64_t start = low + random_next(&random) % size;
			if (random_one_in(&random, 2)) /* go on where the last question ended, in whatever sequence */
				start = last_end > low ? last_end : low;
			uint64_t end = start + 1 + random_next(&random) % (random_one_in(&random, 2) ? size : 50);
			last_end = end;
			const struct split_row *expected;
			uint32_t wanted = expected_rows(rows, s, start, end, &expected);
			buffer.count = i % 3; /* what is there already stays */
			uint32_t before = buffer.count;
			assert_true(packed_rows_get(&packed, s->first, s->count, start, end, &cursor, &buffer));
			if (buffer.count - before != wanted ||
			    memcmp(buffer.rows + before, expected, wanted * sizeof(*expected)) != 0)
				fail_msg("seed 0x%llx, question %d", (unsigned long long)seed, i);
		}
		packed_rows_done(&packed);
	}
	free(buffer.rows);
	free(rows);
}

/* More rows than 32 bits can count are refused. */
static void too_many_rows(void **state)
{
	static const struct split_row rows[3];
	struct packed_rows packed = {.count = UINT32_MAX - 2};
	(void)state;
	assert_false(packed_rows_add(&packed, rows, 3));
	assert_true(packed_rows_add(&packed, rows, 2));
	assert_int_equal(packed.count, UINT32_MAX);
	assert_false(packed_rows_add(&packed, rows, 1));
	packed_rows_done(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(parts_come_back), cmocka_unit_test(too_many_rows)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
