/* Sequences against an oracle that asks every address by itself (RULES A1, B10). */
#include "convert/unit/sequences.h"

#include "base/steps_test.h"
#include "base/toolkit_test.h"

enum { ADDRS = 48, SEQUENCES_MAX = 9, CASES = 20000, NOBODY = UINT32_MAX };

#define SEED UINT64_C(0x5e9)

static struct range random_range(uint64_t *random)
{
	uint32_t start = random_below(random, ADDRS);
	return (struct range){start, start + 1 + random_below(random, ADDRS - start)};
}

/* Some sequences, in the order of the section; each is known by its first row. */
static uint32_t make_sequences(uint64_t *random, struct sequence *ret)
{
	uint32_t count = random_below(random, SEQUENCES_MAX + 1);
	for (uint32_t i = 0; i < count; i++) {
		struct range range = random_range(random);
		ret[i] = (struct sequence){
			.start = range.start,
			.end = range.end,
			.offset = 10 * (uint64_t)i,
			.row_first = i,
			.row_count = i + 1,
		};
	}
	return count;
}

/* One or two ranges of executable code. */
static struct elf_file make_program(uint64_t *random, struct exec_range ranges[2])
{
	uint32_t middle = 1 + random_below(random, ADDRS - 1);
	ranges[0] = (struct exec_range){random_below(random, middle), middle};
	ranges[1] = (struct exec_range){middle + random_below(random, 2), 2 * ADDRS};
	return (struct elf_file){.exec = ranges, .exec_count = 1 + random_below(random, 2)};
}

static void check_gathered(const struct sequences *gathered, const struct sequence *sequences, uint32_t count,
			   const struct elf_file *program, const uint64_t dropped[LOCUS_DROPPED_COUNT])
{
	uint64_t elsewhere = 0, clipped = 0, live = 0, reach = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct exec_range *exec = NULL;
		for (uint32_t k = 0; k < program->exec_count; k++)
			if (sequences[i].start >= program->exec[k].start && sequences[i].start < program->exec[k].end)
				exec = &program->exec[k];
		elsewhere += !exec;
		live += exec != NULL;
		clipped += exec && sequences[i].end > exec->end;
		for (uint32_t k = 0; exec && k < gathered->count; k++) {
			const struct sequence_span *span = &gathered->spans[k];
			if (span->span.row_first != i)
				continue;
			assert_int_equal(span->span.start, sequences[i].start);
			assert_int_equal(span->span.end, sequences[i].end < exec->end ? sequences[i].end : exec->end);
			assert_int_equal(span->span.row_count, sequences[i].row_count);
			assert_int_equal(span->offset, sequences[i].offset);
		}
	}
	assert_int_equal(gathered->count, live);
	assert_int_equal(dropped[LOCUS_DROPPED_NOT_EXECUTABLE], elsewhere);
	assert_int_equal(dropped[LOCUS_DROPPED_CLIPPED], clipped);

	for (uint32_t k = 0; k < gathered->count; k++) {
		const struct sequence_span *span = &gathered->spans[k], *last = k ? span - 1 : NULL;
		assert_true(!last || last->span.start < span->span.start ||
			    (last->span.start == span->span.start && last->offset < span->offset));
		reach = span->span.end > reach ? span->span.end : reach;
		assert_int_equal(span->reach, reach);
	}
}

/*
 * Whether `x` is taken before `y`: the one that is referred to, then the one whose first or last row is the nearest
 * behind the declaration, then one that begins and ends with the part, then one that begins with it, then one that does
 * not begin at 0 or 1 (RULES A2), then by place. Lines are below 6.
 */
static bool is_preferred(const struct sequence_span *x, const struct sequence_span *y, const struct preference *prefer)
{
	const struct sequence_span *const spans[] = {x, y};
	uint64_t distance[2];
	for (int i = 0; i < 2; i++) {
		bool begins = spans[i]->span.start == prefer->start, is_declared = begins && prefer->decl_line;
		distance[i] =
			UINT64_MAX - (begins ? 2 + (spans[i]->span.end == prefer->end) : spans[i]->span.start > 1);
		for (uint32_t line = prefer->decl_line + 5; is_declared && line >= prefer->decl_line; line--)
			if ((spans[i]->first_file == prefer->decl_file && spans[i]->first_line == line) ||
			    (spans[i]->last_file == prefer->decl_file && spans[i]->last_line == line))
				distance[i] = 1 + line - prefer->decl_line;
		if (spans[i]->offset == prefer->stmt_sequence)
			distance[i] = 0;
	}
	return distance[0] != distance[1] ? distance[0] < distance[1] : x->offset < y->offset;
}

