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

static void assert_string(struct locus_string string, const char *expected)
{
	assert_int_equal(string.size, strlen(expected));
	assert_memory_equal(string.data, expected, string.size);
}

/* Any number of frames; the function's start and what is like it are those of the outermost, as in an answer. */
static void answers_are_whole(void **state)
{
	enum { FRAMES_MAX = 40 };
	static const char *const texts[] = {"", "a", "bc", "main", "/usr/src", "_ZN4shop7invoiceEv"};
	enum { TEXT_COUNT = sizeof(texts) / sizeof(texts[0]) };
	struct answer_cache *cache = answer_cache_new();

	(void)state;
	for (size_t count = 0; count <= FRAMES_MAX; count++) {
		struct locus_frame frames[FRAMES_MAX] = {0};
		struct locus_result result = {.interval = {.start = count * 100, .end = count * 100 + 9},
					      .frames = frames,
					      .frame_count = count};
		for (size_t i = 0; i < count; i++) {
			size_t id = i + count;
			frames[i] = (struct locus_frame){
				.function = {texts[id % TEXT_COUNT], strlen(texts[id % TEXT_COUNT])},
				.linkage = {texts[id / 2 % TEXT_COUNT], strlen(texts[id / 2 % TEXT_COUNT])},
				.directory = {texts[id / 3 % TEXT_COUNT], strlen(texts[id / 3 % TEXT_COUNT])},
				.file = {texts[id / 5 % TEXT_COUNT], strlen(texts[id / 5 % TEXT_COUNT])},
				.function_id = (uint32_t)id + 1,
				.file_id = (uint32_t)id + 500,
				.language = (uint32_t)id % 7,
				.line = (uint32_t)i,
				.column = (uint32_t)i + 70,
				.has_line = id % 2,
				.inlined = id % 3,
				.part = (enum locus_part_kind)(id % 3),
			};
		}
		if (count) {
			frames[count - 1].part_start = 4711 + count;
			frames[count - 1].offset = 11 * count;
		}
		answer_cache_add(cache, count, &result);
		const struct locus_result *found = answer_cache_find(cache, count);
		assert_non_null(found);
		assert_int_equal(found->interval.start, result.interval.start);
		assert_int_equal(found->interval.end, result.interval.end);
		assert_int_equal(found->frame_count, count);
		for (size_t i = 0; i < count; i++) {
			const struct locus_frame *ours = &found->frames[i];
			assert_string(ours->function, texts[(i + count) % TEXT_COUNT]);
			assert_string(ours->linkage, texts[(i + count) / 2 % TEXT_COUNT]);
			assert_string(ours->directory, texts[(i + count) / 3 % TEXT_COUNT]);
			assert_string(ours->file, texts[(i + count) / 5 % TEXT_COUNT]);
			assert_int_equal(ours->function_id, frames[i].function_id);
			assert_int_equal(ours->file_id, frames[i].file_id);
			assert_int_equal(ours->language, frames[i].language);
			assert_int_equal(ours->line, frames[i].line);
			assert_int_equal(ours->column, frames[i].column);
			assert_int_equal(ours->has_line, frames[i].has_line);
			assert_int_equal(ours->inlined, frames[i].inlined);
			assert_int_equal(ours->part, frames[i].part);
			assert_int_equal(ours->part_start, frames[i].part_start);
			assert_int_equal(ours->offset, frames[i].offset);
		}
	}
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

/* When the names are too many, all answers that refer to them go, however old: none is found with another's names. */
static void answers_go_with_their_names(void **state)
{
	const uint64_t count = 400000;
	struct answer_cache *cache = answer_cache_new();

	(void)state;
	for (uint64_t i = 0; i < count; i++)
		add(cache, i * FUNCTION_COUNT, 0);
	for (uint64_t i = 1; i < FUNCTION_COUNT; i++)
		add(cache, i, 100000);
	for (uint64_t i = 0; i < count; i++)
		assert_null(answer_cache_find(cache, i * FUNCTION_COUNT));
	assert_true(has(cache, FUNCTION_COUNT - 1, 100000));
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
	const struct CMUnitTest tests[] = {cmocka_unit_test(answers_are_kept), cmocka_unit_test(answers_are_whole),
					   cmocka_unit_test(memory_is_bounded),
					   cmocka_unit_test(answers_go_with_their_names),
					   cmocka_unit_test(what_is_asked_for_stays)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
