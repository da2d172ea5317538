/* What the names of functions cost, and that ids end where the budget does. */
#include "convert/emit/output_ids.h"

#include "base/steps_test.h"
#include "base/toolkit_test.h"

/* Eight bytes of a name are a step, and of a linkage name. */
static void names_are_counted(void **state)
{
	enum { SIZE = BUDGET_COUNTED_AT_ONCE * BUDGET_BYTES_PER_STEP };
	char *name = malloc(SIZE + 1);
	(void)state;
	assert_non_null(name);
	memset(name, 'x', SIZE);
	name[SIZE] = 0;
	for (int is_mangled = 0; is_mangled <= 1; is_mangled++)
		for (int is_short = 0; is_short <= 1; is_short++)
			for (uint64_t steps = BUDGET_COUNTED_AT_ONCE - 1; steps <= BUDGET_COUNTED_AT_ONCE; steps++) {
				memcpy(name + is_short, is_mangled ? "_Z" : "xx", 2);
				struct output_ids ids = {0};
				struct budget budget;
				bool is_enough = is_short || steps == BUDGET_COUNTED_AT_ONCE;
				budget_of_steps(&budget, steps);
				assert_int_equal(output_ids_symbol(&ids, name + is_short),
						 is_enough ? 1 : LOCUS_UNKNOWN);
				assert_int_equal(ids.failed, !is_enough);
				/* The same name is kept already; another one has no id once that failed. */
				assert_int_equal(output_ids_symbol(&ids, name + is_short),
						 is_enough ? 1 : LOCUS_UNKNOWN);
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

/* Interned functions of equal content, at different addresses, have one id, by the first use of any of them. */
static void equal_functions(void **state)
{
	enum { FUNCTIONS = 100, FILES = 3 };
	static const char *const paths[FILES] = {"/a/x.c", "/a/y.c", "/b/x.c"};
	static char names[FUNCTIONS][8], copies[FUNCTIONS][8];
	uint32_t interned[FUNCTIONS], equal[FUNCTIONS], files[FILES];
	struct string_set strings;
	struct source_paths paths_set = {0};
	struct intern_set keys;
	(void)state;
	string_set_init(&strings);
	source_paths_init(&paths_set, &strings, NULL, 0);
	intern_set_init(&keys, sizeof(struct function_key));
	for (uint32_t i = 0; i < FILES; i++)
		files[i] = source_paths_named(&paths_set, paths[i]);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		/* Two of each name, in different files. */
		struct function_key key = {.decl_file = files[i % FILES], .decl_line = i, .language = 1};
		snprintf(names[i], sizeof(names[i]), "f%u", i / 2);
		memcpy(copies[i], names[i], sizeof(copies[i]));
		key.name = names[i];
		interned[i] = intern_put(&keys, &key);
		key.name = copies[i];
		equal[i] = intern_put(&keys, &key);
		assert_int_not_equal(interned[i], equal[i]);
	}

	for (unsigned threads = 1; threads <= 3; threads++) {
		struct output_ids ids;
		assert_true(output_ids_init(&ids, &keys, &paths_set, threads));
		for (uint32_t i = 0; i < FUNCTIONS; i++) {
			assert_int_equal(output_ids_used_function(&ids, equal[i]), LOCUS_UNKNOWN);
			assert_int_equal(output_ids_function(&ids, interned[i]).id, i + 1);
			assert_int_equal(output_ids_used_function(&ids, equal[i]), i + 1);
			assert_int_equal(output_ids_function(&ids, equal[i]).id, i + 1);
		}
		for (int again = 0; again < 2; again++)
			assert_int_equal(output_ids_function(&ids, FUNCTION_UNKNOWN).id, FUNCTIONS + 1);
		for (uint32_t i = 0; i < FUNCTIONS; i++) {
			const struct locus_function *function = &ids.functions[i];
			assert_int_equal(function->name.size, strlen(names[i]));
			assert_memory_equal(function->name.data, names[i], strlen(names[i]));
			assert_int_equal(function->decl_file, i % FILES + 1);
			assert_int_equal(function->decl_line, i);
		}
		output_ids_done(&ids);
	}
	intern_set_done(&keys);
	source_paths_done(&paths_set);
	string_set_done(&strings);
}

/* Functions with a symbol of their name have a linkage name: those that are used, and those equal to one. */
static void names_of_symbols(void **state)
{
	enum { FUNCTIONS = 60 };
	static char names[FUNCTIONS][8], copies[FUNCTIONS][8];
	uint32_t interned[FUNCTIONS], equal[FUNCTIONS];
	struct source_paths paths_set = {0};
	struct string_set strings;
	struct intern_set keys;
	struct output_ids ids;
	(void)state;
	string_set_init(&strings);
	source_paths_init(&paths_set, &strings, NULL, 0);
	intern_set_init(&keys, sizeof(struct function_key));
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		struct function_key key = {.name = names[i], .language = 1};
		snprintf(names[i], sizeof(names[i]), "f%u", i);
		memcpy(copies[i], names[i], sizeof(copies[i]));
		interned[i] = intern_put(&keys, &key);
		key.name = copies[i];
		equal[i] = intern_put(&keys, &key);
	}

	assert_true(output_ids_init(&ids, &keys, &paths_set, 1));
	bool *has_symbol = calloc(ids.function_numbers.count, sizeof(*has_symbol));
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		if (i < FUNCTIONS / 2)
			output_ids_function(&ids, interned[i]);
		if (i % 3 == 0)
			has_symbol[intern_number(&ids.function_numbers, i % 2 ? interned[i] : equal[i])] = true;
	}
	output_ids_symbols_are_names(&ids, has_symbol);
	output_ids_finish(&ids);
	assert_int_equal(ids.function_count, FUNCTIONS / 2);
	for (uint32_t i = 0; i < FUNCTIONS / 2; i++)
		assert_int_equal(ids.functions[i].linkage.size, i % 3 ? 0 : strlen(names[i]));
	free(has_symbol);
	output_ids_done(&ids);
	intern_set_done(&keys);
	source_paths_done(&paths_set);
	string_set_done(&strings);
}