static uint32_t owner_of(const struct sequences *sequences, uint64_t addr, const struct preference *prefer)
{
	const struct sequence_span *best = NULL;
	for (uint32_t i = 0; i < sequences->count; i++) {
		const struct sequence_span *span = &sequences->spans[i];
		if (addr >= span->span.start && addr < span->span.end && (!best || is_preferred(span, best, prefer)))
			best = span;
	}
	return best ? best->span.row_first : NOBODY;
}

static void check_chosen(const struct sequences *sequences, const struct range *part, const struct preference *prefer,
			 const struct chosen_spans *chosen)
{
	uint32_t next = 0;
	for (uint64_t addr = part->start; addr < part->end; addr++) {
		uint32_t owner = owner_of(sequences, addr, prefer);
		bool begins = addr == part->start || owner != owner_of(sequences, addr - 1, prefer);
		if (owner == NOBODY || !begins)
			continue;
		assert_true(next < chosen->count);
		const struct row_span *span = &chosen->spans[next++];
		assert_int_equal(span->start, addr);
		assert_int_equal(span->row_first, owner);
		assert_int_equal(span->row_count, owner + 1);
		uint64_t end = addr;
		while (end < part->end && owner_of(sequences, end, prefer) == owner)
			end++;
		assert_int_equal(span->end, end);
	}
	assert_int_equal(chosen->count, next);
}

static void check_ends(const struct sequences *sequences)
{
	for (uint64_t addr = 0; addr < ADDRS; addr++) {
		for (uint64_t end = addr + 1; end <= ADDRS; end++) {
			bool expected = false;
			for (uint32_t i = 0; i < sequences->count; i++)
				expected |=
					sequences->spans[i].span.start <= addr && sequences->spans[i].span.end == end;
			assert_int_equal(sequences_end_at(sequences, addr, end), expected);
		}
	}
}

static void the_best_sequence_answers_for_each_address(void **state)
{
	(void)state;
	struct sequences gathered = {0};
	struct chosen_spans chosen = {0};
	for (uint64_t seed = SEED; seed < SEED + CASES; seed++) {
		uint64_t random = seed, dropped[LOCUS_DROPPED_COUNT] = {0};
		struct sequence sequences[SEQUENCES_MAX];
		struct exec_range ranges[2];
		struct line_table lines = {.sequences = sequences,
					   .sequence_count = make_sequences(&random, sequences)};
		struct elf_file program = make_program(&random, ranges);
		assert_true(sequences_gather(&gathered, &lines, &program, dropped));
		check_gathered(&gathered, sequences, lines.sequence_count, &program, dropped);

		for (uint32_t i = 0; i < gathered.count; i++) {
			gathered.spans[i].first_file = random_below(&random, 2);
			gathered.spans[i].first_line = random_below(&random, 6);
			gathered.spans[i].last_file = random_below(&random, 2);
			gathered.spans[i].last_line = random_below(&random, 6);
		}
		assert_true(sequences_index(&gathered));
		struct range part = random_range(&random);
		struct preference prefer = {
			.stmt_sequence =
				random_below(&random, 3) ? UINT64_MAX : 10 * random_below(&random, SEQUENCES_MAX),
			.decl_file = random_below(&random, 2),
			.decl_line = random_below(&random, 4),
			.start = random_below(&random, 2) ? part.start : random_below(&random, ADDRS),
			.end = random_below(&random, 2) ? part.end : random_below(&random, ADDRS),
		};
		assert_true(sequences_choose(&gathered, part.start, part.end, &prefer, &chosen));
		check_chosen(&gathered, &part, &prefer, &chosen);
		if (seed % 16 == 0)
			check_ends(&gathered);
	}
	chosen_spans_done(&chosen);
	sequences_done(&gathered);
}

