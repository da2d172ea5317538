/* Which units decide for some addresses, against a naive count by address. */
#include "convert/schedule/unit_selection.h"

#include "base/steps_test.h"
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
		const struct piece piece = {.start = start, .size = 1 + random_below(&random, 12)};
		const struct range range = {piece.start, piece_end(&piece)};
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
	enum { UNITS_MAX = 41, LARGE = 1000 };
	static const struct {
		uint32_t unit_count, large_count, chosen;
		uint64_t info_size;
		bool is_most;
	} cases[] = {
		{10, 10, 4, 10000, true},  {10, 10, 3, 10000, false}, {10, 10, 4, 10099, true},
		{10, 10, 4, 10100, false}, {1, 1, 1, 1000, false},    {2, 2, 2, 2000, true},
		{20, 2, 2, 2018, true},    {29, 2, 2, 2027, true},    {30, 2, 2, 2028, false},
		{30, 3, 3, 3027, true},    {10, 10, 0, 10000, false}, {41, 1, 40, 2600, false},
		{41, 1, 40, 2599, true},
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
		if (selection_is_most(&selection, &unit_ranges, cases[i].info_size, 0) != cases[i].is_most)
			fail_msg("case %zu", i);
	}
}

/* Each unit of three chosen ones has a line table, or shares it with others. */
static void most_of_line_tables(void **state)
{
	enum { INFO_SIZE = 10000 };
	static const struct {
		uint32_t table_count;
		uint64_t lines_size;
		bool is_most;
	} cases[] = {
		{10, 90000, false}, {1, 5000, false}, {1, 5001, true},
		{2, 20000, false},  {2, 20002, true}, {0, 90000, false},
	};
	uint64_t offsets[10];
	(void)state;
	for (uint32_t i = 0; i < COUNT_OF(offsets); i++)
		offsets[i] = i * UINT64_C(1000);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct unit_ranges unit_ranges = {.units = {offsets, COUNT_OF(offsets), COUNT_OF(offsets)},
							.line_tables.count = cases[i].table_count};
		const struct unit_selection selection = {.units = offsets, .unit_count = 3};
		if (selection_is_most(&selection, &unit_ranges, INFO_SIZE, cases[i].lines_size) != cases[i].is_most)
			fail_msg("case %zu", i);
	}
}

/* ---- What the answers show ---- */

/*
 * Of two functions without linkage names: `outer` at 0x20, which `inner` and then something without a name are inlined
 * into; and `mangled`, which has one. Symbols of all these names are elsewhere.
 */
enum { OUTER, INNER, MANGLED, FUNCTIONS };

struct answers {
	struct intern_set functions;
	uint32_t ids[FUNCTIONS];
	struct {
		struct unit_function function;
		struct context contexts[4];
	} outer;
	struct interval_packer packer;
	struct symbol named[FUNCTIONS];
	struct symbols symbols;
	struct shared shared;
	struct piece pieces[2];
};

static void answers_init(struct answers *answers)
{
	static const struct function_key keys[FUNCTIONS] = {
		{.name = "outer"}, {.name = "inner"}, {.name = "mangled", .linkage = "_mangled"}};
	static const struct interval intervals[] = {{.start = 0, .context = 0},
						    {.start = 4, .context = 1},
						    {.start = 8, .context = 2},
						    {.start = 12, .context = 3}};
	*answers = (struct answers){.named = {{.addr = 0x90, .name = "outer"},
					      {.addr = 0x98, .name = "inner"},
					      {.addr = 0x9c, .name = "mangled"}}};
	intern_set_init(&answers->functions, sizeof(*keys));
	for (int i = 0; i < FUNCTIONS; i++)
		answers->ids[i] = intern_put(&answers->functions, &keys[i]);
	answers->outer.contexts[0] = (struct context){.function = answers->ids[OUTER], .caller = NO_CONTEXT};
	answers->outer.contexts[1] = (struct context){.function = answers->ids[INNER], .caller = 0};
	answers->outer.contexts[2] = (struct context){.function = FUNCTION_UNKNOWN, .caller = 0};
	answers->outer.contexts[3] = (struct context){.function = answers->ids[MANGLED], .caller = 1};
	assert_true(intervals_pack(&answers->packer, intervals, COUNT_OF(intervals)));
	answers->symbols = (struct symbols){.symbols = answers->named, .count = FUNCTIONS};
	answers->shared = (struct shared){.symbols = &answers->symbols, .functions = answers->functions};
	for (int i = 0; i < 2; i++)
		answers->pieces[i] = (struct piece){.start = 0x20 + 0x20 * (uint64_t)i,
						    .size = 0x10,
						    .large = answers->packer.bytes,
						    .function = &answers->outer.function,
						    .is_function = true};
}

