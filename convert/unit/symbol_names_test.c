/* Which symbols are taken for the linkage name of a function that has none: RULES D3, by name and by grammar. */
#include "convert/unit/symbol_names.h"

#include <dwarf.h>

#include "base/toolkit_test.h"
#include "convert/unit/mangled_name.h"

static const struct naming {
	const char *symbol;
	const char *name;
	uint16_t language;
	bool names;
} namings[] = {
	/* Identifiers, whole and as the last one. */
	{"_ZL4initi", "init", DW_LANG_C_plus_plus, true},
	{"_Z12reinitializei", "init", DW_LANG_C_plus_plus, false},
	{"_Z14init_somethingv", "init", DW_LANG_C_plus_plus, false}, /* "4init" stands in it */
	{"_ZN4init3runEv", "init", DW_LANG_C_plus_plus, false},
	{"_ZN4init3runEv", "run", DW_LANG_C_plus_plus, true},
	{"_ZN12_GLOBAL__N_12tfIdEET_S1_", "tf<double>", DW_LANG_C_plus_plus, true},
	{"_ZN12_GLOBAL__N_12tfIdEET_S1_", "t", DW_LANG_C_plus_plus, false},
	{"_Z3fooB5cxx11v", "foo", DW_LANG_C_plus_plus, true},
	{"_ZL4initi.constprop.0", "init", DW_LANG_C_plus_plus, true},
	{"_ZL4initi.cold", "init", DW_LANG_C_plus_plus, false},
	{"_ZThn16_N3Foo3barEv", "bar", DW_LANG_C_plus_plus, false},
	{"_ZZ4mainENUliE_4_FUNEi", "_FUN", DW_LANG_C_plus_plus, true},
	{"_ZTV4init", "init", DW_LANG_C_plus_plus, false},
	{"_Z", "init", DW_LANG_C_plus_plus, false},
	{"_Z4ini", "ini", DW_LANG_C_plus_plus, false},
	/* Constructors and destructors. */
	{"_ZN3FooIiEC2Ev", "Foo", DW_LANG_C_plus_plus, true},
	{"_ZN3FooIiED2Ev", "~Foo", DW_LANG_C_plus_plus, true},
	{"_ZN3FooIiED2Ev", "Foo", DW_LANG_C_plus_plus, false},
	{"_ZN3FooIiEC2Ev", "~Foo", DW_LANG_C_plus_plus, false},
	{"_ZNSaIcEC1Ev", "allocator", DW_LANG_C_plus_plus, true},
	{"_ZZ4mainENUlvE0_D1Ev", "~<lambda>", DW_LANG_C_plus_plus, true},
	{"_ZZ4mainENUlvE0_D1Ev", "~Foo", DW_LANG_C_plus_plus, false},
	/* Operators of one kind and another. */
	{"_ZNK1SclIiEEiT_", "operator()<int>", DW_LANG_C_plus_plus, true},
	{"_ZN5boost9flat_treeIiE27priv_insert_unique_prepareEv", "operator()<vec_iterator<int> >", DW_LANG_C_plus_plus,
	 false},
	{"_ZN7include3clsEv", "operator()", DW_LANG_C_plus_plus, false},
	{"_ZltRK1SS1_", "operator<", DW_LANG_C_plus_plus, true},
	{"_ZltRK1SS1_", "operator<<", DW_LANG_C_plus_plus, false},
	{"_ZlsIcERSoS0_T_", "operator<< <char>", DW_LANG_C_plus_plus, true},
	{"_ZlsIcERSoS0_T_", "operator<", DW_LANG_C_plus_plus, false},
	{"_ZN1SnwEm", "operator new", DW_LANG_C_plus_plus, true},
	{"_ZN1SnaEm", "operator new", DW_LANG_C_plus_plus, false},
	{"_ZNK1ScvbEv", "operator bool", DW_LANG_C_plus_plus, true},
	{"_ZNK1SclEv", "operator bool", DW_LANG_C_plus_plus, false},
	{"_Zli3_kky", "operator\"\"_kk", DW_LANG_C_plus_plus, true},
	{"_Zli3_kky", "operator\"\"_kl", DW_LANG_C_plus_plus, false},
	{"_ZZ4mainENKUliE_clEi", "operator()", DW_LANG_C_plus_plus, true},
	{"_ZZ4mainENKUliE_clEi", "<lambda(int)>", DW_LANG_C_plus_plus, true},
	{"_ZL4initi", "<lambda(int)>", DW_LANG_C_plus_plus, false},
	/* Plain symbols are the names where languages have it so. */
	{"init.part.0", "init", DW_LANG_C99, true},
	{"init", "init", DW_LANG_C99, true},
	{"reinitialize", "init", DW_LANG_C99, false},
	{"module_init", "init", DW_LANG_C99, false},
	{"module_init", "init", DW_LANG_C_plus_plus, false},
	/* And are built around them where languages do that. */
	{"P$PROGRAM_$$_INIT", "INIT", DW_LANG_Pascal83, true},
	{"P$INITIAL_$$_INIT", "INIT", DW_LANG_Pascal83, true}, /* it begins like another word before */
	{"P$PROGRAM_$$_INIT", "Init", DW_LANG_Pascal83, true}, /* whose capitals say nothing */
	{"P$PROGRAM_$$_REINIT", "Init", DW_LANG_Pascal83, false},
	{"__list_MOD_init", "init", DW_LANG_Fortran95, true},
	{"__list_MOD_init", "Init", DW_LANG_Fortran95, false},
	{"__list_MOD_reinit", "init", DW_LANG_Fortran95, false},
	/* Rust's and D's own manglings. */
	{"_RNvCs1234_7mycrate4init", "init", DW_LANG_Rust, true},
	{"_RNvCs1234_7mycrate6reinit", "init", DW_LANG_Rust, false},
	{"_RNvCs1234_7mycrate14initialisation", "init", DW_LANG_Rust, false},
	{"_RNvCs1234_7mycrate4_1abc", "1abc", DW_LANG_Rust, true},
	{"_RNvCs1234_7mycrate4_init", "init", DW_LANG_Rust, true},
	{"_RNvCs1234_7mycrate5__init", "_init", DW_LANG_Rust, true},
	{"_RNvCs1234_7mycrate4_reinit", "init", DW_LANG_Rust, false},
	{"_D4main4initFZv", "init", DW_LANG_D, true},
	{"_D3std5array8shrinkToFmZ12__dgliteral2MFNaNbNiNfZAxa", "__dgliteral2", DW_LANG_D, true},
	{"_D1t5outerFiZ__T9__lambda3TiZQnMFNaNbNiNfiZi", "__lambda3", DW_LANG_D, true},
	{"_D1t5outerFiZ__T9__lambda3TiZQnMFNaNbNiNfiZi", "__lambda4", DW_LANG_D, false},
	{"_D4main6reinitFZv", "init", DW_LANG_D, false},
};

