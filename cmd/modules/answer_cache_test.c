/* What is remembered is what was added, whatever became of where it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/modules/answer_cache.h"

enum { FUNCTION_COUNT = 1000 };

static void add(struct answer_cache *cache, uint64_t address, size_t padding)
{
	char *name = malloc(padding + 32), *file = strdup("a.c");
	struct locus_frame frames[2] = {
		{.line = (uint32_t)address, .function_id = address % FUNCTION_COUNT + 1, .inlined = true},
		{.line = 7,
		 .has_line = true,
		 .function_id = 1u << 30,
		 .file_id = 3,
		 .part_start = address,
		 .offset = 5}};
	struct locus_result result = {.interval = {.start = address}, .frames = frames, .frame_count = 2};

	memset(name, 'x', padding);
	sprintf(name + padding, "f%llu", (unsigned long long)address % FUNCTION_COUNT);
	frames[0].function = (struct locus_string){name, strlen(name + padding) + padding};
	frames[1].file = (struct locus_string){file, strlen(file)};
	answer_cache_add(cache, address, &result);
	memset(name, '?', padding + 1);
	memset(file, '?', 3);
	free(name);
	free(file);
}

/* Whether the address is remembered; if so, as it was added. */
static bool has(struct answer_cache *cache, uint64_t address, size_t padding)
{
	const struct locus_result *found = answer_cache_find(cache, address);
	char name[32];

	if (!found)
		return false;
	sprintf(name, "f%llu", (unsigned long long)address % FUNCTION_COUNT);
	assert_int_equal(found->frame_count, 2);
	assert_int_equal(found->interval.start, address);
	assert_int_equal(found->frames[0].line, (uint32_t)address);
	assert_int_equal(found->frames[0].function.size, strlen(name) + padding);
	assert_memory_equal(found->frames[0].function.data + padding, name, strlen(name));
	assert_int_equal(found->frames[0].function_id, address % FUNCTION_COUNT + 1);
	assert_int_equal(found->frames[0].file.size, 0);
	assert_true(found->frames[0].inlined && !found->frames[0].has_line);
	assert_true(!found->frames[1].inlined && found->frames[1].has_line);
	assert_int_equal(found->frames[1].part_start, address);
	assert_int_equal(found->frames[1].offset, 5);
	assert_int_equal(found->frames[1].line, 7);
	assert_memory_equal(found->frames[1].file.data, "a.c", 3);
	assert_int_equal(found->frames[1].directory.size, 0);
	return true;
}

static void answers_are_kept(void **state)
{
	struct answer_cache *cache = answer_cache_new();
	size_t kept = 0;

	(void)state;
	assert_null(answer_cache_find(cache, 5));
	for (uint64_t i = 0; i < 20000; i++)
		add(cache, i * 16 + 3, 0);
	for (uint64_t i = 0; i < 20000; i++)
		kept += has(cache, i * 16 + 3, 0);
	assert_int_equal(kept, 20000);
	assert_null(answer_cache_find(cache, 4));
	answer_cache_free(cache);
}

/* Some 100 MB of answers: the last one is there, and most of the first are not. */
static void memory_is_bounded(void **state)
{
	struct answer_cache *cache = answer_cache_new();
	size_t kept = 0;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		add(cache, i, 100000);
	assert_true(has(cache, 999, 100000));
	for (uint64_t i = 0; i < 1000; i++)
		kept += has(cache, i, 100000);
	assert_true(kept * 100000 <= ANSWER_CACHE_SIZE_MAX);
	answer_cache_free(cache);
}

/* Asked for now and then, an answer stays, however many others come; of those the last ones do. */
static void what_is_asked_for_stays(void **state)
{
	const uint64_t count = 400000, asked = 7;
	struct answer_cache *cache = answer_cache_new();
	size_t kept = 0;

	(void)state;
	for (uint64_t i = 0; i < count; i++) {
		add(cache, i, 0);
		if (i % 1000 == asked)
			assert_true(has(cache, asked, 0));
	}
	for (uint64_t i = 0; i < count; i++)
		kept += has(cache, i, 0);
	assert_true(has(cache, count - 1, 0));
	assert_true(kept > 10000 && kept < count);
	answer_cache_free(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(answers_are_kept), cmocka_unit_test(memory_is_bounded),
					   cmocka_unit_test(what_is_asked_for_stays)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