static void answers_done(struct answers *answers)
{
	intern_set_done(&answers->functions);
	interval_packer_done(&answers->packer);
}

/* What decides then, and the names whose symbols are known: "20-21 20-30: outer". */
static void show_selection(const struct unit_selection *selection, char *text, size_t size)
{
	size_t at = 0;
	text[0] = 0;
	for (uint32_t i = 0; i < selection->deciding.count; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%llx-%llx", i ? " " : "",
				       (unsigned long long)selection->deciding.ranges[i].start,
				       (unsigned long long)selection->deciding.ranges[i].end);
	for (uint32_t i = 0; i < selection->looked_for.count; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%s", i ? " " : ": ", selection->looked_for.names[i]);
}

static void what_answers_show(void **state)
{
	enum { ASKED = 2, REACHED = 3 };
	static const struct {
		const char *name;
		uint64_t asked[ASKED];
		struct range reached[REACHED];
		bool no_function; /* the pieces are rows alone */
		int named;        /* the function whose symbol was found at its entry; -1: none */
		bool grown;
		const char *expected;
	} cases[] = {
		{"no piece there", {0x34}, {{0x10, 0x80}}, false, -1, false, "34-35"},
		{"behind a piece", {0x30}, {{0x10, 0x80}}, false, -1, false, "30-31"},
		{"a piece that is not known as a whole", {0x20}, {{0x90, 0x91}}, false, -1, true, "20-30: outer"},
		{"its last address is not known",
		 {0x20},
		 {{0x20, 0x2f}, {0x90, 0x91}},
		 false,
		 -1,
		 true,
		 "20-30: outer"},
		{"all is known", {0x20}, {{0x20, 0x30}, {0x90, 0x91}}, false, -1, false, "20-21: outer"},
		{"a symbol elsewhere", {0x20}, {{0x20, 0x30}, {0x8f, 0x90}}, false, -1, true, "20-21 90-91: outer"},
		{"an inlinee and its caller",
		 {0x24},
		 {{0x20, 0x30}},
		 false,
		 -1,
		 true,
		 "24-25 90-91 98-99: inner outer"},
		{"one without a name", {0x28}, {{0x20, 0x30}}, false, -1, true, "28-29 90-91: outer"},
		{"a linkage name is known", {0x2f}, {{0x20, 0x30}}, false, -1, true, "2f-30 90-91 98-99: inner outer"},
		{"the symbol was found", {0x20}, {{0x20, 0x30}}, false, OUTER, false, "20-21"},
		{"the caller's symbol was found", {0x24}, {{0x20, 0x30}}, false, OUTER, true, "24-25 98-99: inner"},
		{"another's was found", {0x20}, {{0x20, 0x30}}, false, INNER, true, "20-21 90-91: outer"},
		{"rows alone", {0x20}, {{0, 0}}, true, -1, false, "20-21"},
		{"two in a piece",
		 {0x20, 0x24},
		 {{0x20, 0x30}},
		 false,
		 -1,
		 true,
		 "20-21 24-25 90-91 98-99: inner outer"},
		{"one in each of two pieces",
		 {0x20, 0x44},
		 {{0, 0}},
		 false,
		 -1,
		 true,
		 "20-30 40-50 90-91 98-99: inner outer"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct exec_range exec = {1, SPACE};
		struct elf_file program = {.exec = &exec, .exec_count = 1};
		struct unit_selection selection = {.asked = NULL};
		struct answers answers;
		bool grown;
		char text[256];
		answers_init(&answers);
		for (int k = 0; k < ASKED; k++)
			assert_true(selection_add_address(&selection, &program, cases[i].asked[k]));
		assert_true(selection_begin(&selection));
		for (int k = 0; k < REACHED; k++)
			if (cases[i].reached[k].end)
				assert_true(range_list_add(&selection.reach, cases[i].reached[k].start,
							   cases[i].reached[k].end));
		answers.pieces[0].is_function = answers.pieces[1].is_function = !cases[i].no_function;
		const struct {
			struct unit_function function;
			struct context context;
		} entry = {.context.function = cases[i].named < 0 ? FUNCTION_UNKNOWN : answers.ids[cases[i].named]};
		struct piece all[] = {{.start = 0x70, .size = 1, .function = &entry.function, .symbol_is_name = true},
				      answers.pieces[0],
				      answers.pieces[1]};
		assert_true(selection_grow(&selection, all, COUNT_OF(all), &answers.shared, &grown));
		show_selection(&selection, text, sizeof(text));
		if (grown != cases[i].grown || strcmp(text, cases[i].expected) != 0)
			fail_msg("%s: %s%s", cases[i].name, text, grown ? ", grown" : "");

		/* Once all of that is reached, nothing is new. */
		assert_true(range_list_add(&selection.reach, 0, SPACE));
		range_list_sort(&selection.reach);
		assert_true(selection_grow(&selection, all, COUNT_OF(all), &answers.shared, &grown));
		show_selection(&selection, text, sizeof(text));
		if (grown || strcmp(text, cases[i].expected) != 0)
			fail_msg("%s, again: %s%s", cases[i].name, text, grown ? ", grown" : "");
		selection_done(&selection);
		answers_done(&answers);
	}
}

/* Names that a piece shows which was read later are looked for then, and those from before are not looked for again. */
static void names_that_later_pieces_show(void **state)
{
	struct exec_range exec = {1, SPACE};
	struct elf_file program = {.exec = &exec, .exec_count = 1};
	struct unit_selection selection = {.asked = NULL};
	struct answers answers;
	bool grown;
	char text[256];
	(void)state;
	answers_init(&answers);
	answers.outer.contexts[2] = (struct context){
		.function = intern_put(&answers.functions, &(struct function_key){.name = "without a symbol"}),
		.caller = 1,
	};
	answers.shared.functions = answers.functions;
	assert_true(selection_add_address(&selection, &program, 0x20));
	assert_true(selection_add_address(&selection, &program, 0x48));
	assert_true(selection_begin(&selection));
	assert_true(range_list_add(&selection.reach, 0x20, 0x60));
	assert_true(selection_grow(&selection, answers.pieces, 1, &answers.shared, &grown));
	show_selection(&selection, text, sizeof(text));
	assert_true(grown);
	assert_string_equal(text, "20-21 48-49 90-91: outer");
	selection.deciding.count = 0;
	assert_true(selection_grow(&selection, answers.pieces, 2, &answers.shared, &grown));
	show_selection(&selection, text, sizeof(text));
	assert_true(grown);
	assert_string_equal(text, "98-99: inner outer without a symbol");
	selection_done(&selection);
	answers_done(&answers);
}

/*
 * A file can have any number of pieces that all have the asked addresses. Each time one is looked for is 16 steps, and
 * each function that is found there one more; they are counted when they are 2^16.
 */
static void steps_of_pieces_at_one_address(void **state)
{
	enum { STEPS = 16 + 1, MOST = (BUDGET_COUNTED_AT_ONCE - 1) / STEPS };
	static struct piece pieces[MOST + 1];
	struct exec_range exec = {1, SPACE};
	struct elf_file program = {.exec = &exec, .exec_count = 1};
	(void)state;
	for (uint32_t count = MOST; count <= MOST + 1; count++) {
		struct unit_selection selection = {.asked = NULL};
		struct answers answers;
		struct budget budget;
		bool grown;
		answers_init(&answers);
		for (uint32_t i = 0; i < count; i++)
			pieces[i] = answers.pieces[0];
		assert_true(selection_add_address(&selection, &program, 0x20));
		assert_true(selection_begin(&selection));
		assert_true(range_list_add(&selection.reach, 0x20, 0x30));
		budget_of_steps(&budget, 0);
		assert_int_equal(selection_grow(&selection, pieces, count, &answers.shared, &grown), count == MOST);
		budget_use(NULL);
		selection_done(&selection);
		answers_done(&answers);
	}
}

/* A piece with few intervals has them in itself. */
static void names_that_a_small_piece_shows(void **state)
{
	static const struct interval inner = {.start = 0, .context = 1};
	struct exec_range exec = {1, SPACE};
	struct elf_file program = {.exec = &exec, .exec_count = 1};
	struct unit_selection selection = {.asked = NULL};
	struct answers answers;
	bool grown;
	char text[256];
	(void)state;
	answers_init(&answers);
	struct piece *piece = &answers.pieces[0];
	assert_true(intervals_pack(&answers.packer, &inner, 1));
	assert_true(answers.packer.size - INTERVALS_PADDING <= sizeof(piece->small));
	piece->is_small = true;
	memcpy(piece->small, answers.packer.bytes, answers.packer.size - INTERVALS_PADDING);

	assert_true(selection_add_address(&selection, &program, 0x2f));
	assert_true(selection_begin(&selection));
	assert_true(range_list_add(&selection.reach, 0x20, 0x30));
	assert_true(selection_grow(&selection, answers.pieces, 1, &answers.shared, &grown));
	show_selection(&selection, text, sizeof(text));
	assert_string_equal(text, "2f-30 90-91 98-99: inner outer");
	selection_done(&selection);
	answers_done(&answers);
}

/* A symbol without a size answers up to the address, so all that is between the two may decide. */
static void symbols_without_a_size_decide(void **state)
{
	struct symbol sorted[] = {{.addr = 0x10}, {.addr = 0x20, .size = 4}, {.addr = 0x40}};
	const struct symbols symbols = {.symbols = sorted, .count = COUNT_OF(sorted)};
	static const struct {
		const char *name;
		uint64_t asked[2];
		const char *expected;
	} cases[] = {
		{"below all", {0x8, 0x8}, "8-9"},
		{"at one", {0x10, 0x10}, "10-11"},
		{"behind one", {0x18, 0x18}, "10-19"},
		{"behind one with a size", {0x28, 0x28}, "28-29"},
		{"the first of two", {0x18, 0x28}, "10-19 28-29"},
		{"the last of two", {0x28, 0x50}, "28-29 40-51"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct exec_range exec = {1, SPACE};
		struct elf_file program = {.exec = &exec, .exec_count = 1};
		struct unit_selection selection = {.asked = NULL};
		char text[256];
		for (int k = 0; k < 2; k++)
			assert_true(selection_add_address(&selection, &program, cases[i].asked[k]));
		assert_true(selection_begin(&selection));
		assert_true(selection_add_symbols(&selection, &symbols));
		show_selection(&selection, text, sizeof(text));
		if (strcmp(text, cases[i].expected) != 0)
			fail_msg("%s: %s", cases[i].name, text);
		selection_done(&selection);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_of_addresses),
		cmocka_unit_test(pieces_that_reach_beyond),
		cmocka_unit_test(most_of_a_program),
		cmocka_unit_test(most_of_line_tables),
		cmocka_unit_test(what_answers_show),
		cmocka_unit_test(names_that_later_pieces_show),
		cmocka_unit_test(steps_of_pieces_at_one_address),
		cmocka_unit_test(names_that_a_small_piece_shows),
		cmocka_unit_test(symbols_without_a_size_decide),
	};
	return cmocka_run_group_tests_name("unit_selection", tests, NULL, NULL);
}