static void symbols_that_name_a_function(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(namings) / sizeof(*namings); i++) {
		const struct naming *n = &namings[i];
		if (symbol_names_function(n->symbol, n->name, n->language) != n->names)
			fail_msg("%s %s %s", n->symbol, n->names ? "names" : "does not name", n->name);
	}
}

/* Whatever bytes follow _Z: an answer, and nothing read beyond the end. */
static void damaged_symbols(void **state)
{
	static const char whole[] = "_ZN5boost9containerIiZ4mainEUlvE_EC2IRKSaIcEvEET_S1_PFivE";
	(void)state;
	for (size_t size = 2; size < sizeof(whole) - 1; size++) {
		for (unsigned byte = '!'; byte < 0x7f; byte++) {
			char symbol[sizeof(whole)];
			memcpy(symbol, whole, size);
			symbol[size - 1] = (char)byte;
			symbol[size] = 0;
			char *exact = strdup(symbol);
			assert_non_null(exact);
			assert_false(symbol_names_function(exact, "absent", DW_LANG_C_plus_plus));
			free(exact);
		}
	}
}

/* Work doubles with each template parameter with arguments behind a conversion operator, up to a bound. */
static void work_that_doubles(void **state)
{
	static const struct {
		const char *symbol;
		unsigned doublings;
	} cases[] = {
		{"_ZN1ScvT_Ev", 0},
		{"_ZN1ST_IiE", 0}, /* no conversion */
		{"_ZN1ScvT_IiEEv", 1},
		{"_ZN1ScvT0_IiEEv", 1},
		{"_ZN1ScvT1A_IiEEv", 1},
		{"_ZN1ScvS_IiEEv", 0}, /* a substitution */
		{"_ZN1Scvt_IiEEv", 0},
		{"_ZT_IicvT_IT_IiEEEv", 2},
		{"_ZcvT_IT_IT_IT_IT_IT_IT_IT_IiEEEEEEEE", 8},
		{"_ZcvT_IT_IT_IT_IT_IT_IT_IT_IT_IT_IiEEEEEEEEEE", 8},
		{"_RcvT_IiEE", 0}, /* Rust's */
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(mangled_name_steps(cases[i].symbol), strlen(cases[i].symbol) << cases[i].doublings);
}

/* ---- Functions and the symbols at their entries ---- */

enum { ENTRY = 0x10, ELSEWHERE = 0x20, NOWHERE = 0x30, AT_ENTRY_MAX = 2 };

#define NAME    "sixteen_letters_"
#define MANGLED "_Z16sixteen_letters_v"

struct bench {
	struct symbol array[AT_ENTRY_MAX + 1];
	struct symbols symbols;
	struct intern_set functions;
	struct symbol_names names;
};

/* The symbols at ENTRY are given; one more is elsewhere. */
static void bench_init(struct bench *bench, const char *const at_entry[AT_ENTRY_MAX])
{
	*bench = (struct bench){.symbols = {.symbols = bench->array}};
	for (size_t i = 0; i < AT_ENTRY_MAX && at_entry[i]; i++)
		bench->array[bench->symbols.count++] = (struct symbol){.addr = ENTRY, .name = at_entry[i]};
	bench->array[bench->symbols.count++] = (struct symbol){.addr = ELSEWHERE, .name = "elsewhere"};
	intern_set_init(&bench->functions, sizeof(struct function_key));
	bench->names = (struct symbol_names){.symbols = &bench->symbols, .functions = &bench->functions};
}

static void bench_done(struct bench *bench)
{
	hash_slots_done(&bench->symbols.names);
	intern_set_done(&bench->functions);
}

static const struct link_case {
	const char *what;
	const char *at_entry[AT_ENTRY_MAX];
	const char *name;              /* NULL: the function has none */
	const char *linkage, *renamed; /* that it gets; NULL: none, both: it stays as it is */
	bool is_name;
	uint64_t work;
} links[] = {
	{"no symbol", {NULL}, NAME, NULL, NULL, false, 0},
	{"the very name", {NAME}, NAME, NULL, NULL, true, 16 / 8},
	{"a mangled one", {MANGLED}, NAME, MANGLED, NULL, false, 16 / 8 + 21 / 8 + 21},
	{"another before it",
	 {"other_symbol_of_it", MANGLED},
	 NAME,
	 MANGLED,
	 NULL,
	 false,
	 2 * 16 / 8 + 18 / 8 + 21 / 8 + 21},
	{"only others", {"other_symbol_of_it"}, NAME, NULL, NULL, false, 16 / 8 + 18 / 8},
	{"the very name behind a mangled one", {MANGLED, NAME}, NAME, NULL, NULL, true, 2 * 16 / 8},
	{"no name, and no symbol", {NULL}, NULL, NULL, NULL, false, 0},
	{"no name, and a mangled symbol", {MANGLED}, NULL, MANGLED, NULL, false, 21 / 8},
	{"no name, and a plain one", {NAME, MANGLED}, NULL, NULL, NAME, true, 16 / 8},
	{"no name, and a part", {NAME ".cold"}, NULL, NULL, NULL, false, 21 / 8},
};

static void functions_get_symbols(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(links); i++) {
		const struct link_case *c = &links[i];
		const struct die_names named = {
			.key = {.name = c->name, .decl_line = 7, .language = DW_LANG_C_plus_plus}, .bare = c->name};
		struct bench bench;
		uint32_t function = FUNCTION_UNKNOWN;
		bool is_name = true;
		bench_init(&bench, c->at_entry);
		assert_true(symbol_names_link(&bench.names, ENTRY, &named, &function, &is_name));
		if ((function != FUNCTION_UNKNOWN) != (c->linkage || c->renamed) || is_name != c->is_name)
			fail_msg("%s: function %u, is_name %d", c->what, function, is_name);
		if (function != FUNCTION_UNKNOWN) {
			const struct function_key *key = intern_get(&bench.functions, function);
			assert_ptr_equal(key->linkage, c->linkage);
			assert_ptr_equal(key->name, c->renamed);
			assert_int_equal(key->decl_line, 7);
		}
		if (bench.names.work != c->work)
			fail_msg("%s: %llu steps", c->what, (unsigned long long)bench.names.work);
		bench_done(&bench);
	}
}

