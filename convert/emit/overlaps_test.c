/* Merging against an oracle that asks every address by itself, in any order of arrival; and the order of preference. */
#include "convert/emit/overlaps.h"

#include "base/toolkit_test.h"

enum { ADDRS = 80, PIECES_MAX = 40, UNITS = 3, CASES = 20000, SHUFFLES = 3 };

#define SEED    UINT64_C(0x4d45)
#define NOTHING UINT32_MAX

static void print_pieces(const struct piece *pieces, uint32_t count, uint64_t seed)
{
	print_message("seed 0x%llx\n", (unsigned long long)seed);
	for (uint32_t i = 0; i < count; i++)
		print_message(
			"%u: [%llu,%llu) unit %u die %llu%s%s%s%s%s%s%s\n", i, (unsigned long long)pieces[i].start,
			(unsigned long long)piece_end(&pieces[i]), pieces[i].function->unit_index,
			(unsigned long long)pieces[i].function->die, pieces[i].is_function ? ", function" : "",
			pieces[i].is_misplaced ? ", misplaced" : "", pieces[i].at_symbol ? ", at symbol" : "",
			pieces[i].at_others_symbol ? ", at another's" : "", pieces[i].has_linkage ? ", linkage" : "",
			pieces[i].has_inlinees ? ", inlinees" : "", pieces[i].has_rows ? ", rows" : "");
}

static const struct unit_function *random_function(uint32_t index, uint64_t *random)
{
	static struct unit_function functions[UNITS][PIECES_MAX];
	uint32_t unit = random_below(random, UNITS);
	functions[unit][index] = (struct unit_function){.die = index * 16, .unit_index = unit};
	return &functions[unit][index];
}

/* Few values each, so that every word of the order decides some pair; the DIEs differ, as they do in a file. */
static uint32_t random_pieces(struct piece *pieces, uint64_t *random)
{
	uint32_t count = random_below(random, random_one_in(random, 4) ? PIECES_MAX : 6) + 1;
	uint64_t symbols[] = {random_next(random) & random_next(random), random_next(random) & random_next(random)};
	for (uint32_t i = 0; i < count; i++) {
		uint64_t start = random_below(random, ADDRS);
		uint64_t end = start + 1 + random_below(random, random_one_in(random, 3) ? ADDRS - (uint32_t)start : 4);
		if (i && random_one_in(random, 4)) {
			start = pieces[i - 1].start;
			end = piece_end(&pieces[i - 1]);
		}
		pieces[i] = (struct piece){
			.start = start,
			.size = (uint32_t)((end > ADDRS ? ADDRS : end) - start),
			.function = random_function(i, random),
			.has_inlinees = random_below(random, 3) != 0,
			.has_rows = random_below(random, 3) != 0,
			.is_function = !random_one_in(random, 5),
			.is_misplaced = random_one_in(random, 5),
			.at_others_symbol = random_one_in(random, 5),
			.at_symbol = symbols[start / 64] >> start % 64 & 1, /* a fact of the start alone */
			.has_linkage = random_one_in(random, 2),
		};
	}
	return count;
}

static void shuffle(struct piece *pieces, uint32_t count, uint64_t *random)
{
	for (uint32_t i = count; i > 1; i--) {
		uint32_t other = random_below(random, i);
		struct piece swap = pieces[i - 1];
		pieces[i - 1] = pieces[other];
		pieces[other] = swap;
	}
}

/* The piece that no other one covering `addr` is preferred to. */
static uint32_t oracle(const struct piece *pieces, uint32_t count, uint64_t addr)
{
	uint32_t best = NOTHING;
	for (uint32_t i = 0; i < count; i++)
		if (pieces[i].start <= addr && addr < piece_end(&pieces[i]) &&
		    (best == NOTHING || piece_is_preferred(&pieces[i], &pieces[best])))
			best = i;
	return best;
}

#define CHECK(condition, ...)                              \
	do {                                               \
		if (!(condition)) {                        \
			print_pieces(pieces, count, seed); \
			fail_msg(__VA_ARGS__);             \
		}                                          \
	} while (0)