/* Frees what sequences_index made for spans that are on the stack. */
static void index_done(struct sequences *sequences)
{
	sequences->spans = NULL;
	sequences_done(sequences);
}

/* A linker may have folded hundreds of functions of a unit into one. */
static void of_very_many_that_overlap_the_best_is_found(void **state)
{
	(void)state;
	enum { COMPARED = 64, COUNT = COMPARED + 200, START = 500, FILES = 3 };
	struct sequence_span spans[COUNT];
	struct sequences sequences = {.spans = spans, .count = COUNT};
	struct chosen_spans chosen = {0};
	for (uint32_t i = 0; i < COUNT; i++)
		spans[i] = (struct sequence_span){.span = {START, 1000 + i, i, 1},
						  .offset = 10 * i,
						  .reach = 1000 + i,
						  .first_file = i % FILES,
						  .first_line = i % 2 ? 5 * (COUNT - i) : 1,
						  .last_file = i % FILES,
						  .last_line = i % 2 ? 0 : 5 * (COUNT - i)};
	/* What another unit's had in common is forgotten. */
	for (uint32_t count = COUNT / 2; count <= COUNT; count += COUNT / 2) {
		sequences.count = count;
		assert_true(sequences_index(&sequences));
		assert_int_equal(sequences.group_count, 1);
		assert_int_equal(sequences.outer_row_count, 2 * count);
	}
	for (uint32_t i = 0; i < COUNT; i++) {
		const struct preference named = {.stmt_sequence = spans[i].offset, .decl_line = 1, .start = START};
		const struct preference declared = {.stmt_sequence = UINT64_MAX,
						    .decl_file = i % FILES,
						    .decl_line = 5 * (COUNT - i) - 1,
						    .start = START};
		const struct preference *prefers[] = {&named, &declared};
		for (size_t k = 0; k < COUNT_OF(prefers); k++) {
			assert_true(sequences_choose(&sequences, START, 600, prefers[k], &chosen));
			assert_int_equal(chosen.count, 1);
			assert_int_equal(chosen.spans[0].row_first, i);
		}
		assert_int_equal(sequences_end_at(&sequences, START, 1000 + i), i < COMPARED);
	}

	/* Of two that fit alike it is the first. */
	enum { FIRST = 1 + COMPARED / FILES * 2 * FILES };
	spans[FIRST + FILES].first_line = spans[FIRST].first_line;
	assert_true(sequences_index(&sequences));
	const struct preference both = {
		.stmt_sequence = UINT64_MAX, .decl_file = 1, .decl_line = spans[FIRST].first_line, .start = START};
	assert_true(sequences_choose(&sequences, START, 600, &both, &chosen));
	assert_int_equal(chosen.spans[0].row_first, FIRST);

	/* Where none fits it is the first of the section, as for a function that says nothing of its declaration. */
	const struct preference others[] = {
		{.stmt_sequence = UINT64_MAX, .decl_file = FILES, .decl_line = 1, .start = START},
		{.stmt_sequence = UINT64_MAX, .decl_line = 5 * COUNT + 1, .start = START},
		{.stmt_sequence = UINT64_MAX, .start = START},
		{.stmt_sequence = UINT64_MAX, .decl_line = 1, .start = START - 1},
		{.stmt_sequence = 15, .start = START}, /* where no sequence is */
	};
	for (size_t i = 0; i < COUNT_OF(others); i++) {
		assert_true(sequences_choose(&sequences, START, 600, &others[i], &chosen));
		assert_int_equal(chosen.count, 1);
		assert_int_equal(chosen.spans[0].row_first, 0);
	}

	/* One that ends with the part is looked for among as many as are compared. */
	for (uint32_t i = COMPARED - 2; i <= COMPARED; i++) {
		const struct preference ends = {.stmt_sequence = UINT64_MAX, .start = START, .end = 1000 + i};
		assert_true(sequences_choose(&sequences, START, 600, &ends, &chosen));
		assert_int_equal(chosen.count, 1);
		assert_int_equal(chosen.spans[0].row_first, i < COMPARED ? i : 0);
	}
	chosen_spans_done(&chosen);
	index_done(&sequences);
}