/* Symbols that are searched for the name, at each of their places, cost more than those that are compared with it. */
static void work_of_searching(void **state)
{
	static const struct {
		const char *symbol;
		uint16_t language;
		uint64_t work;
	} cases[] = {
		{"other_symbol_of_it", DW_LANG_C99, 16 / 8 + 18 / 8},
		{"other_symbol_of_it", DW_LANG_Pascal83, 16 / 8 + 18 * 17 / 8},
		{"_RNvCs1234_7mycrate", DW_LANG_Rust, 16 / 8 + 19 * 17 / 8 + 19},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct die_names named = {.key = {.name = NAME, .language = cases[i].language}, .bare = NAME};
		struct bench bench;
		uint32_t function = FUNCTION_UNKNOWN;
		bool is_name;
		bench_init(&bench, (const char *const[]){cases[i].symbol, NULL});
		assert_true(symbol_names_link(&bench.names, ENTRY, &named, &function, &is_name));
		assert_int_equal(function, FUNCTION_UNKNOWN);
		if (bench.names.work != cases[i].work)
			fail_msg("%s: %llu steps", cases[i].symbol, (unsigned long long)bench.names.work);
		bench_done(&bench);
	}
}

/* RULES D3: of functions that a linker folded into one, each has its own symbol, however many there are. */
static void thousands_at_one_address(void **state)
{
	enum { COUNT = 3000, NAME_SIZE = 16, COMPARED = 64 };
	static char texts[COUNT][NAME_SIZE];
	static struct symbol array[COUNT];
	struct symbols symbols = {.symbols = array, .count = COUNT};
	struct symbol_names names = {.symbols = &symbols};
	(void)state;
	for (unsigned i = 0; i < COUNT; i++) {
		snprintf(texts[i], NAME_SIZE, "folded_%04u", i);
		array[i] = (struct symbol){.addr = ENTRY, .name = texts[i], .rank = (uint8_t)(i / (COUNT / 3))};
	}
	for (unsigned i = 0; i < COUNT; i++) {
		const struct die_names named = {.key = {.name = texts[i], .language = DW_LANG_C99}, .bare = texts[i]};
		const struct range range = {ENTRY, ENTRY + 1};
		uint32_t function = FUNCTION_UNKNOWN;
		bool is_name = false;
		names.work = 0;
		assert_true(symbol_names_link(&names, ENTRY, &named, &function, &is_name));
		if (!is_name || function != FUNCTION_UNKNOWN)
			fail_msg("%s has no symbol", texts[i]);
		assert_int_equal(names.work, strlen(texts[i]) * COMPARED / 8);
		assert_int_equal(symbol_names_entry(&names, &range, 1, &named), ENTRY);
	}
}