static uint32_t list_slices(const struct overlaps *overlaps, struct slice ret[2 * PIECES_MAX + 1])
{
	struct slice_walk walk = {.overlaps = overlaps};
	uint32_t count = 0;
	while (slice_walk_next(&walk, &ret[count]))
		assert_true(++count <= 2 * PIECES_MAX);
	return count;
}

static void check_merged(const struct piece *pieces, uint32_t count, const struct overlaps *overlaps, uint64_t seed)
{
	struct slice slices[2 * PIECES_MAX + 1];
	uint32_t at = 0, slice_count = list_slices(overlaps, slices);
	for (uint32_t i = 0; i < slice_count; i++) {
		const struct slice *slice = &slices[i];
		CHECK(slice->size && slice->piece < count, "slice %u is empty or nobody's", i);
		CHECK(!i || slice_end(&slice[-1]) <= slice->start, "slice %u overlaps the one before", i);
		CHECK(!i || slice_end(&slice[-1]) != slice->start || slice[-1].piece != slice->piece,
		      "slice %u continues the one before", i);
	}
	for (uint32_t i = 0; i < overlaps->slice_count; i++)
		CHECK(pieces[overlaps->slices[i].piece].is_displaced, "a whole piece is kept as slice %u", i);
	for (uint64_t addr = 0; addr <= ADDRS; addr++) {
		while (at < slice_count && slice_end(&slices[at]) <= addr)
			at++;
		bool inside = at < slice_count && slices[at].start <= addr;
		uint32_t got = inside ? slices[at].piece : NOTHING, want = oracle(pieces, count, addr);
		CHECK(got == want, "address %u: piece %d, expected %d", (unsigned)addr, (int)got, (int)want);
	}
	/* Who lost an address anywhere was beaten by one that covers such an address and is preferred. */
	for (uint32_t i = 0; i < count; i++) {
		bool lost = false;
		for (uint64_t addr = pieces[i].start; addr < piece_end(&pieces[i]); addr++)
			lost |= oracle(pieces, count, addr) != i;
		CHECK(lost == pieces[i].is_displaced, "piece %u is %sbeaten", i, lost ? "not " : "");
		if (!lost)
			continue;
		uint32_t by = overlaps->displaced_by[i];
		CHECK(by < count && piece_is_preferred(&pieces[by], &pieces[i]), "piece %u is beaten by %u", i, by);
		CHECK(pieces[by].start < piece_end(&pieces[i]) && pieces[i].start < piece_end(&pieces[by]),
		      "%u does not overlap %u", by, i);
	}
}

/* Of the same pieces. */
static bool same_result(const struct overlaps *a, const struct overlaps *b)
{
	if (a->slice_count != b->slice_count)
		return false;
	for (uint32_t i = 0; i < a->piece_count; i++)
		if (a->pieces[i].is_displaced && a->displaced_by[i] != b->displaced_by[i])
			return false;
	for (uint32_t i = 0; i < a->slice_count; i++) {
		const struct slice *x = &a->slices[i], *y = &b->slices[i];
		if (x->start != y->start || x->size != y->size || x->piece != y->piece)
			return false;
	}
	return true;
}

static void random_merges(void **state)
{
	(void)state;
	struct piece pieces[PIECES_MAX], first[PIECES_MAX];
	uint64_t seeds = SEED;
	for (int i = 0; i < CASES; i++) {
		uint64_t seed = random_next(&seeds), random = seed;
		uint32_t count = random_pieces(pieces, &random);
		struct overlaps overlaps, again;
		assert_true(overlaps_resolve(pieces, count, &overlaps));
		check_merged(pieces, count, &overlaps, seed);
		memcpy(first, pieces, count * sizeof(*pieces));
		for (int k = 0; k < SHUFFLES; k++) {
			shuffle(pieces, count, &random);
			assert_true(overlaps_resolve(pieces, count, &again));
			CHECK(memcmp(first, pieces, count * sizeof(*pieces)) == 0,
			      "the order of arrival shows in the pieces");
			CHECK(same_result(&again, &overlaps), "the order of arrival shows in the result");
			overlaps_done(&again);
		}
		overlaps_done(&overlaps);
	}
}

