/* What the names of functions cost, and that ids end where the budget does. */
#include "convert/emit/output_ids.h"

#include "base/steps_test.h"
#include "base/toolkit_test.h"

/* Eight bytes of a name are a step. */
static void names_are_counted(void **state)
{
	enum { SIZE = BUDGET_COUNTED_AT_ONCE * BUDGET_BYTES_PER_STEP };
	char *name = malloc(SIZE + 1);
	(void)state;
	assert_non_null(name);
	memset(name, 'x', SIZE);
	name[SIZE] = 0;
	for (int is_short = 0; is_short <= 1; is_short++)
		for (uint64_t steps = BUDGET_COUNTED_AT_ONCE - 1; steps <= BUDGET_COUNTED_AT_ONCE; steps++) {
			struct output_ids ids = {0};
			struct budget budget;
			bool is_enough = is_short || steps == BUDGET_COUNTED_AT_ONCE;
			budget_of_steps(&budget, steps);
			assert_int_equal(output_ids_symbol(&ids, name + is_short), is_enough ? 1 : LOCUS_UNKNOWN);
			assert_int_equal(ids.failed, !is_enough);
			/* The same name is kept already; another one has no id once that failed. */
			assert_int_equal(output_ids_symbol(&ids, name + is_short), is_enough ? 1 : LOCUS_UNKNOWN);
			assert_int_equal(output_ids_symbol(&ids, "y"), is_enough ? 2 : LOCUS_UNKNOWN);
			budget_use(NULL);
			output_ids_done(&ids);
		}
	free(name);
}

/* Many functions: each name has one id, by first use. */
static void many_names(void **state)
{
	enum { NAMES = 1000 };
	static char names[NAMES][8];
	struct output_ids ids = {0};
	(void)state;
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < NAMES; i++) {
			snprintf(names[i], sizeof(names[i]), "%s%u", i % 2 ? "_Z" : "c", i);
			assert_int_equal(output_ids_symbol(&ids, names[i]), i + 1);
		}
	assert_int_equal(ids.function_count, NAMES);
	output_ids_finish(&ids);
	for (uint32_t i = 0; i < NAMES; i++) {
		const struct locus_function *function = &ids.functions[i];
		size_t size = strlen(names[i]);
		assert_int_equal(function->name.size, i % 2 ? 0 : size);
		assert_int_equal(function->linkage.size, size);
		assert_memory_equal(function->linkage.data, names[i], size);
	}
	output_ids_done(&ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_counted),
		cmocka_unit_test(many_names),
	};
	return cmocka_run_group_tests_name("output_ids", tests, NULL, NULL);
}