/*
 * The same of mangled symbols, which are parsed once, when the first function is asked for: then each is compared with
 * those that have its word, not with all.
 */
static void thousands_of_mangled_ones_at_one_address(void **state)
{
	enum { COUNT = 2000, NAME_SIZE = 32, OTHERS = 6, COMPARED = 64 };
	static char texts[COUNT][NAME_SIZE];
	static struct symbol array[OTHERS + COUNT];
	static const char others[OTHERS][NAME_SIZE] = {
		"_ZN2ns11folded_0005D2Ev", /* ~folded_0005 */
		"_ZN2nseqERKS_S1_",        /* operator== */
		"_ZZ4mainENKUliE_clEi",    /* operator(), of a lambda */
		"_ZTV11folded_0006",       /* of no function */
		"_RNvCs1_2ns9of_folded",   /* Rust's newer kind, whose words are not looked for */
		"_ZN1m11folded_0007Ev",    /* the first of two that have one word */
	};
	static const struct {
		const char *name, *linkage;
	} cases[] = {
		{"~folded_0005", others[0]}, {"operator==", others[1]},      {"operator()", others[2]},
		{"folded_0005", texts[5]},   {"folded_0005<int>", texts[5]}, {"folded_0006", texts[6]},
		{"of_folded", others[4]},    {"folded_0007", others[5]},     {"folded_9999", NULL},
		{"operator!=", NULL},        {"<lambda(int)>", others[2]}, /* it has no word, but one of the first 256
									      is a lambda's */
	};
	struct symbols symbols = {.symbols = array, .count = OTHERS + COUNT};
	struct intern_set functions;
	struct symbol_names names = {.symbols = &symbols, .functions = &functions};
	(void)state;
	intern_set_init(&functions, sizeof(struct function_key));
	for (unsigned i = 0; i < OTHERS + COUNT; i++) {
		if (i >= OTHERS)
			snprintf(texts[i - OTHERS], NAME_SIZE, "_ZN2ns11folded_%04uEv", i - OTHERS);
		array[i] = (struct symbol){.addr = ENTRY, .name = i < OTHERS ? others[i] : texts[i - OTHERS]};
	}
	for (unsigned i = 0; i < COUNT + COUNT_OF(cases); i++) {
		char name[NAME_SIZE];
		const struct die_names named = {.key = {.name = name, .language = DW_LANG_C_plus_plus}, .bare = name};
		uint32_t function = FUNCTION_UNKNOWN;
		bool is_name;
		if (i < COUNT)
			snprintf(name, sizeof(name), "folded_%04u", i);
		else
			snprintf(name, sizeof(name), "%s", cases[i - COUNT].name);
		const char *expected = i >= COUNT ? cases[i - COUNT].linkage : i == 7 ? others[5] : texts[i];
		names.work = 0;
		assert_true(symbol_names_link(&names, ENTRY, &named, &function, &is_name));
		assert_false(is_name);
		if ((function != FUNCTION_UNKNOWN) != (expected != NULL))
			fail_msg("%s: %s symbol", name, expected ? "no" : "a");
		if (expected)
			assert_ptr_equal(((const struct function_key *)intern_get(&functions, function))->linkage,
					 expected);
		/* The very name is looked for, and two have the word of a destructor. */
		if (i < COUNT)
			assert_in_range(names.work, 1, COMPARED * strlen(name) / 8 + 2 * 2 * NAME_SIZE);
	}
	assert_in_range(names.crowded.work, COUNT, (OTHERS + COUNT) * NAME_SIZE);
	symbol_names_done(&names);
	intern_set_done(&functions);
}

