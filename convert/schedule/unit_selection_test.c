/* Which units decide for some addresses, against a naive count by address. */
#include "convert/schedule/unit_selection.h"

#include "base/toolkit_test.h"

enum { SPACE = 160, RANGES_MAX = 24, UNITS = 12, ASKED_MAX = 8 };

/* A random program: ranges that units claim, and addresses that are asked for. */
struct bench {
	struct exec_range exec[1];
	struct elf_file program;
	struct unit_range ranges[RANGES_MAX];
	uint64_t unsaid[1];
	struct unit_ranges unit_ranges;
	struct unit_selection selection;
	bool asked[SPACE];
};

static void bench_init(struct bench *bench, uint64_t *random)
{
	*bench = (struct bench){.exec = {{8, SPACE - 8}}, .unsaid = {7000}};
	bench->program.exec = bench->exec;
	bench->program.exec_count = 1;
	bench->unit_ranges.ranges = bench->ranges;
	bench->unit_ranges.range_count = random_below(random, RANGES_MAX + 1);
	bench->unit_ranges.unsaid = (struct offset_list){bench->unsaid, random_one_in(random, 4), 1};
	for (uint32_t i = 0; i < bench->unit_ranges.range_count; i++) {
		uint64_t start = random_below(random, SPACE - 20);
		bench->ranges[i] = (struct unit_range){{start, start + 1 + random_below(random, 12)},
						       100 * random_below(random, UNITS)};
	}
	for (uint32_t count = random_below(random, ASKED_MAX + 1); count; count--) {
		uint64_t address = random_below(random, SPACE);
		bench->asked[address] |= address >= 8 && address < SPACE - 8;
		assert_true(selection_add_address(&bench->selection, &bench->program, address));
	}
	assert_true(selection_begin(&bench->selection));
}

static void mark(bool addresses[SPACE], const struct range *range)
{
	for (uint64_t i = range->start; i < range->end; i++)
		addresses[i] = true;
}

static bool any_marked(const bool addresses[SPACE], const struct range *range)
{
	for (uint64_t i = range->start; i < range->end; i++)
		if (addresses[i])
			return true;
	return false;
}

static bool all_marked(const bool addresses[SPACE], const struct range *range)
{
	for (uint64_t i = range->start; i < range->end; i++)
		if (!addresses[i])
			return false;
	return true;
}

static void assert_list(const struct range_list *list, const bool expected[SPACE], const char *what, uint64_t seed)
{
	bool found[SPACE] = {false};
	for (uint32_t i = 0; i < list->count; i++)
		mark(found, &list->ranges[i]);
	if (memcmp(found, expected, sizeof(found)) != 0)
		fail_msg("seed 0x%llx: %s", (unsigned long long)seed, what);
}

/* Holds what was chosen against `deciding`, the addresses that decide. */
static void check_choice(struct bench *bench, const bool deciding[SPACE], uint64_t seed)
{
	const struct unit_ranges *unit_ranges = &bench->unit_ranges;
	bool reach[SPACE], chosen[UNITS] = {false};
	struct range_list surroundings = {0};
	uint64_t expected[UNITS + 1];
	uint32_t count = 0;
	assert_true(selection_choose_units(&bench->selection, unit_ranges));
	memcpy(reach, deciding, sizeof(reach));
	for (uint32_t i = 0; i < unit_ranges->range_count; i++)
		if (any_marked(deciding, &bench->ranges[i].range))
			mark(reach, &bench->ranges[i].range);
	assert_list(&bench->selection.reach, reach, "what they reach", seed);

	/* Each unit that claims some of it, and those that do not say what they claim. */
	for (uint32_t i = 0; i < unit_ranges->range_count; i++)
		chosen[bench->ranges[i].unit / 100] |= any_marked(reach, &bench->ranges[i].range);
	for (uint64_t unit = 0; unit < UNITS; unit++)
		if (chosen[unit])
			expected[count++] = 100 * unit;
	if (unit_ranges->unsaid.count)
		expected[count++] = bench->unsaid[0];
	if (bench->selection.unit_count != count ||
	    (count && memcmp(bench->selection.units, expected, count * sizeof(*expected))))
		fail_msg("seed 0x%llx: %u units, not %u", (unsigned long long)seed, bench->selection.unit_count, count);

	for (uint32_t i = 0; i < unit_ranges->range_count; i++)
		if (chosen[bench->ranges[i].unit / 100])
			mark(reach, &bench->ranges[i].range);
	assert_true(selection_surroundings(&bench->selection, unit_ranges, &surroundings));
	assert_list(&surroundings, reach, "what surrounds them", seed);
	range_list_done(&surroundings);
}

