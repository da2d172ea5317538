/* Splitting against an oracle that asks every address by itself, on random scope trees and rows. RULES B6 to B9, C3,
 * C4. */
#include "base/steps_test.h"
#include "convert/unit/split_oracle_test.h"

enum { CASES = 100000 };

#define SEED UINT64_C(0x10c05)

/* ---- Random scenes ---- */

static struct range random_range(struct scene *scene, uint64_t *random, uint32_t parent)
{
	uint64_t low = 0, high = ADDRS;
	struct split_scope *scope = parent == NOTHING ? NULL : &scene->scopes[parent];
	if (scope && scope->range_count && !random_one_in(random, 4)) { /* mostly inside the parent, as real ones are */
		struct range *around = &scene->ranges[scope->range_first + random_below(random, scope->range_count)];
		if (around->start < around->end) {
			low = around->start - scene->base;
			high = around->end - scene->base;
		}
	}
	if (random_one_in(random, 6))
		return (struct range){scene->base + low, scene->base + high};
	uint64_t start = low + random_below(random, (uint32_t)(high - low) + 1);
	uint64_t end = low + random_below(random, (uint32_t)(high - low) + 1);
	if (start > end && !random_one_in(random, 32)) { /* else a range that ends before it starts */
		uint64_t swap = start;
		start = end;
		end = swap;
	}
	if (random_one_in(random, 8))
		end = start + (start < ADDRS);
	return (struct range){scene->base + start, scene->base + end};
}

static void random_scopes(struct scene *scene, uint64_t *random)
{
	uint32_t shape = random_below(random, 4);
	scene->scope_count = 1 + random_below(random, random_one_in(random, 8) ? SCOPES_MAX : 8);
	for (uint32_t i = 0; i < scene->scope_count; i++) {
		struct split_scope *scope = &scene->scopes[i];
		uint32_t parent = i ? shape == 0 ? i - 1 : shape == 1 ? 0 : random_below(random, i) : 0;
		uint32_t wanted = random_one_in(random, 10)  ? 0
				  : random_one_in(random, 4) ? 1 + random_below(random, 4)
							     : 1;
		scope->parent = parent;
		scope->range_first = scene->range_count;
		if (i && random_one_in(random, 12)) { /* a twin of another scope */
			*scope = scene->scopes[random_below(random, i)];
			scope->parent = parent;
			wanted = 0;
		} else {
			scope->range_count = 0;
		}
		for (; wanted && scene->range_count < RANGES_MAX; wanted--, scope->range_count++)
			scene->ranges[scene->range_count++] = random_range(scene, random, i ? parent : NOTHING);
		scene->contexts[i] = random_one_in(random, 3) ? random_below(random, i + 1) : i;
	}
}

static void random_rows(struct scene *scene, uint64_t *random)
{
	uint32_t at = random_below(random, ADDRS / 4), step = 1 + random_below(random, 24);
	while (scene->span_count < SPANS_MAX && scene->row_count + ADDRS + 2 < ROWS_MAX && at < ADDRS) {
		struct row_span *span = &scene->spans[scene->span_count++];
		uint32_t end = at + 1 + random_below(random, ADDRS - at), before = random_below(random, 3);
		*span = (struct row_span){scene->base + at, scene->base + end, scene->row_count, 0};
		uint32_t addr = at > before ? at - before : 0;
		do { /* the first is at or below the start, the last may be beyond the end */
			scene->columns[scene->row_count] = random_below(random, 3);
			scene->rows[scene->row_count++] = (struct split_row){
				.addr = scene->base + addr,
				.file = random_below(random, 3),
				.line = random_below(random, 4), /* line 0 is a line of its own (RULES B6) */
			};
			span->row_count++;
			addr += 1 + random_below(random, step);
		} while (addr <= end + 4 && addr <= ADDRS && !random_one_in(random, 8));
		at = end + (random_one_in(random, 2) ? random_below(random, ADDRS / 8) : 0);
	}
}

static void random_scene(struct scene *scene, uint64_t seed)
{
	static const uint64_t bases[] = {0, 0x1000, UINT64_C(0xffffffff00000000), UINT64_MAX - ADDRS};
	uint64_t random = seed;
	scene->base = bases[random_below(&random, COUNT_OF(bases))];
	scene->range_count = scene->row_count = scene->span_count = 0;
	scene->keeps_columns = random_one_in(&random, 2);
	random_scopes(scene, &random);
	random_rows(scene, &random);
}

