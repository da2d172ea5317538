/* Strings and functions of a profile get one index or id each, and all memory is counted and given back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/pprof/id_table.h"
#include "cmd/pprof/profile_tables.h"

enum { MEMORY_MAX = 1 << 20 };

/* A profile with some strings and functions, and its tables. */
struct sample {
	struct profile_memory memory;
	Pprof__Profile *message;
	struct profile_tables tables;
};

static void *taken(struct sample *sample, size_t size)
{
	void *memory = profile_memory_grow(&sample->memory, NULL, 0, size);
	assert_non_null(memory);
	return memory;
}

static struct locus_string text_of(const char *text)
{
	return (struct locus_string){text, strlen(text)};
}

static Pprof__Function function_of(int64_t name, int64_t system_name, int64_t filename, int64_t line)
{
	Pprof__Function function = PPROF__FUNCTION__INIT;
	function.name = name;
	function.system_name = system_name;
	function.filename = filename;
	function.start_line = line;
	return function;
}

static void set_up(struct sample *sample, uint64_t function_id)
{
	static const char *const strings[] = {"", "main", "init", "main", "a"};
	enum { STRING_COUNT = sizeof(strings) / sizeof(strings[0]) };

	profile_memory_init(&sample->memory, MEMORY_MAX);
	sample->message = taken(sample, sizeof(*sample->message));
	pprof__profile__init(sample->message);
	sample->message->string_table = taken(sample, STRING_COUNT * sizeof(*sample->message->string_table));
	for (size_t i = 0; i < STRING_COUNT; i++) {
		struct locus_string text = text_of(strings[i]);
		uint8_t *copy = text.size ? taken(sample, text.size) : NULL;
		if (copy)
			memcpy(copy, text.data, text.size);
		sample->message->string_table[sample->message->n_string_table++] =
			(ProtobufCBinaryData){text.size, copy};
	}
	sample->message->function = taken(sample, sizeof(*sample->message->function));
	sample->message->function[0] = taken(sample, sizeof(**sample->message->function));
	*sample->message->function[0] = function_of(1, 2, 3, 4);
	sample->message->function[0]->id = 7;
	sample->message->n_function = 1;
	assert_true(profile_tables_init(&sample->tables, sample->message, &sample->memory, function_id));
}

static void tear_down(struct sample *sample)
{
	profile_tables_done(&sample->tables);
	pprof__profile__free_unpacked(sample->message, &sample->memory.allocator);
	assert_int_equal(sample->memory.left, MEMORY_MAX);
}

static void strings_are_known_by_their_first_index(void **state)
{
	enum { MORE = 1000 };
	struct sample sample;
	char text[16];

	(void)state;
	set_up(&sample, 7);
	assert_int_equal(profile_string(&sample.tables, text_of("")), 0);
	assert_int_equal(profile_string(&sample.tables, text_of("main")), 1);
	assert_int_equal(profile_string(&sample.tables, text_of("init")), 2);
	assert_int_equal(profile_string(&sample.tables, text_of("a")), 4);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < MORE; i++) {
			snprintf(text, sizeof(text), "%d", i);
			assert_int_equal(profile_string(&sample.tables, text_of(text)), 5 + i);
		}
	}
	assert_int_equal(sample.message->n_string_table, 5 + MORE);
	for (int i = 0; i < MORE; i++) {
		const ProtobufCBinaryData *string = &sample.message->string_table[5 + i];
		assert_int_equal(string->len, snprintf(text, sizeof(text), "%d", i));
		assert_memory_equal(string->data, text, string->len);
	}
	assert_memory_equal(sample.message->string_table[1].data, "main", 4);
	assert_false(sample.memory.is_exceeded);
	tear_down(&sample);
}

/* Each field tells functions apart. */
static void functions_are_known_by_all_their_fields(void **state)
{
	struct sample sample;
	uint64_t ids[81], next = 11;

	(void)state;
	set_up(&sample, 10);
	Pprof__Function known = function_of(1, 2, 3, 4);
	assert_int_equal(profile_function(&sample.tables, &known), 7);
	for (int i = 0; i < 2 * 81; i++) {
		uint64_t *id = &ids[i % 81];
		Pprof__Function function = function_of(i / 27 % 3, i / 9 % 3, i / 3 % 3, i % 3);
		function.id = 5;
		uint64_t got = profile_function(&sample.tables, &function);
		if (i < 81)
			*id = next++;
		if (got != *id)
			fail_msg("function %d: id %llu, not %llu", i, (unsigned long long)got, (unsigned long long)*id);
	}
	assert_int_equal(sample.message->n_function, 82);
	for (int i = 0; i < 81; i++) {
		const Pprof__Function *function = sample.message->function[1 + i];
		assert_int_equal(function->id, 11 + i);
		assert_int_equal(function->name * 27 + function->system_name * 9 + function->filename * 3 +
					 function->start_line,
				 i);
	}
	tear_down(&sample);
}