static void check_transitive(const struct piece *pieces, uint32_t count, uint64_t seed)
{
	for (uint32_t a = 0; a < count; a++)
		for (uint32_t b = 0; b < count; b++)
			for (uint32_t c = 0; piece_is_preferred(&pieces[a], &pieces[b]) && c < count; c++)
				CHECK(!piece_is_preferred(&pieces[b], &pieces[c]) ||
					      piece_is_preferred(&pieces[a], &pieces[c]),
				      "%u before %u before %u, but not %u before %u", a, b, c, a, c);
}

/* A strict total order: of any two different pieces exactly one is before the other, and it is transitive. */
static void total_order(void **state)
{
	(void)state;
	struct piece pieces[PIECES_MAX];
	uint64_t seed = SEED;
	for (int i = 0; i < 100; i++) {
		uint32_t count = random_pieces(pieces, &seed);
		for (uint32_t a = 0; a < count; a++)
			for (uint32_t b = 0; b < count; b++)
				CHECK(piece_is_preferred(&pieces[a], &pieces[b]) +
						      piece_is_preferred(&pieces[b], &pieces[a]) ==
					      (a != b),
				      "%u and %u", a, b);
		check_transitive(pieces, count, seed);
	}
}

/* `winner` is preferred to `loser`, whatever else speaks for the loser. */
struct order_case {
	const char *name;
	struct piece winner;
	struct piece loser;
};

#define CODE       .is_function = true, .start = 16, .size = 16
#define LOW(unit)  .function = &dies[unit][0]
#define HIGH(unit) .function = &dies[unit][1]

/* Two of each unit. */
static const struct unit_function dies[][2] = {
	{{.die = 1, .unit_index = 0}, {.die = 9, .unit_index = 0}},
	{{.die = 1, .unit_index = 1}, {.die = 9, .unit_index = 1}},
	{{.die = 1, .unit_index = 2}, {.die = 9, .unit_index = 2}},
};

static const struct order_case order_cases[] = {
	{"RULES A6: anything over debug information of another function's place",
	 {.start = 16, .size = 24, HIGH(0)},
	 {CODE, .is_misplaced = true, .has_inlinees = true, .has_rows = true, .has_linkage = true, .at_symbol = true,
	  LOW(0)}},
	{"a function over rows alone",
	 {CODE, HIGH(0)},
	 {.start = 16,
	  .size = 16,
	  .has_inlinees = true,
	  .has_rows = true,
	  .has_linkage = true,
	  .at_symbol = true,
	  LOW(0)}},
	{"RULES C7: any function over one where the symbol is another's",
	 {CODE, HIGH(0)},
	 {CODE, .at_others_symbol = true, .at_symbol = true, .has_inlinees = true, .has_rows = true,
	  .has_linkage = true, LOW(0)}},
	{"RULES C8: and over a smaller one",
	 {.is_function = true, .start = 10, .size = 89, HIGH(0)},
	 {CODE, .at_others_symbol = true, .at_symbol = true, LOW(0)}},
	{"RULES C7: rows alone over one where the symbol is another's",
	 {.start = 16, .size = 16, HIGH(0)},
	 {CODE, .at_others_symbol = true, .at_symbol = true, .has_inlinees = true, .has_rows = true,
	  .has_linkage = true, LOW(0)}},
	{"RULES C8: a symbol's start over a smaller range",
	 {.is_function = true, .start = 10, .size = 89, .at_symbol = true, HIGH(0)},
	 {CODE, .has_inlinees = true, .has_rows = true, .has_linkage = true, LOW(0)}},
	{"RULES A6: a dead function at 0 loses to the symbol's",
	 {CODE, .at_symbol = true, HIGH(0)},
	 {.is_function = true,
	  .start = 0,
	  .size = 0x2006,
	  .has_inlinees = true,
	  .has_rows = true,
	  .has_linkage = true,
	  LOW(0)}},
	{"RULES C8: the smaller range over the richer",
	 {CODE, HIGH(0)},
	 {.is_function = true,
	  .start = 16,
	  .size = 17,
	  .has_inlinees = true,
	  .has_rows = true,
	  .has_linkage = true,
	  LOW(0)}},
	{"RULES C8: of one size the richer",
	 {.is_function = true, .start = 17, .size = 16, .has_inlinees = true, HIGH(0)},
	 {CODE, .has_rows = true, .has_linkage = true, LOW(0)}},
	{"RULES C7: inlinees over rows",
	 {CODE, .has_inlinees = true, HIGH(0)},
	 {CODE, .has_rows = true, .has_linkage = true, LOW(0)}},
	{"RULES C7: rows over a linkage name", {CODE, .has_rows = true, HIGH(0)}, {CODE, .has_linkage = true, LOW(0)}},
	{"RULES C7: how many inlinees is no measure",
	 {CODE, .has_inlinees = true, HIGH(1)},
	 {CODE, .has_inlinees = true, LOW(2)}},
	{"RULES C7: how many rows is no measure", {CODE, .has_rows = true, HIGH(1)}, {CODE, .has_rows = true, LOW(2)}},
	{"RULES C7: a linkage name over the lower DIE", {CODE, .has_linkage = true, HIGH(0)}, {CODE, LOW(0)}},
	{"RULES C7: the lower unit", {CODE, HIGH(1)}, {CODE, LOW(2)}},
	{"RULES C7: the lower DIE", {CODE, LOW(1)}, {CODE, HIGH(1)}},
};

