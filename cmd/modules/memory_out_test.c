/* What is kept of a file's answers and names, while one allocation after the other fails: what is found is right. */
#include <unistd.h>

#include "base/failing_memory_test.h"
#include "cmd/modules/answer_cache.h"
#include "cmd/modules/function_index.h"
#include "writer/sample_test.h"

enum { INTERVALS = 2000, STEP = 3 };

static char file_path[] = "/tmp/locus-memory-XXXXXX";
static struct locus *locus;
static struct locus_scratch *scratch;

static struct locus_result result_of(uint32_t interval)
{
	struct locus_result result;
	assert_int_equal(locus_frames(locus, scratch, interval, &result, NULL), LOCUS_OK);
	return result;
}

static void assert_same_string(struct locus_string a, struct locus_string b)
{
	assert_int_equal(a.size, b.size);
	if (a.size)
		assert_memory_equal(a.data, b.data, a.size);
}

static void assert_same(const struct locus_result *a, const struct locus_result *b)
{
	assert_int_equal(a->interval.start, b->interval.start);
	assert_int_equal(a->frame_count, b->frame_count);
	for (size_t i = 0; i < a->frame_count; i++) {
		assert_same_string(a->frames[i].function, b->frames[i].function);
		assert_same_string(a->frames[i].linkage, b->frames[i].linkage);
		assert_same_string(a->frames[i].directory, b->frames[i].directory);
		assert_same_string(a->frames[i].file, b->frames[i].file);
		assert_int_equal(a->frames[i].line, b->frames[i].line);
	}
}

/* A cache may keep less than it was given, or nothing, but never something else. */
static void keep_answers(void *context, struct outcome *ret)
{
	size_t *most = context, found = 0;
	failing_begin();
	struct answer_cache *cache = answer_cache_new();
	failing_end();
	for (uint32_t i = 0; i < locus_interval_count(locus); i += STEP) {
		struct locus_result result = result_of(i);
		failing_begin();
		answer_cache_add(cache, result.interval.start, &result);
		failing_end();
	}
	for (uint32_t i = 0; i < locus_interval_count(locus); i += STEP) {
		struct locus_result result = result_of(i);
		failing_begin();
		const struct locus_result *kept = answer_cache_find(cache, result.interval.start);
		failing_end();
		found += kept != NULL;
		if (kept)
			assert_same(kept, &result);
	}
	answer_cache_free(cache);
	*most = found > *most ? found : *most;
	ret->status = LOCUS_OK;
}

static void answers_are_kept(void **state)
{
	struct failed_ways ways = {0};
	size_t most = 0;
	(void)state;
	fail_each_allocation("a cache", &ways, keep_answers, &most);
	assert_int_equal(most, (locus_interval_count(locus) + STEP - 1) / STEP);
	assert_true(ways.first.count > 5);
	failed_ways_done(&ways);
}

static void find_functions(void *context, struct outcome *ret)
{
	struct function_index *index = NULL;
	(void)context;
	failing_begin();
	ret->status = function_index_new(locus, scratch, &index, &ret->error);
	failing_end();
	if (ret->status == LOCUS_ERR_MEMORY && !ret->error.text[0])
		snprintf(ret->error.text, sizeof(ret->error.text), "%s", locus_status_text(ret->status));
	for (unsigned i = 0; ret->status == LOCUS_OK && i < 200; i++) {
		char name[32];
		uint64_t address = 0;
		int size = snprintf(name, sizeof(name), "name_of_function_%u", i);
		const struct function_offset place = {.name = {name, (size_t)size}, .delta = 1};
		failing_begin();
		bool is_found = function_index_find(index, &place, &address);
		failing_end();
		outcome_add_number(ret, is_found ? address : 0);
	}
	function_index_free(index);
}

static void functions_are_found(void **state)
{
	struct failed_ways ways = {0};
	(void)state;
	failing_do(find_functions, NULL, -1); /* from here on the handle keeps the file's blocks: all runs are alike */
	assert_true(fail_each_allocation("an index", &ways, find_functions, NULL) > 2);
	failed_ways_done(&ways);
}

static int setup(void **state)
{
	const struct locus_writer_options options = {.level = 0, .block_size = 500};
	struct locus_sample sample;
	int fd = mkstemp(file_path);
	(void)state;
	if (fd < 0)
		return -1;
	close(fd);
	locus_sample_init(&sample, 1, INTERVALS);
	enum locus_status status = locus_sample_write(&sample, file_path, &options, NULL);
	locus_sample_done(&sample);
	return status == LOCUS_OK && locus_open(file_path, NULL, &locus, NULL) == LOCUS_OK &&
			       locus_scratch_new(locus, &scratch, NULL) == LOCUS_OK
		       ? 0
		       : -1;
}

static int teardown(void **state)
{
	(void)state;
	locus_scratch_free(scratch);
	locus_close(locus);
	return unlink(file_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_kept),
		cmocka_unit_test(functions_are_found),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