static void ids_may_run_out(void **state)
{
	struct sample sample;

	(void)state;
	set_up(&sample, UINT64_MAX - 1);
	Pprof__Function last = function_of(1, 1, 1, 1), more = function_of(2, 2, 2, 2);
	assert_true(profile_function(&sample.tables, &last) == UINT64_MAX);
	assert_int_equal(profile_function(&sample.tables, &more), 0);
	assert_true(profile_function(&sample.tables, &last) == UINT64_MAX);
	tear_down(&sample);
}

/* The table first, and then what would be added to it, has no room. */
static void strings_and_functions_need_memory(void **state)
{
	struct sample sample;
	Pprof__Function added = function_of(2, 2, 2, 2), more = function_of(3, 3, 3, 3);

	(void)state;
	set_up(&sample, 7);
	for (int has_table = 0; has_table < 2; has_table++) {
		size_t left = sample.memory.left;
		sample.memory.left = 0;
		sample.memory.is_exceeded = false;
		assert_int_equal(profile_string(&sample.tables, text_of("new")), -1);
		assert_int_equal(profile_function(&sample.tables, &more), 0);
		assert_true(sample.memory.is_exceeded);
		assert_int_equal(profile_string(&sample.tables, text_of("main")), 1);
		sample.memory.left = left;
		assert_int_equal(profile_string(&sample.tables, text_of("added")), 5);
		assert_int_equal(profile_function(&sample.tables, &added), 8);
	}
	assert_int_equal(sample.message->n_string_table, 6);
	assert_int_equal(sample.message->n_function, 2);
	tear_down(&sample);
}

/* What is asked for beyond the limit is not had, and nothing else changes. */
static void memory_may_run_out(void **state)
{
	struct profile_memory memory;
	char *first, *second;

	(void)state;
	profile_memory_init(&memory, 100);
	assert_null(profile_memory_grow(&memory, NULL, 0, 101));
	assert_true(memory.is_exceeded);
	profile_memory_init(&memory, 100);
	first = profile_memory_grow(&memory, NULL, 0, 24);
	assert_non_null(first);
	assert_in_range(memory.left, 100 - 48, 100 - 24);
	memcpy(first, "twelve bytes", 12);
	second = profile_memory_grow(&memory, first, 12, 40);
	assert_non_null(second);
	assert_memory_equal(second, "twelve bytes", 12);
	assert_in_range(memory.left, 100 - 64, 100 - 40);
	assert_false(memory.is_exceeded);
	assert_null(profile_memory_grow(&memory, second, 12, 90));
	assert_true(memory.is_exceeded);
	assert_memory_equal(second, "twelve bytes", 12);
	memory.allocator.free(&memory, second);
	assert_int_equal(memory.left, 100);

	/* What malloc gives may be more than what is left: then nothing is. */
	profile_memory_init(&memory, 1);
	first = profile_memory_grow(&memory, NULL, 0, 1);
	assert_non_null(first);
	assert_int_equal(memory.left, 0);
	free(first);
}

static bool fill(struct id_table *table, const uint64_t *ids, size_t count, uint64_t *ret)
{
	assert_true(id_table_init(table, count));
	assert_int_equal(table->count, count);
	for (size_t i = 0; i < count; i++)
		table->entries[i] = (struct id_entry){ids[i], i};
	return id_table_sort(table, ret);
}

static void ids_are_found(void **state)
{
	static const uint64_t in_order[] = {1, 2, 3, 4}, mixed[] = {9, 2, UINT64_MAX, 1, 40};
	struct id_table table;
	uint64_t bad = 99;
	size_t index;

	(void)state;
	assert_true(fill(&table, in_order, 4, &bad));
	for (size_t i = 0; i < 4; i++)
		assert_true(id_table_find(&table, in_order[i], &index) && index == i);
	assert_false(id_table_find(&table, 0, &index));
	assert_false(id_table_find(&table, 5, &index));
	id_table_done(&table);

	assert_true(fill(&table, mixed, 5, &bad));
	for (size_t i = 0; i < 5; i++)
		assert_true(id_table_find(&table, mixed[i], &index) && index == i);
	assert_false(id_table_find(&table, 3, &index));
	assert_false(id_table_find(&table, 0, &index));
	id_table_done(&table);
	assert_int_equal(table.count, 0);

	assert_true(fill(&table, NULL, 0, &bad));
	assert_false(id_table_find(&table, 1, &index));
	assert_int_equal(bad, 99);
	id_table_done(&table);
}

static void ids_that_are_none_or_stand_twice_are_refused(void **state)
{
	static const uint64_t none[] = {3, 0, 1}, twice[] = {3, 1, 8, 3};
	struct id_table table;
	uint64_t bad = 99;

	(void)state;
	assert_false(fill(&table, none, 3, &bad));
	assert_int_equal(bad, 0);
	id_table_done(&table);
	assert_false(fill(&table, twice, 4, &bad));
	assert_int_equal(bad, 3);
	id_table_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_are_known_by_their_first_index),
		cmocka_unit_test(functions_are_known_by_all_their_fields),
		cmocka_unit_test(ids_may_run_out),
		cmocka_unit_test(strings_and_functions_need_memory),
		cmocka_unit_test(memory_may_run_out),
		cmocka_unit_test(ids_are_found),
		cmocka_unit_test(ids_that_are_none_or_stand_twice_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