static void random_trees(void **state)
{
	(void)state;
	static struct scene scene;
	struct splitter splitter = {0};
	struct interval_list list = {0};
	uint64_t seeds = SEED;
	for (int i = 0; i < CASES; i++) {
		uint64_t seed = random_next(&seeds);
		random_scene(&scene, seed);
		assert_true(split_scopes(&splitter, scene.scopes, scene.scope_count, scene.ranges, false));
		check_segments(&scene, seed, &splitter);
		check_rows(&scene, seed, &splitter, &list);
	}
	splitter_done(&splitter);
	free(list.intervals);
}

/* ---- Cases by hand, written as segments ---- */

struct scope_case {
	const char *name;
	uint32_t scope_count;
	struct split_scope scopes[4];
	struct range ranges[6];
	uint32_t segment_count;
	struct segment segments[6];
};

static const struct scope_case scope_cases[] = {
	{"a function alone", 1, {{0, 0, 1}}, {{10, 20}}, 1, {{10, 10, 0}}},
	{"a function without code", 1, {{0, 0, 1}}, {{10, 10}}, 0, {{0, 0, 0}}},
	{"two parts (RULES C2)", 1, {{0, 0, 2}}, {{30, 40}, {10, 20}}, 2, {{10, 10, 0}, {30, 10, 0}}},
	{"an inlinee is cut to its parent (RULES C3)",
	 2,
	 {{0, 0, 1}, {0, 1, 1}},
	 {{10, 20}, {5, 15}},
	 2,
	 {{10, 5, 1}, {15, 5, 0}}},
	{"an inlinee outside its parent is dropped (RULES C3)",
	 2,
	 {{0, 0, 1}, {0, 1, 1}},
	 {{10, 20}, {20, 30}},
	 1,
	 {{10, 10, 0}}},
	{"an inlinee's inlinee outside of it is dropped (RULES C3)",
	 3,
	 {{0, 0, 1}, {0, 1, 1}, {1, 2, 1}},
	 {{10, 20}, {10, 12}, {14, 16}},
	 2,
	 {{10, 2, 1}, {12, 8, 0}}},
	{"siblings overlap: the later start owns it (RULES C4)",
	 3,
	 {{0, 0, 1}, {0, 1, 1}, {0, 2, 1}},
	 {{10, 20}, {11, 15}, {13, 17}},
	 4,
	 {{10, 1, 0}, {11, 2, 1}, {13, 4, 2}, {17, 3, 0}}},
	{"the earlier keeps both sides (RULES C4)",
	 3,
	 {{0, 0, 1}, {0, 1, 1}, {0, 2, 1}},
	 {{10, 20}, {10, 20}, {13, 17}},
	 3,
	 {{10, 3, 1}, {13, 4, 2}, {17, 3, 1}}},
	{"the order of the array decides nothing else (RULES C4)",
	 3,
	 {{0, 0, 1}, {0, 1, 1}, {0, 2, 1}},
	 {{10, 20}, {13, 17}, {10, 20}},
	 3,
	 {{10, 3, 2}, {13, 4, 1}, {17, 3, 2}}},
	{"equal siblings: the last",
	 3,
	 {{0, 0, 1}, {0, 1, 1}, {0, 2, 1}},
	 {{10, 20}, {12, 14}, {12, 14}},
	 3,
	 {{10, 2, 0}, {12, 2, 2}, {14, 6, 0}}},
	{"the innermost covers all",
	 3,
	 {{0, 0, 1}, {0, 1, 1}, {1, 2, 1}},
	 {{10, 20}, {10, 20}, {10, 20}},
	 1,
	 {{10, 10, 2}}},
	{"the last address there is",
	 2,
	 {{0, 0, 1}, {0, 1, 1}},
	 {{UINT64_MAX - 4, UINT64_MAX}, {UINT64_MAX - 1, UINT64_MAX}},
	 2,
	 {{UINT64_MAX - 4, 3, 0}, {UINT64_MAX - 1, 1, 1}}},
};

