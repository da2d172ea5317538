/* Which symbol names which addresses, where no function of DWARF does. RULES E2. */
#include "convert/cross_check/evidence.h"

#include "base/toolkit_test.h"

enum { CODE = 10, CODE_END = 50, MORE = 60, MORE_END = 70, SYMBOLS_MAX = 4, FUNCTIONS_MAX = 2 };

static const struct {
	const char *name;
	struct symbol symbols[SYMBOLS_MAX];
	struct span functions[FUNCTIONS_MAX];
	/* By address from CODE on: the number of the symbol that names it, '.': none does. */
	const char *expected;
} cases[] = {
	{"sizes",
	 {{12, 4, "0", 0, 0, false}, {20, 1, "1", 0, 0, false}},
	 {{0, 0, 0, 0}},
	 "..0000....1................................................."},
	{"sizes up to the end of the code, and beyond",
	 {{40, 10, "0", 0, 0, false}, {62, 100, "1", 0, 0, false}},
	 {{0, 0, 0, 0}},
	 "..............................0000000000............11111111"},
	{"without a size up to the next, and the end of the code",
	 {{12, 0, "0", 0, 0, false}, {16, 0, "1", 0, 0, false}, {48, 0, "2", 0, 0, false}, {68, 0, "3", 0, 0, false}},
	 {{0, 0, 0, 0}},
	 "..00001111111111111111111111111111111122..................33"},
	{"the next is of other code",
	 {{45, 0, "0", 0, 0, false}, {65, 0, "1", 0, 0, false}},
	 {{0, 0, 0, 0}},
	 "...................................00000...............11111"},
	{"of a dynamic one without a size the address alone",
	 {{12, 0, "0", 0, 0, true}, {20, 4, "1", 0, 0, true}},
	 {{0, 0, 0, 0}},
	 "..0.......1111.............................................."},
	{"of several at one address the first",
	 {{12, 0, "0", 0, 0, false}, {12, 20, "1", 0, 0, false}, {15, 2, "2", 0, 0, false}},
	 {{0, 0, 0, 0}},
	 "..00022....................................................."},
	{"of those that overlap the one that starts last",
	 {{12, 20, "0", 0, 0, false}, {15, 10, "1", 0, 0, false}, {18, 2, "2", 0, 0, false}},
	 {{0, 0, 0, 0}},
	 "..00011122111110000000......................................"},
	{"a function ends one without a size",
	 {{12, 0, "0", 0, 0, false}, {30, 4, "1", 0, 0, false}},
	 {{20, 22, 0, 0}, {31, 32, 0, 0}},
	 "..00000000..........1111...................................."},
	{"one at its start does not",
	 {{20, 0, "0", 0, 0, false}},
	 {{20, 22, 0, 0}},
	 "..........000000000000000000000000000000...................."},
};

static void symbols_of_addresses(void **state)
{
	struct exec_range exec[] = {{CODE, CODE_END}, {MORE, MORE_END}};
	const struct elf_file program = {.exec = exec, .exec_count = COUNT_OF(exec)};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct symbol symbols[SYMBOLS_MAX];
		struct unit_loads loads = {0};
		static struct evidence evidence;
		evidence = (struct evidence){.program = &program, .loads = &loads, .symbols = {.symbols = symbols}};
		memcpy(symbols, cases[i].symbols, sizeof(symbols));
		while (evidence.symbols.count < SYMBOLS_MAX && symbols[evidence.symbols.count].name)
			evidence.symbols.count++;
		for (size_t k = 0; k < FUNCTIONS_MAX; k++)
			assert_true(span_index_add(&evidence.tree.parts, cases[i].functions[k].start,
						   cases[i].functions[k].end, 0));
		assert_int_equal(evidence_read(&evidence, NULL), LOCUS_OK);
		for (uint64_t addr = CODE; addr < MORE_END; addr++) {
			const struct symbol *found = evidence_symbol_at(&evidence, addr);
			char expected = cases[i].expected[addr - CODE], shown = found ? found->name[0] : '.';
			if (shown != expected)
				fail_msg("%s: %llu is %c, not %c", cases[i].name, (unsigned long long)addr, shown,
					 expected);
		}
		evidence_done(&evidence);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_of_addresses),
	};
	return cmocka_run_group_tests_name("evidence", tests, NULL, NULL);
}
