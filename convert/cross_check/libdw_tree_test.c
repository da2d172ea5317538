/* Which of nested inlinees is the innermost at an address, and what it costs to find it. RULES C3, C4. */
#include "convert/cross_check/libdw_tree.h"

#include "base/steps_test.h"
#include "base/toolkit_test.h"

enum { INLINEES_MAX = 4, RANGES_MAX = 2 };

/* One inlinee: the number of the node around it (0: the function), and where it has code. */
struct inlinee {
	uint32_t parent;
	struct range ranges[RANGES_MAX];
};

struct tree_case {
	const char *name;
	uint16_t version;
	uint32_t count;
	struct inlinee inlinees[INLINEES_MAX];
	uint64_t addr;
	uint32_t expected; /* the number of the node */
	/* One for each range that is looked at; in DWARF 2, one for each inlinee that is met or looked into, and for
	 * its ranges. */
	uint64_t steps;
};

static const struct tree_case cases[] = {
	{"the function alone", 5, 0, {{0, {{0}}}}, 9, 0, 0},
	{"beside the inlinee", 5, 1, {{0, {{10, 20}}}}, 9, 0, 0},
	{"its first address", 5, 1, {{0, {{10, 20}}}}, 10, 1, 1},
	{"its last address", 5, 1, {{0, {{10, 20}}}}, 19, 1, 1},
	{"behind its end", 5, 1, {{0, {{10, 20}}}}, 20, 0, 0},
	{"its second range", 5, 1, {{0, {{10, 20}, {30, 40}}}}, 30, 1, 1},
	{"one in another", 5, 3, {{0, {{10, 20}}}, {1, {{12, 15}}}, {0, {{30, 40}}}}, 13, 2, 2},
	{"one beside another", 5, 3, {{0, {{10, 20}}}, {1, {{12, 15}}}, {0, {{30, 40}}}}, 33, 3, 1},
	{"three deep", 5, 3, {{0, {{10, 20}}}, {1, {{10, 20}}}, {2, {{10, 20}}}}, 19, 3, 3},
	{"of two that start together the last", 5, 2, {{0, {{10, 20}}}, {0, {{10, 30}}}}, 15, 2, 1},
	{"of two the one that starts later", 5, 2, {{0, {{12, 20}}}, {0, {{10, 30}}}}, 15, 1, 1},
	{"of ranges the one that starts later", 5, 2, {{0, {{10, 40}, {20, 30}}}, {0, {{15, 40}}}}, 25, 1, 1},
	{"of ranges the first, if it starts later", 5, 2, {{0, {{20, 30}, {10, 40}}}, {0, {{15, 40}}}}, 25, 1, 1},
	{"behind one that ends before", 5, 2, {{0, {{10, 40}}}, {0, {{12, 20}}}}, 25, 1, 2},
	{"outside of what it is in", 5, 2, {{0, {{10, 20}}}, {1, {{50, 60}}}}, 55, 0, 0},
	{"the same in DWARF 2", 2, 2, {{0, {{10, 20}}}, {1, {{50, 60}}}}, 55, 2, 10},
	{"nowhere in DWARF 2", 2, 2, {{0, {{10, 20}}}, {1, {{50, 60}}}}, 70, 0, 7},
	{"through one without code", 2, 2, {{0, {{0}}}, {1, {{50, 60}}}}, 55, 2, 9},
	{"through two", 2, 3, {{0, {{10, 20}}}, {1, {{10, 20}}}, {2, {{50, 60}}}}, 55, 3, 21},
	{"not through one with two ranges", 2, 2, {{0, {{10, 20}, {30, 40}}}, {1, {{50, 60}}}}, 55, 0, 5},
	{"of two that start together the last, in DWARF 2", 2, 2, {{0, {{10, 20}}}, {0, {{10, 30}}}}, 15, 2, 6},
	{"of two the one that starts later, in DWARF 2", 2, 2, {{0, {{12, 20}}}, {0, {{10, 30}}}}, 15, 1, 6},
	{"not through the one before", 2, 2, {{0, {{10, 20}}}, {0, {{50, 60}}}}, 55, 2, 6},
};

/* The opened function of a case. What it points to is the caller's. */
struct bench {
	struct tree tree;
	struct tree_unit unit;
	struct tree_function function;
	struct tree_node nodes[1 + INLINEES_MAX + 1]; /* and one behind those that count, which nothing may look at */
	struct range ranges[INLINEES_MAX * RANGES_MAX];
};

static void bench_init(struct bench *bench, const struct tree_case *c)
{
	*bench = (struct bench){.unit = {.version = c->version}, .nodes[0] = {.parent = TREE_NO_NODE}};
	bench->tree = (struct tree){
		.units = &bench->unit,
		.unit_count = 1,
		.functions = &bench->function,
		.function_count = 1,
		.nodes = bench->nodes,
		.node_count = 1 + c->count,
		.ranges = bench->ranges,
	};
	for (uint32_t i = 0; i < c->count; i++) {
		struct tree_node *node = &bench->nodes[1 + i];
		*node = (struct tree_node){.parent = c->inlinees[i].parent, .range_first = bench->tree.range_count};
		node->depth = bench->nodes[node->parent].depth + 1;
		for (const struct range *range = c->inlinees[i].ranges;
		     node->range_count < RANGES_MAX && range[node->range_count].end; node->range_count++)
			bench->ranges[bench->tree.range_count++] = range[node->range_count];
	}
	bench->nodes[1 + c->count] = (struct tree_node){.depth = UINT32_MAX};
	assert_true(tree_index_children(&bench->tree));
}

static void the_innermost(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench bench;
		bench_init(&bench, &cases[i]);
		const struct tree_node *found = tree_innermost(&bench.tree, cases[i].addr);
		if (found != &bench.nodes[cases[i].expected])
			fail_msg("%s: node %td", cases[i].name, found ? found - bench.nodes : -1);
		if (bench.tree.uncounted != cases[i].steps)
			fail_msg("%s: %llu steps", cases[i].name, (unsigned long long)bench.tree.uncounted);
		span_index_done(&bench.tree.children);
	}
}

/* Wherever the budget ends on the way, the conversion is told; with room for the last step it is not. */
static void beyond_the_budget(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (uint64_t left = 0; left <= cases[i].steps; left++) {
			struct bench bench;
			struct budget budget;
			bench_init(&bench, &cases[i]);
			budget_of_steps(&budget, BUDGET_COUNTED_AT_ONCE - 1);
			bench.tree.uncounted = BUDGET_COUNTED_AT_ONCE - 1 - left;
			tree_innermost(&bench.tree, cases[i].addr);
			budget_use(NULL);
			bool is_enough = left == cases[i].steps;
			if (budget_fail(&budget, LOCUS_OK, NULL) != (is_enough ? LOCUS_OK : LOCUS_ERR_BAD_DWARF))
				fail_msg("%s: with %llu steps left", cases[i].name, (unsigned long long)left);
			span_index_done(&bench.tree.children);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_innermost),
		cmocka_unit_test(beyond_the_budget),
	};
	return cmocka_run_group_tests_name("libdw_tree", tests, NULL, NULL);
}