/* The same in DWARF 2, whose ranges may be too short. */
static const struct scope_case truncated_cases[] = {
	{"a function of one range covers what is inlined behind it (RULES C3)",
	 2,
	 {{0, 0, 1}, {0, 1, 1}},
	 {{10, 20}, {30, 40}},
	 2,
	 {{10, 10, 0}, {30, 10, 1}}},
	{"of two ranges it does not",
	 2,
	 {{0, 0, 2}, {0, 2, 1}},
	 {{10, 20}, {50, 60}, {30, 40}},
	 2,
	 {{10, 10, 0}, {50, 10, 0}}},
	{"so does an inlinee, and one without code",
	 4,
	 {{0, 0, 1}, {0, 1, 1}, {0, 2, 0}, {2, 2, 2}},
	 {{10, 20}, {10, 15}, {30, 40}, {50, 60}},
	 4,
	 {{10, 5, 1}, {15, 5, 0}, {30, 10, 3}, {50, 10, 3}}},
	{"one that holds it does not begin again, with its start",
	 4,
	 {{0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {1, 3, 1}},
	 {{10, 50}, {30, 40}, {30, 40}, {30, 35}},
	 3,
	 {{10, 20, 0}, {30, 10, 2}, {40, 10, 0}}},
	{"nor with its end",
	 4,
	 {{0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {1, 3, 1}},
	 {{10, 50}, {30, 40}, {30, 40}, {35, 40}},
	 3,
	 {{10, 20, 0}, {30, 10, 2}, {40, 10, 0}}},
};

static void check_scopes(const struct scope_case *c, const struct scope_case *end, bool truncated)
{
	struct splitter splitter = {0};
	for (; c < end; c++) {
		assert_true(split_scopes(&splitter, c->scopes, c->scope_count, c->ranges, truncated));
		if (splitter.segment_count != c->segment_count)
			fail_msg("%s: %u segments", c->name, splitter.segment_count);
		for (uint32_t k = 0; k < c->segment_count; k++) {
			const struct segment *got = &splitter.segments[k], *want = &c->segments[k];
			if (got->start != want->start || got->size != want->size || got->scope != want->scope)
				fail_msg("%s: segment %u is [%llu,%llu) of %u", c->name, k,
					 (unsigned long long)got->start, (unsigned long long)segment_end(got),
					 got->scope);
		}
	}
	splitter_done(&splitter);
}

static void scopes_by_hand(void **state)
{
	(void)state;
	check_scopes(scope_cases, scope_cases + COUNT_OF(scope_cases), false);
	check_scopes(truncated_cases, truncated_cases + COUNT_OF(truncated_cases), true);
}

#define MOST (uint64_t) UINT32_MAX

/* What a segment's size cannot say is clipped, and each segment is counted once, of however many ranges it is. */
static void long_segments_are_clipped(void **state)
{
	static const struct {
		const char *name;
		struct split_scope scopes[2];
		struct range ranges[3];
		uint32_t clipped_count, segment_count;
		struct segment segments[3];
	} cases[] = {
		{"as long as may be", {{0, 0, 1}}, {{8, 8 + MOST}}, 0, 1, {{8, UINT32_MAX, 0}}},
		{"one byte more", {{0, 0, 1}}, {{8, 9 + MOST}}, 1, 1, {{8, UINT32_MAX, 0}}},
		{"of two ranges", {{0, 0, 2}}, {{8, 8 + MOST}, {8 + MOST, 16 + MOST}}, 1, 1, {{8, UINT32_MAX, 0}}},
		{"of three",
		 {{0, 0, 3}},
		 {{8, 9 + MOST}, {9 + MOST, 3 * MOST}, {3 * MOST, 4 * MOST}},
		 1,
		 1,
		 {{8, UINT32_MAX, 0}}},
		{"two of them",
		 {{0, 0, 3}},
		 {{0, 2 * MOST}, {3 * MOST, 5 * MOST}, {6 * MOST, 6 * MOST + 4}},
		 2,
		 3,
		 {{0, UINT32_MAX, 0}, {3 * MOST, UINT32_MAX, 0}, {6 * MOST, 4, 0}}},
		{"an inlinee behind what is left",
		 {{0, 0, 1}, {0, 1, 1}},
		 {{0, 2 * MOST}, {2 * MOST - 8, 2 * MOST - 4}},
		 1,
		 3,
		 {{0, UINT32_MAX, 0}, {2 * MOST - 8, 4, 1}, {2 * MOST - 4, 4, 0}}},
	};
	struct splitter splitter = {0};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint32_t scope_count = cases[i].scopes[1].range_count ? 2 : 1;
		assert_true(split_scopes(&splitter, cases[i].scopes, scope_count, cases[i].ranges, false));
		if (splitter.clipped_count != cases[i].clipped_count ||
		    splitter.segment_count != cases[i].segment_count ||
		    memcmp(splitter.segments, cases[i].segments, splitter.segment_count * sizeof(*splitter.segments)) !=
			    0)
			fail_msg("%s: %u segments, %u clipped", cases[i].name, splitter.segment_count,
				 splitter.clipped_count);
	}
	splitter_done(&splitter);
}

/* Scopes with a range each, of which each is inlined into the one before it. */
static void make_nest(struct split_scope *scopes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		scopes[i] = (struct split_scope){i ? i - 1 : 0, i, 1};
}

/*
 * In DWARF 2, 16 scopes around an inlinee cover it too, and no more: of a chain of 18, the last is not in the function.
 */
static void at_most_so_many_scopes_around(void **state)
{
	enum { COUNT = 18 };
	struct split_scope scopes[COUNT];
	struct range ranges[COUNT];
	struct splitter splitter = {0};
	(void)state;
	make_nest(scopes, COUNT);
	for (uint32_t i = 0; i < COUNT; i++)
		ranges[i] = (struct range){10 * i, 10 * i + 5};
	assert_true(split_scopes(&splitter, scopes, COUNT, ranges, true));
	assert_int_equal(splitter.segment_count, COUNT - 1);
	for (uint32_t i = 0; i < splitter.segment_count; i++) {
		assert_int_equal(splitter.segments[i].start, 10 * i);
		assert_int_equal(splitter.segments[i].scope, i);
	}
	splitter_done(&splitter);
}

/*
 * Of siblings of which each begins and ends behind the one before, each is passed by all that begin behind it: these
 * steps are counted, many at once, over all functions.
 */
static void overlaps_are_counted(void **state)
{
	enum { COUNT = 301, STEPS = (COUNT - 1) * (COUNT - 2) / 2 + 2 * (COUNT - 2) };
	_Static_assert(STEPS < (int)BUDGET_COUNTED_AT_ONCE, "not counted at the first time");
	static struct split_scope scopes[COUNT];
	static struct range ranges[COUNT];
	(void)state;
	for (uint32_t i = 0; i < COUNT; i++) {
		scopes[i] = (struct split_scope){0, i, 1};
		ranges[i] = i ? (struct range){1000 + i, 2000 + i} : (struct range){0, 3000};
	}
	for (int excess = 0; excess <= COUNT; excess += COUNT) {
		struct splitter splitter = {0};
		struct budget budget;
		const uint64_t steps = BUDGET_COUNTED_AT_ONCE - 1 + (uint64_t)excess;
		budget_of_steps(&budget, steps);
		assert_true(split_scopes(&splitter, scopes, COUNT, ranges, false));
		assert_int_equal(splitter.segment_count, COUNT + 1);
		assert_int_equal(splitter.work, STEPS);
		assert_int_equal(budget_steps_left(&budget), steps);
		assert_int_equal(split_scopes(&splitter, scopes, COUNT, ranges, false), excess != 0);
		budget_use(NULL);
		splitter_done(&splitter);
	}
}

/* Ranges of one scope that overlap are open as one: beside another scope that ends between them, too. */
static void ranges_of_one_scope_are_open_once(void **state)
{
	enum { COUNT = 1000 };
	static const struct split_scope scopes[] = {{0, 0, COUNT}, {0, COUNT, 1}};
	static struct range ranges[COUNT + 1];
	struct splitter splitter = {0};
	(void)state;
	for (unsigned nests = 0; nests < 2; nests++) {
		for (uint32_t i = 0; i < COUNT; i++)
			ranges[i] = nests ? (struct range){i, 4000 - i} : (struct range){i, 2000 + i};
		ranges[COUNT] = (struct range){500, 2100};
		assert_true(split_scopes(&splitter, scopes, 2, ranges, false));
		assert_true(splitter.place_count <= 3);
		assert_int_equal(splitter.segment_count, 3);
		assert_int_equal(splitter.segments[0].start, 0);
		assert_int_equal(segment_end(&splitter.segments[0]), 500);
		assert_int_equal(splitter.segments[1].scope, 1);
		assert_int_equal(segment_end(&splitter.segments[1]), 2100);
		assert_int_equal(splitter.segments[2].scope, 0);
		assert_int_equal(segment_end(&splitter.segments[2]), nests ? 4000 : 2999);
		splitter_done(&splitter);
	}
}

/* What nests, as compilers write it, takes no steps beyond one for each range. */
static void nests_are_not_counted(void **state)
{
	enum { COUNT = 500 };
	struct split_scope scopes[COUNT];
	struct range ranges[COUNT];
	struct splitter splitter = {0};
	(void)state;
	make_nest(scopes, COUNT);
	for (uint32_t i = 0; i < COUNT; i++)
		ranges[i] = (struct range){1000 + i, 2000 - (i == COUNT - 1 ? i - 1 : i)};
	assert_true(split_scopes(&splitter, scopes, COUNT, ranges, false));
	assert_int_equal(splitter.segment_count, 2 * COUNT - 2);
	assert_int_equal(splitter.work, 0);
	splitter_done(&splitter);
}

/*
 * Inlinees that share one list of ranges, which overlap nowhere: the last answers. A list by itself is in order and
 * needs no memory to be sorted; and what many ranges took is not kept.
 */
static void many_ranges_take_memory_for_a_while(void **state)
{
	enum { RANGES = 60000 };
	const struct split_scope shared[] = {{0, 0, RANGES}, {0, 0, RANGES}, {1, 0, RANGES}, {0, 0, RANGES}};
	struct range *ranges = malloc(RANGES * sizeof(*ranges));
	struct splitter splitter = {0};
	(void)state;
	for (uint32_t i = 0; i < RANGES; i++)
		ranges[i] = (struct range){8 * i, 8 * i + 4};
	for (uint32_t count = 1; count <= COUNT_OF(shared); count++) {
		assert_true(split_scopes(&splitter, shared, count, ranges, false));
		assert_int_equal(splitter.segment_count, RANGES);
		for (uint32_t i = 0; i < RANGES; i++) {
			const struct segment *segment = &splitter.segments[i];
			assert_int_equal(segment->start, ranges[i].start);
			assert_int_equal(segment_end(segment), ranges[i].end);
			assert_int_equal(segment->scope, count - 1);
		}
		assert_int_equal(splitter.keys != NULL, count == 1);
		assert_null(splitter.scratch);
		assert_in_range(splitter.place_count, count, COUNT_OF(shared) + 1);
	}
	splitter_done(&splitter);
	free(ranges);
}

struct row_case {
	const char *name;
	uint32_t row_count;
	struct split_row rows[4];
	uint32_t span_count;
	struct row_span spans[2];
	uint32_t interval_count;
	struct interval intervals[6];
};

/* All on a function [10, 20) of context 7 with an inlinee [12, 14) of context 8. */
static const struct row_case row_cases[] = {
	{"no rows (RULES B7, C6)", 0, {{0}}, 0, {{0}}, 3, {{0, 7, 0, 0, 0}, {2, 8, 0, 0, 0}, {4, 7, 0, 0, 0}}},
	{"a row across boundaries is split there (RULES B8)",
	 1,
	 {{5, 1, 3}},
	 1,
	 {{5, 30, 0, 1}},
	 3,
	 {{0, 7, 1, 3, 0}, {2, 8, 1, 3, 0}, {4, 7, 1, 3, 0}}},
	{"line 0 is kept apart (RULES B6)",
	 3,
	 {{10, 1, 3}, {15, 1, 0}, {16, 1, 3}},
	 1,
	 {{10, 20, 0, 3}},
	 5,
	 {{0, 7, 1, 3, 0}, {2, 8, 1, 3, 0}, {4, 7, 1, 3, 0}, {5, 7, 1, 0, 0}, {6, 7, 1, 3, 0}}},
	{"a gap between sequences (RULES B1, B7)",
	 2,
	 {{10, 1, 3}, {16, 1, 4}},
	 2,
	 {{10, 15, 0, 1}, {16, 20, 1, 1}},
	 5,
	 {{0, 7, 1, 3, 0}, {2, 8, 1, 3, 0}, {4, 7, 1, 3, 0}, {5, 7, 0, 0, 0}, {6, 7, 1, 4, 0}}},
	{"equal rows merge (RULES B9)",
	 2,
	 {{10, 1, 3}, {16, 1, 3}},
	 2,
	 {{10, 16, 0, 1}, {16, 20, 1, 1}},
	 3,
	 {{0, 7, 1, 3, 0}, {2, 8, 1, 3, 0}, {4, 7, 1, 3, 0}}},
	{"rows outside the function have no effect",
	 3,
	 {{2, 1, 1}, {10, 1, 3}, {20, 1, 9}},
	 1,
	 {{2, 40, 0, 3}},
	 3,
	 {{0, 7, 1, 3, 0}, {2, 8, 1, 3, 0}, {4, 7, 1, 3, 0}}},
};

static void rows_by_hand(void **state)
{
	(void)state;
	static const struct segment segments[] = {{10, 2, 0}, {12, 2, 1}, {14, 6, 0}};
	static const uint32_t contexts[] = {7, 8};
	struct interval_list list = {0};
	for (size_t i = 0; i < COUNT_OF(row_cases); i++) {
		const struct row_case *c = &row_cases[i];
		list.count = 0;
		const struct covering_rows covering = {c->rows, NULL, c->spans, c->span_count};
		assert_true(split_rows(segments, 3, &covering, contexts, &list));
		if (list.count != c->interval_count ||
		    memcmp(list.intervals, c->intervals, list.count * sizeof(*c->intervals))) {
			for (uint32_t k = 0; k < list.count; k++)
				print_message("%u: context %u file %u line %u\n", list.intervals[k].start,
					      list.intervals[k].context, list.intervals[k].file,
					      list.intervals[k].line);
			fail_msg("%s", c->name);
		}
	}
	free(list.intervals);
}

/* What a sink was given: intervals of a row each. */
static bool take_rows(void *context, const struct interval *intervals, uint32_t count)
{
	uint32_t *taken = context;
	for (uint32_t i = 0; i < count; i++, (*taken)++)
		if (intervals[i].start != 4 * *taken || intervals[i].line != 1 + *taken % 9)
			fail_msg("interval %u", *taken);
	return true;
}

/* Of very many intervals few are held at once, and none is lost or repeated. */
static void many_intervals_are_handed_on(void **state)
{
	enum { ROWS = 400000 };
	const struct segment segment = {0, 4 * ROWS, 0};
	const struct row_span span = {0, 4 * ROWS, 0, ROWS};
	struct split_row *rows = malloc(ROWS * sizeof(*rows));
	uint32_t context = 0, taken = 0;
	struct interval_list list = {.sink = {take_rows, &taken}};
	(void)state;
	assert_non_null(rows);
	for (uint32_t i = 0; i < ROWS; i++)
		rows[i] = (struct split_row){.addr = 4 * i, .file = 1, .line = 1 + i % 9};
	const struct covering_rows covering = {rows, NULL, &span, 1};
	assert_true(split_rows(&segment, 1, &covering, &context, &list));
	assert_true(list.room < 100000);
	assert_int_equal(list.line_bytes, 4 * ROWS);
	assert_true(take_rows(&taken, list.intervals, list.count));
	assert_int_equal(taken, ROWS);
	free(list.intervals);
	free(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scopes_by_hand),
		cmocka_unit_test(long_segments_are_clipped),
		cmocka_unit_test(at_most_so_many_scopes_around),
		cmocka_unit_test(overlaps_are_counted),
		cmocka_unit_test(nests_are_not_counted),
		cmocka_unit_test(ranges_of_one_scope_are_open_once),
		cmocka_unit_test(many_ranges_take_memory_for_a_while),
		cmocka_unit_test(rows_by_hand),
		cmocka_unit_test(many_intervals_are_handed_on),
		cmocka_unit_test(random_trees),
	};
	return cmocka_run_group_tests_name("split", tests, NULL, NULL);
}
