/*
 * With which claimed names a function of DWARF agrees, and when a symbol says that it was dropped. RULES A6, D1 to D3.
 */
#include "convert/cross_check/libdw_names.h"

#include "base/steps_test.h"
#include "base/toolkit_test.h"

static struct symbol list[] = {
	{.addr = 10, .name = "main"},  {.addr = 10, .name = "_Z3fooi"},   {.addr = 20, .name = "_R3foo"},
	{.addr = 30, .name = "plain"}, {.addr = 40, .name = "_Z5otherv"},
};

static void symbols_init(struct symbols *symbols)
{
	*symbols = (struct symbols){.symbols = list, .count = COUNT_OF(list)};
	short_lock_init(&symbols->names_lock);
}

static void symbols_end(struct symbols *symbols)
{
	hash_slots_done(&symbols->names);
	short_lock_done(&symbols->names_lock);
}

/* ---- Which claims are right ---- */

enum entries { AT_10, AT_20_AND_30, AT_10_INLINED };

static const struct {
	struct dwarf_name dwarf;
	const char *function, *linkage; /* as they are claimed */
	enum entries entries;
	bool is_right;
} claims[] = {
	/* A mangled name says it all. */
	{{"_Z1fv", "f", NULL}, NULL, "_Z1fv", AT_10, true},
	{{"_Z1fv", "f", NULL}, "f", "_Z1fv", AT_10, false},
	{{"_Z1fv", "f", NULL}, NULL, "_Z1gv", AT_10, false},
	{{"_Z1fv", "f", NULL}, NULL, NULL, AT_10, false},
	{{"_Z1fv", "f", NULL}, "f", NULL, AT_10, false},
	{{"_R1f", "f", NULL}, NULL, "_R1f", AT_10, true},
	{{"_D1f", "f", NULL}, NULL, "_D1f", AT_10, true},
	{{"_D1f", "f", NULL}, "f", "_D1f", AT_10, false},
	/* Another linkage name stands beside the name. */
	{{"_Q1f", "f", NULL}, "f", "_Q1f", AT_10, true},
	{{"_Q1f", "f", NULL}, NULL, "_Q1f", AT_10, false},
	{{"_Q1f", "f", NULL}, "g", "_Q1f", AT_10, false},
	{{"_Q1f", "f", NULL}, "f", NULL, AT_10, false},
	{{"Z1f", "f", NULL}, "f", "Z1f", AT_10, true},
	{{"_Q1f", NULL, NULL}, NULL, "_Q1f", AT_10, true},
	{{"_Q1f", NULL, NULL}, "f", "_Q1f", AT_10, false},
	/* A symbol of the function's own name at its start is its linkage name, too. */
	{{NULL, "main", NULL}, "main", "main", AT_10, true},
	{{NULL, "main", NULL}, "main", NULL, AT_10, false},
	{{NULL, "main", NULL}, NULL, "main", AT_10, false},
	{{NULL, "main", NULL}, "other", "main", AT_10, false},
	{{NULL, "main", NULL}, "main", NULL, AT_10_INLINED, true},
	{{NULL, "main", NULL}, "main", "main", AT_10_INLINED, true},
	{{NULL, "main", NULL}, "main", NULL, AT_20_AND_30, true},
	{{NULL, "main", NULL}, "main", "main", AT_20_AND_30, true},
	{{NULL, "main", NULL}, NULL, NULL, AT_20_AND_30, false},
	/* Another symbol there is it, where the function is no inlined one. */
	{{NULL, "foo", NULL}, NULL, "_Z3fooi", AT_10, true},
	{{NULL, "foo", NULL}, "foo", "_Z3fooi", AT_10, false},
	{{NULL, "foo", NULL}, NULL, "_Z3fooi", AT_10_INLINED, false},
	{{NULL, "foo", NULL}, NULL, "_Z3fooi", AT_20_AND_30, false},
	{{NULL, "foo", NULL}, NULL, "_R3foo", AT_20_AND_30, true},
	{{NULL, "foo", NULL}, "foo", "main", AT_10, true},
	{{NULL, "foo", NULL}, NULL, "main", AT_10, false},
	{{NULL, "foo", NULL}, "foo", "plain", AT_20_AND_30, true},
	{{NULL, "foo", NULL}, "foo", "plain", AT_10, false},
	{{NULL, "foo", NULL}, "foo", NULL, AT_10, true},
	/* The name that counts is the qualified one. */
	{{NULL, "foo", "ns::foo"}, "ns::foo", NULL, AT_10, true},
	{{NULL, "foo", "ns::foo"}, "foo", NULL, AT_10, false},
	{{NULL, "foo", "ns::foo"}, "ns::foo", "ns::foo", AT_10, true},
	{{NULL, "foo", "ns::foo"}, "ns::foo", "main", AT_10, true},
	{{NULL, "foo", "ns::foo"}, "foo", "main", AT_10, false},
	{{NULL, "main", "ns::main"}, "ns::main", NULL, AT_10, true},
	/* What has no name may be given a symbol's. */
	{{NULL, NULL, NULL}, NULL, NULL, AT_10, true},
	{{NULL, NULL, NULL}, NULL, NULL, AT_10_INLINED, true},
	{{NULL, NULL, NULL}, "main", NULL, AT_10, true},
	{{NULL, NULL, NULL}, "main", "main", AT_10, true},
	{{NULL, NULL, NULL}, NULL, "_Z3fooi", AT_10, true},
	{{NULL, NULL, NULL}, "main", "_Z3fooi", AT_10, false},
	{{NULL, NULL, NULL}, "main", NULL, AT_10_INLINED, false},
	{{NULL, NULL, NULL}, "main", NULL, AT_20_AND_30, false},
	{{NULL, NULL, NULL}, NULL, "plain", AT_20_AND_30, true},
};