/*
 * What the one that fits leaves of the function is filled by others, and what begins behind all that overlap is as if
 * they were not there.
 */
static void behind_very_many_that_overlap(void **state)
{
	(void)state;
	enum { MANY = 100, COUNT = MANY + 2, FIT = 80 };
	struct sequence_span spans[COUNT];
	struct sequences sequences = {.spans = spans, .count = COUNT};
	const struct preference prefer = {.stmt_sequence = FIT, .start = 0};
	struct chosen_spans chosen = {0};
	for (uint32_t i = 0; i < COUNT; i++)
		spans[i] = (struct sequence_span){.span = {0, 10, i, 1}, .offset = i, .reach = 30};
	spans[0].span.end = 30;
	spans[MANY].span = (struct row_span){30, 50, MANY, 1};
	spans[MANY].reach = 50;
	spans[MANY + 1].span = (struct row_span){40, 60, MANY + 1, 1};
	spans[MANY + 1].reach = 60;
	assert_true(sequences_index(&sequences));

	static const struct row_span expected[] = {
		{0, 10, FIT, 1}, {10, 30, 0, 1}, {30, 50, MANY, 1}, {50, 55, MANY + 1, 1}};
	assert_true(sequences_choose(&sequences, 0, 55, &prefer, &chosen));
	assert_int_equal(chosen.count, COUNT_OF(expected));
	for (uint32_t i = 0; i < chosen.count; i++) {
		assert_int_equal(chosen.spans[i].start, expected[i].start);
		assert_int_equal(chosen.spans[i].end, expected[i].end);
		assert_int_equal(chosen.spans[i].row_first, expected[i].row_first);
	}
	chosen_spans_done(&chosen);
	index_done(&sequences);
}

/* A part that is not the function's first says nothing of its rows; those that begin with it are its own. */
static void of_very_many_that_overlap_one_begins_with_the_part(void **state)
{
	(void)state;
	enum { MANY = 100, COUNT = MANY + 2, START = 20 };
	struct sequence_span spans[COUNT];
	struct sequences sequences = {.spans = spans, .count = COUNT};
	const struct preference prefer = {.stmt_sequence = UINT64_MAX, .decl_line = 7, .start = START};
	struct chosen_spans chosen = {0};
	for (uint32_t i = 0; i < COUNT; i++) {
		const uint64_t start = i < MANY ? 0 : START;
		spans[i] = (struct sequence_span){.span = {start, 50, i, 1}, .offset = i, .reach = 50};
	}
	assert_true(sequences_index(&sequences));
	assert_true(sequences_choose(&sequences, START, 40, &prefer, &chosen));
	assert_int_equal(chosen.count, 1);
	assert_int_equal(chosen.spans[0].row_first, MANY);
	chosen_spans_done(&chosen);
	index_done(&sequences);
}

/* Those of dropped functions at 0 or 1 stand before one of live code in which a function does not come first. */
static void of_very_many_that_overlap_dropped_ones_come_last(void **state)
{
	(void)state;
	enum { MANY = 100, COUNT = MANY + 1, START = 20 };
	struct sequence_span spans[COUNT];
	struct sequences sequences = {.spans = spans, .count = COUNT};
	const struct preference prefer = {.stmt_sequence = UINT64_MAX, .decl_line = 7, .start = START};
	struct chosen_spans chosen = {0};
	for (uint32_t i = 0; i < COUNT; i++) {
		const uint64_t start = i < MANY ? i / (MANY / 2) : 2;
		spans[i] = (struct sequence_span){.span = {start, 50, i, 1}, .offset = i, .reach = 50};
	}
	spans[MANY].span.end = 35;
	assert_true(sequences_index(&sequences));
	assert_true(sequences_choose(&sequences, START, 40, &prefer, &chosen));
	assert_int_equal(chosen.count, 2);
	assert_int_equal(chosen.spans[0].row_first, MANY);
	assert_int_equal(chosen.spans[0].end, 35);
	assert_int_equal(chosen.spans[1].row_first, 0);
	chosen_spans_done(&chosen);
	index_done(&sequences);
}