/* RULES D3: of symbols that have no word, as those of Rust's newer kind, the first 256 at an address. */
static void of_those_without_a_word_the_first_are_tried(void **state)
{
	enum { COUNT = 300, NAME_SIZE = 16, TRIED = 256 };
	static char texts[COUNT][NAME_SIZE];
	static struct symbol array[COUNT];
	const struct die_names named = {.key = {.name = "folded", .language = DW_LANG_Rust}, .bare = "folded"};
	(void)state;
	for (unsigned at = TRIED - 2; at <= TRIED; at++) {
		struct symbols symbols = {.symbols = array, .count = COUNT};
		struct intern_set functions;
		struct symbol_names names = {.symbols = &symbols, .functions = &functions};
		uint32_t function = FUNCTION_UNKNOWN;
		bool is_name;
		intern_set_init(&functions, sizeof(struct function_key));
		for (unsigned i = 0; i < COUNT; i++) {
			snprintf(texts[i], NAME_SIZE, "other_%03u", i);
			array[i] = (struct symbol){.addr = ENTRY, .name = texts[i]};
		}
		array[at].name = "_RNvCs1_2ns6folded";
		assert_true(symbol_names_link(&names, ENTRY, &named, &function, &is_name));
		assert_int_equal(function != FUNCTION_UNKNOWN, at < TRIED);
		symbol_names_done(&names);
		intern_set_done(&functions);
	}
}