static void claimed_names(void **state)
{
	static const struct range at_30 = {30, 31};
	struct symbols symbols;
	(void)state;
	symbols_init(&symbols);
	for (size_t i = 0; i < COUNT_OF(claims); i++) {
		enum entries entries = claims[i].entries;
		const struct entry_points points = {&symbols, entries == AT_20_AND_30 ? 20 : 10, &at_30,
						    entries == AT_20_AND_30};
		const struct claimed_name claim = {claims[i].function, claims[i].linkage, entries != AT_10_INLINED};
		if (dwarf_name_is(&claims[i].dwarf, &claim, &points) != claims[i].is_right)
			fail_msg("case %zu: %s, %s", i, claim.function ? claim.function : "-",
				 claim.linkage ? claim.linkage : "-");
	}
	symbols_end(&symbols);
}

/* ---- Which functions were dropped ---- */

static void functions_at_symbols(void **state)
{
	static const struct {
		const char *name, *linkage;
		uint64_t start;
		bool has_others, is_anywhere;
	} cases[] = {
		{"the first symbol there", "main", 10, false, true},
		{"the second", "_Z3fooi", 10, false, true},
		{"one that is elsewhere", "_Z5otherv", 10, true, true},
		{"one that is elsewhere, below", "main", 20, true, true},
		{"one that is nowhere", "_Z4nonev", 10, true, false},
		{"no symbol there", "main", 11, false, true},
		{"plain", NULL, 20, true, false},
		{"plain", NULL, 30, false, false},
		{"foo", NULL, 20, false, false},
		{"other", NULL, 10, true, false},
		{"foo", NULL, 10, false, false},
		{NULL, NULL, 10, false, false},
	};
	struct symbols symbols;
	(void)state;
	symbols_init(&symbols);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct dwarf_name name = {.linkage = cases[i].linkage, .name = cases[i].name};
		if (dwarf_name_has_others_at(&name, &symbols, cases[i].start) != cases[i].has_others ||
		    dwarf_name_is_anywhere(&name, &symbols) != cases[i].is_anywhere)
			fail_msg("case %zu", i);
	}
	symbols_end(&symbols);
}

/* Each symbol at the function's start is a step. */
static void steps_of_symbols(void **state)
{
	static const struct {
		uint64_t addr;
		uint64_t steps;
	} cases[] = {{10, 2}, {20, 1}, {11, 0}};
	struct symbols symbols;
	(void)state;
	symbols_init(&symbols);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct dwarf_name name = {.linkage = "_Z4nonev"}, nameless = {.linkage = NULL};
		const struct entry_points points = {.symbols = &symbols, .first = cases[i].addr};
		struct budget budget;
		budget_of_steps(&budget, 100);
		dwarf_name_has_others_at(&name, &symbols, cases[i].addr);
		assert_int_equal(budget_steps_left(&budget), 100 - cases[i].steps);
		dwarf_name_is(&nameless, &(struct claimed_name){"none", NULL, true}, &points);
		assert_int_equal(budget_steps_left(&budget), 100 - 2 * cases[i].steps);
		budget_use(NULL);
	}
	symbols_end(&symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(claimed_names),
		cmocka_unit_test(functions_at_symbols),
		cmocka_unit_test(steps_of_symbols),
	};
	return cmocka_run_group_tests_name("libdw_names", tests, NULL, NULL);
}