static void units_of_addresses(void **state)
{
	uint64_t seeds = 0x5e1;
	(void)state;
	for (int round = 0; round < 3000; round++) {
		uint64_t seed = random_next(&seeds), random = seed, end = 0;
		struct bench bench;
		bool claimed[SPACE] = {false}, deciding[SPACE], covered = true, memory;
		bench_init(&bench, &random);
		memcpy(deciding, bench.asked, sizeof(deciding));
		check_choice(&bench, deciding, seed);

		/* For an address that no unit claims, the nearest range below decides too. */
		for (uint32_t i = 0; i < bench.unit_ranges.range_count; i++)
			mark(claimed, &bench.ranges[i].range);
		for (uint64_t address = 0; address < SPACE; address++) {
			for (uint32_t i = 0; i < bench.unit_ranges.range_count; i++)
				if (bench.ranges[i].range.end == address)
					end = address;
			covered &= !bench.asked[address] || claimed[address];
			if (bench.asked[address] && !claimed[address] && end)
				deciding[end - 1] = true;
		}
		if (selection_is_covered(&bench.selection, &bench.unit_ranges, &memory) != covered)
			fail_msg("seed 0x%llx: covered", (unsigned long long)seed);
		assert_true(memory);
		assert_true(selection_add_units_below(&bench.selection, &bench.unit_ranges));
		check_choice(&bench, deciding, seed);
		selection_done(&bench.selection);
	}
}

/* A piece that answers for no asked address does not matter, wherever it is. */
static void pieces_that_reach_beyond(void **state)
{
	uint64_t seeds = 0xbe7;
	(void)state;
	for (int round = 0; round < 3000; round++) {
		uint64_t seed = random_next(&seeds), random = seed, start = random_below(&random, SPACE - 20);
		struct bench bench;
		struct range_list known = {0};
		bool marked[SPACE] = {false};
		bench_init(&bench, &random);
		const struct piece piece = {.start = start, .end = start + 1 + random_below(&random, 12)};
		const struct range range = {piece.start, piece.end};
		for (uint32_t i = 0; i < bench.unit_ranges.range_count; i++) {
			mark(marked, &bench.ranges[i].range);
			assert_true(range_list_add(&known, bench.ranges[i].range.start, bench.ranges[i].range.end));
		}
		range_list_sort(&known);
		bool expected = any_marked(bench.asked, &range) && !all_marked(marked, &range);
		if (selection_reaches_beyond(&bench.selection, &piece, 1, &known) != expected)
			fail_msg("seed 0x%llx: %d expected", (unsigned long long)seed, expected);
		range_list_done(&known);
		selection_done(&bench.selection);
	}
}

/* Which part of a program is most of it: 40 % of the bytes, in more than one unit and in a tenth of the units. */
static void most_of_a_program(void **state)
{
	enum { UNITS_MAX = 40, LARGE = 1000 };
	static const struct {
		uint32_t unit_count, large_count, chosen;
		uint64_t info_size;
		bool is_most;
	} cases[] = {
		{10, 10, 4, 10000, true},  {10, 10, 3, 10000, false}, {10, 10, 4, 10099, true},
		{10, 10, 4, 10100, false}, {1, 1, 1, 1000, false},    {2, 2, 2, 2000, true},
		{20, 2, 2, 2018, true},    {29, 2, 2, 2027, true},    {30, 2, 2, 2028, false},
		{30, 3, 3, 3027, true},    {10, 10, 0, 10000, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t offsets[UNITS_MAX];
		struct unit_ranges unit_ranges = {.units = {offsets, cases[i].unit_count, UNITS_MAX}};
		struct unit_selection selection = {.units = offsets, .unit_count = cases[i].chosen};
		for (uint32_t k = 0, at = 0; k < cases[i].unit_count; k++) {
			offsets[k] = at;
			at += k < cases[i].large_count ? LARGE : 1;
		}
		if (selection_is_most(&selection, &unit_ranges, cases[i].info_size) != cases[i].is_most)
			fail_msg("case %zu", i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_of_addresses),
		cmocka_unit_test(pieces_that_reach_beyond),
		cmocka_unit_test(most_of_a_program),
	};
	return cmocka_run_group_tests_name("unit_selection", tests, NULL, NULL);
}