/* Of several such addresses each has its own symbols; a function may be at any of them: none is only others'. */
static void thousands_at_each_of_two_addresses(void **state)
{
	enum { COUNT = 1000, NAME_SIZE = 32 };
	static char texts[2 * COUNT][NAME_SIZE];
	static struct symbol array[2 * COUNT];
	struct symbols symbols = {.symbols = array, .count = 2 * COUNT};
	struct intern_set functions;
	struct symbol_names names = {.symbols = &symbols, .functions = &functions};
	bool has_one;
	(void)state;
	intern_set_init(&functions, sizeof(struct function_key));
	for (unsigned i = 0; i < 2 * COUNT; i++) {
		snprintf(texts[i], NAME_SIZE, "_ZN2ns11folded_%04uEv", i);
		array[i] = (struct symbol){.addr = i < COUNT ? ENTRY : ELSEWHERE, .name = texts[i]};
	}
	for (unsigned i = 0; i < 2 * COUNT; i++) {
		char name[NAME_SIZE];
		const struct die_names named = {.key = {.name = name, .language = DW_LANG_C_plus_plus}, .bare = name};
		snprintf(name, sizeof(name), "folded_%04u", i);
		for (unsigned is_other = 0; is_other <= 1; is_other++) {
			const uint64_t entry = (i < COUNT) != is_other ? ENTRY : ELSEWHERE;
			uint32_t function = FUNCTION_UNKNOWN;
			bool is_name;
			assert_true(symbol_names_link(&names, entry, &named, &function, &is_name));
			assert_int_equal(function == FUNCTION_UNKNOWN, is_other);
			assert_false(symbol_names_are_others(&names, entry, texts[i], &has_one));
			assert_false(has_one);
		}
	}
	symbol_names_done(&names);
	hash_slots_done(&symbols.names);
	intern_set_done(&functions);
}

/* Addresses with the same bits do not get each other's symbols, whether they were looked up ahead or not. */
static void symbols_of_many_addresses(void **state)
{
	enum { COUNT = 5, STEP = 8 };
	struct symbol array[COUNT * SYMBOL_NAMES_KNOWN];
	struct symbols symbols = {.symbols = array};
	struct symbol_names names = {.symbols = &symbols};
	(void)state;
	for (uint32_t i = 0; i < COUNT * SYMBOL_NAMES_KNOWN; i++)
		array[symbols.count++] = (struct symbol){.addr = UINT64_C(16) * i, .name = "any"};
	for (uint32_t i = 0; i < 100 * symbols.count; i++) {
		uint64_t addr = UINT64_C(2654435761) * i % (symbols.count * UINT64_C(16) / STEP) * STEP;
		size_t count;
		if (i % 3)
			symbol_names_ahead(&names, addr);
		const struct symbol *symbol = symbol_names_at(&names, addr, &count);
		assert_ptr_equal(symbol, addr % 16 ? NULL : &array[addr / 16]);
		assert_int_equal(count, addr % 16 == 0);
	}
}

/* RULES A6, C7: a function that the linker dropped, whose debug information points at another. */
static void dropped_functions(void **state)
{
	static const struct {
		uint64_t addr;
		const char *linkage;
		bool are_others, has_one;
		uint64_t work;
	} cases[] = {
		{ENTRY, "elsewhere", true, false, 3 * 9 / 8},
		{ENTRY, "at_no_address", true, false, 3 * 13 / 8},
		{ENTRY, NAME, false, false, 3 * 16 / 8},
		{ENTRY, "first", false, false, 3 * 5 / 8}, /* it has one, but not alone */
		{NOWHERE, "elsewhere", false, false, 9 / 8},
		{ELSEWHERE, "elsewhere", false, true, 2 * 9 / 8},
		{ELSEWHERE, "at_no_address", true, false, 2 * 13 / 8},
	};
	bool has_one;
	struct bench bench;
	(void)state;
	bench_init(&bench, (const char *const[]){"first", NAME});
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		bench.names.work = 0;
		if (symbol_names_are_others(&bench.names, cases[i].addr, cases[i].linkage, &has_one) !=
			    cases[i].are_others ||
		    has_one != cases[i].has_one)
			fail_msg("%s at 0x%llx", cases[i].linkage, (unsigned long long)cases[i].addr);
		assert_int_equal(bench.names.work, cases[i].work);
	}
	bench_done(&bench);

	/* A symbol with more behind the name is the function's, but is another name. */
	bench_init(&bench, (const char *const[]){NAME ".part.0", NULL});
	assert_false(symbol_names_are_others(&bench.names, ENTRY, NAME, &has_one));
	assert_false(has_one);
	bench_done(&bench);
}