/* Each of the folded functions finds its own without looking at the others, so that together they cost little. */
static void folded_functions_cost_little(void **state)
{
	(void)state;
	enum { COUNT = 100000, STEPS = COUNT };
	struct sequence_span *spans = calloc(COUNT, sizeof(*spans));
	struct sequences sequences = {.spans = spans, .count = COUNT};
	struct chosen_spans chosen = {0};
	struct budget budget;
	assert_non_null(spans);
	for (uint32_t i = 0; i < COUNT; i++)
		spans[i] = (struct sequence_span){
			.span = {0, 10, i, 1}, .offset = i, .reach = 10, .first_file = 1, .first_line = 10 * i + 2};
	assert_true(sequences_index(&sequences));
	budget_of_steps(&budget, STEPS);
	for (uint32_t i = 0; i < COUNT; i++) {
		const struct preference prefer = {.stmt_sequence = UINT64_MAX, .decl_file = 1, .decl_line = 10 * i + 1};
		assert_true(sequences_choose(&sequences, 0, 10, &prefer, &chosen));
		assert_int_equal(chosen.count, 1);
		assert_int_equal(chosen.spans[0].row_first, i);
	}
	budget_use(NULL);
	chosen_spans_done(&chosen);
	sequences_done(&sequences);
}

/* However many follow each other in a function, each answers, and of two that overlap somewhere only the better. */
static void many_of_which_some_overlap(void **state)
{
	enum { COUNT = 200, OVERLAPPED = 150 };
	struct sequence_span spans[COUNT];
	const struct sequences sequences = {.spans = spans, .count = COUNT};
	const struct preference prefer = {.stmt_sequence = UINT64_MAX};
	struct chosen_spans chosen = {0};
	(void)state;
	for (uint32_t i = 0; i < COUNT; i++) {
		const uint64_t end = 10 * i + 10 + (i == OVERLAPPED) * 5;
		spans[i] = (struct sequence_span){.span = {10 * i, end, i, 1}, .offset = i, .reach = end};
	}
	assert_true(sequences_choose(&sequences, 0, 10 * COUNT, &prefer, &chosen));
	assert_int_equal(chosen.count, COUNT);
	for (uint32_t i = 0; i < COUNT; i++) {
		assert_int_equal(chosen.spans[i].row_first, i);
		assert_int_equal(chosen.spans[i].start, 10 * i + (i == OVERLAPPED + 1) * 5);
		assert_int_equal(chosen.spans[i].end, 10 * i + 10 + (i == OVERLAPPED) * 5);
	}
	chosen_spans_done(&chosen);
}

/* Whether one ends somewhere is asked of the first 64 that are there, however many are before them. */
static void the_end_of_one_behind_many_others(void **state)
{
	enum { COUNT = 200 };
	struct sequence_span spans[COUNT];
	const struct sequences sequences = {.spans = spans, .count = COUNT};
	(void)state;
	for (uint32_t i = 0; i < COUNT; i++)
		spans[i] = (struct sequence_span){.span = {10 * i, 10 * i + 10, i, 1}, .reach = 10 * i + 10};
	for (uint32_t i = 0; i < COUNT; i++) {
		assert_true(sequences_end_at(&sequences, 10 * i + 5, 10 * i + 10));
		assert_false(sequences_end_at(&sequences, 10 * i + 5, 10 * i + 9));
		assert_false(sequences_end_at(&sequences, 10 * i + 5, 10 * i + 20));
	}
}

/* The nearest behind the declaration is the best, though lines be large. */
static void lines_near_the_largest(void **state)
{
	enum { FIRST = 1, SECOND = 2, DECLARATION = 0x20 };
	static const uint32_t lines[][2] = {{DECLARATION + 1, UINT32_MAX - 8}, {DECLARATION, DECLARATION + 1}};
	(void)state;
	for (size_t i = 0; i < 2 * COUNT_OF(lines); i++) {
		bool is_reversed = i % 2;
		struct sequence_span spans[2] = {
			{.span = {0, 10, FIRST, 1}, .offset = 1, .first_line = lines[i / 2][is_reversed], .reach = 10},
			{.span = {0, 10, SECOND, 1},
			 .offset = 2,
			 .first_line = lines[i / 2][!is_reversed],
			 .reach = 10},
		};
		const struct sequences sequences = {.spans = spans, .count = 2};
		const struct preference prefer = {.stmt_sequence = UINT64_MAX, .decl_line = DECLARATION};
		struct chosen_spans chosen = {0};
		assert_true(sequences_choose(&sequences, 0, 10, &prefer, &chosen));
		assert_int_equal(chosen.count, 1);
		assert_int_equal(chosen.spans[0].row_first, is_reversed ? SECOND : FIRST);
		chosen_spans_done(&chosen);
	}
}