static void order_by_hand(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(order_cases); i++) {
		const struct order_case *c = &order_cases[i];
		if (!piece_is_preferred(&c->winner, &c->loser) || piece_is_preferred(&c->loser, &c->winner))
			fail_msg("%s", c->name);
	}
}

static void no_pieces(void **state)
{
	(void)state;
	struct piece none;
	struct overlaps overlaps;
	assert_true(overlaps_resolve(&none, 0, &overlaps));
	assert_int_equal(overlaps.slice_count, 0);
	overlaps_done(&overlaps);
}

/* A small function inside a large one takes its addresses; the large one keeps both sides (RULES C8). */
static void inside(void **state)
{
	(void)state;
	struct piece pieces[] = {{.start = 12, .size = 2, .is_function = true},
				 {.start = 10, .size = 10, .is_function = true}};
	struct overlaps overlaps;
	assert_true(overlaps_resolve(pieces, 2, &overlaps));
	const struct slice want[] = {{10, 2, 0}, {12, 2, 1}, {14, 6, 0}};
	struct slice slices[2 * PIECES_MAX + 1];
	assert_int_equal(list_slices(&overlaps, slices), 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(slices[i].start, want[i].start);
		assert_int_equal(slices[i].size, want[i].size);
		assert_int_equal(slices[i].piece, want[i].piece);
	}
	assert_true(pieces[0].is_displaced);
	assert_int_equal(overlaps.displaced_by[0], 1);
	assert_false(pieces[1].is_displaced);
	overlaps_done(&overlaps);
}

/* Folded functions that start where another one ends: each loser knows who beat it (RULES C7). */
static void folded_behind_an_end(void **state)
{
	(void)state;
	static const struct unit_function functions[] = {{.die = 1}, {.die = 2}, {.die = 3}, {.die = 4}};
	struct piece pieces[] = {
		{.start = 10, .size = 2, .is_function = true, .at_symbol = true, .function = &functions[0]},
		{.start = 12, .size = 8, .is_function = true, .function = &functions[1]},
		{.start = 12, .size = 8, .is_function = true, .function = &functions[2]},
		{.start = 12, .size = 8, .is_function = true, .function = &functions[3]},
	};
	struct overlaps overlaps;
	assert_true(overlaps_resolve(pieces, 4, &overlaps));
	struct slice slices[2 * PIECES_MAX + 1];
	assert_int_equal(list_slices(&overlaps, slices), 2);
	assert_int_equal(overlaps.slice_count, 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pieces[i].is_displaced, i >= 2);
	assert_int_equal(overlaps.displaced_by[2], 1);
	assert_int_equal(overlaps.displaced_by[3], 1);
	overlaps_done(&overlaps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_by_hand),
		cmocka_unit_test(total_order),
		cmocka_unit_test(no_pieces),
		cmocka_unit_test(inside),
		cmocka_unit_test(folded_behind_an_end),
		cmocka_unit_test(random_merges),
	};
	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