/* The entry is where a symbol has the function's very name; a linkage name counts before a bare one. */
static void entries_of_functions(void **state)
{
	static const struct range ranges[] = {{NOWHERE, NOWHERE + 1}, {ELSEWHERE, ELSEWHERE + 1}, {ENTRY, ENTRY + 1}};
	static const struct {
		const char *linkage, *bare;
		uint64_t expected;
	} cases[] = {
		{NULL, NAME, ENTRY},      {MANGLED, NAME, ENTRY},   {"elsewhere", NAME, ELSEWHERE},
		{NULL, "other", NOWHERE}, {"other", NAME, NOWHERE}, {NULL, NULL, NOWHERE},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct die_names named = {.key = {.linkage = cases[i].linkage}, .bare = cases[i].bare};
		struct bench bench;
		bench_init(&bench, (const char *const[]){MANGLED, NAME});
		assert_int_equal(symbol_names_entry(&bench.names, ranges, COUNT_OF(ranges), &named), cases[i].expected);
		bench_done(&bench);
	}
}

/*
 * Without a symbol of the very name the entry is where a clone's is, and never at a cold part, be it the first range.
 */
static void entries_of_clones(void **state)
{
	static const struct range ranges[] = {{0x10, 0x20}, {0x30, 0x40}};
	static const struct {
		const char *cold, *hot, *linkage, *bare;
		uint64_t expected;
	} cases[] = {
		{"f.isra.0.cold", "f.isra.0", NULL, "f", 0x30},
		{"_Z1fv.isra.0.cold", "_Z1fv.isra.0", "_Z1fv", "f", 0x30},
		{"_Z1fv.constprop.0.cold.0", "_Z1fv.constprop.0", NULL, "f", 0x30},
		{"_Z1fPZ1fiE8_Z1fi.Frame.actor.cold", "_Z1fPZ1fiE8_Z1fi.Frame.actor", NULL, "f", 0x30},
		{"_Z1gv.isra.0.cold", "_Z1gv.isra.0", "_Z1fv", "f", 0x10},
		{"f.isra.0.cold", "f.isra.0", NULL, NULL, 0x10},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct die_names named = {
			.key = {.linkage = cases[i].linkage, .language = DW_LANG_C_plus_plus_14},
			.bare = cases[i].bare};
		struct symbol table[] = {{.addr = 0x10, .name = cases[i].cold}, {.addr = 0x30, .name = cases[i].hot}};
		struct symbols symbols = {.symbols = table, .count = COUNT_OF(table)};
		struct symbol_names names = {.symbols = &symbols};
		uint64_t entry = symbol_names_entry(&names, ranges, COUNT_OF(ranges), &named);
		if (entry != cases[i].expected)
			fail_msg("%s: 0x%llx", cases[i].hot, (unsigned long long)entry);
		symbol_names_done(&names);
	}
}

/* What was found last is not taken for the next address, of whichever it is. */
static void one_address_after_another(void **state)
{
	static const uint64_t asked[] = {0x10, 0x10, 0, 0x20, 0x10, 0};
	struct symbol table[] = {{.addr = 0, .name = "zero"}, {.addr = 0x10, .name = "f"}, {.addr = 0x10, .name = "g"}};
	struct symbols symbols = {.symbols = table, .count = COUNT_OF(table)};
	struct symbol_names names = {.symbols = &symbols};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(asked); i++) {
		size_t count;
		const struct symbol *found = symbol_names_at(&names, asked[i], &count);
		assert_ptr_equal(found, asked[i] == 0 ? &table[0] : asked[i] == 0x10 ? &table[1] : NULL);
		assert_int_equal(count, asked[i] == 0 ? 1 : asked[i] == 0x10 ? 2 : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_that_name_a_function),
		cmocka_unit_test(damaged_symbols),
		cmocka_unit_test(work_that_doubles),
		cmocka_unit_test(functions_get_symbols),
		cmocka_unit_test(work_of_searching),
		cmocka_unit_test(thousands_at_one_address),
		cmocka_unit_test(thousands_of_mangled_ones_at_one_address),
		cmocka_unit_test(of_those_without_a_word_the_first_are_tried),
		cmocka_unit_test(thousands_at_each_of_two_addresses),
		cmocka_unit_test(symbols_of_many_addresses),
		cmocka_unit_test(dropped_functions),
		cmocka_unit_test(entries_of_functions),
		cmocka_unit_test(entries_of_clones),
		cmocka_unit_test(one_address_after_another),
	};
	return cmocka_run_group_tests_name("symbol names", tests, NULL, NULL);
}