/*
 * Names are read once for each interned function, and that is counted: they may be parts of one string, and so be
 * longer than the input.
 */
static void reading_names_is_counted(void **state)
{
	enum { FUNCTIONS = 64, SIZE = 1 << 16 };
	static char name[SIZE + 1];
	struct source_paths paths_set = {0};
	struct string_set strings;
	struct intern_set keys;
	uint64_t steps = 0;
	(void)state;
	memset(name, 'x', SIZE);
	string_set_init(&strings);
	source_paths_init(&paths_set, &strings, NULL, 0);
	intern_set_init(&keys, sizeof(struct function_key));
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		const struct function_key key = {.name = i % 2 ? name + i : NULL, .linkage = i % 2 ? NULL : name + i};
		intern_put(&keys, &key);
		steps += (SIZE - i) / BUDGET_BYTES_PER_STEP;
	}
	for (int is_short = 0; is_short <= 1; is_short++)
		for (unsigned threads = 1; threads <= 2; threads++) {
			struct output_ids ids;
			struct budget budget;
			budget_of_steps(&budget, steps - (uint64_t)is_short);
			assert_int_equal(output_ids_init(&ids, &keys, &paths_set, threads), !is_short);
			if (!is_short) {
				assert_int_equal(budget_steps_left(&budget), 0);
				output_ids_done(&ids);
			}
			budget_use(NULL);
		}
	intern_set_done(&keys);
	source_paths_done(&paths_set);
	string_set_done(&strings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_counted),        cmocka_unit_test(many_names),
		cmocka_unit_test(equal_functions),          cmocka_unit_test(names_of_symbols),
		cmocka_unit_test(reading_names_is_counted),
	};
	return cmocka_run_group_tests_name("output_ids", tests, NULL, NULL);
}