/* Many sequences in one function cost 16 steps each; of those that overlap, each costs as many as there are. */
static void many_sequences_are_counted(void **state)
{
	static const struct {
		uint32_t count;
		bool overlap;
		uint64_t steps;
	} cases[] = {{63, false, 0}, {64, false, 64 * 16}, {65, false, 65 * 16},
		     {7, true, 0},   {8, true, 8 * 8},     {9, true, 9 * 9}};
	const struct preference prefer = {.stmt_sequence = UINT64_MAX};
	struct chosen_spans chosen = {0};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct sequence_span spans[65];
		const struct sequences sequences = {.spans = spans, .count = cases[i].count};
		struct budget budget;
		for (uint32_t k = 0; k < sequences.count; k++) {
			const uint64_t end = 10 * k + 10 + cases[i].overlap;
			spans[k] = (struct sequence_span){.span = {10 * k, end, k, 1}, .offset = k, .reach = end};
		}
		for (uint64_t steps = cases[i].steps + 1; steps-- > 0 && steps + 1 >= cases[i].steps;) {
			budget_of_steps(&budget, steps);
			const bool is_enough = sequences_choose(&sequences, 0, 10 * sequences.count, &prefer, &chosen);
			budget_use(NULL);
			if (is_enough != (steps == cases[i].steps))
				fail_msg("case %zu: with %llu steps", i, (unsigned long long)steps);
			assert_int_equal(chosen.count, sequences.count);
			assert_true(!is_enough || budget_steps_left(&budget) == 0);
		}
	}
	chosen_spans_done(&chosen);
}

/* One that reaches over all others would have each of as many functions pass all of them. */
static void those_that_are_passed_over_are_counted(void **state)
{
	enum { COUNT = 2000, STEPS = COUNT / 16 + 2 };
	struct sequence_span spans[COUNT];
	struct sequences sequences = {.spans = spans, .count = COUNT};
	const struct preference prefer = {.stmt_sequence = UINT64_MAX, .start = 2}; /* where none begins */
	struct chosen_spans chosen = {0};
	struct budget budget;
	(void)state;
	for (uint32_t i = 0; i < COUNT; i++)
		spans[i] = (struct sequence_span){
			.span = {10 * i, 10 * i + 10, i, 1}, .offset = i, .reach = UINT64_C(10) * COUNT};
	spans[0].span.start = 3;
	spans[0].span.end = spans[0].reach;
	assert_true(sequences_index(&sequences));
	for (uint64_t steps = STEPS - 1; steps <= STEPS; steps++) {
		budget_of_steps(&budget, steps);
		bool is_enough = sequences_choose(&sequences, 10 * (COUNT - 1), 10 * COUNT, &prefer, &chosen);
		budget_use(NULL);
		assert_int_equal(is_enough, steps == STEPS);
		assert_int_equal(chosen.spans[0].row_first, 0);
	}
	chosen_spans_done(&chosen);
	index_done(&sequences);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_best_sequence_answers_for_each_address),
		cmocka_unit_test(of_very_many_that_overlap_the_best_is_found),
		cmocka_unit_test(behind_very_many_that_overlap),
		cmocka_unit_test(of_very_many_that_overlap_one_begins_with_the_part),
		cmocka_unit_test(of_very_many_that_overlap_dropped_ones_come_last),
		cmocka_unit_test(folded_functions_cost_little),
		cmocka_unit_test(many_of_which_some_overlap),
		cmocka_unit_test(the_end_of_one_behind_many_others),
		cmocka_unit_test(lines_near_the_largest),
		cmocka_unit_test(many_sequences_are_counted),
		cmocka_unit_test(those_that_are_passed_over_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
